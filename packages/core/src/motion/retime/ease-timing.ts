import { type FieldsOf, requireFields } from '../../checks.js';
import { MotionError } from '../../errors.js';
import { type CurveOptions, checkedTimes } from '../representation/curve.js';
import { outsideRange } from '../representation/time-range.js';
import { type EaseName, namedEase } from './ease.js';
import { type Ease, setState } from './ease-function.js';
import type { Timing } from './timing.js';

export interface EaseTimingOptions extends CurveOptions {
  /** Start and end, s. */
  readonly start: number;
  readonly end: number;
  /** Times of the curve that are played, s: from `from` (default `start`) to `to` (default `end`). */
  readonly from?: number;
  readonly to?: number;
}

const OPTIONS: FieldsOf<EaseTimingOptions> = { outside: true, start: true, end: true, from: true, to: true };

/** Intervals at whose ends an ease is checked for monotonicity. */
const SAMPLES = 512;

/**
 * The timing that plays a curve from one time to another by an easing function, given or by name.
 * @throws MotionError `not-increasing` for an ease that runs backwards (`cubic-bezier` with y outside [0, 1], checked at 513
 * samples), or such times; `unsupported` for linear extrapolation at an infinite rate (`circ`).
 */
export function easeTiming(ease: Ease | EaseName, options: EaseTimingOptions): Timing {
  requireFields(options, OPTIONS, 'options', MotionError);
  const { start, end, from = start, to = end } = options;
  const play = typeof ease === 'string' ? namedEase(ease) : ease;
  checkedTimes([start, end], 'range');
  checkedTimes([from, to], 'times');
  for (let n = 0; n <= SAMPLES; n++) {
    const { value, first } = play(n / SAMPLES);
    if (first >= 0 && value >= 0 && value <= 1) continue;
    throw new MotionError('not-increasing', `runs backwards at a fraction of ${n / SAMPLES}.`, {
      path: 'ease',
      remedy: 'Use an ease that never runs backwards.',
    });
  }
  const outside = outsideRange(options.outside);
  for (const [side, fraction] of [
    ['before', 0],
    ['after', 1],
  ] as const) {
    if (outside[side] !== 'linear' || Number.isFinite(play(fraction).first)) continue;
    throw new MotionError('unsupported', 'would be extrapolated at an infinite rate.', {
      path: `outside.${side}`,
      remedy: "Use another ease, or 'clamp'.",
    });
  }
  const rate = 1 / (end - start);
  const length = to - from;
  return {
    kind: typeof ease === 'string' ? ease : 'ease',
    // The halves of an in-out ease join in the middle, where acceleration jumps.
    knots: Float64Array.of(start, start + 0.5 * (end - start), end),
    outside,
    evaluateInside(time, out) {
      play(Math.min((time - start) * rate, 1), out);
      // Both ends are met to the last bit.
      const value = time === end ? to : from + length * out.value;
      return setState(out, value, length * rate * out.first, length * rate * rate * out.second);
    },
  };
}
