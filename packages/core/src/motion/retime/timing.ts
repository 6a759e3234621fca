/** Timing: which moment of a curve is played at which moment of time. */
import { MotionError } from '../../errors.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { pointsOfPiece } from '../convert/pieces.js';
import { derivePoints, fallsBelow } from '../representation/bernstein.js';
import { type Curve, createCurvePoint, evaluateCurve } from '../representation/curve.js';
import { createPlacedTime, type OutsideRange, placeTime } from '../representation/time-range.js';
import type { ScalarState } from '../rotations/partial-slerp.js';

/**
 * The moment s(t) of a curve (s) that is played at time t (s), with ds/dt and d^2s/dt^2. It never runs back. A {@link Curve} of one number is a
 * timing too.
 */
export interface Timing {
  /** Its kind, in words. */
  readonly kind: string;
  /** Where it may be less smooth, s, strictly increasing. */
  readonly knots: Numbers;
  readonly outside: OutsideRange;
  /** The state at a time inside the range. At a join the piece that begins there counts. */
  readonly evaluateInside: (time: number, out: ScalarState) => ScalarState;
}

/**
 * A timing from either form.
 * @throws MotionError `unsupported` for none; `wrong-size` for a curve of several numbers; `not-increasing` where it runs back.
 */
export function timingOf(timing: Timing | Curve): Timing {
  const known = typeof timing === 'object' && timing !== null;
  // A curve played by a timing has a size, and a timing has none.
  if (known && 'evaluateInside' in timing && !('size' in timing)) return timing;
  if (!known || !('controls' in timing)) {
    throw new MotionError('unsupported', 'is no timing.', {
      path: 'timing',
      remedy: 'Give what easeTiming, arcLengthTiming or speedLimitTiming returns, or a curve of one number.',
    });
  }
  requireForward(timing);
  const point = createCurvePoint(1);
  return {
    kind: 'curve',
    knots: timing.knots,
    outside: timing.outside,
    evaluateInside(time, out) {
      evaluateCurve(timing, time, point);
      out.value = point.value[0];
      out.first = point.first[0];
      out.second = point.second[0];
      return out;
    },
  };
}

/** Slope back, against the steepest Bezier leg, that rounding explains. */
const ROUNDING = 1e-13;

/** Decided from the Bezier points of the rate, not at samples. @throws MotionError `wrong-size`, `not-increasing` */
function requireForward(curve: Curve): void {
  const { size, knots, controls } = curve;
  if (size !== 1) {
    throw new MotionError('wrong-size', `gives ${size} numbers.`, {
      path: 'timing',
      remedy: 'Give a curve of one number: the moment to be played.',
    });
  }
  let largest = 0;
  for (let o = 0; o < controls.length; o++) largest = Math.max(largest, Math.abs(controls[o]));
  let before = Number.NEGATIVE_INFINITY;
  for (let s = 0; s + 1 < knots.length; s++) {
    const points = pointsOfPiece(curve, s);
    if (points[0] < before - ROUNDING * largest) throw runsBack(knots[s]);
    before = points[points.length - 1];
    const legs = derivePoints(points, 1, 1);
    const back = fallsBelow(legs, -ROUNDING * Math.max(largest, ...legs));
    if (back !== undefined) throw runsBack(knots[s] + back * (knots[s + 1] - knots[s]));
  }
}

function runsBack(time: number): MotionError {
  return new MotionError('not-increasing', `runs back at ${time} s.`, {
    path: 'timing',
    remedy: 'Give a timing whose rate is nowhere negative; reverseCurve plays a curve backwards.',
  });
}

const placed = /* @__PURE__ */ createPlacedTime();

/** s(t) and its rates at any time (s), outside the range as the timing says. @throws MotionError `not-finite` */
export function evaluateTiming(
  timing: Timing,
  time: number,
  out: ScalarState = { value: 0, first: 0, second: 0 },
): ScalarState {
  const { knots, outside } = timing;
  const start = knots[0];
  const end = knots[knots.length - 1];
  const { time: inside, rate, rounds, beyond } = placeTime(time, start, end, outside, placed);
  timing.evaluateInside(inside, out);
  if (rate === 1 && rounds === 0 && beyond === 0) return out;
  if (rounds !== 0) {
    const { value, first, second } = out;
    const way = -timing.evaluateInside(start, out).value + timing.evaluateInside(end, out).value;
    out.value = value + rounds * way;
    out.first = first;
    out.second = second;
  }
  if (beyond !== 0) out.value += beyond * out.first;
  // Rates may be infinite, which times 0 is no number.
  out.first = rate === 0 ? 0 : out.first * rate;
  out.second = rate === 0 || beyond !== 0 ? 0 : out.second * rate * rate;
  return out;
}

/**
 * Rates by the moment s, to rates by time, in place: x' s', and x'' s'^2 + x' s''. Where s' is infinite a rate of 0 stays 0, and of the terms of
 * the second rate s'' outgrows s'^2, as it does for every power of time below 1.
 */
export function ratesByTime(
  first: MutableNumbers,
  second: MutableNumbers,
  size: number,
  { first: rate, second: bend }: ScalarState,
): void {
  const infinite = rate === Number.POSITIVE_INFINITY;
  for (let c = 0; c < size; c++) {
    const [x1, x2] = [first[c], second[c]];
    const steered = x1 === 0 ? 0 : x1 * bend;
    second[c] = infinite && x1 !== 0 ? steered : (x2 === 0 ? 0 : x2 * rate * rate) + steered;
    first[c] = x1 === 0 ? 0 : x1 * rate;
  }
}

const work: ScalarState = { value: 0, first: 0, second: 0 };

/**
 * The knots of a curve played by a timing: those of the timing, and the first times at which it reaches those of the curve, by halving to the
 * last bit.
 */
export function retimedKnots(timing: Timing, knots: Numbers): Float64Array {
  const times = Array.from(timing.knots);
  const pieces = times.length - 1;
  const starts = times.map((time) => timing.evaluateInside(time, work).value);
  let piece = 0;
  for (let i = 0; i < knots.length; i++) {
    const wanted = knots[i];
    if (!(wanted > starts[0] && wanted < starts[pieces])) continue;
    while (starts[piece + 1] < wanted) piece++;
    let low = timing.knots[piece];
    let high = timing.knots[piece + 1];
    for (let middle = 0.5 * (low + high); middle > low && middle < high; middle = 0.5 * (low + high)) {
      if (timing.evaluateInside(middle, work).value < wanted) low = middle;
      else high = middle;
    }
    times.push(high);
  }
  times.sort((a, b) => a - b);
  // What rounding tells apart is one knot: those of the timing are kept, and its ends.
  const span = times[times.length - 1] - times[0];
  const own = new Set(Array.from(timing.knots));
  const kept: number[] = [];
  for (const time of times) {
    const last = kept[kept.length - 1];
    if (kept.length === 0 || time - last > SAME_TIME * span) kept.push(time);
    else if (own.has(time) && !own.has(last)) kept[kept.length - 1] = time;
    else if (own.has(time) && time > last) kept.push(time);
  }
  return Float64Array.from(kept);
}

const SAME_TIME = 1e-13;
