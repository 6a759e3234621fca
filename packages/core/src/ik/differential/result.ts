import type { LimitRole } from '../../figure/limits/limit.js';
import type { Goal } from '../goals/types/goal.js';

/**
 * Outcome of a step.
 * - `converged`: every goal is within its tolerance.
 * - `tracking`: every goal moves at its desired velocity.
 * - `limit-blocked`: a goal misses its desired velocity, and a joint limit or half-space is active (positive multiplier).
 * - `rate-limited`: the same for a joint rate.
 * - `conflicting`: the same without active constraints: goals contradict each other, ask for a velocity that no joint can give at this
 *   pose, or a singular direction is damped (`smallestSingularValue`, `damping`).
 */
export type DifferentialStatus = 'converged' | 'tracking' | 'limit-blocked' | 'rate-limited' | 'conflicting';

/** Status of one goal, or of one residual of a goal, in a step. Velocities are those of the residual: m/s or rad/s. */
export interface GoalStatus {
  /** Index of the goal in the list given. */
  readonly index: number;
  readonly type: Goal['type'];
  /** Name of the residual, where the goal has several. */
  readonly name?: string;
  readonly bone: string;
  readonly priority: number;
  readonly tolerance: number;
  /** Distance (m) or angle (rad) from the target before the step. */
  error: number;
  satisfied: boolean;
  /** Norm of the desired velocity: towards the target, plus the target's own velocity. */
  desired: number;
  /** Achieved velocity along the desired velocity. */
  achieved: number;
  /** Norm of the difference between desired and achieved velocity. */
  velocityError: number;
  /** Multiplier of a half-space, as of a limit. 0 for other types, and where inactive. */
  multiplier: number;
}

/** Status of one joint limit in a step. */
export interface LimitStatus {
  readonly bone: string;
  readonly role: LimitRole;
  /** First coordinate of the limit in the pose. */
  readonly coordinate: number;
  /** Whether the limit is active. */
  active: boolean;
  /** Decrease of the level's objective, 1/2 |J v - u|^2 + damping, per unit of relaxation of the bound; 0 where inactive. */
  multiplier: number;
  /** First priority level at which it is active; one past the last level for the posture. */
  priority: number;
}

/** Status of one rate limit in a step. */
export interface RateStatus {
  readonly bone: string;
  /** First of its coordinates in the pose. */
  readonly coordinate: number;
  readonly kind: 'angular' | 'linear';
  /** rad/s or m/s. */
  readonly limit: number;
  /** Speed of the step, rad/s or m/s. */
  speed: number;
  saturated: boolean;
  multiplier: number;
  priority: number;
}

/** Result of a step. The object belongs to the control and is overwritten by each step. */
export interface DifferentialResult {
  status: DifferentialStatus;
  /** In the caller's order; a goal with several residuals has one entry for each. */
  readonly goals: readonly GoalStatus[];
  /** Every limit of the control's joints. */
  readonly limits: readonly LimitStatus[];
  readonly rates: readonly RateStatus[];
  /**
   * Smallest singular value over all priorities of the goals' Jacobian projected onto the null space of earlier levels, lengths over
   * `lengthScale`, without weights.
   */
  smallestSingularValue: number;
  /** Priority level of that singular value. */
  singularPriority: number;
  /** lambda of the damping lambda^2 |v|^2 in that direction, 0 outside the singular region. */
  damping: number;
  readonly lengthScale: number;
  /** False where rounding stopped the solver early: limits and rates hold, but goals may be served suboptimally. */
  exact: boolean;
}
