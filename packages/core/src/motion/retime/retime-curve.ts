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
import { createWrappedTime, type OutsideRange, wrapTime } from '../representation/time-range.js';
import { ratesByTime, retimedKnots, type Timing, timingOf } from './timing.js';

/**
 * The composition x(s(t)) of a curve and a timing. Not a {@link Curve}: its degree is the product of both, or it is
 * not polynomial.
 */
export interface RetimedCurve {
  readonly kind: 'retimed';
  readonly size: number;
  /** Knots: where it may be less smooth, s, strictly increasing. */
  readonly knots: Numbers;
  /** Extrapolation of the timing. */
  readonly outside: OutsideRange;
  /** Evaluates at a time inside the range. Callers use {@link evaluateRetimed}. */
  readonly evaluateInside: (time: number, out: CurvePoint) => CurvePoint;
}

/**
 * Composes a curve with a timing, with exact rates: (x(s))' = x' s', (x(s))'' = x'' s'^2 + x' s''.
 * @param timing - A {@link Timing}, or a curve of one number with a nonnegative rate; its values are times in the
 * range of the curve.
 * @throws MotionError `unsupported`, `wrong-size`, `not-increasing`, `out-of-range`
 */
export function retimeCurve(curve: Curve, timing: Timing | Curve): RetimedCurve {
  requireCurve(curve);
  const checked = timingOf(timing);
  requireRange(checked, curveStart(curve), curveEnd(curve));
  const s = { value: 0, first: 0, second: 0 };
  return {
    kind: 'retimed',
    size: curve.size,
    knots: retimedKnots(checked, curve.knots),
    outside: checked.outside,
    evaluateInside(time, out) {
      checked.evaluateInside(time, s);
      evaluateCurve(curve, clampTo(s.value, curve.knots), out);
      ratesByTime(out.first, out.second, curve.size, s);
      return out;
    },
  };
}

const wrapped = /* @__PURE__ */ createWrappedTime();

/**
 * Value, velocity and acceleration at `time` (s). @throws MotionError `not-finite` for a time that is NaN or
 * infinite.
 */
export function evaluateRetimed(
  curve: RetimedCurve,
  time: number,
  out: CurvePoint = createCurvePoint(curve.size),
): CurvePoint {
  const { knots, outside, size } = curve;
  const start = knots[0];
  const end = knots[knots.length - 1];
  const { time: inside, rate, cycles, beyond } = wrapTime(time, start, end, outside, wrapped);
  curve.evaluateInside(inside, out);
  if (rate === 1 && cycles === 0 && beyond === 0) return out;
  const edges =
    cycles === 0 ? [] : [start, end].map((at) => curve.evaluateInside(at, createCurvePoint(size)).value);
  for (let c = 0; c < size; c++) {
    if (cycles !== 0) out.value[c] += cycles * (edges[1][c] - edges[0][c]);
    if (beyond !== 0) out.value[c] += beyond * out.first[c];
    // Rates may be infinite, and Infinity * 0 is NaN.
    out.first[c] = rate === 0 ? 0 : out.first[c] * rate;
    out.second[c] = rate === 0 || beyond !== 0 ? 0 : out.second[c] * rate * rate;
  }
  return out;
}

/** Relative rounding by which a timing may leave the range of the curve; it is then clamped. */
const ROUNDING = 1e-9;

/** @throws MotionError `out-of-range` for a timing that leaves [start, end]. */
export function requireRange(timing: Timing, start: number, end: number): void {
  const s = { value: 0, first: 0, second: 0 };
  const slack = ROUNDING * (end - start);
  const first = timing.evaluateInside(timing.knots[0], s).value;
  const last = timing.evaluateInside(timing.knots[timing.knots.length - 1], s).value;
  if (first >= start - slack && last <= end + slack) return;
  throw new MotionError(
    'out-of-range',
    `plays ${first} s to ${last} s of a curve with the range ${start} s to ${end} s.`,
    { path: 'timing', remedy: 'Give a timing with values in the range of the curve.' },
  );
}

/** `time`, clamped to the range of the knots. */
export function clampTo(time: number, knots: Numbers): number {
  return Math.min(Math.max(time, knots[0]), knots[knots.length - 1]);
}
