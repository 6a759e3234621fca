import { FigureError, GoalError } from '../errors.js';
import type { Figure } from '../figure/figure.js';
import { checkPose, clampToLimits } from '../figure/pose.js';
import { type Random, seededRandom } from '../math/random.js';
import { checkTargets } from './compile-goals.js';
import type { Goal } from './goal.js';
import { levenbergMarquardt } from './levenberg-marquardt.js';
import { createProblem, evaluate, type Problem, satisfied } from './problem.js';
import { outOfReach } from './reach.js';
import { type IkResult, resultOf } from './result.js';
import { samplePose } from './sample.js';
import { secondOrderDescent } from './second-order.js';
import { createWorkspace, type Workspace } from './workspace.js';

/** Settings of a solver. The defaults serve every problem set of the benchmarks. */
export interface IkOptions {
  /** Poses tried at most in one descent. Default 300. */
  readonly maxIterations?: number;
  /**
   * Descents from other poses when the first ends short of its goals at a local minimum; drawn from `seed`, so the same
   * input gives the same answer. 0 keeps the pose near its start: right for frame-to-frame tracking. Default 16.
   */
  readonly restarts?: number;
  readonly seed?: number;
  /** Bones whose joints stay as they are. */
  readonly locked?: readonly (string | number)[];
}

/** Goals on a figure, checked and with all memory made: solve it as often as targets move. */
export interface Ik {
  readonly figure: Figure;
  readonly problem: Problem;
  readonly workspace: Workspace;
  readonly options: Required<IkOptions>;
}

/**
 * Prepares an inverse-kinematics problem.
 *
 * @throws GoalError, FigureError for goals that make no sense on the figure (unknown bone, immovable goal, bad numbers).
 */
export function createIk(figure: Figure, goals: readonly Goal[], options: IkOptions = {}): Ik {
  const { maxIterations = 300, restarts = 16, seed = 1, locked = [] } = options;
  for (const [name, value] of Object.entries({ maxIterations, restarts, seed })) {
    if (Number.isInteger(value) && value >= 0) continue;
    throw new GoalError('out-of-range', `is ${value}.`, {
      path: `options.${name}`,
      remedy: 'Give a whole number, zero or more.',
    });
  }
  const problem = createProblem(figure, goals, locked);
  return {
    figure,
    problem,
    workspace: createWorkspace(problem),
    options: { maxIterations, restarts, seed, locked },
  };
}

/**
 * Moves `pose` in place to where the goals are met, or as nearly as the limits allow, and says which.
 *
 * The start is first moved to the nearest allowed pose; the objective never ends above its value there, and no pose on the
 * way leaves a limit. Same input, same bits.
 *
 * @param pose - Length `figure.dof`; read as the start, written as the answer.
 * @throws FigureError for a pose of the wrong size or not finite, GoalError for a target that is not finite.
 */
export function solveIk(ik: Ik, pose: Float64Array): IkResult {
  const { problem, workspace, options } = ik;
  if (!(pose instanceof Float64Array)) {
    throw new FigureError('wrong-size', 'is not a Float64Array.', {
      path: 'pose',
      remedy: 'Make it with createPose(figure).',
    });
  }
  checkPose(problem.figure, pose);
  checkTargets(problem.goals);
  clampToLimits(problem.figure, pose);
  const first = levenbergMarquardt(problem, workspace, pose, options.maxIterations);
  let iterations = first.iterations;
  let restarts = 0;
  if (first.outcome !== 'converged') {
    const refined = refine(problem, workspace, pose, options.maxIterations);
    iterations += refined.iterations;
    if (!satisfied(problem) && options.restarts > 0 && !outOfReach(problem)) {
      const again = searchElsewhere(ik, pose, refined.objective);
      iterations += again.iterations;
      restarts = again.restarts;
    }
  }
  return resultOf(problem, workspace, pose, iterations, restarts, first.outcome === 'iteration-limit');
}

/** Second-order descent, and first-order descent again after each escape from a saddle. */
function refine(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  maxIterations: number,
): { objective: number; iterations: number } {
  let iterations = 0;
  for (;;) {
    const second = secondOrderDescent(problem, work, pose, Math.max(0, maxIterations - iterations));
    iterations += second.iterations;
    if (second.outcome !== 'escaped') return { objective: second.objective, iterations };
    const first = levenbergMarquardt(problem, work, pose, Math.max(0, maxIterations - iterations));
    iterations += first.iterations;
    if (first.outcome === 'converged') return { objective: first.objective, iterations };
  }
}

/** Descents from seeded poses; keeps the best, refined to a stationary pose. Leaves the best evaluated. */
function searchElsewhere(
  { problem, workspace, options }: Ik,
  pose: Float64Array,
  objective: number,
): { iterations: number; restarts: number } {
  const random: Random = seededRandom(options.seed);
  const start = pose.slice();
  const candidate = new Float64Array(pose.length);
  let best = objective;
  let iterations = 0;
  let restarts = 0;
  while (restarts < options.restarts) {
    restarts++;
    samplePose(problem, start, random, candidate);
    const descent = levenbergMarquardt(problem, workspace, candidate, options.maxIterations);
    iterations += descent.iterations;
    if (descent.objective < best) {
      best = descent.objective;
      pose.set(candidate);
      if (descent.outcome === 'converged') return { iterations, restarts };
    }
  }
  if (best < objective) iterations += refine(problem, workspace, pose, options.maxIterations).iterations;
  else evaluate(problem, pose);
  return { iterations, restarts };
}
