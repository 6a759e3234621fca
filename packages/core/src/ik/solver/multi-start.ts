import { type Random, seededRandom } from '../../math/random.js';
import type { Problem } from '../problem/problem.js';
import type { Workspace } from '../problem/workspace.js';
import { levenbergMarquardt } from './levenberg-marquardt.js';
import { jitterPose, randomPose } from './random-pose.js';

/** Steps for one joint when a start is aimed. */
const MAX_STEPS_PER_JOINT = 6;
/** A joint that gains less than this fraction of f ends the aiming. */
const MIN_JOINT_DECREASE = 0.02;
/**
 * The fraction of f that the first start's steps must promise (see `DescentOptions`): it falls to nothing at the last PATIENT
 * starts. With 0.3 to 0.5 four robot arms cost the same within 2 %.
 */
const FIRST_PREDICTED_DECREASE = 0.4;
const FULL_DESCENTS = 16;

export interface MultiStartResult {
  readonly converged: boolean;
  readonly iterations: number;
  readonly restarts: number;
}

/**
 * Descents from other starts than the one given; `pose` becomes the best pose found if that is lower than `objective`.
 *
 * The first restart of a redundant chain is aimed: the start with its joints turned one after the other, root first, to
 * where each serves the goals best alone. A long chain whose target lies on its far side coils up when all joints turn
 * together; aimed, it only has to fold a little.
 *
 * The others are drawn at random within the limits. Most targets that one start misses are met from the next few, if they
 * can be met at all, and a descent that will miss is known early by what its steps promise. So the first draws are given
 * up as soon as they promise little, the later ones are granted more and more, and the last sixteen run to their end: for targets
 * that few starts can meet, and for the lowest pose where none can.
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
  const impatient = Math.max(0, options.restarts - FULL_DESCENTS);
  let best = objective;
  let iterations = 0;
  for (let restarts = 1; restarts <= options.restarts; restarts++) {
    let promise = 0;
    if (restarts === 1 && isRedundant(problem)) {
      iterations += writeCoordinateDescentStart(problem, work, random, candidate);
    } else {
      randomPose(problem, start, random, candidate);
      if (restarts <= impatient) promise = FIRST_PREDICTED_DECREASE * (1 - (restarts - 1) / impatient);
    }
    const descent = levenbergMarquardt(problem, work, candidate, options.maxIterations, {
      minPredictedDecrease: promise,
    });
    iterations += descent.iterations;
    if (descent.objective < best || descent.outcome === 'converged') {
      best = descent.objective;
      pose.set(candidate);
    }
    if (descent.outcome === 'converged') return { converged: true, iterations, restarts };
  }
  return { converged: false, iterations, restarts: options.restarts };
}

/** Whether the joints have much more freedom than the goals take: an arm with a pose goal has not, a spine has. */
function isRedundant({ coordinates, rows }: Problem): boolean {
  return coordinates.length > 2 * rows;
}

/** Writes the aimed start; a little jitter takes it off the straight pose, where folding has no slope. */
function writeCoordinateDescentStart(
  problem: Problem,
  work: Workspace,
  random: Random,
  out: Float64Array,
): number {
  let iterations = 0;
  let f = Number.POSITIVE_INFINITY;
  out.set(work.start);
  for (const block of problem.jointColumns) {
    const { objective, iterations: steps } = levenbergMarquardt(problem, work, out, MAX_STEPS_PER_JOINT, {
      block,
    });
    iterations += steps;
    const gained = objective < f * (1 - MIN_JOINT_DECREASE);
    f = objective;
    if (!gained) break;
  }
  jitterPose(problem, random, out);
  return iterations;
}
