import type { LimitRole } from '../../figure/limits/limit.js';
import type { ActiveSet } from './active-set.js';
import type { Problem } from './problem.js';

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
