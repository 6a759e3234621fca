/** Timing: the time of a curve that is played at a time. */
import { MotionError } from '../../errors.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { pointsOfPiece } from '../convert/pieces.js';
import { derivePoints, firstBelow } from '../representation/bernstein.js';
import { type Curve, createCurvePoint, evaluateCurve } from '../representation/curve.js';
import { createWrappedTime, type OutsideRange, wrapTime } from '../representation/time-range.js';
import type { ScalarState } from '../rotations/partial-slerp.js';

/**
 * A monotone time map: the curve time s(t) (s) played at time t (s), with ds/dt and d^2s/dt^2. A {@link Curve} of
 * one number is a timing too.
 */
export interface Timing {
  /** Name of its kind. */
  readonly kind: string;
  /** Knots: where it may be less smooth, s, strictly increasing. */
  readonly knots: Numbers;
  readonly outside: OutsideRange;
  /** State at a time inside the range. At a knot the piece that begins there is used. */
  readonly evaluateInside: (time: number, out: ScalarState) => ScalarState;
}

/**
 * A timing from either form.
 * @throws MotionError `unsupported` for neither; `wrong-size` for a curve of several numbers; `not-increasing` where
 * it runs backwards.
 */
export function timingOf(timing: Timing | Curve): Timing {
  const known = typeof timing === 'object' && timing !== null;
  // A retimed curve has a size, a timing has none.
  if (known && 'evaluateInside' in timing && !('size' in timing)) return timing;
  if (!known || !('controls' in timing)) {
    throw new MotionError('unsupported', 'is not a timing.', {
      path: 'timing',
      remedy: 'Give a timing of easeTiming, arcLengthTiming or speedLimitTiming, or a curve of one number.',
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

/** Negative slope, relative to the steepest leg of the Bezier polygon, attributed to rounding. */
const ROUNDING = 1e-13;

/** Decided from the Bezier points of the rate, not at samples. @throws MotionError `wrong-size`, `not-increasing` */
function requireForward(curve: Curve): void {
  const { size, knots, controls } = curve;
  if (size !== 1) {
    throw new MotionError('wrong-size', `gives ${size} numbers.`, {
      path: 'timing',
      remedy: 'Give a curve of one number: the curve time to be played.',
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
    const back = firstBelow(legs, -ROUNDING * Math.max(largest, ...legs));
    if (back !== undefined) throw runsBack(knots[s] + back * (knots[s + 1] - knots[s]));
  }
}

function runsBack(time: number): MotionError {
  return new MotionError('not-increasing', `runs backwards at ${time} s.`, {
    path: 'timing',
    remedy: 'Give a timing with a nonnegative rate; reverseCurve plays a curve backwards.',
  });
}

const wrapped = /* @__PURE__ */ createWrappedTime();

/** s(t) and its rates at any time (s), extrapolated as the timing's `outside` says. @throws MotionError `not-finite` */
export function evaluateTiming(
  timing: Timing,
  time: number,
  out: ScalarState = { value: 0, first: 0, second: 0 },
): ScalarState {
  const { knots, outside } = timing;
  const start = knots[0];
  const end = knots[knots.length - 1];
  const { time: inside, rate, cycles, beyond } = wrapTime(time, start, end, outside, wrapped);
  timing.evaluateInside(inside, out);
  if (rate === 1 && cycles === 0 && beyond === 0) return out;
  if (cycles !== 0) {
    const { value, first, second } = out;
    const length = -timing.evaluateInside(start, out).value + timing.evaluateInside(end, out).value;
    out.value = value + cycles * length;
    out.first = first;
    out.second = second;
  }
  if (beyond !== 0) out.value += beyond * out.first;
  // Rates may be infinite, and Infinity * 0 is NaN.
  out.first = rate === 0 ? 0 : out.first * rate;
  out.second = rate === 0 || beyond !== 0 ? 0 : out.second * rate * rate;
  return out;
}

/**
 * Chain rule in place: rates with respect to s to rates with respect to time, x' s' and x'' s'^2 + x' s''. Where s' is infinite a
 * rate of 0 stays 0, and in the second rate s'' dominates s'^2, as for every power of time below 1.
 */
export function ratesByTime(
  first: MutableNumbers,
  second: MutableNumbers,
  size: number,
  { first: rate, second: secondRate }: ScalarState,
): void {
  const infinite = rate === Number.POSITIVE_INFINITY;
  for (let c = 0; c < size; c++) {
    const [x1, x2] = [first[c], second[c]];
    const tangential = x1 === 0 ? 0 : x1 * secondRate;
    second[c] = infinite && x1 !== 0 ? tangential : (x2 === 0 ? 0 : x2 * rate * rate) + tangential;
    first[c] = x1 === 0 ? 0 : x1 * rate;
  }
}

const work: ScalarState = { value: 0, first: 0, second: 0 };

/**
 * Knots of a retimed curve: those of the timing, and the first times at which it reaches those of the curve, by
 * bisection to the last bit.
 */
export function retimedKnots(timing: Timing, knots: Numbers): Float64Array {
  const times = Array.from(timing.knots);
  const pieces = times.length - 1;
  const starts = times.map((time) => timing.evaluateInside(time, work).value);
  let piece = 0;
  for (let i = 0; i < knots.length; i++) {
    const target = knots[i];
    if (!(target > starts[0] && target < starts[pieces])) continue;
    while (starts[piece + 1] < target) piece++;
    let low = timing.knots[piece];
    let high = timing.knots[piece + 1];
    for (let middle = 0.5 * (low + high); middle > low && middle < high; middle = 0.5 * (low + high)) {
      if (timing.evaluateInside(middle, work).value < target) low = middle;
      else high = middle;
    }
    times.push(high);
  }
  times.sort((a, b) => a - b);
  // Knots within rounding are merged: those of the timing are kept, and its ends.
  const span = times[times.length - 1] - times[0];
  const timingKnots = new Set(Array.from(timing.knots));
  const merged: number[] = [];
  for (const time of times) {
    const last = merged[merged.length - 1];
    if (merged.length === 0 || time - last > SAME_TIME * span) merged.push(time);
    else if (timingKnots.has(time) && !timingKnots.has(last)) merged[merged.length - 1] = time;
    else if (timingKnots.has(time) && time > last) merged.push(time);
  }
  return Float64Array.from(merged);
}

const SAME_TIME = 1e-13;
