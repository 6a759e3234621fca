import { type FieldsOf, requireFields, requireWhole } from '../checks.js';
import { GoalError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import { boundMagnitude, checkMagnitude, checkWritablePose, clampToLimits } from '../figure/model/pose.js';
import { copyNumbers } from '../math/linear/vector.js';
import { goalHessians, goalTypes } from './goals/goal-types.js';

import type { Goal } from './goals/types/goal.js';
import type { GoalHessian } from './goals/types/goal-type.js';
import { createPriorityLevels, descendLevel } from './priorities/solve-priorities.js';
import { checkTargets, readWeights } from './problem/compile-goals.js';
import { createProblem, problemsByPriority } from './problem/create-problem.js';
import { assignHessians } from './problem/hessian.js';
import { requireBones } from './problem/option-checks.js';
import { evaluate, isSatisfied, type Problem } from './problem/problem.js';
import type { IkResult } from './problem/status.js';
import { createWorkspace } from './problem/workspace.js';
import { type Descent, resultOf } from './result.js';
import { levenbergMarquardt } from './solver/levenberg-marquardt.js';
import { multiStart } from './solver/multi-start.js';
import { newtonDescentWithEscapes } from './solver/newton.js';
import { outOfReach } from './solver/reachability.js';
import type {
  Ik,
  IkOptions,
  IkWithOptions,
  MultiStartStage,
  NewtonStage,
  PriorityStage,
  Stages,
} from './types.js';

/**
 * Multi-start search. A single position goal that is provably out of reach needs no restart where no limit can block: any start
 * leads to its least distance.
 */
export const multiStartStage: MultiStartStage = (problem, work, pose, objective, options) =>
  problem.goals.length === 1 && problem.limits.length === 0 && outOfReach(problem)
    ? undefined
    : multiStart(problem, work, pose, objective, options);

/** Newton's method with the exact Hessians of the goals, `[positionHessians]`; it also escapes from saddles. */
export function newtonStage(hessians: readonly (readonly GoalHessian[])[]): NewtonStage {
  return {
    create: (problem) => assignHessians(problem, hessians.flat()),
    descend: newtonDescentWithEscapes,
  };
}

/** Strict priorities with the exact Hessians of the goals of all priorities, `[positionHessians, postureHessians]`. */
export function priorityStage(hessians: readonly (readonly GoalHessian[])[]): PriorityStage {
  return {
    create: (problems, onIterate) => createPriorityLevels(problems, hessians.flat(), onIterate),
    descend: descendLevel,
  };
}

/** All stages. */
export const allStages: Stages = /* @__PURE__ */ Object.freeze({
  multiStart: multiStartStage,
  newton: /* @__PURE__ */ newtonStage(goalHessians),
  priorities: /* @__PURE__ */ priorityStage(goalHessians),
});

/**
 * Prepares an inverse-kinematics problem with goals of any type and every stage. For a small bundle take {@link createIkWith}.
 *
 * @throws GoalError, FigureError for goals that are invalid on the figure (unknown bone, immovable goal, bad numbers).
 */
export function createIk(figure: Figure, goals: readonly Goal[], options: IkOptions = {}): Ik {
  requireFields(options, FIELDS, 'options', GoalError);
  return create(figure, goals, { ...options, goalTypes, stages: allStages });
}

/**
 * {@link createIk} with the goal types and stages given only; a bundle leaves out the others.
 *
 * @throws GoalError also for a goal whose type is not given, and for several priorities without the stage `priorities`.
 */
export function createIkWith(figure: Figure, goals: readonly Goal[], options: IkWithOptions): Ik {
  requireFields(options, { ...FIELDS, goalTypes: true, stages: true }, 'options', GoalError);
  return create(figure, goals, options);
}

const FIELDS: FieldsOf<IkOptions> = {
  maxIterations: true,
  restarts: true,
  seed: true,
  locked: true,
  onIterate: true,
};

function create(figure: Figure, goals: readonly Goal[], given: IkWithOptions): Ik {
  const { goalTypes, stages = {}, onIterate } = given;
  const options = withDefaults(given);
  const problems = problemsByPriority(createProblem(goalTypes, figure, goals, options.locked));
  if (problems.length > 1 && stages.priorities === undefined) {
    throw new GoalError('unsupported', 'have more than one priority.', {
      path: 'goals',
      remedy: 'Make the solver with the stage `priorities`, or with createIk.',
    });
  }
  stages.newton?.create(problems[0]);
  return {
    figure,
    problem: problems[0],
    workspace: createWorkspace(problems[0], onIterate),
    stages,
    lowerPriorities: stages.priorities?.create(problems, onIterate) ?? [],
    options,
  };
}

/** @throws GoalError for an option of the wrong type. */
function withDefaults(given: IkOptions): Ik['options'] {
  const { maxIterations = 300, restarts = 96, seed = 1, locked = [], onIterate } = given;
  for (const [name, value] of Object.entries({ maxIterations, restarts, seed })) {
    requireWhole(value, `options.${name}`, GoalError);
  }
  requireBones(locked, 'options.locked');
  if (onIterate !== undefined && typeof onIterate !== 'function') {
    throw new GoalError('unsupported', 'is not a function.', {
      path: 'options.onIterate',
      remedy: 'Give (pose, objective) => void, or leave it out.',
    });
  }
  return { maxIterations, restarts, seed, locked };
}

/** Smallest predicted decrease of a Levenberg-Marquardt step of soft goals, as a fraction of f. */
const MIN_SOFT_DECREASE = 0.02;

/**
 * Solves for a pose that meets the goals, in place, or that comes as near to them as the limits allow; the status tells which:
 *
 *   minimize f(q) = 1/2 |r(q)|^2 = 1/2 sum w_i |r_i(q)|^2,   g_n(q) <= 0 for every limit n,
 *
 * r_i the residual of goal i (rad, or m over the length scale), w_i its weight over the largest. Lower priorities are minimized in
 * turn, each in the null space of those above.
 *
 * The start is first projected onto the limits. Unless the goals are met the objective is at most its value there. Every
 * intermediate pose is within the limits. The same input gives the same bits.
 *
 * @param pose - Length `figure.dof`; read as the start, written as the answer.
 * @throws FigureError for a pose of the wrong size or not finite, GoalError for a target that is not finite.
 */
export function solveIk(ik: Ik, pose: Float64Array): IkResult {
  const { problem, workspace, lowerPriorities, options, stages } = ik;
  checkWritablePose(problem.figure, pose);
  readInputs(problem);
  for (let n = 0; n < lowerPriorities.length; n++) readInputs(lowerPriorities[n].problem);

  // Feasible start: q = P(q), P the projection onto the limits.
  clampToLimits(problem.figure, pose);
  checkMagnitude(pose);
  copyNumbers(pose, workspace.start, pose.length);

  // First priority: min f over the limits.
  const descent = descend(ik, pose);

  // Lower priorities: min f_p, with A d = 0 for every step d and the rows A of the priorities above.
  for (let n = 0; n < lowerPriorities.length; n++) {
    const { start } = workspace;
    descent.iterations +=
      stages.priorities?.descend(lowerPriorities[n], pose, start, options.maxIterations) ?? 0;
    // The pose has moved: `resultOf` evaluates f of the first priority again.
    delete descent.objective;
  }

  // A slider without a limit may run after a far target: the result must be a start of the next solve.
  if (boundMagnitude(pose)) delete descent.objective;

  // Residuals, stationarity |P(q - grad f) - q|, multipliers of the active limits.
  return resultOf(ik, pose, descent);
}

/** Reads targets and weights, which the caller may have changed. */
function readInputs({ goals, lengthScale }: Problem): void {
  checkTargets(goals);
  readWeights(goals, lengthScale);
}

/**
 * Descents without the goals that have `keptBones`, then with them and these bones kept: a pole turns the limb as it is bent without it.
 *
 * @returns their iterations.
 */
function descendInTurn({ problem, workspace, options: { maxIterations } }: Ik, pose: Float64Array): number {
  const { goals, lengthScale, keptColumns } = problem;
  for (const component of goals) if (component.keptBones !== undefined) component.rowScale = 0;
  const without = levenbergMarquardt(problem, workspace, pose, maxIterations);
  readWeights(goals, lengthScale);
  const joined = levenbergMarquardt(problem, workspace, pose, maxIterations, { kept: keptColumns });
  return without.iterations + joined.iterations;
}

/** Minimizes f over the limits, in place: the first priority. */
function descend(ik: Ik, pose: Float64Array): Descent {
  const { problem, workspace, options, stages } = ik;
  const { maxIterations, restarts } = options;

  // Levenberg-Marquardt: (J^T J + lambda) d = -J^T r, until the goals are met or the steps get short.
  const before = problem.keptColumns === undefined ? 0 : descendInTurn(ik, pose);
  // With soft goals only as long as it is fast: Newton's method ends at their minimum.
  const first = levenbergMarquardt(problem, workspace, pose, maxIterations, {
    minPredictedDecrease: problem.hasSoftGoals ? MIN_SOFT_DECREASE : 0,
  });
  const descent: Descent = { iterations: before + first.iterations, restarts: 0, stopped: false };
  if (first.outcome === 'converged') {
    descent.objective = first.objective;
    return descent;
  }
  evaluate(problem, pose);
  copyNumbers(pose, workspace.reached, pose.length);

  // Multi-start: the same from other poses, the lowest f kept. With soft goals other starts do not help: skipped.
  let found = false;
  if (restarts > 0 && !problem.hasSoftGoals) {
    const search = stages.multiStart?.(problem, workspace, pose, first.objective, options);
    descent.iterations += search?.iterations ?? 0;
    descent.restarts = search?.restarts ?? 0;
    if (search?.converged) return descent;
    found = search?.improved ?? false;
  }

  // Newton: Z (H + sum lambda_n d2g_n) Z d = -Z grad f in the tangent space of the active limits, to a minimum.
  descent.stopped = refine(ik, pose, descent, first.outcome === 'iteration-limit');
  if (!found) return descent;
  // The first descent has its own minimum, nearer to the start: the lower of both, and the nearer of equal ones.
  const objective = evaluate(problem, pose);
  const { reached } = workspace;
  const firstStopped = refine(ik, reached, descent, first.outcome === 'iteration-limit');
  if (evaluate(problem, reached) <= objective * (1 + EQUAL_MINIMA) || isSatisfied(problem)) {
    copyNumbers(reached, pose, pose.length);
    descent.stopped = firstStopped;
  }
  return descent;
}

/** Newton's method, where there is that stage. @returns whether it stopped early. */
function refine(
  { problem, workspace, options, stages }: Ik,
  pose: Float64Array,
  descent: Descent,
  stopped: boolean,
): boolean {
  const refined = stages.newton?.descend(problem, workspace, pose, options.maxIterations);
  descent.iterations += refined?.iterations ?? 0;
  return refined?.stopped ?? stopped;
}

/** Relative difference of f below which two minima are equal. */
const EQUAL_MINIMA = 1e-9;
