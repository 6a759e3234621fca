import { MotionError } from '../../errors.js';
import { type CurveOptions, checkedTimes } from '../representation/curve.js';
import { outsideRange } from '../representation/time-range.js';
import { type EaseName, namedEase } from './ease.js';
import { type Ease, setState } from './ease-function.js';
import type { Timing } from './timing.js';

export interface EaseTimingOptions extends CurveOptions {
  /** When it begins and ends, s. */
  readonly start: number;
  readonly end: number;
  /** The moments of the curve that it plays, s: from `from` (default `start`) to `to` (default `end`). */
  readonly from?: number;
  readonly to?: number;
}

/** Shares at which an ease is asked whether it runs back. */
const CHECKS = 512;

/**
 * Plays a curve from one moment to another by an ease, given or by its name.
 * @throws MotionError `not-increasing` for an ease that runs back (`cubic-bezier` with y outside [0, 1], seen at 513 shares), or times that do;
 * `unsupported` for one that is to go on by a rate that is infinite (`circ`).
 */
export function easeTiming(ease: Ease | EaseName, options: EaseTimingOptions): Timing {
  const { start, end, from = start, to = end } = options;
  const play = typeof ease === 'string' ? namedEase(ease) : ease;
  checkedTimes([start, end], 'range');
  checkedTimes([from, to], 'moments');
  for (let n = 0; n <= CHECKS; n++) {
    const { value, first } = play(n / CHECKS);
    if (first >= 0 && value >= 0 && value <= 1) continue;
    throw new MotionError('not-increasing', `runs back at a share of ${n / CHECKS}.`, {
      path: 'ease',
      remedy: 'Time a curve by an ease that never runs back.',
    });
  }
  const outside = outsideRange(options.outside);
  for (const [side, share] of [
    ['before', 0],
    ['after', 1],
  ] as const) {
    if (outside[side] !== 'linear' || Number.isFinite(play(share).first)) continue;
    throw new MotionError('unsupported', 'would go on at an infinite rate.', {
      path: `outside.${side}`,
      remedy: "Take another ease, or let it stand there: 'clamp'.",
    });
  }
  const rate = 1 / (end - start);
  const way = to - from;
  return {
    kind: typeof ease === 'string' ? ease : 'ease',
    // Halves of an in-out ease join in the middle, where acceleration jumps.
    knots: Float64Array.of(start, start + 0.5 * (end - start), end),
    outside,
    evaluateInside(time, out) {
      play(Math.min((time - start) * rate, 1), out);
      // Both ends are met to the last bit.
      const value = time === end ? to : from + way * out.value;
      return setState(out, value, way * rate * out.first, way * rate * rate * out.second);
    },
  };
}
