import { PoiseError } from 'poise';
import { createFigure, createPose, createState, type Figure, forwardKinematics } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import {
  aimBoneAt,
  createAnalyticArm,
  createDifferentialControlWith,
  createFabrik,
  createIkWith,
  createPointFabrik,
  createPositionsToPose,
  createTwoBone,
  newtonStage,
  pointsAtHessians,
  pointsAtInObject,
  pointsAtInWorld,
  positionGoal,
  solveFabrik,
  solvePointFabrik,
  solveTwoBone,
} from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { armOf, UR5 } from './analytic/support-arms.js';

const WRONG: readonly unknown[] = [
  null,
  'x',
  Number.NaN,
  Number.POSITIVE_INFINITY,
  -1,
  1.5,
  true,
  {},
  [],
  [1, 2],
  [0, 0, 0],
  [Number.NaN, 0, 0],
  ['a', 'b', 'c'],
  [null],
  () => 1,
];

const human = createHumanFigure();
const foot = { type: 'position', bone: 'leftFoot', target: [0.12, 0.3, 0.2] } as const;
const chain: Figure = createFigure({
  bones: [0, 1].map((k) => ({
    name: `b${k}`,
    parent: k === 0 ? null : 'b0',
    rest: { position: [0, k, 0] as const },
    joint: { type: 'ball' as const },
    tip: [0, 1, 0] as const,
  })),
});
const tip = { type: 'position', bone: 'b1', point: [0, 1, 0], target: [0.5, 1, 0.2] } as const;
const points = { positions: [0, 0, 0, 0, 1, 0, 0, 2, 0], parents: [-1, 0, 1] };
const arm = armOf(UR5);

/** Each entry with every kind of wrong value in each of its places: what it makes must be finite, or it says what is wrong. */
type Try = (value: never) => unknown;
const limb = createTwoBone(human, foot);
if (limb.family === undefined) throw new Error(limb.reason);

const fabrikWith = (options: object): ArrayLike<number> => {
  const pose = createPose(chain);
  solveFabrik(createFabrik(chain, [tip], options), pose);
  return pose;
};
const pointsWith = (
  options: object | null,
  goals: unknown = [{ point: 2, target: [1, 1, 0] }],
): Float64Array => {
  const positions = Float64Array.from(points.positions);
  solvePointFabrik(createPointFabrik(points, goals as never, options as never), positions);
  return positions;
};
const twoBoneWith = (options: object | null): Float64Array => {
  const pose = createPose(human);
  solveTwoBone(limb, pose, options as never);
  return pose;
};
const pointWith = (options: object | null): Float64Array => {
  const state = createState(human);
  const pose = createPose(human);
  forwardKinematics(state, pose);
  aimBoneAt(state, pose, 'head', [0, 0, 1], [1, 1, 1], options as never);
  return pose;
};
const state = createState(human);
forwardKinematics(state, createPose(human));

const TRIES: readonly (readonly [string, Try])[] = [
  ['createFabrik options', (v) => fabrikWith(v)],
  ...['maxIterations', 'restarts', 'seed', 'locked', 'root', 'basis', 'coordinateDescent'].map(
    (name) => [`createFabrik ${name}`, (v: never) => fabrikWith({ [name]: v })] as const,
  ),
  ['createFabrik goals', (v) => createFabrik(chain, v)],
  ['createFabrik goal', (v) => createFabrik(chain, [v])],
  ['createPointFabrik options', (v) => pointsWith(v)],
  ...['root', 'tolerance', 'maxIterations', 'bendDirection'].map(
    (name) => [`createPointFabrik ${name}`, (v: never) => pointsWith({ [name]: v })] as const,
  ),
  ['createPointFabrik goals', (v) => pointsWith({}, v)],
  ['createPointFabrik goal', (v) => pointsWith({}, [v])],
  ['createPointFabrik target', (v) => pointsWith({}, [{ point: 2, target: v }])],
  ['createPointFabrik weight', (v) => pointsWith({}, [{ point: 2, target: [1, 1, 0], weight: v }])],
  ['createPointFabrik data', (v) => createPointFabrik(v, [])],
  ...['positions', 'parents', 'lengths', 'links'].map(
    (name) =>
      [
        `createPointFabrik ${name}`,
        (v: never) => createPointFabrik({ ...points, [name]: v }, [{ point: 2, target: [1, 1, 0] }]),
      ] as const,
  ),
  ['createPointFabrik link', (v) => createPointFabrik({ ...points, links: [v] }, [])],
  ['createPositionsToPose options', (v) => createPositionsToPose(chain, v)],
  ...['points', 'roll', 'coordinates', 'follow', 'limits'].map(
    (name) =>
      [`createPositionsToPose ${name}`, (v: never) => createPositionsToPose(chain, { [name]: v })] as const,
  ),
  ['createPositionsToPose point', (v) => createPositionsToPose(chain, { points: [v] })],
  ['createPositionsToPose roll of a bone', (v) => createPositionsToPose(chain, { roll: { b0: v } })],
  ['createTwoBone goal', (v) => createTwoBone(human, v)],
  ...['bone', 'point', 'target'].map(
    (name) => [`createTwoBone ${name}`, (v: never) => createTwoBone(human, { ...foot, [name]: v })] as const,
  ),
  ['solveTwoBone options', (v) => twoBoneWith(v)],
  ...['pole', 'swivel'].map(
    (name) => [`solveTwoBone ${name}`, (v: never) => twoBoneWith({ [name]: v })] as const,
  ),
  ['createAnalyticArm options', (v) => createAnalyticArm(arm.figure, arm.position, arm.orientation, v)],
  [
    'createAnalyticArm base',
    (v) => createAnalyticArm(arm.figure, arm.position, arm.orientation, { base: v }),
  ],
  ['createAnalyticArm position', (v) => createAnalyticArm(arm.figure, v, arm.orientation)],
  ['createAnalyticArm orientation', (v) => createAnalyticArm(arm.figure, arm.position, v)],
  ...['point', 'target', 'mask'].map(
    (name) =>
      [
        `createAnalyticArm ${name}`,
        (v: never) => createAnalyticArm(arm.figure, { ...arm.position, [name]: v }, arm.orientation),
      ] as const,
  ),
  [
    'createAnalyticArm offset',
    (v) => createAnalyticArm(arm.figure, arm.position, { ...arm.orientation, offset: v }),
  ],
  ['aimBoneAt options', (v) => pointWith(v)],
  ['aimBoneAt up', (v) => pointWith({ up: v })],
  ['aimBoneAt up axis', (v) => pointWith({ up: { axis: v } })],
  ['aimBoneAt up direction', (v) => pointWith({ up: { axis: [0, 1, 0], direction: v } })],
  ['pointsAtInWorld axis', (v) => pointsAtInWorld(state, 'head', v, [1, 1, 1])],
  ['pointsAtInWorld target', (v) => pointsAtInWorld(state, 'head', [0, 0, 1], v)],
  [
    'pointsAtInWorld target on a bone',
    (v) => pointsAtInWorld(state, 'head', [0, 0, 1], { bone: 'hips', point: v }),
  ],
  ['pointsAtInObject axis', (v) => pointsAtInObject(state, 'head', v, [1, 1, 1])],
  ['pointsAtInObject target', (v) => pointsAtInObject(state, 'head', [0, 0, 1], v)],
  [
    'pointsAtInObject target on a bone',
    (v) => pointsAtInObject(state, 'head', [0, 0, 1], { bone: 'hips', point: v }),
  ],
];

describe('a value of the wrong kind, anywhere', () => {
  it.each(TRIES)('%s: is refused with path and remedy, or leaves everything finite', (_, attempt) => {
    for (const value of WRONG) {
      try {
        const made = attempt(value as never);
        if (ArrayBuffer.isView(made) || Array.isArray(made)) {
          expect(Array.from(made as Float64Array).every(Number.isFinite), String(value)).toBe(true);
        }
      } catch (error) {
        if (!(error instanceof PoiseError)) throw error;
        expect(error.path.length).toBeGreaterThan(0);
        expect(error.remedy.length).toBeGreaterThan(0);
      }
    }
  });

  it('names path and remedy', () => {
    for (const [run, message] of [
      [() => twoBoneWith({ pole: [0, Number.NaN, 1] }), /options\.pole\[1\]: is NaN/],
      [() => twoBoneWith({ swivel: Number.NaN }), /options\.swivel: is NaN/],
      [() => twoBoneWith({ swivle: 1 }), /options\.swivle: is not a known field\. Did you mean 'swivel'/],
      [() => twoBoneWith(null), /options: is null/],
      [() => pointsWith({ tolerence: 1 }), /Did you mean 'tolerance'/],
      [() => pointsWith(null), /options: is null/],
      [() => fabrikWith({ coordinateDescent: 'no' }), /options\.coordinateDescent: is 'no'/],
      [() => createPositionsToPose(chain, { limit: false } as never), /Did you mean 'limits'/],
      [() => createPositionsToPose(chain, null as never), /options: is null/],
      [() => pointWith(null), /options: is null/],
      [() => pointWith({ upp: {} }), /options\.upp/],
      [
        () => createAnalyticArm(arm.figure, arm.position, arm.orientation, { bse: 1 } as never),
        /options\.bse/,
      ],
      [
        () => createIkWith(human, [foot], {} as never),
        /options\.goalTypes: is undefined\. Give the goal types/,
      ],
      [() => createDifferentialControlWith(human, [foot], {} as never), /options\.goalTypes: is undefined/],
      [() => createIkWith(human, [foot], { goalTypes: {}, stage: {} } as never), /Did you mean 'stages'/],
      [
        () =>
          createIkWith(human, [foot], {
            goalTypes: { position: positionGoal },
            stages: { newton: newtonStage([pointsAtHessians]) },
          }),
        /goals\[0\]\.type: has no Hessian for the Newton stage \('position'\)\. Give its Hessians/,
      ],
      [
        () => createTwoBone(human, { ...foot, point: [1, 2] as never }),
        /position\.point: has 2 numbers where 3/,
      ],
    ] as const) {
      expect(run).toThrow(message);
    }
  });
});
