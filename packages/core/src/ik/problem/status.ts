import type { LimitComponent, LimitRole } from '../../figure/limits/limit.js';
import type { Figure } from '../../figure/model/figure.js';
import type { ActiveSet } from '../../math/optimization/active-limits.js';
import type { Goal } from '../goals/types/goal.js';

/** Largest stationarity of `out-of-reach` and `limit-blocked`. */
export const STATIONARITY_TOLERANCE = 1e-8;
/** Norm of the projected gradient at which Newton's method ends: well inside it. */
export const GRADIENT_TOLERANCE = 1e-9;

/** A limit in the active set: it keeps goals from their targets. */
export interface ActiveLimit {
  readonly bone: string;
  readonly role: LimitRole;
  /** First coordinate of the limit in the pose. */
  readonly coordinate: number;
  /** Lagrange multiplier for the unit normal: the decrease of f per unit that the limit were moved outward. */
  readonly multiplier: number;
}

/** The limits with a positive multiplier. */
export function activeLimitsOf(
  { bones }: Figure,
  { limits, active, multipliers }: ActiveSet<LimitComponent>,
): ActiveLimit[] {
  return limits.flatMap(({ limit: { bone, role, coordinate } }, n) => {
    // Below the stationarity tolerance the pose would be stationary without the limit.
    if (active[n] === 0 || multipliers[n] <= STATIONARITY_TOLERANCE) return [];
    return [{ bone: bones[bone].name, role, coordinate, multiplier: multipliers[n] }];
  });
}

/**
 * How a solve ended.
 * - `converged`: every goal within its tolerance.
 * - `out-of-reach`: stationary without an active limit, so as near as possible.
 * - `limit-blocked`: stationary with active limits; each one reported has a positive multiplier.
 * - `stalled`: not stationary, but no lower pose was found.
 * - `iteration-limit`: stopped at `maxIterations`.
 */
export type IkStatus = 'converged' | 'out-of-reach' | 'limit-blocked' | 'stalled' | 'iteration-limit';

export interface GoalResidual {
  /** Index of the goal in the list given. */
  readonly index: number;
  readonly type: Goal['type'];
  /** Component of the goal, where it has several: `aim` and `up` of a points-at goal. */
  readonly component?: string;
  readonly bone: string;
  /** Remaining distance (m) or angle (rad); the largest of a soft goal with several joints. */
  readonly value: number;
  readonly unit: 'length' | 'angle';
  /** Infinite for a soft goal. */
  readonly tolerance: number;
  /** Within the tolerance. A goal of weight 0 has no effect, but its residual is reported. */
  readonly satisfied: boolean;
}

/** Result of one lower priority. */
export interface PriorityResult {
  readonly priority: number;
  /** f of the goals of this priority. */
  readonly objective: number;
  /** Norm of its gradient projected onto the null space of limits and higher priorities: 0 at a minimum. */
  readonly stationarity: number;
}

export interface IkResult {
  readonly status: IkStatus;
  readonly residuals: readonly GoalResidual[];
  /** The limits with a positive multiplier; none where the goals are met. */
  readonly activeLimits: readonly ActiveLimit[];
  /** f = 1/2 sum of weight/largest weight |r|^2 over the goals of the first priority; angles in rad, lengths over `lengthScale`. */
  readonly objective: number;
  readonly lengthScale: number;
  /**
   * |P(q - grad f) - q|, P the projection on the limits, translations in length scales: 0 at a stationary pose. Not computed
   * where the goals are met.
   */
  readonly stationarity?: number;
  /** The priorities after the first, where there are any. */
  readonly lowerPriorities?: readonly PriorityResult[];
  /** Poses evaluated, all descents together. */
  readonly iterations: number;
  /** Descents from other starts. */
  readonly restarts: number;
}

/** Status of goals that are not met. @param active - Number of limits with a positive multiplier. */
export function statusOf(stationarity: number, active: number, stopped: boolean): IkStatus {
  if (stationarity <= STATIONARITY_TOLERANCE) return active > 0 ? 'limit-blocked' : 'out-of-reach';
  return stopped ? 'iteration-limit' : 'stalled';
}
