import { FigureError, GoalError, nearestName } from '../errors.js';
import type { Figure } from '../figure/figure.js';
import { checkPose, clampToLimits } from '../figure/pose.js';
import { copyNumbers } from './arrays.js';
import { checkTargets } from './check-goals.js';
import type { Goal } from './goal.js';
import { levenbergMarquardt } from './levenberg-marquardt.js';
import { createProblem, evaluate, type Problem } from './problem.js';
import { outOfReach } from './reach.js';
import { type IkResult, resultOf } from './result.js';
import { searchElsewhere } from './search.js';
import { secondOrderDescent } from './second-order.js';
import { createWorkspace, type IterateObserver, type Workspace } from './workspace.js';

/** Settings of a solver. The defaults serve every problem set of the benchmarks. */
export interface IkOptions {
  /** Poses tried at most in one descent. Default 300. */
  readonly maxIterations?: number;
  /**
   * Descents from other poses at most, when the first ends short of its goals: poses drawn from `seed`, so the same input
   * gives the same answer, and one aimed at the targets. Most are given up after a few steps. 0 stays with the pose given:
   * right for frame-to-frame tracking. Default 48.
   */
  readonly restarts?: number;
  readonly seed?: number;
  /** Bones whose joints stay as they are, once the pose is within its limits. */
  readonly locked?: readonly (string | number)[];
  /** Called at each pose that a descent starts from or accepts, for tests and progress displays. Default: nobody looks. */
  readonly onIterate?: IterateObserver;
}

/** Goals on a figure, checked and with all memory made: solve it as often as targets move. */
export interface Ik {
  readonly figure: Figure;
  readonly problem: Problem;
  readonly workspace: Workspace;
  readonly options: Required<Omit<IkOptions, 'onIterate'>>;
}

/**
 * Prepares an inverse-kinematics problem.
 *
 * @throws GoalError, FigureError for goals that make no sense on the figure (unknown bone, immovable goal, bad numbers).
 */
export function createIk(figure: Figure, goals: readonly Goal[], options: IkOptions = {}): Ik {
  checkOptions(options);
  const { maxIterations = 300, restarts = 48, seed = 1, locked = [], onIterate } = options;
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
    workspace: createWorkspace(problem, onIterate),
    options: { maxIterations, restarts, seed, locked },
  };
}

const OPTIONS = ['maxIterations', 'restarts', 'seed', 'locked', 'onIterate'];

/** @throws GoalError for options that are no object, an unknown option, or a list of bones that is none. */
function checkOptions(options: IkOptions): void {
  if (typeof options !== 'object' || options === null) {
    throw new GoalError('unsupported', `is ${options}.`, {
      path: 'options',
      remedy: 'Give an object, or leave it out.',
    });
  }
  for (const name of Object.keys(options)) {
    if (OPTIONS.includes(name)) continue;
    const near = nearestName(name, OPTIONS);
    throw new GoalError('unsupported', 'is no option.', {
      path: `options.${name}`,
      remedy: near === undefined ? `There are ${OPTIONS.join(', ')}.` : `Did you mean '${near}'?`,
    });
  }
  if (options.locked !== undefined && !Array.isArray(options.locked)) {
    throw new GoalError('wrong-size', 'is not a list of bones.', {
      path: 'options.locked',
      remedy: `Give an array: ['hips'].`,
    });
  }
  if (options.onIterate !== undefined && typeof options.onIterate !== 'function') {
    throw new GoalError('unsupported', 'is not a function.', {
      path: 'options.onIterate',
      remedy: 'Give (pose, objective) => void, or leave it out.',
    });
  }
}

/** Coordinates beyond this hold no digit of a turn or of a millimetre. */
const LARGEST_COORDINATE = 1e8;

/**
 * Moves `pose` in place to where the goals are met, or as nearly as the limits allow, and says which.
 *
 * The start is first moved to the nearest allowed pose; unless the goals are met the objective never ends above its value
 * there, and no pose on the way leaves a limit. Same input, same bits.
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
  for (let i = 0; i < pose.length; i++) {
    if (Math.abs(pose[i]) <= LARGEST_COORDINATE) continue;
    throw new FigureError('out-of-range', `is ${pose[i]}.`, {
      path: `pose[${i}]`,
      remedy: 'Take whole turns off with regularizePose, or start from createPose(figure).',
    });
  }
  copyNumbers(pose, workspace.start, pose.length);
  const first = levenbergMarquardt(problem, workspace, pose, options.maxIterations);
  if (first.outcome === 'converged') {
    const effort = { iterations: first.iterations, restarts: 0, stopped: false };
    return resultOf(problem, workspace, pose, first.objective, effort);
  }

  let { iterations } = first;
  let restarts = 0;
  let reached = false;
  if (options.restarts > 0) {
    evaluate(problem, pose);
    if (!outOfReach(problem)) {
      const search = searchElsewhere(problem, workspace, pose, first.objective, options);
      iterations += search.iterations;
      restarts = search.restarts;
      reached = search.converged;
    }
  }
  let stopped = false;
  if (!reached) {
    const refined = refine(problem, workspace, pose, options.maxIterations);
    iterations += refined.iterations;
    stopped = refined.stopped;
  }
  return resultOf(problem, workspace, pose, evaluate(problem, pose), { iterations, restarts, stopped });
}

/** Second-order descent to a stationary pose, with first-order descent again after each escape from a saddle. */
function refine(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  maxIterations: number,
): { readonly iterations: number; readonly stopped: boolean } {
  let iterations = 0;
  for (;;) {
    const second = secondOrderDescent(problem, work, pose, Math.max(0, maxIterations - iterations));
    iterations += second.iterations;
    if (second.outcome !== 'escaped') return { iterations, stopped: second.outcome === 'iteration-limit' };
    const first = levenbergMarquardt(problem, work, pose, Math.max(0, maxIterations - iterations));
    iterations += first.iterations;
    if (first.outcome === 'converged') return { iterations, stopped: false };
  }
}
