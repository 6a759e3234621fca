import { createFigure, createPose, createState, type Figure, forwardKinematics } from 'poise/figure';
import {
  createFabrik,
  createPointFabrik,
  createPositionsToPose,
  solveFabrik,
  solvePointFabrik,
  solvePositionsToPose,
} from 'poise/ik';
import { rigid } from 'poise/math';

/** Length of each bone, m. */
export const LENGTHS = [1, 0.9, 0.7, 0.5];
export const REACH = LENGTHS.reduce((sum, length) => sum + length);
/** Joints in the order of the chain, then its tip. */
const JOINTS = LENGTHS.length + 1;
/** Distance at which the target counts as met, m. */
export const TOLERANCE = 1e-3;
const MAX_ITERATIONS = 40;
/** Distance from a limit that is rounding, rad. */
const AT_LIMIT = 1e-9;
/** Directions of the bones at the start, from the vertical to the right, rad. */
const START_ANGLES = [-0.35, 0.12, 0.5, 0.25];

/** Where limits apply: nowhere, to the rotations afterwards, or in both passes. */
export type LimitUse = 'none' | 'afterwards' | 'passes';

/** One displacement of FABRIK. */
export interface Step {
  readonly pass: 'start' | 'backward' | 'forward' | 'straight';
  /** From 1. */
  readonly iteration: number;
  /** The joint that is moved; 4 is the tip. */
  readonly joint: number;
  /** Of all joints after it, 3 numbers each, m. */
  readonly positions: Float64Array;
  /** Before the pass. */
  readonly before: Float64Array;
}

/** Every displacement of FABRIK from the start to a target. */
export interface Trace {
  readonly steps: readonly Step[];
  readonly status: 'converged' | 'out-of-reach' | 'iteration-limit';
  /** Distance of the tip from the target at the end, m. */
  readonly distance: number;
}

/** The chain at the start. */
export function startPositions(): Float64Array {
  const positions = new Float64Array(3 * JOINTS);
  for (const [n, angle] of START_ANGLES.entries()) {
    positions[3 * n + 3] = positions[3 * n] + LENGTHS[n] * Math.sin(angle);
    positions[3 * n + 4] = positions[3 * n + 1] + LENGTHS[n] * Math.cos(angle);
  }
  return positions;
}

/**
 * Runs the library's FABRIK one iteration at a time: a backward and a forward pass. Where a pass moves the joints stands in the
 * solver's `desired` and `points`; a step takes one joint of them after the other.
 */
export function traceFabrik(target: readonly number[]): Trace {
  const start = startPositions();
  const parents = Array.from({ length: JOINTS }, (_, n) => n - 1);
  const fabrik = createPointFabrik({ positions: start, parents }, [{ point: JOINTS - 1, target }], {
    maxIterations: 1,
    tolerance: TOLERANCE,
  });
  const steps: Step[] = [{ pass: 'start', iteration: 0, joint: -1, positions: start, before: start }];
  let positions = start;
  for (let iteration = 1; iteration <= MAX_ITERATIONS; iteration++) {
    const before = positions;
    const after = Float64Array.from(before);
    const { status, residuals, iterations } = solvePointFabrik(fabrik, after);
    if (status === 'out-of-reach') {
      steps.push({ pass: 'straight', iteration, joint: -1, positions: after, before });
      return { steps, status, distance: residuals[0] };
    }
    if (iterations > 0) {
      const desired = Float64Array.from(fabrik.tree.desired);
      for (let joint = JOINTS - 1; joint >= 0; joint--) {
        steps.push({ pass: 'backward', iteration, joint, positions: joined(before, desired, joint), before });
      }
      for (let joint = 0; joint < JOINTS; joint++) {
        const moved = joined(after, desired, joint + 1);
        steps.push({ pass: 'forward', iteration, joint, positions: moved, before: desired });
      }
    }
    if (status === 'converged') return { steps, status, distance: residuals[0] };
    positions = after;
  }
  return { steps, status: 'iteration-limit', distance: tipDistance(positions, target) };
}

/** The positions of `first` for joints before `from`, those of `rest` from it on. */
function joined(first: Float64Array, rest: Float64Array, from: number): Float64Array {
  const all = Float64Array.from(rest);
  all.set(first.subarray(0, 3 * from));
  return all;
}

function tipDistance(positions: ArrayLike<number>, target: readonly number[]): number {
  const o = positions.length - 3;
  return Math.hypot(positions[o] - target[0], positions[o + 1] - target[1], positions[o + 2] - target[2]);
}

/** The chain as rigid bones. */
export interface Rotations {
  readonly figure: Figure;
  /** Swing vector and twist of each bone, rad. */
  readonly pose: Float64Array;
  /** Whether the swing of each bone is at its limit. */
  readonly atLimit: readonly boolean[];
  /** Distance of the tip from the target, m. */
  readonly distance: number;
}

/** The chain as a figure: each joint swings and twists, the swing within a cone if a half-angle is given, rad. */
function createChain(halfAngle?: number): Figure {
  return createFigure({
    bones: LENGTHS.map((length, n) => ({
      name: `bone ${n + 1}`,
      parent: n === 0 ? null : `bone ${n}`,
      rest: { position: [0, n === 0 ? 0 : LENGTHS[n - 1], 0] },
      joint: { type: 'ball-and-socket', axis: [0, 1, 0], side: [1, 0, 0] },
      ...(halfAngle === undefined
        ? {}
        : { limit: { type: 'swing-twist', swing: { type: 'cone', halfAngle } } as const }),
      tip: [0, length, 0],
    })),
  });
}

/**
 * Converts positions of the joints into rotations of the bones, root first, or solves anew with the limits in both passes.
 *
 * @param halfAngle - Of the cone of each joint, rad.
 */
export function rotationsFrom(
  positions: Float64Array,
  target: readonly number[],
  use: LimitUse,
  halfAngle: number,
): Rotations {
  const figure = createChain(use === 'none' ? undefined : halfAngle);
  const pose = createPose(figure);
  const last = LENGTHS.length - 1;
  const tip: [number, number, number] = [0, LENGTHS[last], 0];
  const result = (distance: number): Rotations => {
    const atLimit = figure.bones.map(
      ({ coordinate: n }) => use !== 'none' && Math.hypot(pose[n], pose[n + 1]) >= halfAngle - AT_LIMIT,
    );
    return { figure, pose, atLimit, distance };
  };
  if (use === 'passes') {
    readPositions(figure, startPositions(), pose);
    const goal = { type: 'position', bone: last, point: tip, target, tolerance: TOLERANCE } as const;
    return result(solveFabrik(createFabrik(figure, [goal]), pose).residuals[0].value);
  }
  readPositions(figure, positions, pose);
  return result(tipDistance(rigid.transformPoint(frameOf(figure, pose, last), tip), target));
}

/** Fits the bones to positions of the joints, within their limits. */
function readPositions(figure: Figure, positions: Float64Array, pose: Float64Array): void {
  const last = LENGTHS.length - 1;
  const end = { bone: last, point: [0, LENGTHS[last], 0] };
  const points = [...figure.bones.map(({ name }) => ({ bone: name })), end];
  solvePositionsToPose(createPositionsToPose(figure, { points }), positions, pose);
}

/** Frame of a bone in the world, 12 numbers. */
export function frameOf(figure: Figure, pose: ArrayLike<number>, bone: number): Float64Array {
  const state = createState(figure);
  forwardKinematics(state, Float64Array.from(pose));
  return state.worldFromBone.slice(12 * bone, 12 * bone + 12);
}

/** The pose with the first bones rotated and the others at rest: how far the conversion has come. */
export function firstBones({ figure, pose }: Rotations, count: number): Float64Array {
  return Float64Array.from(pose, (x, n) => (n < (figure.bones[count]?.coordinate ?? pose.length) ? x : 0));
}
