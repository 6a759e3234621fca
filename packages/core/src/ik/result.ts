import type { LimitRole } from '../figure/limits/limit.js';
import { updateActiveSet } from './active-set.js';
import type { Goal } from './goal.js';
import { differentiate, type Problem, satisfied, writeGradient } from './problem.js';
import type { Workspace } from './workspace.js';

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
  readonly bone: string;
  /** Distance (m) or angle (rad) left. */
  readonly value: number;
  readonly tolerance: number;
  readonly satisfied: boolean;
}

export interface ActiveLimit {
  readonly bone: string;
  readonly role: LimitRole;
  /** First coordinate of the limit in the pose. */
  readonly coordinate: number;
  /** Push of the limit against the goals along its inward normal: the fall of f per unit that it gave way. */
  readonly multiplier: number;
}

export interface IkResult {
  readonly status: IkStatus;
  readonly residuals: readonly GoalResidual[];
  /** The limits that hold the goals off; none where the goals are met. */
  readonly activeLimits: readonly ActiveLimit[];
  /** f = 1/2 sum of weight/largest weight |r|^2 over the goals; angles in rad, lengths over `lengthScale`. */
  readonly objective: number;
  readonly lengthScale: number;
  /**
   * |P(q - grad f) - q|, P the projection on the limits, translations in length scales: 0 at a stationary pose. Not computed
   * where the goals are met.
   */
  readonly stationarity?: number;
  /** Poses evaluated on the way, all descents together. */
  readonly iterations: number;
  /** Descents from other starts. */
  readonly restarts: number;
}

/** Stationarity that DESIGN.md asks of `out-of-reach` and `limit-blocked`. */
const STATIONARY = 1e-8;

/** Says honestly where a pose stands. It must be the one last evaluated. */
export function resultOf(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  objective: number,
  effort: { readonly iterations: number; readonly restarts: number; readonly stopped: boolean },
): IkResult {
  const { figure, goals, parts, norms, lengthScale } = problem;
  const { iterations, restarts, stopped } = effort;
  const residuals: GoalResidual[] = [];
  for (let index = 0; index < goals.length; index++) {
    const { goal, bone, tolerance } = goals[index];
    const value = norms[index];
    const { name } = figure.bones[bone];
    residuals.push({ index, type: goal.type, bone: name, value, tolerance, satisfied: value <= tolerance });
  }
  if (satisfied(problem)) {
    return { status: 'converged', residuals, activeLimits: [], objective, lengthScale, iterations, restarts };
  }
  differentiate(problem, pose);
  writeGradient(problem, work.gradient);
  updateActiveSet(problem, work.activeSet, pose, work.gradient);
  const stationarity = stationarityOf(problem, work, pose);
  const activeLimits = parts.flatMap(({ part: { bone, role, coordinate } }, n) => {
    const multiplier = work.activeSet.multipliers[n];
    // A multiplier below the tolerance of stationarity blocks nothing: the pose would be stationary without the limit.
    if (work.activeSet.active[n] === 0 || multiplier <= STATIONARY) return [];
    return [{ bone: figure.bones[bone].name, role, coordinate, multiplier }];
  });
  const status = statusOf(stationarity, activeLimits.length, stopped);
  return { status, residuals, activeLimits, objective, lengthScale, stationarity, iterations, restarts };
}

function statusOf(stationarity: number, active: number, stopped: boolean): IkStatus {
  if (stationarity <= STATIONARY) return active > 0 ? 'limit-blocked' : 'out-of-reach';
  return stopped ? 'iteration-limit' : 'stalled';
}

/** |P(q - grad f) - q| over the free coordinates, translations counted in length scales. */
function stationarityOf(
  { coordinates, parts, jacobian }: Problem,
  work: Workspace,
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
