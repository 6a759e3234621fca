import { MotionError } from '../../errors.js';
import type { Numbers } from '../../math/linear/types.js';
import { pointsOfPiece } from '../convert/pieces.js';
import { requireCurve } from '../convert/require-curve.js';
import { multiplyPoints, partOfPoints } from '../representation/bernstein.js';
import {
  type Curve,
  type CurveOptions,
  createCurve,
  curveEnd,
  curveStart,
  MAX_DEGREE,
  pieceAt,
} from '../representation/curve.js';
import { requireRange } from './retime-curve.js';
import { retimedKnots, timingOf } from './timing.js';

/**
 * A curve played by a timing as a {@link Curve} of its own, x(s(t)): plain data, for clips, files and conversions. Exact but for rounding: the
 * composition of polynomials is one, of the product of their degrees. Cubics played by {@link speedLimitTiming} have degree 6, lines played by
 * {@link arcLengthTiming} degree 5.
 * @param timing - A curve of one number whose rate is nowhere negative; its moments lie in the range of the curve.
 * @param options - Outside the range it goes on as the timing does, unless said.
 * @throws MotionError `unsupported` where the product of the degrees is more than 7; `wrong-size`, `not-increasing`, `out-of-range`
 */
export function bakeTiming(curve: Curve, timing: Curve, options: CurveOptions = {}): Curve {
  requireCurve(curve);
  requireCurve(timing, 'timing');
  const { size } = curve;
  const degree = curve.degree * timing.degree;
  const given = timingOf(timing);
  if (degree > MAX_DEGREE) {
    throw new MotionError(
      'unsupported',
      `of degree ${timing.degree} makes degree ${degree} of a curve of ${curve.degree}.`,
      {
        path: 'timing',
        remedy: `Bake where the product is at most ${MAX_DEGREE}; else fitCurve to samples of evaluateRetimed.`,
      },
    );
  }
  requireRange(given, curveStart(curve), curveEnd(curve));
  const knots = retimedKnots(given, curve.knots);
  const stride = (degree + 1) * size;
  const controls = new Float64Array((knots.length - 1) * stride);
  for (let i = 0; i + 1 < knots.length; i++) {
    const moments = momentsOf(timing, knots[i], knots[i + 1]);
    const middle = momentsOf(timing, knots[i], knots[i] + 0.5 * (knots[i + 1] - knots[i]));
    const piece = pieceAt(curve.knots, middle[middle.length - 1]);
    const shares = sharesOf(moments, curve.knots, piece, roundingOf(moments, knots, i));
    controls.set(compose(pointsOfPiece(curve, piece), size, shares), i * stride);
  }
  return createCurve({ size, degree, knots, controls }, { outside: options.outside ?? timing.outside });
}

/** Bezier points of the moments played from one time to another, inside one piece of the timing. */
function momentsOf(timing: Curve, from: number, to: number): Float64Array {
  const piece = pieceAt(timing.knots, from);
  const begin = timing.knots[piece];
  const end = timing.knots[piece + 1];
  const span = end - begin;
  return partOfPoints(
    pointsOfPiece(timing, piece),
    1,
    (from - begin) / span,
    to >= end ? 1 : (to - begin) / span,
  );
}

/** What rounding does to the moments at both ends of a piece: their own, and that of the time at which a join is reached. */
function roundingOf(moments: Numbers, knots: Numbers, i: number): number {
  const last = moments.length - 1;
  const time = Math.max(Math.abs(knots[i]), Math.abs(knots[i + 1]));
  const steepest = (last * (moments[last] - moments[0])) / (knots[i + 1] - knots[i]);
  return 4 * Number.EPSILON * (Math.max(Math.abs(moments[0]), Math.abs(moments[last])) + time * steepest);
}

/** The moments as shares of a piece; an end that is one of the piece but for rounding is that, so that no jump comes of it. */
function sharesOf(moments: Numbers, knots: Numbers, piece: number, rounding: number): Float64Array {
  const begin = knots[piece];
  const span = knots[piece + 1] - begin;
  const shares = Float64Array.from(moments, (moment) => (moment - begin) / span);
  for (const end of [0, shares.length - 1]) {
    for (const whole of [0, 1]) if (Math.abs(shares[end] - whole) * span <= rounding) shares[end] = whole;
  }
  return shares;
}

/** p(u(t)) by de Casteljau's algorithm with a polynomial for u: every step multiplies by (1 - u) and by u. */
function compose(points: Numbers, size: number, shares: Float64Array): Float64Array {
  const steps = points.length / size - 1;
  const rest = shares.map((u) => 1 - u);
  const degree = steps * (shares.length - 1);
  const out = new Float64Array((degree + 1) * size);
  for (let c = 0; c < size; c++) {
    let rows = Array.from({ length: steps + 1 }, (_, k) => Float64Array.of(points[k * size + c]));
    while (rows.length > 1) {
      rows = rows.slice(1).map((next, k) => {
        const left = multiplyPoints(rest, rows[k]);
        const right = multiplyPoints(shares, next);
        return left.map((x, n) => x + right[n]);
      });
    }
    for (let k = 0; k <= degree; k++) out[k * size + c] = rows[0][k];
  }
  return out;
}
