import type { Goal } from './goals/types/goal.js';
import type { Later } from './priorities/level.js';
import { type ActiveLimit, activeLimitsOf, STATIONARY } from './problem/active-limits.js';
import { type Limited, updateActiveSet } from './problem/active-set.js';
import { differentiate, evaluate, type Problem, reached, writeGradient } from './problem/problem.js';
import type { Workspace } from './problem/workspace.js';
import type { Ik } from './types.js';

export type { ActiveLimit } from './problem/active-limits.js';

/**
 * How a solve ended.
 * - `converged`: every goal within its tolerance.
 * - `out-of-reach`: as near as can be (stationary), and no limit is in the way.
 * - `limit-blocked`: as near as the limits allow; each limit reported pushes back with a positive multiplier.
 * - `stalled`: neither; no lower pose was found.
 * - `iteration-limit`: stopped early.
 */
export type IkStatus = 'converged' | 'out-of-reach' | 'limit-blocked' | 'stalled' | 'iteration-limit';

export interface GoalResidual {
  /** Index of the goal in the list given. */
  readonly index: number;
  readonly type: Goal['type'];
  /** Which part of the goal, where it has several: `aim` and `up` of a points-at goal. */
  readonly part?: string;
  readonly bone: string;
  /** Distance (m) or angle (rad) left; of a wish over several joints the largest. */
  readonly value: number;
  /** Infinite for a wish. */
  readonly tolerance: number;
  /** Within the tolerance. A goal of weight 0 counts for nothing, but tells where it stands. */
  readonly satisfied: boolean;
}

/** Where the goals of one priority ended. */
export interface PriorityResult {
  readonly priority: number;
  /** f of the goals of this priority. */
  readonly objective: number;
  /** What is left of its gradient along the ways that limits and earlier priorities leave open: how well wishes are served. */
  readonly stationarity: number;
}

export interface IkResult {
  readonly status: IkStatus;
  readonly residuals: readonly GoalResidual[];
  /** The limits that hold the goals off; none where the goals are met. */
  readonly activeLimits: readonly ActiveLimit[];
  /** f = 1/2 sum of weight/largest weight |r|^2 over the goals of the first priority; angles in rad, lengths over `lengthScale`. */
  readonly objective: number;
  readonly lengthScale: number;
  /**
   * |P(q - grad f) - q|, P the projection on the limits, translations in length scales: 0 at a stationary pose. Not computed
   * where the goals are met.
   */
  readonly stationarity?: number;
  /** The later priorities, where there are any. */
  readonly later?: readonly PriorityResult[];
  /** Poses evaluated on the way, all descents together. */
  readonly iterations: number;
  /** Descents from other starts. */
  readonly restarts: number;
}

/** What a solve took, and how the descents of the later priorities ended. */
export interface Descent {
  iterations: number;
  restarts: number;
  /** Whether the first priority stopped early. */
  stopped: boolean;
  /** f of the first priority at the pose last evaluated, where that is the answer. */
  objective?: number;
}

/** Says honestly where a pose stands. */
export function resultOf({ problem, workspace, later }: Ik, pose: Float64Array, descent: Descent): IkResult {
  const { iterations, restarts, stopped } = descent;
  const objective = descent.objective ?? evaluate(problem, pose);
  const residuals = residualsOf(problem);
  const { lengthScale } = problem;
  let ending: Ending = reached(problem) ? MET : endingOf(problem, workspace, pose, stopped);
  // Written out: made by spreading objects, the result cost as much as a step of a small problem.
  if (later.length === 0 && ending === MET) {
    return { status: 'converged', activeLimits: [], residuals, objective, lengthScale, iterations, restarts };
  }
  const common = { objective, lengthScale, iterations, restarts };
  if (later.length === 0) return { ...ending, residuals, ...common };
  for (const { problem: next } of later) {
    evaluate(next, pose);
    residuals.push(...residualsOf(next));
    // The first priority that is not met says how the solve ended.
    if (ending.status === 'converged' && !reached(next)) ending = laterEnding(later, next);
  }
  residuals.sort((a, b) => a.index - b.index);
  const priorities = later.map(({ problem: { goals }, outcome }) => ({
    priority: goals[0].priority,
    objective: outcome.objective,
    stationarity: outcome.stationarity,
  }));
  return { ...ending, residuals, ...common, later: priorities };
}

interface Ending {
  readonly status: IkStatus;
  readonly activeLimits: readonly ActiveLimit[];
  readonly stationarity?: number;
}

const MET: Ending = { status: 'converged', activeLimits: [] };

/** How far each goal is off, in the order of the parts; the joints of a wish as one. */
function residualsOf({ figure, goals, norms }: Problem): GoalResidual[] {
  const residuals: GoalResidual[] = [];
  for (let n = 0; n < goals.length; n++) {
    const { goal, index, name, bone, tolerance } = goals[n];
    const value = norms[n];
    const last = residuals.length - 1;
    const wish = tolerance === Number.POSITIVE_INFINITY;
    if (wish && last >= 0 && residuals[last].index === index && residuals[last].part === name) {
      if (value <= residuals[last].value) continue;
      residuals.pop();
    }
    const { name: boneName } = figure.bones[bone];
    const common = {
      index,
      type: goal.type,
      bone: boneName,
      value,
      tolerance,
      satisfied: value <= tolerance,
    };
    residuals.push(name === undefined ? common : { ...common, part: name });
  }
  return residuals;
}

/** How a problem that is not met stands at the pose last evaluated. */
function endingOf(problem: Problem, work: Workspace, pose: Float64Array, stopped: boolean): Ending {
  differentiate(problem, pose);
  writeGradient(problem, work.gradient);
  updateActiveSet(problem, work.activeSet, pose, work.gradient);
  const stationarity = stationarityOf(problem, work, pose);
  const activeLimits = activeLimitsOf(problem, work.activeSet);
  return { status: statusOf(stationarity, activeLimits.length, stopped), activeLimits, stationarity };
}

function laterEnding(later: readonly Later[], problem: Problem): Ending {
  const at = later.find((one) => one.problem === problem) as Later;
  const { stationarity, activeLimits, stopped } = at.outcome;
  return { status: statusOf(stationarity, activeLimits.length, stopped), activeLimits, stationarity };
}

/** How goals that are not met ended. @param active - How many limits push back. */
export function statusOf(stationarity: number, active: number, stopped: boolean): IkStatus {
  if (stationarity <= STATIONARY) return active > 0 ? 'limit-blocked' : 'out-of-reach';
  return stopped ? 'iteration-limit' : 'stalled';
}

/** |P(q - grad f) - q| over the free coordinates, translations counted in length scales. */
export function stationarityOf(
  { coordinates, parts, jacobian }: Limited & Pick<Problem, 'coordinates'>,
  work: Pick<Workspace, 'trial' | 'gradient'>,
  pose: Float64Array,
): number {
  const { trial, gradient } = work;
  const { columnScale } = jacobian;
  trial.set(pose);
  for (let k = 0; k < coordinates.length; k++) trial[coordinates[k]] -= gradient[k] * columnScale[k];
  for (const { part, shape } of parts) shape.project(part.parameters, trial, part.coordinate, part.size);
  let sum = 0;
  for (let k = 0; k < coordinates.length; k++) {
    sum += ((trial[coordinates[k]] - pose[coordinates[k]]) / columnScale[k]) ** 2;
  }
  return Math.sqrt(sum);
}
