import { requireFields, requireWhole } from '../../checks.js';
import { MotionError } from '../../errors.js';
import type { Numbers } from '../../math/linear/types.js';
import {
  type Curve,
  type CurveOptions,
  checkedNumbers,
  createCurve,
  MAX_DEGREE,
} from '../representation/curve.js';

/** A B-spline by control points, which the curve approximates. */
export interface BSplineData {
  /** Dimension n of a point. */
  readonly size: number;
  /** Control points, n numbers each; more than `degree` of them. */
  readonly points: Numbers;
  /**
   * Knots, s, nondecreasing, `points + degree + 1` of them; the curve runs from knot `degree` to the last but `degree`. Each
   * repetition of a knot reduces the smoothness there by one derivative.
   */
  readonly knots: Numbers;
  /** Default 3, which is C2. */
  readonly degree?: number;
}

/**
 * The B-spline of the given points and knots (de Boor, *A Practical Guide to Splines*). Each piece depends on `degree` + 1 points
 * and lies in their convex hull.
 * @throws MotionError `wrong-size`, `not-finite`, `not-increasing`
 */
export function bSplineCurve(data: BSplineData, options: CurveOptions = {}): Curve {
  const { size, degree = 3 } = data;
  requireWhole(size, 'size', MotionError, 1);
  requireWhole(degree, 'degree', MotionError, 1, MAX_DEGREE);
  const count = data.points.length / size;
  if (!(Number.isInteger(count) && count > degree)) {
    throw new MotionError('wrong-size', `has ${data.points.length} numbers, ${count} points.`, {
      path: 'points',
      remedy: `Give ${degree + 1} points of ${size} numbers at least.`,
    });
  }
  const points = checkedNumbers(data.points, count * size, 'points');
  const knots = checkedKnots(data.knots, count, degree);
  const pieces = piecesOf(knots, count, degree);
  const controls = new Float64Array(pieces.length * (degree + 1) * size);
  const stride = (degree + 1) * size;
  for (const [s, k] of pieces.entries()) {
    writeBezierPoints(
      points.subarray((k - degree) * size, (k + 1) * size),
      size,
      knots,
      k,
      controls,
      s * stride,
    );
    // Bit for bit the end of the piece before.
    if (s > 0) controls.copyWithin(s * stride, s * stride - size, s * stride);
  }
  return createCurve({ size, degree, knots: joinsOf(knots, pieces), controls }, options);
}

/**
 * Uniform knots between `start` and `end` (s) for `points` control points. With `clamped` the end knots are repeated, and the
 * curve interpolates the first and last point.
 * @throws MotionError
 */
export function uniformKnots(
  points: number,
  start: number,
  end: number,
  options: { readonly degree?: number; readonly clamped?: boolean } = {},
): Float64Array {
  requireFields(options, { degree: true, clamped: true }, 'options', MotionError);
  const { degree = 3, clamped = true } = options;
  requireWhole(degree, 'degree', MotionError, 1, MAX_DEGREE);
  requireWhole(points, 'points', MotionError, degree + 1);
  checkedNumbers([start, end], 2, 'range');
  const pieces = points - degree;
  const step = (end - start) / pieces;
  return Float64Array.from({ length: points + degree + 1 }, (_, k) => {
    const piece = clamped ? Math.min(Math.max(k - degree, 0), pieces) : k - degree;
    return piece === pieces ? end : start + piece * step;
  });
}

/** Every k for which [knots[k], knots[k + 1]] is a piece of the curve. */
export function piecesOf(knots: Float64Array, points: number, degree: number): number[] {
  const pieces: number[] = [];
  for (let k = degree; k < points; k++) if (knots[k + 1] > knots[k]) pieces.push(k);
  return pieces;
}

/** Knots of the curve: starts of those pieces, and the end of the last. */
export function joinsOf(knots: Float64Array, pieces: readonly number[]): number[] {
  return [knots[pieces[0]], ...pieces.map((k) => knots[k + 1])];
}

/**
 * Bezier points of the piece [knots[k], knots[k + 1]] to out[o...]: blossoms f(a, ..., a, b, ..., b) (Ramshaw 1989).
 *
 * @param points - The degree + 1 control points that affect the piece.
 */
export function writeBezierPoints(
  points: Float64Array,
  size: number,
  knots: Float64Array,
  k: number,
  out: Float64Array,
  o: number,
): void {
  const degree = points.length / size - 1;
  const work = new Float64Array(points.length);
  for (let late = 0; late <= degree; late++) {
    work.set(points);
    for (let r = 1; r <= degree; r++) {
      const u = r <= late ? knots[k + 1] : knots[k];
      for (let j = degree; j >= r; j--) {
        const i = k - degree + j;
        const share = (u - knots[i]) / (knots[i + degree + 1 - r] - knots[i]);
        for (let c = j * size; c < (j + 1) * size; c++) {
          work[c] = (1 - share) * work[c - size] + share * work[c];
        }
      }
    }
    out.set(work.subarray(degree * size), o + late * size);
  }
}

/** @throws MotionError */
export function checkedKnots(given: Numbers, points: number, degree: number): Float64Array {
  const knots = checkedNumbers(given, points + degree + 1, 'knots');
  for (let k = 1; k < knots.length; k++) {
    if (!(knots[k] >= knots[k - 1])) throw badKnot(k, `decreases from ${knots[k - 1]} s to ${knots[k]} s.`);
    // An inner knot of multiplicity above `degree` makes the curve discontinuous; at the ends degree + 1 is customary.
    const inside = knots[k] > knots[degree] && knots[k] < knots[points];
    if (inside && k > degree && knots[k] === knots[k - degree]) {
      throw badKnot(k, `has a multiplicity above ${degree}, which makes the curve discontinuous.`);
    }
  }
  if (!(knots[points] > knots[degree])) throw badKnot(points, 'leaves an empty range.');
  return knots;
}

function badKnot(k: number, what: string): MotionError {
  return new MotionError('not-increasing', what, {
    path: `knots[${k}]`,
    remedy: 'Give nondecreasing knots, with a range between the first and the last `degree` of them.',
  });
}
