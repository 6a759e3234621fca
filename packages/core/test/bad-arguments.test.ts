import { describe, expect, test } from 'vitest';
import * as dynamics from '../src/dynamics/index.js';
import { PoiseError } from '../src/errors.js';
import * as figures from '../src/figure/index.js';
import { createHumanFigure } from '../src/humanoid/index.js';
import * as math from '../src/math/index.js';
import * as alternatives from '../src/rotation/alternatives/index.js';
import * as rotation from '../src/rotation/index.js';

/**
 * Every exported function of the rotation, math, figure and dynamics subpaths is called with each of its arguments spoilt in turn. A spoilt
 * argument ends in a typed error; where the layer is documented to compute without looking (rotation, math, the kinematics of figures), in a
 * result that shows NaN. Never in a result that looks like an answer. Objects that Poise made (a state, a figure, a simulation) are
 * not spoilt, nor are records of options, which `unknown-options.test.ts` and the tests of each option spoil.
 */

type Call = (...args: unknown[]) => unknown;

/** An argument that is written to. */
class Out {
  constructor(readonly make: (missing: number) => unknown) {}
}
const out = (size: number): Out => new Out((missing) => new Float64Array(size - missing));

/** An argument that may be left out. */
class Optional {
  constructor(readonly value: unknown) {}
}
const optional = (value: unknown): Optional => new Optional(value);

/** Numbers that a function of hot loops computes with unseen: a check of the point made `pointJacobianQ` 9 % slower. */
class Unseen {
  constructor(readonly value: readonly number[]) {}
}

/** How a function is called rightly. */
interface Sample {
  readonly args: readonly unknown[];
  /** What it writes apart from its result and its `out`. */
  readonly writes?: () => unknown;
}

/** How a layer treats what it is given: looks at all, at sizes and names alone (numbers are computed with), or at nothing. */
type Layer = 'checked' | 'kinematics' | 'arithmetic';

/** What must come of a spoilt argument. */
type Rule = 'typed error' | 'typed error or NaN';

interface Spoilt {
  readonly name: string;
  readonly args: unknown[];
  readonly rule: Rule;
  /** The arguments with another right number at the place that is spoilt. */
  readonly control: unknown[] | undefined;
}

/** Functions that are not called with spoilt arguments, each with the reason. */
const UNCHECKED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'LeftJacobian',
      'LeftJacobianInverse',
      'Quaternion',
      'RightJacobian',
      'RightJacobianInverse',
      'RotationMatrix',
    ].map((name) => [
      `rotation.write${name}`,
      'an inner function of hot loops: plain numbers, and a place in an array of the caller',
    ]),
  ),
  'rotation.createRotationCache': 'takes nothing',
  'affine.composeAt': 'an inner function of hot loops: places in arrays of the caller',
  'rigid.composeAt': 'an inner function of hot loops: places in arrays of the caller',
  'cholesky.factor': 'in place, with a stride and an offset; says false for what has no factor, NaN too',
  'cholesky.solve': 'in place, with a stride and an offset',
  'vec3.allFinite': 'asks whether numbers are finite',
};

const isNumbers = (value: unknown): value is ArrayLike<number> =>
  value instanceof Float64Array || (Array.isArray(value) && value.every((x) => typeof x === 'number'));

const plain = (value: unknown): unknown =>
  value instanceof Optional || value instanceof Unseen
    ? plain(value.value)
    : value instanceof Out
      ? value.make(0)
      : copy(value);
const copy = (value: unknown): unknown =>
  value instanceof Float64Array ? value.slice() : isNumbers(value) ? [...(value as number[])] : value;

/** First, last and some entries between. */
const places = (length: number): number[] =>
  length <= 12 ? Array.from({ length }, (_, i) => i) : [0, 1, 2, 3, 4, 5, length >> 1, length - 1];

/** Each argument spoilt in each way. Layers that compute without looking leave types to the compiler and the size of `out` to the caller. */
function spoil({ args }: Sample, layer: Layer): Spoilt[] {
  const all: Spoilt[] = [];
  const add = (i: number, name: string, value: unknown, rule: Rule, unread?: unknown): void => {
    const withValue = (x: unknown) => args.map((a, k) => (k === i ? x : plain(a)));
    const control = unread === undefined ? undefined : withValue(unread);
    all.push({ name: `argument ${i} ${name}`, args: withValue(value), rule, control });
  };
  const looks = layer !== 'arithmetic';
  const soft: Rule = layer === 'checked' ? 'typed error' : 'typed error or NaN';
  args.forEach((given, i) => {
    if (given instanceof Unseen) {
      for (const k of [0, 1, 2])
        add(
          i,
          `with NaN at ${k}`,
          given.value.map((x, n) => (n === k ? Number.NaN : x)),
          'typed error or NaN',
        );
      add(i, 'one number short', given.value.slice(1), 'typed error or NaN');
      return;
    }
    if (given instanceof Out) {
      if (looks) add(i, 'one number short', given.make(1), 'typed error');
      if (looks) add(i, 'is text', 'text', 'typed error');
      return;
    }
    const value = given instanceof Optional ? given.value : given;
    if (isNumbers(value)) {
      for (const k of places(value.length)) {
        const [numbers, other] = [copy(value), copy(value)] as [number[], number[]];
        numbers[k] = Number.NaN;
        other[k] += 0.375;
        add(i, `with NaN at ${k}`, numbers, soft, layer === 'checked' ? undefined : other);
      }
      const [short, other] = [[...(value as number[])].slice(0, -1), copy(value) as number[]];
      other[other.length - 1] += 0.375;
      if (value.length > 0)
        add(i, 'one number short', short, looks ? 'typed error' : soft, looks ? undefined : other);
    } else if (typeof value === 'number') {
      add(i, 'is NaN', Number.NaN, soft, layer === 'checked' ? undefined : value + 1);
    } else if (typeof value !== 'string') return;
    if (!looks) {
      if (typeof value === 'string') add(i, 'is another word', 'colour', 'typed error');
      return;
    }
    add(i, 'is text', 'colour', 'typed error');
    add(i, 'is an object', { x: 1, y: 2, z: 3 }, 'typed error');
    add(i, 'is null', null, 'typed error');
    if (!(given instanceof Optional)) add(i, 'is missing', undefined, 'typed error');
  });
  return all;
}

/** All numbers of what came of a call: those of lists and records too. */
function numbersOf(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  if (typeof value === 'boolean') return [Number(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((x) => (x === undefined ? [Number.NaN] : numbersOf(x)));
}

/** What is wrong with what came of a spoilt argument; undefined for nothing. */
function faultOf(call: Call, { writes = () => undefined }: Sample, spoilt: Spoilt): string | undefined {
  const numbers = (args: unknown[]): number[] => {
    const lists = args.filter(isNumbers);
    const before = lists.map(String);
    const result = call(...args);
    const written = lists.filter((list, i) => String(list) !== before[i]);
    return numbersOf([result ?? [], writes() ?? [], written]);
  };
  let result: number[];
  try {
    result = numbers(spoilt.args);
  } catch (error) {
    return error instanceof PoiseError ? undefined : `${spoilt.name}: ${String(error)}`;
  }
  if (spoilt.rule === 'typed error') return `${spoilt.name}: no error`;
  if (result.some(Number.isNaN)) return undefined;
  return `${spoilt.name}: neither an error nor NaN`;
}

/** Whether the number that was spoilt is one that the function does not read: another one gives the same. */
function isUnread(call: Call, { args, writes = () => undefined }: Sample, { control }: Spoilt): boolean {
  if (control === undefined) return false;
  const outs = (a: unknown[]): unknown[] => a.filter((_, i) => args[i] instanceof Out);
  const of = (a: unknown[]): string => String(numbersOf([call(...a) ?? [], writes() ?? [], outs(a)]));
  try {
    return of(args.map(plain)) === of(control);
  } catch {
    return false;
  }
}

function faultsOf(call: Call, sample: Sample, layer: Layer): string[] {
  return spoil(sample, layer).flatMap((spoilt) => {
    const fault = faultOf(call, sample, spoilt);
    return fault === undefined || isUnread(call, sample, spoilt) ? [] : [fault];
  });
}

/** The names of a function's parameters. */
function parametersOf(member: Call): string[] {
  const source = String(member);
  const names: string[] = [];
  let depth = 0;
  let start = source.indexOf('(') + 1;
  for (let i = start; depth >= 0; i++) {
    if (depth === 0 && ',)'.includes(source[i])) {
      names.push(
        source
          .slice(start, i)
          .replace(/=[\s\S]*/, '')
          .trim(),
      );
      start = i + 1;
    }
    if ('([{'.includes(source[i])) depth++;
    if (')]}'.includes(source[i])) depth--;
  }
  return names.filter((name) => name !== '');
}

function functionsOf(module: object): [string, Call][] {
  return Object.entries(module).filter((entry): entry is [string, Call] => typeof entry[1] === 'function');
}

describe('rotation and math: what is not finite, and what a list lacks, shows in the result as NaN', () => {
  const v = [0.3, -0.5, 0.7];
  const q = rotation.quatFromRotationVector(v);
  const m = rotation.matrixFromRotationVector(v);
  const rigid = [...m, 0.1, 0.2, 0.3];
  const axes = rotation.createSwingAxes([0, 0, 1], [1, 0, 0]);

  /** A right value of a parameter, by its name. */
  const byName: Readonly<Record<string, unknown>> = {
    a: v,
    angle: 0.4,
    angles: v,
    angularAcceleration: v,
    angularVelocity: v,
    at: v,
    axes,
    axis: [0, 0, 1],
    b: v,
    cache: rotation.createRotationCache(),
    coordinates: v,
    factors: [1, 2, 3],
    frame: 'body',
    from: v,
    g: v,
    k: 1,
    m,
    m00: 1,
    m01: 2,
    m02: 3,
    m10: 4,
    m11: 5,
    m12: 6,
    m20: 7,
    m21: 8,
    m22: 9,
    order: 'XYZ',
    out: new Out(() => []),
    p: v,
    position: v,
    q,
    quaternions: [...q, ...q],
    r: [0.3, 0.4],
    rate: v,
    reference: [0.1, 0.2, 0.3],
    rotation: q,
    s: 0.5,
    screw: [...v, 1, 2, 3],
    secondRate: v,
    swing: [0.3, 0.4],
    t: 0.5,
    tangent: v,
    tangents: [...v, ...v],
    to: v,
    twist: 0.4,
    v,
    vectors: [9, 1, 2, ...v],
    velocityFrame: 'world',
    w: 0.9,
    weights: [1, 2],
    x: 0.1,
    y: 0.2,
    z: 0.3,
  };
  /** Parameters whose values are others than those of their names. */
  const swingPoint = { at: [0.3, 0.4] };
  const others: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    'rotation.leftJacobianInverseProductDerivative': { y: v },
    'rotation.leftJacobianProductDerivative': { y: v },
    'rotation.rightJacobianInverseProductDerivative': { y: v },
    'rotation.rightJacobianProductDerivative': { y: v },
    'rotation.screwFromRigid': { m: rigid },
    'rotation.angularVelocityFromSwingRate': { ...swingPoint, rate: [0.1, 0.2] },
    'rotation.matrixFromSwing': swingPoint,
    'rotation.quatFromSwing': swingPoint,
    'rotation.swingJacobian': swingPoint,
    'rotation.swingMatrixPartials': swingPoint,
    'rotation.swingMatrixSecondPartials': swingPoint,
    'rotation.swingMetric': swingPoint,
    'rotation.swingQuatPartials': swingPoint,
    'rotation.swingQuatSecondPartials': swingPoint,
    'rotation.swingRateFromAngularVelocity': swingPoint,
    'rotation.regularize': { v: [4, 1, 2] },
    ...Object.fromEntries(
      [
        'matrixFromEuler',
        'eulerMatrixPartials',
        'quatFromEuler',
        'eulerFromMatrix',
        'eulerFromQuat',
        'eulerJacobian',
        'eulerRateFromAngularVelocity',
      ].map((name) => [`alternatives.${name}`, { frame: 'intrinsic' }]),
    ),
    'alternatives.convertEuler': { from: { order: 'XYZ' }, to: { order: 'ZYX' } },
    'alternatives.angularVelocityFromQuatRate': { rate: q },
    'alternatives.matrixRates': { r: m },
    'quat.angleBetween': { a: q, b: [0, 0, 0, 1] },
    'quat.dot': { a: q, b: q },
    'quat.multiply': { a: q, b: q },
    'vec3.lerp': { t: 0.3 },
    ...Object.fromEntries(['multiply', 'add', 'subtract'].map((name) => [`mat3.${name}`, { a: m, b: m }])),
    ...Object.fromEntries(
      [
        'compose',
        'relative',
        'inverse',
        'copy',
        'transformPoint',
        'transformVector',
        'inverseTransformPoint',
        'inverseTransformVector',
        'toQuat',
        'toPosition',
        'toColumnMajor4',
      ].flatMap((name) =>
        ['affine', 'rigid'].map((module) => [`${module}.${name}`, { a: rigid, b: rigid, m: rigid, x: v }]),
      ),
    ),
    'affine.fromRowMajor4': {
      m: [...rigid.slice(0, 3), 1, ...rigid.slice(3, 6), 2, ...rigid.slice(6, 9), 3, 0, 0, 0, 1],
    },
    'affine.fromColumnMajor4': {
      m: [...rigid.slice(0, 3), 0, ...rigid.slice(3, 6), 0, ...rigid.slice(6, 9), 0, 1, 2, 3, 1],
    },
  };

  const modules: Readonly<Record<string, object>> = { rotation, alternatives, ...math };
  const all = Object.entries(modules).flatMap(([name, module]) =>
    functionsOf(module).map(([member, call]) => [`${name}.${member}`, call] as const),
  );

  test.each(all.filter(([name]) => !(name in UNCHECKED)))('%s', (name, call) => {
    // Left out, `out` is new; only the functions called `set` have no such default.
    const parameters = parametersOf(call).filter((parameter) => parameter !== 'out' || name.endsWith('.set'));
    const args = parameters.map((parameter) => others[name]?.[parameter] ?? byName[parameter]);
    expect(args).not.toContain(undefined);
    expect(() => call(...args.map(plain))).not.toThrow();
    expect(faultsOf(call, { args }, 'arithmetic')).toEqual([]);
  });
});

const human = createHumanFigure();
const dof = human.dof;
const boneCount = human.bones.length;
const state = figures.createState(human);
const pose = Float64Array.from({ length: dof }, (_, i) => 0.1 * Math.sin(i + 1));
figures.clampToLimits(human, pose);
figures.forwardKinematics(state, pose);
figures.updateMotionSubspaceQ(state, pose);
figures.updateMotionSubspaceV(state, pose);
const coordinates = pose.map((x) => 0.5 * x + 0.25);
const locals = state.parentFromBone.slice();
const translation = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0.5, 0.25, 0.125];
const limitPicture = figures.createLimitPicture(human, human.limitComponents[0]);
const point = [0.1, 0.2, 0.3];

describe('figure: sizes and names are checked; numbers that are not finite are refused or give NaN', () => {
  const names = ['leftHand', 'head'] as const;
  const samples: Readonly<Record<string, Sample>> = {
    ancestorsOf: { args: [human, 'head'] },
    basisBetween: { args: [state, ...names, out(12)] },
    boneIndex: { args: [human, 'head'] },
    boneVelocitiesFromRates: { args: [state, coordinates, out(6 * boneCount)] },
    boneVelocitiesFromVelocity: { args: [state, coordinates, out(6 * boneCount)] },
    centerOfMass: { args: [state, out(3)] },
    centerOfMassJacobianQ: { args: [state, out(3 * dof)] },
    centerOfMassJacobianV: { args: [state, out(3 * dof)] },
    checkPose: { args: [human, pose] },
    clampToLimits: { args: [human, pose] },
    convertDirection: { args: [translation, point, out(3)] },
    convertNormal: { args: [translation, point, out(3)] },
    forwardKinematics: { args: [state, pose], writes: () => state.worldFromBone },
    frameJacobianQ: { args: [state, 'head', new Unseen(point), out(6 * dof)] },
    frameJacobianV: { args: [state, 'head', new Unseen(point), out(6 * dof)] },
    limitViolation: { args: [human, pose] },
    lowestCommonAncestor: { args: [human, ...names] },
    pointJacobianQ: { args: [state, 'head', new Unseen(point), out(3 * dof)] },
    pointJacobianV: { args: [state, 'head', new Unseen(point), out(3 * dof)] },
    poseBoneFromLocalTransform: { args: [state, 'head', translation, out(dof)] },
    poseFromLocalTransforms: { args: [state, locals, out(dof)] },
    ratesFromVelocity: { args: [state, pose, coordinates, out(dof)] },
    regularizePose: { args: [human, pose, coordinates] },
    restTransformsOfPose: { args: [human, locals, pose, out(12 * boneCount)] },
    scaledBasisBetween: { args: [[-1, 0], [...translation, ...translation], 1, -1, out(12)] },
    setRestTransforms: { args: [state, figures.restTransforms(human)] },
    updateAxisDerivatives: { args: [state, pose], writes: () => state.axisDerivatives },
    updateLimitPicture: { args: [limitPicture, pose] },
    updateMotionSubspaceQ: { args: [state, pose], writes: () => state.columnsQ },
    updateMotionSubspaceV: { args: [state, pose], writes: () => state.columnsV },
    velocityFromRates: { args: [state, pose, coordinates, out(dof)] },
    worldPoint: { args: [state, 'head', optional(point), out(3)] },
  };
  const OBJECTS_ALONE = [
    'createFigure',
    'createLimitPicture',
    'createPose',
    'createState',
    'figureToData',
    'findRootJoints',
    'restTransforms',
  ];

  test('every function is called', () => {
    const missing = functionsOf(figures)
      .map(([name]) => name)
      .filter((name) => !(name in samples) && !OBJECTS_ALONE.includes(name));
    expect(missing).toEqual([]);
  });

  test.each(Object.entries(samples))('%s', (name, sample) => {
    const call = Object.fromEntries(functionsOf(figures))[name];
    expect(() => call(...sample.args.map(plain))).not.toThrow();
    expect(faultsOf(call, sample, 'kinematics')).toEqual([]);
  });
});

describe('dynamics: everything is checked', () => {
  const model = dynamics.createDynamics(human);
  const workspace = dynamics.createDerivativeWorkspace(model);
  const integrator = dynamics.createIntegrator(model, { method: 'dormand-prince' });
  const start = () => dynamics.createDynamicsState(human, { pose });
  dynamics.stepIntegrator(integrator, start(), 1e-3);
  const tracked = () =>
    dynamics.createMotionTracker(dynamics.createSimulation([dynamics.createRagdoll(human)]), 0);
  const external = optional(new Float64Array(6 * boneCount));
  const simulation = dynamics.createSimulation([dynamics.createRagdoll(human)], {
    world: [{ type: 'plane', offset: 0.1 }],
  });
  dynamics.stepSimulation(simulation, 1 / 60);
  const ragdoll = dynamics.createActiveRagdoll(simulation, 0);
  const [actor] = simulation.actors;
  const velocities = [coordinates, coordinates] as const;
  const samples: Readonly<Record<string, Sample>> = {
    applyImpulse: { args: [simulation, 0, 'head', point, optional(point)] },
    biasForces: { args: [model, pose, coordinates, out(dof), external] },
    blendPoses: { args: [human, pose, coordinates, 0.5, out(dof)] },
    computeMomentum: { args: [model, pose, coordinates] },
    contactImpulse: { args: [simulation, 0] },
    createActiveRagdoll: { args: [simulation, 0] },
    createMotionTracker: { args: [simulation, 0] },
    findFootPoints: { args: [human, 'leftFoot'] },
    forwardDynamics: { args: [model, pose, ...velocities, out(dof), external] },
    forwardDynamicsDerivatives: {
      args: [workspace, pose, ...velocities, dynamics.createAccelerationDerivatives(human), external],
    },
    hitActiveRagdoll: { args: [ragdoll, 'head', point, optional(point)] },
    inverseDynamics: { args: [model, pose, ...velocities, out(dof), external] },
    inverseDynamicsDerivatives: {
      args: [workspace, pose, ...velocities, dynamics.createForceDerivatives(human), external],
    },
    kineticEnergy: { args: [model, pose, coordinates] },
    massMatrix: { args: [model, pose, out(dof * dof)] },
    motorForces: { args: [actor, out(dof)] },
    potentialEnergy: { args: [model, pose] },
    sampleStep: { args: [integrator, 5e-4, out(dof), out(dof)] },
    standardGravity: { args: [[0, 1, 0]] },
    stepActiveRagdoll: { args: [ragdoll, pose, 1 / 60] },
    stepIntegrator: { args: [integrator, start(), 1e-3] },
    stepSimulation: { args: [simulation, 1 / 60] },
    trackPose: { args: [tracked(), pose, 1 / 60, optional(coordinates)] },
  };
  const OBJECTS_ALONE = [
    'attachConnection',
    'createAccelerationDerivatives',
    'createDerivativeWorkspace',
    'createDynamics',
    'createDynamicsState',
    'createForceDerivatives',
    'createIntegrator',
    'createMotorGains',
    'createRagdoll',
    'createSimulation',
    'restartMotionTracker',
    'trackingError',
    'wakeActor',
  ];

  test('every function is called', () => {
    const missing = functionsOf(dynamics)
      .map(([name]) => name)
      .filter((name) => !(name in samples) && !OBJECTS_ALONE.includes(name));
    expect(missing).toEqual([]);
  });

  test.each(Object.entries(samples))('%s', (name, sample) => {
    const call = Object.fromEntries(functionsOf(dynamics))[name];
    expect(() => call(...sample.args.map(plain))).not.toThrow();
    expect(faultsOf(call, sample, 'checked')).toEqual([]);
  });
});
