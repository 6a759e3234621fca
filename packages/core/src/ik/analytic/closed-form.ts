import type { IkResult } from '../result.js';

/** Why a chain has no closed form here. */
export interface NoClosedForm {
  readonly family: undefined;
  /** One sentence part: `axes 4, 5 and 6 do not meet in a point`. */
  readonly reason: string;
}

/** What a closed form gives beside what every solve gives. */
export interface ClosedFormResult extends IkResult {
  /**
   * Every solution within the limits, the one nearest to the start first (the one in the pose): the coordinates of the
   * joints of the closed form, in chain order. Empty where there is none; then the pose is what `solveIk` makes of the start.
   */
  readonly solutions: readonly (readonly number[])[];
  /** Solutions that some limit forbids. */
  readonly forbidden: number;
}

export function noClosedForm(reason: string): NoClosedForm {
  return { family: undefined, reason };
}
