import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithData } from '@poise/test-support/shared-data';
import { FormatError } from 'poise';
import { createPose, createState, forwardKinematics } from 'poise/figure';
import { describe, expect, test } from 'vitest';
import { osimTracking, type ReadOsimOptions, readIkTasks, readOsim } from '../../src/index.js';

const ZERO = '<Constant name="function"><value>0</value></Constant>';
const linear = (coordinate: string, slope = 1, intercept = 0): string =>
  `<coordinates>${coordinate}</coordinates><LinearFunction name="function"><coefficients>${slope} ${intercept}</coefficients></LinearFunction>`;

/** Axes of a CustomJoint by index, 0 to 2 rotations about z, y, x, 3 to 5 translations along x, y, z; others are constant 0. */
function customJoint(
  name: string,
  parent: string,
  child: string,
  axes: Readonly<Record<number, string>>,
): string {
  const directions = ['0 0 1', '0 1 0', '1 0 0', '1 0 0', '0 1 0', '0 0 1'];
  const list = directions.map(
    (axis, k) => `<TransformAxis><axis>${axis}</axis>${axes[k] ?? ZERO}</TransformAxis>`,
  );
  return `<CustomJoint name="${name}"><socket_parent_frame>${parent}</socket_parent_frame><socket_child_frame>${child}</socket_child_frame>
    <coordinates/><SpatialTransform>${list.join('')}</SpatialTransform></CustomJoint>`;
}

function modelText(bodies: readonly string[], joints: string, rest = ''): string {
  const list = bodies.map((name) => `<Body name="${name}"><mass>1</mass></Body>`).join('');
  return `<OpenSimDocument Version="40000"><Model name="made"><BodySet><objects>${list}</objects></BodySet>
    <JointSet><objects>${joints}</objects></JointSet>${rest}</Model></OpenSimDocument>`;
}

const coupler = (dependent: string, source: string, fn: string, rest = ''): string =>
  `<CoordinateCouplerConstraint name="of ${dependent}"><coupled_coordinates_function>${fn}</coupled_coordinates_function>
   <independent_coordinate_names>${source}</independent_coordinate_names><dependent_coordinate_name>${dependent}</dependent_coordinate_name>${rest}</CoordinateCouplerConstraint>`;
const constraints = (list: string): string => `<ConstraintSet><objects>${list}</objects></ConstraintSet>`;

function refusal(text: string, options: ReadOsimOptions = {}): { code: string; path: string } {
  try {
    readOsim(text, options);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    expect(error.remedy).not.toBe('');
    return { code: error.code, path: error.path };
  }
  return expect.fail('was read');
}

/** Position of the last bone of a chain. */
function positionAt(text: string, coordinates: Readonly<Record<string, number>>, body: string): number[] {
  const { figure, coordinates: all } = readOsim(text);
  const pose = createPose(figure);
  for (const [name, value] of Object.entries(coordinates)) pose[all.get(name)?.coordinate as number] = value;
  const state = createState(figure);
  forwardKinematics(state, pose);
  const { index } = figure.bones.find(({ name }) => name === body) as { index: number };
  return Array.from(state.worldFromBone.slice(12 * index + 9, 12 * index + 12));
}

describe('readOsim', () => {
  test("a coordinate that turns backwards, with an offset, stays OpenSim's", () => {
    const text = modelText(
      ['a', 'b'],
      [
        customJoint('j', 'ground', 'a', { 0: linear('q', -1, 0.25) }),
        customJoint('k', 'a', 'b', { 3: linear('x', 1, 2) }),
      ].join(''),
    );
    const [x, y] = positionAt(text, { q: 0.75, x: 1 }, 'b');
    expect(x).toBeCloseTo(3 * Math.cos(0.25 - 0.75), 14);
    expect(y).toBeCloseTo(3 * Math.sin(0.25 - 0.75), 14);
  });

  test('a coordinate that no axis has alone is that of a bone beside the chain', () => {
    const text = modelText(['a'], customJoint('j', 'ground', 'a', { 3: linear('q', 2), 4: linear('q', 3) }));
    const model = readOsim(text);
    expect(model.figure.bones.map(({ name, dof }) => [name, dof])).toEqual([
      ['ground', 0],
      ['j_translation1', 0],
      ['a', 0],
      ['q', 1],
    ]);
    expect(positionAt(text, { q: 0.5 }, 'a')).toEqual([1, 1.5, 0]);
    expect(model.coordinates.get('q')).toMatchObject({
      joint: 'j',
      bone: 'q',
      coordinate: 0,
      motionType: 'mixed',
    });
  });

  test('couplers are composed with the functions of axes and with each other, pieces included', () => {
    const spline =
      '<coordinates>c</coordinates><PiecewiseLinearFunction name="function"><x>0 1 2</x><y>0 1 4</y></PiecewiseLinearFunction>';
    const joints = [
      customJoint('j', 'ground', 'a', { 3: linear('x') }),
      customJoint('k', 'a', 'b', { 4: linear('b') }),
      customJoint('l', 'b', 'c', { 5: spline }),
    ].join('');
    const steps = '<PiecewiseLinearFunction><x>-1 0 1</x><y>-3 0 1</y></PiecewiseLinearFunction>';
    const twice = '<LinearFunction><coefficients>2 0.5</coefficients></LinearFunction>';
    const text = modelText(
      ['a', 'b', 'c'],
      joints,
      constraints(coupler('b', 'x', steps) + coupler('c', 'b', twice, '<scale_factor>2</scale_factor>')),
    );
    const model = readOsim(text);
    expect(model.figure.dof).toBe(1);
    expect(model.coordinates.get('c')).toMatchObject({
      bone: 'a',
      coordinate: -1,
      follows: { coordinate: 'x' },
    });
    for (const x of [-2, -0.7, -0.1, 0.05, 0.3, 1.4]) {
      const b = x < 0 ? 3 * x : x;
      const c = 2 * (2 * b + 0.5);
      const z = c < 1 ? c : 1 + 3 * (c - 1);
      const [px, py, pz] = positionAt(text, { x }, 'c');
      expect([px, py, pz].map((each) => Number(each.toFixed(12)))).toEqual(
        [x, b, z].map((each) => Number(each.toFixed(12))),
      );
    }
  });

  test('ranges of clamped coordinates are limits; locked ones are held at their default value, unless they are freed', () => {
    const coordinate = (name: string, rest: string) =>
      `<Coordinate name="${name}"><default_value>0.5</default_value><range>-1 2</range>${rest}</Coordinate>`;
    const set =
      coordinate('x', '<clamped>true</clamped>') +
      coordinate('y', '<locked>true</locked><clamped>true</clamped>') +
      coordinate('z', '');
    const text = modelText(
      ['a'],
      customJoint('j', 'ground', 'a', { 0: linear('x'), 1: linear('y'), 2: linear('z') }).replace(
        '<coordinates/>',
        `<coordinates>${set}</coordinates>`,
      ),
    );
    const limitsOf = (options: ReadOsimOptions) =>
      readOsim(text, options)
        .figure.bones.slice(1)
        .map(({ limit }) => limit);
    expect(limitsOf({})).toEqual([
      { type: 'interval', min: -1, max: 2 },
      { type: 'interval', min: 0.5, max: 0.5 },
      undefined,
    ]);
    expect(limitsOf({ locked: 'free' })[1]).toEqual({ type: 'interval', min: -1, max: 2 });
    const model = readOsim(text);
    expect(model.locked).toEqual(['y']);
    expect(Array.from(model.defaultPose)).toEqual([0.5, 0.5, 0.5]);
  });

  test('markers on offset frames; constraints that are not read are named', () => {
    const rest = `<MarkerSet><objects><Marker name="M"><socket_parent_frame>/jointset/j/off</socket_parent_frame><location>1 0 0</location></Marker></objects></MarkerSet>
      ${constraints('<PointConstraint name="p"/>')}`;
    const frame =
      '<frames><PhysicalOffsetFrame name="off"><socket_parent>/bodyset/a</socket_parent><translation>0 1 0</translation><orientation>0 0 1.5707963267948966</orientation></PhysicalOffsetFrame></frames>';
    const text = modelText(
      ['a'],
      customJoint('j', 'ground', 'a', { 0: linear('q') }).replace('<coordinates/>', `${frame}<coordinates/>`),
      rest,
    );
    const { markers, warnings } = readOsim(text);
    expect(markers).toHaveLength(1);
    expect(markers[0]).toMatchObject({ name: 'M', bone: 'a' });
    expect(Array.from(markers[0].point ?? [], (x) => Number(x.toFixed(12)))).toEqual([0, 2, 0]);
    expect(warnings).toEqual([
      expect.stringContaining("PointConstraint[@name='p']: a PointConstraint is not read"),
    ]);
  });
});

describe('frames of the same name', () => {
  test('in two joints: a path says which, a name alone is that of the own joint', () => {
    const frame = (body: string, x: number) =>
      `<coordinates/><frames><PhysicalOffsetFrame name="off"><socket_parent>/bodyset/${body}</socket_parent><translation>${x} 0 0</translation></PhysicalOffsetFrame></frames>`;
    const joints =
      customJoint('j', 'ground', 'off', {}).replace('<coordinates/>', frame('a', 1)) +
      customJoint('k', 'a', 'off', {}).replace('<coordinates/>', frame('b', 2));
    const marker = (name: string, path: string) =>
      `<Marker name="${name}"><socket_parent_frame>${path}</socket_parent_frame></Marker>`;
    const set = `<MarkerSet><objects>${marker('M', '/jointset/j/off')}${marker('N', '/jointset/k/off')}</objects></MarkerSet>`;
    const { markers, joints: read } = readOsim(modelText(['a', 'b'], joints, set));
    expect(markers).toEqual([
      { name: 'M', bone: 'a', point: [1, 0, 0] },
      { name: 'N', bone: 'b', point: [2, 0, 0] },
    ]);
    expect([...read.values()].map(({ child }) => child)).toEqual(['a', 'b']);
  });

  test('a frame may have the name of its body', () => {
    const frames =
      '<coordinates/><frames><PhysicalOffsetFrame name="a"><socket_parent>/bodyset/a</socket_parent><translation>1 0 0</translation></PhysicalOffsetFrame></frames>';
    const text = modelText(['a'], customJoint('j', 'ground', 'a', {}).replace('<coordinates/>', frames));
    expect(positionAt(text, {}, 'a')).toEqual([-1, 0, 0]);
  });
});

describe('readOsim refuses', () => {
  const one = (axes: Readonly<Record<number, string>>) =>
    modelText(['a'], customJoint('j', 'ground', 'a', axes));
  const spline = (x: string, y: string) =>
    `<coordinates>q</coordinates><SimmSpline name="function"><x>${x}</x><y>${y}</y></SimmSpline>`;
  const coupled = (list: string) =>
    modelText(
      ['a', 'b'],
      customJoint('j', 'ground', 'a', { 0: linear('p') }) + customJoint('k', 'a', 'b', { 0: linear('q') }),
      constraints(list),
    );
  const line = '<LinearFunction><coefficients>1 0</coefficients></LinearFunction>';
  test.each([
    ['another XML file', '<robot/>', 'invalid-file'],
    ['an old version', '<OpenSimDocument Version="10500"><Model/></OpenSimDocument>', 'unsupported'],
    ['no body', '<OpenSimDocument><Model/></OpenSimDocument>', 'invalid-file'],
    ['a document type', '<!DOCTYPE x><OpenSimDocument/>', 'unsupported'],
    ['a joint of another kind', one({}).replaceAll('CustomJoint', 'ScrewJoint'), 'unsupported'],
    [
      'a reversed joint',
      one({}).replace('<coordinates/>', '<coordinates/><reverse>true</reverse>'),
      'unsupported',
    ],
    ['a function of two coordinates', one({ 3: linear('p q') }), 'unsupported'],
    [
      'a function that is not read',
      one({ 3: '<coordinates>q</coordinates><GCVSpline name="function"/>' }),
      'unsupported',
    ],
    ['a spline of one point', one({ 3: spline('0', '1') }), 'wrong-size'],
    ['a spline with more x than y', one({ 3: spline('0 1 2', '1 2') }), 'wrong-size'],
    ['a spline that goes back', one({ 3: spline('0 1 1', '1 2 3') }), 'out-of-range'],
    ['numbers that are none', one({ 3: spline('0 one', '1 2') }), 'invalid-file'],
    ['an axis of length 0', one({}).replace('<axis>0 1 0</axis>', '<axis>0 0 0</axis>'), 'not-unit'],
    ['a frame that is not there', modelText(['a'], customJoint('j', 'grund', 'a', {})), 'unknown-name'],
    [
      'two joints of a body',
      modelText(['a'], customJoint('j', 'ground', 'a', {}) + customJoint('k', 'ground', 'a', {})),
      'duplicate-name',
    ],
    [
      'a cycle of bodies',
      modelText(['a', 'b'], customJoint('j', 'b', 'a', {}) + customJoint('k', 'a', 'b', {})),
      'cycle',
    ],
    [
      'a coordinate of two joints',
      modelText(
        ['a', 'b'],
        customJoint('j', 'ground', 'a', { 0: linear('q') }) + customJoint('k', 'a', 'b', { 0: linear('q') }),
      ),
      'duplicate-name',
    ],
    ['a coupler of no coordinate', coupled(coupler('r', 'p', line)), 'unknown-name'],
    ['a cycle of couplers', coupled(coupler('p', 'q', line) + coupler('q', 'p', line)), 'cycle'],
    [
      'two couplers of a coordinate',
      coupled(coupler('q', 'p', line) + coupler('q', 'p', line)),
      'duplicate-name',
    ],
  ])('%s', (_, text, code) => {
    expect(refusal(text).code).toBe(code);
  });

  test('more bones than the budget', () => {
    expect(refusal(one({}), { budget: { bones: 2 } }).code).toBe('over-budget');
  });

  test('a spline of a curved coupling', () => {
    const joints =
      customJoint('j', 'ground', 'a', { 0: linear('p') }) +
      customJoint('k', 'a', 'b', { 3: spline('0 1 2', '0 1 4') });
    const square = '<PolynomialFunction><coefficients>1 0 0</coefficients></PolynomialFunction>';
    expect(refusal(modelText(['a', 'b'], joints, constraints(coupler('q', 'p', square)))).code).toBe(
      'unsupported',
    );
  });
});

describeWithData('OpenSim models of the data, with the counts of PROVENANCE.md', 'opensim', (folder) => {
  test.each([
    ['dyn_single_pin/SinglePin', 1, 1, 0],
    ['id_arm26/arm26', 2, 2, 3],
    ['ik_gait2354/subject01_simbody', 12, 23, 39],
    ['ik_gait2354_real/subject01_simbody', 12, 23, 39],
    ['models/Rajagopal_2015', 22, 39, 0],
    ['models/ThoracoscapularShoulderModel', 7, 17, 21],
    ['models/arm26_ccby', 3, 2, 3],
    ['models/wrist', 28, 13, 0],
    ['motions/gait2392', 12, 23, 39],
    ['opencap/LaiUhlrich2022', 22, 35, 0],
  ])('%s: %i joints, %i coordinates, %i markers', (name, joints, coordinates, markers) => {
    const model = readOsim(readFileSync(join(folder, `${name}.osim`)), { source: name });
    expect([model.joints.size, model.coordinates.size, model.markers.length]).toEqual([
      joints,
      coordinates,
      markers,
    ]);
  });
});

describeWithData('tips', 'opensim/ik_gait2354/subject01_simbody.osim', (path) => {
  test('of bodies are the origins of the next ones at the default pose, knees along splines included', () => {
    const { figure, defaultPose } = readOsim(readFileSync(path));
    const tipOf = (name: string) => figure.bones.find((bone) => bone.name === name)?.tip;
    const state = createState(figure);
    forwardKinematics(state, defaultPose);
    const originOf = (name: string): number[] => {
      const { index } = figure.bones.find((bone) => bone.name === name) as { index: number };
      return Array.from(state.worldFromBone.subarray(12 * index + 9, 12 * index + 12));
    };
    const [hip, knee] = [originOf('femur_r'), originOf('tibia_r')];
    const length = Math.hypot(...knee.map((x, k) => x - hip[k]));
    expect(length).toBeGreaterThan(0.35);
    expect(Math.hypot(...(tipOf('femur_r') ?? []))).toBeCloseTo(length, 12);
    expect([tipOf('ground'), tipOf('hip_flexion_r'), tipOf('toes_r')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('tasks of inverse kinematics', () => {
  const text = modelText(
    ['a'],
    customJoint('j', 'ground', 'a', { 0: linear('q'), 3: linear('x') }).replace(
      '<coordinates/>',
      '<coordinates><Coordinate name="x"><locked>true</locked></Coordinate><Coordinate name="q"><default_value>0.25</default_value></Coordinate></coordinates>',
    ),
    '<MarkerSet><objects><Marker name="M"><body>a</body></Marker><Marker name="N"><body>a</body></Marker></objects></MarkerSet>',
  );
  const tasks = (list: string) =>
    readIkTasks(`<OpenSimDocument><IKTaskSet><objects>${list}</objects></IKTaskSet></OpenSimDocument>`);

  test('weight markers and coordinates; those of locked coordinates are left out', () => {
    const set =
      tasks(`<IKMarkerTask name="M"><apply>true</apply><weight> 3 </weight></IKMarkerTask><IKMarkerTask name="N"><apply> false </apply></IKMarkerTask>
      <IKCoordinateTask name="q"><weight>2</weight></IKCoordinateTask><IKCoordinateTask name="x"/>
      <IKCoordinateTask name="q"><weight>1</weight><value_type>manual_value</value_type><value>0.5</value></IKCoordinateTask>`);
    const model = readOsim(text);
    expect(osimTracking(model, ['M', 'N', 'other'], set)).toEqual({
      markers: [{ name: 'M', bone: 'a', point: [0, 0, 0], weight: 3 }],
      options: {
        tasks: [
          { bone: 'a', target: 0.25, weight: 2 },
          { bone: 'a', target: 0.5, weight: 1 },
        ],
        locked: ['x'],
      },
    });
    expect(osimTracking(model, ['M', 'N']).markers.map(({ weight }) => weight)).toEqual([1, 1]);
  });

  test.each([
    ['<IKMarkerTask name="M"><weight>-1</weight></IKMarkerTask>', 'out-of-range'],
    ['<IKMarkerTask name="M"><apply>perhaps</apply></IKMarkerTask>', 'invalid-file'],
    ['<IKMarkerTask/>', 'invalid-file'],
    ['<IKCoordinateTask name="q"><value_type>guess</value_type></IKCoordinateTask>', 'invalid-file'],
  ])('%s is refused', (list, code) => {
    expect(() => tasks(list)).toThrow(expect.objectContaining({ code }));
  });

  test('of another model are refused', () => {
    const model = readOsim(text);
    expect(() => osimTracking(model, ['Z'])).toThrow(expect.objectContaining({ code: 'wrong-size' }));
    const other = tasks('<IKMarkerTask name="M"/><IKCoordinateTask name="knee"/>');
    expect(() => osimTracking(model, ['M'], other)).toThrow(
      expect.objectContaining({ code: 'unknown-name' }),
    );
    expect(() =>
      readIkTasks(
        '<OpenSimDocument><InverseKinematicsTool><IKTaskSet file="tasks.xml"/></InverseKinematicsTool></OpenSimDocument>',
      ),
    ).toThrow(/tasks\.xml/);
  });
});
