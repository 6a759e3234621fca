import { MotionError } from '../../errors.js';
import type { ScalarState } from '../rotations/partial-slerp.js';

/**
 * How far on something is at a share of its time in [0, 1]: from 0 to 1, with first and second rate by the share.
 * @throws MotionError `out-of-range` for a share outside [0, 1] (those of Poise; asked again by {@link easeTiming}).
 */
export type Ease = (share: number, out?: ScalarState) => ScalarState;

export function setState(out: ScalarState, value: number, first: number, second: number): ScalarState {
  out.value = value;
  out.first = first;
  out.second = second;
  return out;
}

/** @throws MotionError `out-of-range` */
export function requireShare(share: number): void {
  if (share >= 0 && share <= 1) return;
  throw new MotionError('out-of-range', `is ${share}.`, {
    path: 'share',
    remedy: 'Give a number in [0, 1].',
  });
}
