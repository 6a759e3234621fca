import type { Problem } from '../problem/problem.js';
import type { Workspace } from '../problem/workspace.js';
import { levenbergMarquardt } from './levenberg-marquardt.js';
import { newtonDescent } from './newton.js';

/** Second-order descent to a stationary pose, with first-order descent again after each escape from a saddle. */
export function refine(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  maxIterations: number,
): { readonly iterations: number; readonly stopped: boolean } {
  let iterations = 0;
  for (;;) {
    const second = newtonDescent(problem, work, pose, Math.max(0, maxIterations - iterations));
    iterations += second.iterations;
    if (second.outcome !== 'escaped') return { iterations, stopped: second.outcome === 'iteration-limit' };
    const first = levenbergMarquardt(problem, work, pose, Math.max(0, maxIterations - iterations));
    iterations += first.iterations;
    if (first.outcome === 'converged') return { iterations, stopped: false };
  }
}
