import { MotionError } from '../../errors.js';
import type { Numbers } from '../../math/linear/types.js';
import { requireCurve } from '../convert/require-curve.js';
import {
  type Curve,
  type CurvePoint,
  createCurvePoint,
  curveEnd,
  curveStart,
  evaluateCurve,
} from '../representation/curve.js';
import { createPlacedTime, type OutsideRange, placeTime } from '../representation/time-range.js';
import { ratesByTime, retimedKnots, type Timing, timingOf } from './timing.js';

/** A curve played by a timing: x(s(t)). Not a {@link Curve}: its pieces have the product of both degrees, or are no polynomials. */
export interface RetimedCurve {
  readonly kind: 'retimed';
  readonly size: number;
  /** Where it may be less smooth, s, strictly increasing. */
  readonly knots: Numbers;
  /** That of the timing. */
  readonly outside: OutsideRange;
  /** At a time inside the range. Callers use {@link evaluateRetimed}. */
  readonly evaluateInside: (time: number, out: CurvePoint) => CurvePoint;
}

/**
 * A curve played by a timing, with exact rates: (x(s))' = x' s', (x(s))'' = x'' s'^2 + x' s''.
 * @param timing - A {@link Timing}, or a curve of one number whose rate is nowhere negative; its moments lie in the range of the curve.
 * @throws MotionError `unsupported`, `wrong-size`, `not-increasing`, `out-of-range`
 */
export function retimeCurve(curve: Curve, timing: Timing | Curve): RetimedCurve {
  requireCurve(curve);
  const given = timingOf(timing);
  requireRange(given, curveStart(curve), curveEnd(curve));
  const s = { value: 0, first: 0, second: 0 };
  return {
    kind: 'retimed',
    size: curve.size,
    knots: retimedKnots(given, curve.knots),
    outside: given.outside,
    evaluateInside(time, out) {
      given.evaluateInside(time, s);
      evaluateCurve(curve, clampTo(s.value, curve.knots), out);
      ratesByTime(out.first, out.second, curve.size, s);
      return out;
    },
  };
}

const placed = /* @__PURE__ */ createPlacedTime();

/** Value, velocity and acceleration at `time` (s). @throws MotionError `not-finite` for a time that is none. */
export function evaluateRetimed(
  curve: RetimedCurve,
  time: number,
  out: CurvePoint = createCurvePoint(curve.size),
): CurvePoint {
  const { knots, outside, size } = curve;
  const start = knots[0];
  const end = knots[knots.length - 1];
  const { time: inside, rate, rounds, beyond } = placeTime(time, start, end, outside, placed);
  curve.evaluateInside(inside, out);
  if (rate === 1 && rounds === 0 && beyond === 0) return out;
  const edges =
    rounds === 0 ? [] : [start, end].map((at) => curve.evaluateInside(at, createCurvePoint(size)).value);
  for (let c = 0; c < size; c++) {
    if (rounds !== 0) out.value[c] += rounds * (edges[1][c] - edges[0][c]);
    if (beyond !== 0) out.value[c] += beyond * out.first[c];
    // Rates may be infinite, which times 0 is no number.
    out.first[c] = rate === 0 ? 0 : out.first[c] * rate;
    out.second[c] = rate === 0 || beyond !== 0 ? 0 : out.second[c] * rate * rate;
  }
  return out;
}

/** How far past the range of the curve, against its length, rounding may take a timing; it is held to the range. */
const SLACK = 1e-9;

/** @throws MotionError `out-of-range` for a timing that leaves [start, end]. */
export function requireRange(timing: Timing, start: number, end: number): void {
  const s = { value: 0, first: 0, second: 0 };
  const slack = SLACK * (end - start);
  const first = timing.evaluateInside(timing.knots[0], s).value;
  const last = timing.evaluateInside(timing.knots[timing.knots.length - 1], s).value;
  if (first >= start - slack && last <= end + slack) return;
  throw new MotionError(
    'out-of-range',
    `plays ${first} s to ${last} s of a curve that runs from ${start} s to ${end} s.`,
    { path: 'timing', remedy: 'Play moments in the range of the curve.' },
  );
}

/** `time`, held to the range of the knots. */
export function clampTo(time: number, knots: Numbers): number {
  return Math.min(Math.max(time, knots[0]), knots[knots.length - 1]);
}
