import { readFileSync } from 'node:fs';
import loadMujoco, { type MainModule } from '@mujoco/mujoco';
import { readUrdf, type UrdfRobot } from '@poise/formats';
import { describeWithData } from '@poise/test-support/shared-data';
import { clampToLimits, createPose, createState, forwardKinematics } from 'poise/figure';
import { quat } from 'poise/math';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectRefusal, frameAt, gap, jointText, refusal, robotText } from './support.js';

const mimic = (joint: string, attributes = '') => `<mimic joint="${joint}" ${attributes}/>`;
const links = ['base', 'a', 'b', 'c'];

/** A chain of three: c follows b, b follows a. */
const chain = robotText(
  jointText('revolute', `<limit lower="-1" upper="1"/>`, 'i', 'base', 'a') +
    jointText(
      'continuous',
      `<origin xyz="0 0 1"/><axis xyz="0 1 0"/>${mimic('i', 'multiplier="-2" offset="0.25"')}`,
      'j',
      'a',
      'b',
    ) +
    jointText(
      'prismatic',
      `<axis xyz="0 0 1"/><limit lower="-5" upper="0.5"/>${mimic('j', 'multiplier="0.5" offset="-0.1"')}`,
      'k',
      'b',
      'c',
    ),
  links,
);

describe('a joint with <mimic>', () => {
  test('has no coordinate; chains of mimic joints resolve to the independent source', () => {
    const { figure, joints } = readUrdf(chain);
    expect(figure.dof).toBe(1);
    expect(figure.mimicJoints.map(({ bone, source, polynomial }) => [bone, source, polynomial])).toEqual([
      [2, 1, [0.25, -2]],
      [3, 1, [0.5 * 0.25 - 0.1, -1]],
    ]);
    expect(joints.get('k')).toMatchObject({
      coordinate: -1,
      dof: 0,
      lower: -5,
      mimic: { joint: 'j', multiplier: 0.5, offset: -0.1 },
    });
    expect(joints.get('i')).toMatchObject({ coordinate: 0, dof: 1 });
  });

  test('its own limit limits the source', () => {
    const { figure } = readUrdf(chain);
    // k = 0.025 - y <= 0.5
    const pose = new Float64Array([-1]);
    clampToLimits(figure, pose);
    expect(pose[0]).toBeCloseTo(-0.475, 15);
    expect(readUrdf(chain, { limits: 'none' }).figure.limitComponents).toEqual([]);
  });

  test('is independent with the option mimic: free', () => {
    const { figure, joints } = readUrdf(chain, { mimic: 'free' });
    expect(figure.dof).toBe(3);
    expect(figure.mimicJoints).toEqual([]);
    expect([...joints.values()].map(({ coordinate }) => coordinate)).toEqual([0, 1, 2]);
    expect(joints.get('j')?.mimic).toEqual({ joint: 'i', multiplier: -2, offset: 0.25 });
  });

  test('with a range of a single value does not lock its source', () => {
    for (const limit of ['<limit effort="1" velocity="1"/>', '<limit lower="0" upper="0"/>']) {
      const text = robotText(
        jointText('revolute', '<limit lower="-1" upper="1"/>', 'i', 'base', 'a') +
          jointText('revolute', `${limit}${mimic('i', 'offset="0.5"')}`, 'j', 'a', 'b'),
      );
      const { figure, warnings } = readUrdf(text);
      expect(figure.limitComponents.map(({ parameters }) => parameters)).toEqual([[-1, 1]]);
      expect(warnings).toEqual([expect.stringMatching(/are ignored: j\.$/)]);
      // As an independent joint it is locked.
      const free = readUrdf(text, { mimic: 'free' });
      expect(free.figure.limitComponents.map(({ parameters }) => parameters)).toEqual([
        [-1, 1],
        [0, 0],
      ]);
      expect(free.warnings).toEqual([expect.stringMatching(/cannot move: j \(/)]);
    }
  });

  test('the defaults are multiplier 1 and offset 0', () => {
    const text = robotText(
      jointText('continuous', '', 'i', 'base', 'a') + jointText('continuous', mimic('i'), 'j', 'a', 'b'),
    );
    expect(readUrdf(text).figure.mimicJoints[0].polynomial).toEqual([0, 1]);
  });

  test('on a fixed joint is ignored with a warning', () => {
    const text = robotText(
      jointText('continuous', '', 'i', 'base', 'a') + jointText('fixed', mimic('nobody'), 'j', 'a', 'b'),
    );
    expect(readUrdf(text).warnings).toEqual([expect.stringMatching(/joint\[@name='j'\]\/mimic.*ignored/)]);
  });

  test('of a fixed joint is constant at its offset, and so are mimic joints of it', () => {
    const origin = '<origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>';
    const text = (first: string) =>
      robotText(
        jointText(first, '<axis xyz="0 0 1"/>', 'i', 'base', 'a') +
          jointText(
            'revolute',
            `${origin}<axis xyz="1 2 2"/><limit lower="2" upper="3"/>${mimic('i', 'multiplier="3" offset="0.25"')}`,
            'j',
            'a',
            'b',
          ) +
          jointText(
            'prismatic',
            `${origin}<axis xyz="0 3 4"/><limit lower="-1" upper="1"/>${mimic('j', 'multiplier="2" offset="-0.1"')}`,
            'k',
            'b',
            'c',
          ),
        links,
      );
    const robot = readUrdf(text('fixed'));
    const { figure, joints, warnings } = robot;
    expect(figure.dof).toBe(0);
    expect(figure.limitComponents).toEqual([]);
    expect(joints.get('j')).toMatchObject({
      type: 'revolute',
      coordinate: -1,
      dof: 0,
      mimic: { joint: 'i' },
    });
    expect(warnings).toEqual([
      expect.stringMatching(/joint\[@name='j'\]\/mimic: 'i' is fixed, so this joint stays at 0\.25/),
      expect.stringMatching(/'k'.*stays at 0\.4/),
    ]);
    // The same robot with a movable source at zero.
    const moving = readUrdf(text('continuous'), { limits: 'none' });
    for (const link of links) {
      const frame = frameAt(robot, link, []);
      expect(gap(frame, frameAt(moving, link, createPose(moving.figure)))).toBeLessThan(1e-15);
    }
    const free = readUrdf(text('fixed'), { mimic: 'free' });
    expect(free.figure.dof).toBe(2);
    expect(free.warnings).toEqual([]);
  });

  test('invalid elements are refused', () => {
    const pair = (first: string, second: string) =>
      robotText(
        jointText('continuous', first, 'i', 'base', 'a') + jointText('continuous', second, 'j', 'a', 'b'),
      );
    const J = "robot.urdf#/robot/joint[@name='j']/mimic";
    expectRefusal(pair('', mimic('I')), 'unknown-name', `${J}/@joint`, /Did you mean 'i'/);
    expectRefusal(pair('', '<mimic/>'), 'invalid-file', `${J}/@joint`);
    expectRefusal(pair('', mimic('i', 'multiplier="two"')), 'invalid-file', `${J}/@multiplier`, /two/);
    expectRefusal(pair('', mimic('i', 'offset="nan"')), 'not-finite', `${J}/@offset`, /nan/);
    expectRefusal(pair('', mimic('j')), 'cycle', `${J}/@joint`, /j -> j/);
    expectRefusal(
      pair(mimic('j'), mimic('i')),
      'cycle',
      "robot.urdf#/robot/joint[@name='i']/mimic/@joint",
      /i -> j -> i/,
    );
    for (const type of ['floating', 'planar']) {
      const text = robotText(
        jointText(type, '', 'i', 'base', 'a') + jointText('continuous', mimic('i'), 'j', 'a', 'b'),
      );
      expectRefusal(text, 'unsupported', J, new RegExp(`'i' is ${type}`));
    }
    expectRefusal(
      robotText(
        jointText('continuous', '', 'i', 'base', 'a') + jointText('planar', mimic('i'), 'j', 'a', 'b'),
      ),
      'unsupported',
      J,
      /'j' is planar/,
    );
  });

  test('limits without a common range with the source are ignored with a warning, as published grippers have them', () => {
    // As on a widespread gripper: the same range on all fingers, whatever their sign.
    const finger = (name: string, child: string, multiplier: number, range = 'lower="0" upper="0.9"') =>
      jointText(
        'revolute',
        `<limit ${range}/>${mimic('i', `multiplier="${multiplier}"`)}`,
        name,
        'base',
        child,
      );
    const text = robotText(
      jointText('revolute', '<limit lower="0" upper="0.7"/>', 'i', 'base', 'a') +
        finger('same', 'b', 1) +
        finger('opposite', 'c', -1) +
        finger('apart', 'd', 1, 'lower="2" upper="3"') +
        finger('narrower', 'e', 2) +
        // 0.7 in decimals, a bit off in doubles.
        finger('touching', 'g', 3, 'lower="2.1" upper="3"') +
        finger('still', 'f', 0, 'lower="1" upper="2"'),
      ['base', 'a', 'b', 'c', 'd', 'e', 'f', 'g'],
    );
    const { figure, warnings } = readUrdf(text, { source: 'g.urdf' });
    expect(figure.limitComponents.map(({ parameters }) => parameters)).toEqual([[0, 0.45]]);
    expect(figure.bones.filter(({ limit }) => limit).map(({ name }) => name)).toEqual(['a', 'b', 'e']);
    expect(warnings).toEqual([
      'g.urdf: limits of mimic joints that would lock their source joint are ignored: opposite, apart, touching and 1 more.',
    ]);
    expect(readUrdf(text, { limits: 'none' }).warnings).toEqual([]);
    expect(readUrdf(text, { mimic: 'free' }).figure.limitComponents).toHaveLength(7);
  });

  test('limits of a mimic joint of a locked source are kept if they contain its value', () => {
    const text = (range: string) =>
      robotText(
        jointText('revolute', '<limit lower="0.5" upper="0.5"/>', 'i', 'base', 'a') +
          jointText('revolute', `<limit ${range}/>${mimic('i')}`, 'j', 'a', 'b'),
      );
    expect(readUrdf(text('lower="0" upper="1"')).figure.bones[2].limit).toBeDefined();
    // 0.5 itself, a bit off in doubles or not.
    expect(readUrdf(text('lower="0.5" upper="1"')).figure.bones[2].limit).toBeUndefined();
    expect(readUrdf(text('lower="0.6" upper="1"')).figure.bones[2].limit).toBeUndefined();
    expect(createPose(readUrdf(text('lower="0.6" upper="1"')).figure)).toEqual(Float64Array.of(0.5));
  });

  test('chains and cycles of thousands are resolved in linear time', () => {
    const count = 3000;
    const names = Array.from({ length: count + 1 }, (_, k) => `l${k}`);
    const text = (first: string) =>
      robotText(
        Array.from({ length: count }, (_, k) =>
          jointText('continuous', k === 0 ? first : mimic(`j${k - 1}`), `j${k}`, `l${k}`, `l${k + 1}`),
        ).join(''),
        names,
      );
    expect(readUrdf(text('')).figure.dof).toBe(1);
    expect(refusal(text(mimic(`j${count - 1}`))).code).toBe('cycle');
  });
});

/** MuJoCo reads the same file without its meshes; it does not support <mimic>, so the values of mimic joints are set explicitly. */
describeWithData('against MuJoCo, with explicit values of mimic joints', 'urdf', (path) => {
  let mujoco: MainModule;
  beforeAll(async () => {
    mujoco = await loadMujoco();
  });

  test.each(['panda.urdf', 'baxter.urdf'])('%s: every link at ten poses, 1e-14', (file) => {
    const text = readFileSync(`${path}/${file}`, 'utf8');
    const robot = readUrdf(text);
    const mimicJoints = [...robot.joints.values()].filter((joint) => joint.mimic !== undefined);
    expect(mimicJoints.length).toBeGreaterThan(0);
    const model = mujoco.MjModel.from_xml_string(
      text
        .replace(/<!--[\s\S]*?-->/g, '')
        .replace(/<(visual|collision|transmission|gazebo)\b[\s\S]*?<\/\1>/g, '')
        .replace(
          /<robot[^>]*>/,
          '$&<mujoco><compiler fusestatic="false" boundmass="0.1" boundinertia="0.1" balanceinertia="true"/></mujoco>',
        ),
    );
    const data = new mujoco.MjData(model);
    const bodies = mujocoBodies(mujoco, model);
    let compared = 0;
    for (let sample = 0; sample < 10; sample++) {
      const pose = createPose(robot.figure).map((_, i) => Math.sin(1 + 7 * i + 3 * sample));
      clampToLimits(robot.figure, pose);
      const qpos = data.qpos as Float64Array;
      for (const [name, value] of jointValues(robot, pose)) {
        const id = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT.value, name);
        qpos[(model.jnt_qposadr as Int32Array)[id]] = value;
      }
      mujoco.mj_kinematics(model, data);
      const state = createState(robot.figure);
      forwardKinematics(state, pose);
      for (const { name, index } of robot.figure.bones) {
        const body = bodies.get(name);
        if (body === undefined) continue;
        compared++;
        const position = (data.xpos as Float64Array).slice(3 * body, 3 * body + 3);
        const [w, x, y, z] = (data.xquat as Float64Array).slice(4 * body, 4 * body + 4);
        const expected = [...quat.toMatrix([x, y, z, w]), ...position];
        expect(gap(state.worldFromBone.slice(12 * index, 12 * index + 12), expected)).toBeLessThan(1e-14);
      }
    }
    expect(compared).toBe(10 * robot.figure.bones.length);
    data.delete();
    model.delete();
  });
});

/** Value of every movable joint by name, mimic joints by multiplier and offset. */
function jointValues(robot: UrdfRobot, pose: ArrayLike<number>): [string, number][] {
  return [...robot.joints.values()].flatMap(({ name, dof, coordinate, mimic }) => {
    if (dof === 1) return [[name, pose[coordinate]] as [string, number]];
    if (mimic === undefined) return [];
    const source = robot.joints.get(mimic.joint);
    return [[name, mimic.multiplier * pose[source?.coordinate ?? -1] + mimic.offset] as [string, number]];
  });
}

function mujocoBodies(
  mujoco: MainModule,
  model: ReturnType<MainModule['MjModel']['from_xml_string']>,
): Map<string, number> {
  const type = mujoco.mjtObj.mjOBJ_BODY.value;
  return new Map(
    Array.from({ length: model.nbody }, (_, id) => [mujoco.mj_id2name(model, type, id), id] as const).filter(
      ([, id]) => id > 0,
    ),
  );
}
