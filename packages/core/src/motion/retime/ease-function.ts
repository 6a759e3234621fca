import { MotionError } from '../../errors.js';
import type { ScalarState } from '../rotations/partial-slerp.js';

/**
 * An easing function: progress from 0 to 1 at a fraction of the time in [0, 1], with first and second rate with respect
 * to the fraction.
 * @throws MotionError `out-of-range` for a fraction outside [0, 1] (those of Poise; {@link easeTiming} checks
 * again).
 */
export type Ease = (fraction: number, out?: ScalarState) => ScalarState;

export function setState(out: ScalarState, value: number, first: number, second: number): ScalarState {
  out.value = value;
  out.first = first;
  out.second = second;
  return out;
}

/** @throws MotionError `out-of-range` */
export function checkFraction(fraction: number): void {
  if (fraction >= 0 && fraction <= 1) return;
  throw new MotionError('out-of-range', `is ${fraction}.`, {
    path: 'fraction',
    remedy: 'Give a number in [0, 1].',
  });
}
