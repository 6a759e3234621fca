import { MotionError } from '../../errors.js';
import type { Numbers } from '../../math/linear/types.js';
import { pointsOfPiece } from '../convert/pieces.js';
import { requireCurve } from '../convert/require-curve.js';
import { multiplyPoints, slicePoints } from '../representation/bernstein.js';
import {
  type Curve,
  type CurveOptions,
  createCurve,
  curveEnd,
  curveOptions,
  curveStart,
  MAX_DEGREE,
  pieceAt,
} from '../representation/curve.js';
import { requireRange } from './retime-curve.js';
import { retimedKnots, timingOf } from './timing.js';

/**
 * The composition x(s(t)) of a curve and a timing as a {@link Curve}: plain data, for clips, files and conversions. Exact to
 * rounding: the composition of polynomials is a polynomial, of the product of their degrees. Cubics with {@link speedLimitTiming}
 * have degree 6, linear curves with {@link arcLengthTiming} degree 5.
 * @param timing - A curve of one number with a nonnegative rate; its values are times in the range of the curve.
 * @param options - `outside` defaults to that of the timing.
 * @throws MotionError `unsupported` where the product of the degrees exceeds 7; `wrong-size`, `not-increasing`,
 * `out-of-range`
 */
export function bakeTiming(curve: Curve, timing: Curve, options: CurveOptions = {}): Curve {
  requireCurve(curve);
  requireCurve(timing, 'timing');
  const ofCurve = curveOptions(options);
  const { size } = curve;
  const degree = curve.degree * timing.degree;
  const checked = timingOf(timing);
  if (degree > MAX_DEGREE) {
    throw new MotionError(
      'unsupported',
      `of degree ${timing.degree} and the curve of degree ${curve.degree} give degree ${degree}.`,
      {
        path: 'timing',
        remedy: `Bake where the product is at most ${MAX_DEGREE}; else fitCurve to samples of evaluateRetimed.`,
      },
    );
  }
  requireRange(checked, curveStart(curve), curveEnd(curve));
  const knots = retimedKnots(checked, curve.knots);
  const stride = (degree + 1) * size;
  const controls = new Float64Array((knots.length - 1) * stride);
  for (let i = 0; i + 1 < knots.length; i++) {
    const points = timingPoints(timing, knots[i], knots[i + 1]);
    const middle = timingPoints(timing, knots[i], knots[i] + 0.5 * (knots[i + 1] - knots[i]));
    const piece = pieceAt(curve.knots, middle[middle.length - 1]);
    const parameters = localParameters(points, curve.knots, piece, parameterRounding(points, knots, i));
    controls.set(compose(pointsOfPiece(curve, piece), size, parameters), i * stride);
  }
  return createCurve({ size, degree, knots, controls }, { outside: timing.outside, ...ofCurve });
}

/** Bezier points of the timing on [from, to], within one piece of it. */
function timingPoints(timing: Curve, from: number, to: number): Float64Array {
  const piece = pieceAt(timing.knots, from);
  const begin = timing.knots[piece];
  const end = timing.knots[piece + 1];
  const span = end - begin;
  return slicePoints(
    pointsOfPiece(timing, piece),
    1,
    (from - begin) / span,
    to >= end ? 1 : (to - begin) / span,
  );
}

/** Rounding of the curve times at both ends of a piece: their own, and that of the time at which a knot is reached. */
function parameterRounding(points: Numbers, knots: Numbers, i: number): number {
  const last = points.length - 1;
  const time = Math.max(Math.abs(knots[i]), Math.abs(knots[i + 1]));
  const steepest = (last * (points[last] - points[0])) / (knots[i + 1] - knots[i]);
  return 4 * Number.EPSILON * (Math.max(Math.abs(points[0]), Math.abs(points[last])) + time * steepest);
}

/**
 * The curve times as parameters of a piece; ends within rounding of 0 or 1 are set to it, so that the result is
 * continuous.
 */
function localParameters(points: Numbers, knots: Numbers, piece: number, rounding: number): Float64Array {
  const begin = knots[piece];
  const span = knots[piece + 1] - begin;
  const parameters = Float64Array.from(points, (time) => (time - begin) / span);
  for (const end of [0, parameters.length - 1]) {
    for (const bound of [0, 1])
      if (Math.abs(parameters[end] - bound) * span <= rounding) parameters[end] = bound;
  }
  return parameters;
}

/** p(u(t)) by de Casteljau's algorithm with a polynomial u: every step multiplies by (1 - u) and by u. */
function compose(points: Numbers, size: number, parameters: Float64Array): Float64Array {
  const steps = points.length / size - 1;
  const rest = parameters.map((u) => 1 - u);
  const degree = steps * (parameters.length - 1);
  const out = new Float64Array((degree + 1) * size);
  for (let c = 0; c < size; c++) {
    let rows = Array.from({ length: steps + 1 }, (_, k) => Float64Array.of(points[k * size + c]));
    while (rows.length > 1) {
      rows = rows.slice(1).map((next, k) => {
        const left = multiplyPoints(rest, rows[k]);
        const right = multiplyPoints(parameters, next);
        return left.map((x, n) => x + right[n]);
      });
    }
    for (let k = 0; k <= degree; k++) out[k * size + c] = rows[0][k];
  }
  return out;
}
