import { FigureError, GoalError, nearestName } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import { checkPose, clampToLimits } from '../figure/model/pose.js';
import { copyNumbers } from '../math/linear/vector.js';
import type { GoalTypes } from './goals/goal-types.js';
import type { Goal } from './goals/types/goal.js';
import { checkTargets, readWeights } from './problem/compile-goals.js';
import { createProblem, problemsByPriority } from './problem/create-problem.js';
import { evaluate, type Problem } from './problem/problem.js';
import type { IkResult } from './problem/status.js';
import { createWorkspace } from './problem/workspace.js';
import { type Descent, resultOf } from './result.js';
import { levenbergMarquardt } from './solver/levenberg-marquardt.js';
import type { Stages } from './stages.js';
import type { Ik, IkOptions } from './types.js';

/**
 * A solver maker that understands the goal types given, by name, and goes through the stages given. What it is not given, a bundle
 * leaves out.
 */
export function createIkWith(
  types: GoalTypes,
  stages: Stages = {},
): (figure: Figure, goals: readonly Goal[], options?: IkOptions) => Ik {
  return (figure, goals, options = {}) => {
    checkOptions(options);
    const { maxIterations = 300, restarts = 96, seed = 1, locked = [], onIterate } = options;
    for (const [name, value] of Object.entries({ maxIterations, restarts, seed })) {
      if (Number.isInteger(value) && value >= 0) continue;
      throw new GoalError('out-of-range', `is ${value}.`, {
        path: `options.${name}`,
        remedy: 'Give a whole number, zero or more.',
      });
    }
    const problems = problemsByPriority(createProblem(types, figure, goals, locked));
    if (problems.length > 1 && stages.priorities === undefined) {
      throw new GoalError('unsupported', 'have more than one priority.', {
        path: 'goals',
        remedy: 'Make the solver with the stage `later`, or with createIk.',
      });
    }
    return {
      figure,
      problem: problems[0],
      workspace: createWorkspace(problems[0], onIterate),
      stages,
      lowerPriorities: stages.priorities?.create(problems, onIterate) ?? [],
      options: { maxIterations, restarts, seed, locked },
    };
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
const MAX_COORDINATE = 1e8;

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
  const { problem, workspace, lowerPriorities } = ik;
  if (!(pose instanceof Float64Array)) {
    throw new FigureError('wrong-size', 'is not a Float64Array.', {
      path: 'pose',
      remedy: 'Make it with createPose(figure).',
    });
  }
  checkPose(problem.figure, pose);
  readInputs(problem);
  for (let n = 0; n < lowerPriorities.length; n++) readInputs(lowerPriorities[n].problem);
  clampToLimits(problem.figure, pose);
  for (let i = 0; i < pose.length; i++) {
    if (Math.abs(pose[i]) <= MAX_COORDINATE) continue;
    throw new FigureError('out-of-range', `is ${pose[i]}.`, {
      path: `pose[${i}]`,
      remedy: 'Take whole turns off with regularizePose, or start from createPose(figure).',
    });
  }
  copyNumbers(pose, workspace.start, pose.length);
  const descent = descend(ik, pose);
  for (let n = 0; n < lowerPriorities.length; n++) {
    descent.iterations +=
      ik.stages.priorities?.descend(lowerPriorities[n], pose, ik.options.maxIterations) ?? 0;
    delete descent.objective;
  }
  return resultOf(ik, pose, descent);
}

/** Reads what the caller may have changed since the solver was made. */
function readInputs({ goals, lengthScale }: Problem): void {
  checkTargets(goals);
  readWeights(goals, lengthScale);
}

/** Moves the pose to where the goals of the first priority are met, or as nearly as can be. */
function descend({ problem, workspace, options, stages }: Ik, pose: Float64Array): Descent {
  const first = levenbergMarquardt(problem, workspace, pose, options.maxIterations);
  const descent: Descent = { iterations: first.iterations, restarts: 0, stopped: false };
  if (first.outcome === 'converged') {
    descent.objective = first.objective;
    return descent;
  }
  let converged = false;
  evaluate(problem, pose);
  // Where wishes pull against goals, another start meets them no better.
  if (options.restarts > 0 && !problem.hasSoftGoals) {
    const search = stages.multiStart?.(problem, workspace, pose, first.objective, options);
    descent.iterations += search?.iterations ?? 0;
    descent.restarts = search?.restarts ?? 0;
    converged = search?.converged ?? false;
  }
  if (!converged) {
    const refined = stages.newton?.(problem, workspace, pose, options.maxIterations);
    descent.iterations += refined?.iterations ?? 0;
    descent.stopped = refined?.stopped ?? first.outcome === 'iteration-limit';
  }
  return descent;
}
