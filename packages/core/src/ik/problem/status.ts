import type { LimitRole } from '../../figure/limits/limit.js';
import type { Goal } from '../goals/types/goal.js';
import type { ActiveSet, Limited } from './active-set.js';
import type { Problem } from './problem.js';
import type { Workspace } from './workspace.js';

/** Stationarity that DESIGN.md asks of `out-of-reach` and `limit-blocked`. */
export const STATIONARY = 1e-8;

/** A limit that holds goals off. */
export interface ActiveLimit {
  readonly bone: string;
  readonly role: LimitRole;
  /** First coordinate of the limit in the pose. */
  readonly coordinate: number;
  /** Push of the limit against the goals along its inward normal: the fall of f per unit that it gave way. */
  readonly multiplier: number;
}

/** The limits that push back. */
export function activeLimitsOf(
  { figure, parts }: Pick<Problem, 'figure' | 'parts'>,
  { active, multipliers }: ActiveSet,
): ActiveLimit[] {
  return parts.flatMap(({ part: { bone, role, coordinate } }, n) => {
    // A multiplier below the tolerance of stationarity blocks nothing: the pose would be stationary without the limit.
    if (active[n] === 0 || multipliers[n] <= STATIONARY) return [];
    return [{ bone: figure.bones[bone].name, role, coordinate, multiplier: multipliers[n] }];
  });
}

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
