import { poseFromQpos, qposFromPose, type ReadMjcfOptions, readMjcf } from '@poise/formats';
import { threadTime } from '@poise/test-support/thread-time';
import { FormatError } from 'poise';
import { createState, forwardKinematics } from 'poise/figure';
import { describe, expect, test } from 'vitest';

/** A model of an arm with whatever is given. */
function modelText(body: string, rest = ''): string {
  return `<mujoco model="test">${rest}<worldbody>${body}</worldbody></mujoco>`;
}

const ARM = `<body name="upper"><joint name="shoulder" range="-90 90"/><geom size="0.1"/>
  <body name="fore" pos="0 0 0.5"><joint name="elbow" range="0 120" ref="30" axis="0 1 0"/><geom size="0.1"/>
    <site name="tip" pos="0 0 0.4"/></body></body>`;

function refusal(text: string, options: ReadMjcfOptions = {}): { code: string; path: string } {
  try {
    readMjcf(text, options);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    expect(error.remedy).not.toBe('');
    return { code: error.code, path: error.path };
  }
  return expect.fail('was read');
}

describe('readMjcf', () => {
  test('ranges are relative to ref; qpos and pose convert both ways', () => {
    const model = readMjcf(modelText(ARM));
    expect(model.figure.up).toEqual([0, 0, 1]);
    const elbow = model.joints.get('elbow');
    expect(elbow?.ref).toBeCloseTo(Math.PI / 6, 15);
    const { limit } = model.figure.bones[elbow?.bone ?? -1];
    expect(limit).toEqual({ type: 'interval', min: -Math.PI / 6, max: (120 - 30) * (Math.PI / 180) });
    const pose = poseFromQpos(model, [0.1, 0.7]);
    expect(pose[elbow?.coordinate ?? -1]).toBeCloseTo(0.7 - Math.PI / 6, 15);
    expect(Array.from(qposFromPose(model, pose))).toEqual([0.1, 0.7]);
    expect(() => poseFromQpos(model, [0])).toThrow(/qpos: has 1 numbers\. Give 2\./);
  });

  test('several joints in a body, away from its origin, are massless bones named as they are', () => {
    const { figure, joints } = readMjcf(
      modelText(
        '<body name="a"><joint name="x" axis="1 0 0"/><joint name="a" pos="0 0 1"/><geom size="1"/></body>',
      ),
    );
    expect(figure.bones.map(({ name, joint, mass }) => [name, joint.type, mass !== undefined])).toEqual([
      ['x', 'hinge', false],
      ['a_', 'hinge', false],
      ['a', 'fixed', true],
    ]);
    expect([...joints.values()].map(({ bone, body }) => [bone, body])).toEqual([
      [0, 'a'],
      [1, 'a'],
    ]);
  });

  test('joint constraints are mimic joints, also in a chain', () => {
    const equality =
      '<equality><joint joint1="b" joint2="a" polycoef="0.1 2 0 0 0"/><joint joint1="c" joint2="b" polycoef="0 0 1 0 0"/><weld body1="a" body2="c"/><joint joint1="a" joint2="c"/></equality>';
    const bodies =
      '<body name="a"><joint name="a"/><body name="b"><joint name="b"/><body name="c"><joint name="c"/><geom size="1"/></body></body></body>';
    const model = readMjcf(modelText(bodies, equality));
    expect(model.figure.dof).toBe(1);
    // c = (0.1 + 2 a)^2
    expect(model.figure.bones[2].mimic).toEqual({ bone: 'a', polynomial: [0.010000000000000002, 0.4, 4] });
    const [, b, c] = qposFromPose(model, [0.3]);
    expect([b, c]).toEqual([0.7, expect.closeTo(0.49, 14)]);
    expect(model.warnings).toEqual([
      'model.xml#/mujoco/equality/weld: the constraint is left out: figures keep those of two joints only.',
      "model.xml#/mujoco/equality/joint[3]: the constraint is left out: 'a' would follow itself.",
    ]);
    expect(readMjcf(modelText(bodies, equality), { mimic: 'free' }).figure.dof).toBe(3);
  });

  test('torques of motors are those of their actuators', () => {
    const actuators = `<actuator><motor joint="shoulder" gear="50" ctrlrange="-2 1"/><position joint="elbow" forcerange="-7 7" ctrlrange="-1 1"/></actuator>`;
    const { figure } = readMjcf(modelText(ARM.replace('ref="30"', 'actuatorfrcrange="-5 5"'), actuators));
    expect(figure.bones.map(({ torqueLimit }) => torqueLimit)).toEqual([100, 5]);
  });

  test('keyframes, sites, gravity and an up axis of +Y', () => {
    const rest =
      '<option gravity="0 1 -2"/><keyframe><key name="bent" time="2" qpos="0.5 1"/><key/></keyframe>';
    const model = readMjcf(modelText(ARM, rest), { upAxis: 'y', name: 'mine' });
    expect([model.figure.name, model.figure.up, model.gravity]).toEqual(['mine', [0, 1, 0], [0, -2, -1]]);
    expect(model.keyframes.map(({ name, time }) => [name, time])).toEqual([
      ['bent', 2],
      ['', 0],
    ]);
    expect(model.keyframes[0].pose[0]).toBe(0.5);
    expect(model.sites.get('tip')).toEqual({
      bone: 1,
      frame: { position: [0, 0, 0.4], rotation: [0, 0, 0, 1] },
    });
    const state = createState(model.figure);
    forwardKinematics(state, new Float64Array(model.figure.dof));
    expect(state.worldFromBone[12 + 10]).toBeCloseTo(0.5, 15);
  });

  test('included files come from the caller alone, each once', () => {
    const text = modelText(ARM, '<include file="more.xml"/>');
    expect(readMjcf(text).warnings).toEqual([
      "model.xml#/mujoco/include/@file: 'more.xml' is left out: no option resource says what it holds.",
    ]);
    const opened: string[] = [];
    const files: Readonly<Record<string, string>> = {
      'more.xml':
        '<mujocoinclude><default><joint armature="3"/></default><include file="deep.xml"/></mujocoinclude>',
      'deep.xml': '<mujocoinclude><worldbody><body name="extra"/></worldbody></mujocoinclude>',
      'self.xml': '<mujocoinclude><include file="self.xml"/></mujocoinclude>',
    };
    const resource = (file: string) => {
      opened.push(file);
      return files[file];
    };
    const { figure, armature } = readMjcf(text, { resource });
    expect(figure.bones.map(({ name }) => name)).toContain('extra');
    expect([Array.from(armature), opened]).toEqual([
      [3, 3],
      ['more.xml', 'deep.xml'],
    ]);
    const circle = modelText(ARM, '<include file="self.xml"/>');
    expect(refusal(circle, { resource })).toEqual({
      code: 'duplicate-name',
      path: 'self.xml#/mujocoinclude/include/@file',
    });
  });

  test('includes that never end, and bodies that nest deep through them, are refused', () => {
    const start = modelText(ARM, '<include file="x0.xml"/>');
    const chain = (content: (include: string) => string) => {
      let n = 0;
      return { resource: () => `<mujoco>${content(`<include file="x${++n}.xml"/>`)}</mujoco>` };
    };
    expect(
      refusal(
        start,
        chain((include) => include),
      ),
    ).toEqual({ code: 'unsupported', path: 'x255.xml#/mujoco' });
    const bodies = chain((include) => `${'<body>'.repeat(200)}${include}${'</body>'.repeat(200)}`);
    expect(refusal(start, bodies).code).toBe('unsupported');
    // As deep as a file may be is read.
    const deep = `${'<body>'.repeat(200)}<geom size="0.1"/>${'</body>'.repeat(200)}`;
    expect(readMjcf(modelText(deep)).figure.bones.length).toBe(200);
  });

  test.each([
    ['a root of another format', '<robot/>', 'invalid-file', 'model.xml'],
    ['no body', modelText(''), 'invalid-file', 'model.xml#/mujoco'],
    [
      'global coordinates',
      modelText(ARM, '<compiler coordinate="global"/>'),
      'unsupported',
      '/compiler/@coordinate',
    ],
    ['an unknown class', modelText('<body childclass="no"><joint/></body>'), 'unknown-name', '/joint/@class'],
    [
      'a range that ends before it begins',
      modelText('<body><joint range="2 1"/></body>'),
      'invalid-limit',
      '/joint/@range',
    ],
    [
      'an axis without a direction',
      modelText('<body><joint axis="0 0 0"/></body>'),
      'not-unit',
      '/joint/@axis',
    ],
    ['two numbers for three', modelText('<body pos="1 2"/>'), 'wrong-size', '/body/@pos'],
    ['a number that is none', modelText('<body pos="1 2 x"/>'), 'invalid-file', '/body/@pos'],
    [
      'a geom without a size',
      modelText('<body><geom type="box" size="1"/></body>'),
      'out-of-range',
      '/geom/@size',
    ],
    [
      'two bodies of one name',
      modelText('<body name="a"/><body name="a"/>'),
      'duplicate-name',
      "/body[@name='a']",
    ],
    [
      'two joints of one name',
      modelText('<body><joint name="a"/><joint name="a"/></body>'),
      'duplicate-name',
      "/joint[@name='a']",
    ],
    ['a free joint inside', modelText('<body><body><freejoint/></body></body>'), 'unsupported', '/freejoint'],
    ['bodies made by a rule', modelText('<body><replicate count="3"/></body>'), 'unsupported', '/replicate'],
    [
      'a key of another model',
      modelText(ARM, '<keyframe><key qpos="1"/></keyframe>'),
      'wrong-size',
      '/key/@qpos',
    ],
    [
      'a negative mass',
      modelText('<body><inertial pos="0 0 0" mass="-1"/></body>'),
      'out-of-range',
      '/inertial/@mass',
    ],
    [
      'an unknown joint',
      modelText(ARM, '<equality><joint joint1="elbo" joint2="shoulder"/></equality>'),
      'unknown-name',
      '/equality/joint',
    ],
  ])('refuses %s', (_, text, code, path) => {
    const error = refusal(text);
    expect(error.code).toBe(code);
    expect(error.path.endsWith(path), error.path).toBe(true);
  });

  test('holds bones to the budget', () => {
    expect(refusal(modelText(ARM), { budget: { bones: 3 } }).code).toBe('over-budget');
  });
});

test('thousands of joints with one name are refused in time', () => {
  const joints = '<joint name="hip" axis="0 0 1"/>'.repeat(5000);
  const text = `<mujoco><worldbody><body name="a">${joints}<geom size="1"/></body></worldbody></mujoco>`;
  const before = threadTime();
  expect(() => readMjcf(text)).toThrow(expect.objectContaining({ code: 'duplicate-name' }));
  // Ten times what it takes: names that grew with each joint took minutes.
  expect(threadTime() - before).toBeLessThan(3000);
});
