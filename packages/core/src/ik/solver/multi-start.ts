import { type Random, seededRandom } from '../../math/random.js';
import { allowedAngle } from '../closed-form/aim/best-angle.js';
import { evaluate, isSatisfied, type Problem } from '../problem/problem.js';
import type { Workspace } from '../problem/workspace.js';
import { levenbergMarquardt } from './levenberg-marquardt.js';
import { jitterPose, randomPose } from './random-pose.js';

/** Steps of one joint in the coordinate descent of the first restart. */
const MAX_STEPS_PER_JOINT = 6;
/** A joint with a relative decrease of f below this ends the coordinate descent. */
const MIN_JOINT_DECREASE = 0.02;
/**
 * Smallest predicted decrease, as a fraction of f, in the first random restart (see `DescentOptions`); it decreases linearly to 0 at
 * the last FULL_DESCENTS restarts. With 0.3 to 0.5 four robot arms cost the same within 2 %.
 */
const FIRST_PREDICTED_DECREASE = 0.4;
const FULL_DESCENTS = 16;

/** Change of f that is rounding, relative and in f itself. */
const ROUNDING = 1e-13;
const UNLIMITED = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

export interface MultiStartResult {
  readonly converged: boolean;
  /** Whether a lower pose was found. */
  readonly improved: boolean;
  readonly iterations: number;
  readonly restarts: number;
}

/**
 * Multi-start search: descents from restart poses; `pose` becomes the best pose found if that is lower than `objective`.
 *
 * The first restart of a redundant chain comes from one pass of coordinate descent, joint by joint, root first. A long chain whose
 * target lies on its far side coils up when all joints move together; after the pass it only has to fold a little.
 *
 * The other restarts are drawn at random within the limits. Most reachable targets that one start misses are met from one of the
 * next few, and the predicted decrease shows early that a descent will miss. So the first restarts end as soon as it is small, the
 * later ones are allowed smaller and smaller values, and the last sixteen run to their end: for targets that few starts can meet,
 * and for the lowest pose where none can.
 */
export function multiStart(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  objective: number,
  options: { readonly restarts: number; readonly seed: number; readonly maxIterations: number },
): MultiStartResult {
  const random = seededRandom(options.seed);
  const { start, candidate } = work;
  const shortDescents = Math.max(0, options.restarts - FULL_DESCENTS);
  let best = objective;
  let iterations = 0;
  for (let restarts = 1; restarts <= options.restarts; restarts++) {
    let minPredictedDecrease = 0;
    if (restarts === 1 && isRedundant(problem)) {
      iterations += writeCoordinateDescentStart(problem, work, random, candidate);
    } else {
      randomPose(problem, start, random, candidate);
      if (restarts <= shortDescents)
        minPredictedDecrease = FIRST_PREDICTED_DECREASE * (1 - (restarts - 1) / shortDescents);
    }
    const descent = levenbergMarquardt(problem, work, candidate, options.maxIterations, {
      minPredictedDecrease,
    });
    iterations += descent.iterations;
    if (descent.objective < best || descent.outcome === 'converged') {
      best = descent.objective;
      pose.set(candidate);
      unwind(problem, start, pose);
    }
    if (descent.outcome === 'converged') return { converged: true, improved: true, iterations, restarts };
  }
  return { converged: false, improved: best < objective, iterations, restarts: options.restarts };
}

/**
 * Unwinds hinges towards the start by multiples of 2 pi, where limits allow it and f does not rise (a goal or a mimic joint may depend on the number
 * of turns): restarts are drawn within limits that may span several turns.
 */
function unwind(problem: Problem, start: Float64Array, pose: Float64Array): void {
  const { figure, coordinates, limits } = problem;
  for (const i of coordinates) {
    if (Math.abs(pose[i] - start[i]) <= Math.PI) continue;
    if (figure.bones[figure.boneOfCoordinate[i]].joint.type !== 'hinge') continue;
    const [min, max] = limits.find(({ limit }) => limit.coordinate === i)?.limit.parameters ?? UNLIMITED;
    const woundAngle = pose[i];
    const unwound = allowedAngle(woundAngle, start[i], [min, max]);
    if (Number.isNaN(unwound) || Math.abs(unwound - woundAngle) < 1) continue;
    const before = evaluate(problem, pose);
    const met = isSatisfied(problem);
    pose[i] = unwound;
    const rises = evaluate(problem, pose) > before * (1 + ROUNDING) + ROUNDING;
    if (rises || (met && !isSatisfied(problem))) pose[i] = woundAngle;
  }
}

/** Whether there are more than twice as many coordinates as rows: true of a spine, not of an arm with a pose goal. */
function isRedundant({ coordinates, rows }: Problem): boolean {
  return coordinates.length > 2 * rows;
}

/** Writes the coordinate-descent start, jittered off the straight pose, where the gradient towards folding is zero. */
function writeCoordinateDescentStart(
  problem: Problem,
  work: Workspace,
  random: Random,
  out: Float64Array,
): number {
  let iterations = 0;
  let f = Number.POSITIVE_INFINITY;
  const kept = new Uint8Array(problem.coordinates.length);
  out.set(work.start);
  for (const { first, end } of problem.jointColumns) {
    kept.fill(1).fill(0, first, end);
    const { objective, iterations: steps } = levenbergMarquardt(problem, work, out, MAX_STEPS_PER_JOINT, {
      kept,
    });
    iterations += steps;
    const decreased = objective < f * (1 - MIN_JOINT_DECREASE);
    f = objective;
    if (!decreased) break;
  }
  jitterPose(problem, random, out);
  return iterations;
}
