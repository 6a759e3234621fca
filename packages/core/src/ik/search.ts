import { type Random, seededRandom } from '../math/random.js';
import { levenbergMarquardt } from './levenberg-marquardt.js';
import type { Problem } from './problem.js';
import { jitterPose, samplePose } from './sample.js';
import type { Workspace } from './workspace.js';

/** Steps for one joint when a start is aimed. */
const STEPS_PER_JOINT = 6;
/** A joint that gains less than this fraction of f ends the aiming. */
const AIM_GAIN = 0.02;

export interface SearchResult {
  readonly converged: boolean;
  readonly iterations: number;
  readonly restarts: number;
}

/**
 * Descents from other starts than the one given; `pose` becomes the best pose found if that is lower than `objective`.
 *
 * The first restart is aimed: the start with its joints turned one after the other, root first, to where each serves the
 * goals best alone. A long chain whose target lies on its far side coils up when all joints turn together; aimed, it only
 * has to fold a little. The others are drawn at random within the limits.
 */
export function searchElsewhere(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  objective: number,
  options: { readonly restarts: number; readonly seed: number; readonly maxIterations: number },
): SearchResult {
  const random = seededRandom(options.seed);
  const { start, candidate } = work;
  let best = objective;
  let iterations = 0;
  for (let restarts = 1; restarts <= options.restarts; restarts++) {
    if (restarts === 1) iterations += aim(problem, work, random, candidate);
    else samplePose(problem, start, random, candidate);
    const descent = levenbergMarquardt(problem, work, candidate, options.maxIterations);
    iterations += descent.iterations;
    if (descent.objective < best || descent.outcome === 'converged') {
      best = descent.objective;
      pose.set(candidate);
    }
    if (descent.outcome === 'converged') return { converged: true, iterations, restarts };
  }
  return { converged: false, iterations, restarts: options.restarts };
}

/** Writes the aimed start; a little jitter takes it off the straight pose, where folding has no slope. */
function aim(problem: Problem, work: Workspace, random: Random, out: Float64Array): number {
  let iterations = 0;
  let f = Number.POSITIVE_INFINITY;
  out.set(work.start);
  for (const block of problem.blocks) {
    const { objective, iterations: steps } = levenbergMarquardt(problem, work, out, STEPS_PER_JOINT, block);
    iterations += steps;
    const gained = objective < f * (1 - AIM_GAIN);
    f = objective;
    if (!gained) break;
  }
  jitterPose(problem, random, out);
  return iterations;
}
