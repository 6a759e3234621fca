import type { LimitRole } from '../../figure/limits/limit.js';
import type { Goal } from '../goals/types/goal.js';

/**
 * What a step could do.
 * - `converged`: every goal is within its tolerance.
 * - `tracking`: every goal moves as asked.
 * - `limit-blocked`: some goal moves less than asked, and a joint limit or a half-space holds it back (positive multiplier).
 * - `rate-limited`: the same for a joint rate.
 * - `compromise`: the same with neither: goals contradict each other, or ask for what no joint can give at this pose, or the
 *   damping of a singular direction holds back (`smallestSingularValue`, `damping`).
 */
export type DifferentialStatus = 'converged' | 'tracking' | 'limit-blocked' | 'rate-limited' | 'compromise';

/** One goal, or one part of a goal, in a step. Velocities are those of the residual: m/s or rad/s. */
export interface GoalStatus {
  /** Index of the goal in the list given. */
  readonly index: number;
  readonly type: Goal['type'];
  /** What part of its goal it is, where the goal has several. */
  readonly name?: string;
  readonly bone: string;
  readonly priority: number;
  readonly tolerance: number;
  /** Distance (m) or angle (rad) from the target before the step. */
  error: number;
  satisfied: boolean;
  /** Size of the velocity asked for: towards the target, its own velocity included. */
  wanted: number;
  /** The part of that velocity which the joints give, along what was asked. */
  achieved: number;
  /** Size of the difference between what was asked and what the joints give. */
  missed: number;
  /** Of a half-space: its push against the other goals, as that of a limit. 0 for other types, and where it holds nothing back. */
  multiplier: number;
}

/** One joint limit in a step. */
export interface LimitStatus {
  readonly bone: string;
  readonly role: LimitRole;
  /** First coordinate of the limit in the pose. */
  readonly coordinate: number;
  /** Whether it holds the joint back. */
  active: boolean;
  /** Fall of the level's objective, 1/2 |J nu - v|^2 + damping, per unit that the bound gave way; 0 where not active. */
  multiplier: number;
  /** Priority of the goals that it holds back first; that after the last one for the posture. */
  priority: number;
}

/** One rate limit in a step. */
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

/** What a step did. The object belongs to the control and is written anew by each step. */
export interface DifferentialResult {
  status: DifferentialStatus;
  /** In the caller's order; a goal of several parts has one entry for each. */
  readonly goals: readonly GoalStatus[];
  /** Every limit that the control minds. */
  readonly limits: readonly LimitStatus[];
  readonly rates: readonly RateStatus[];
  /**
   * The least singular value of the Jacobian of the goals over all priorities, lengths over `lengthScale`, weights left out: of
   * what each priority has left.
   */
  smallestSingularValue: number;
  /** Where it lies: its priority. */
  singularPriority: number;
  /** lambda of the damping lambda^2 |nu|^2 in that direction, 0 outside the singular region. */
  damping: number;
  readonly lengthScale: number;
  /** False where the solution was cut short by rounding: limits and rates still hold, but a goal may get less than it could. */
  exact: boolean;
}
