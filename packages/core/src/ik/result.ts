import { stationarityOf, updateActiveSet } from '../math/optimization/active-limits.js';
import type { PriorityLevel } from './priorities/level.js';
import { differentiate, evaluate, isSatisfied, type Problem, writeGradient } from './problem/problem.js';
import {
  type ActiveLimit,
  activeLimitsOf,
  type GoalResidual,
  type IkResult,
  type IkStatus,
  statusOf,
} from './problem/status.js';
import type { Workspace } from './problem/workspace.js';
import type { Ik } from './types.js';

/** Counts of a solve, and how its first priority ended. */
export interface Descent {
  iterations: number;
  restarts: number;
  /** Whether the first priority stopped early. */
  stopped: boolean;
  /** f of the first priority at the answer, where known without another evaluation. */
  objective?: number;
}

/** The result of a solve: residuals, status and active limits at the pose. */
export function resultOf(
  { problem, workspace, lowerPriorities }: Ik,
  pose: Float64Array,
  descent: Descent,
): IkResult {
  const { iterations, restarts, stopped } = descent;
  const objective = descent.objective ?? evaluate(problem, pose);
  const residuals = residualsOf(problem);
  const { lengthScale } = problem;
  let ending: Ending = isSatisfied(problem) ? CONVERGED : endingOf(problem, workspace, pose, stopped);
  // Without object spread, which cost as much as a step of a small problem.
  if (lowerPriorities.length === 0 && ending === CONVERGED) {
    return { status: 'converged', activeLimits: [], residuals, objective, lengthScale, iterations, restarts };
  }
  const common = { objective, lengthScale, iterations, restarts };
  if (lowerPriorities.length === 0) return { ...ending, residuals, ...common };
  for (const { problem: next } of lowerPriorities) {
    evaluate(next, pose);
    residuals.push(...residualsOf(next));
    // The status is that of the first priority that is not met.
    if (ending.status === 'converged' && !isSatisfied(next)) ending = levelEnding(lowerPriorities, next);
  }
  residuals.sort((a, b) => a.index - b.index);
  const priorities = lowerPriorities.map(({ problem: { goals }, outcome }) => ({
    priority: goals[0].priority,
    objective: outcome.objective,
    stationarity: outcome.stationarity,
  }));
  return { ...ending, residuals, ...common, lowerPriorities: priorities };
}

interface Ending {
  readonly status: IkStatus;
  readonly activeLimits: readonly ActiveLimit[];
  readonly stationarity?: number;
}

const CONVERGED: Ending = { status: 'converged', activeLimits: [] };

/** The residual of each component, in order; the joints of a soft goal have one entry, the largest. */
function residualsOf({ figure, goals, norms }: Problem): GoalResidual[] {
  const residuals: GoalResidual[] = [];
  for (let n = 0; n < goals.length; n++) {
    const { goal, index, name, bone, unit, tolerance } = goals[n];
    const value = norms[n];
    const last = residuals.length - 1;
    const isSoft = tolerance === Number.POSITIVE_INFINITY;
    if (isSoft && last >= 0 && residuals[last].index === index && residuals[last].component === name) {
      if (value <= residuals[last].value) continue;
      residuals.pop();
    }
    const { name: boneName } = figure.bones[bone];
    const common = {
      index,
      type: goal.type,
      bone: boneName,
      value,
      unit,
      tolerance,
      satisfied: value <= tolerance,
    };
    residuals.push(name === undefined ? common : { ...common, component: name });
  }
  return residuals;
}

/** Status, active limits and stationarity of a problem that is not met, at the pose last evaluated. */
function endingOf(problem: Problem, work: Workspace, pose: Float64Array, stopped: boolean): Ending {
  const { activeSet, gradient } = work;
  differentiate(problem, pose);
  writeGradient(problem, gradient);
  updateActiveSet(activeSet, pose, gradient);
  const stationarity = stationarityOf(activeSet, pose, gradient, work.trial);
  const activeLimits = activeLimitsOf(problem.figure, activeSet);
  return { status: statusOf(stationarity, activeLimits.length, stopped), activeLimits, stationarity };
}

function levelEnding(levels: readonly PriorityLevel[], problem: Problem): Ending {
  const level = levels.find((one) => one.problem === problem) as PriorityLevel;
  const { stationarity, activeLimits, stopped } = level.outcome;
  return { status: statusOf(stationarity, activeLimits.length, stopped), activeLimits, stationarity };
}
