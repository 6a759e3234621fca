import { MotionError } from '../../errors.js';
import type { Numbers } from '../../math/linear/types.js';
import {
  type Curve,
  type CurveOptions,
  checkedNumbers,
  checkWhole,
  createCurve,
  MAX_DEGREE,
} from '../representation/curve.js';

/** A B-spline: control points, which the curve is drawn to and does not meet. */
export interface BSplineData {
  /** How many numbers a point has, n. */
  readonly size: number;
  /** Control points, n numbers each; more than `degree` of them. */
  readonly points: Numbers;
  /**
   * s, never falling, one for each point and `degree` + 1 more; the curve runs from knot `degree` to the last but `degree`. A knot that is
   * there twice makes the curve there less smooth by one derivative.
   */
  readonly knots: Numbers;
  /** Default 3, which is C2. */
  readonly degree?: number;
}

/**
 * The B-spline of the given points and knots (de Boor, *A Practical Guide to Splines*). Each piece depends on `degree` + 1 points and lies
 * in their convex hull.
 * @throws MotionError `wrong-size`, `not-finite`, `not-increasing`
 */
export function bSplineCurve(data: BSplineData, options: CurveOptions = {}): Curve {
  const { size, degree = 3 } = data;
  checkWhole(size, 1, Number.POSITIVE_INFINITY, 'size');
  checkWhole(degree, 1, MAX_DEGREE, 'degree');
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
    // The end of the piece before, to the last bit.
    if (s > 0) controls.copyWithin(s * stride, s * stride - size, s * stride);
  }
  return createCurve({ size, degree, knots: joinsOf(knots, pieces), controls }, options);
}

/**
 * Knots of equal distance between `start` and `end` (s) for so many points. With `clamped` the end knots are repeated, and the curve meets
 * the first and last point; without it all pieces are alike.
 * @throws MotionError
 */
export function uniformKnots(
  points: number,
  start: number,
  end: number,
  { degree = 3, clamped = true }: { readonly degree?: number; readonly clamped?: boolean } = {},
): Float64Array {
  checkWhole(degree, 1, MAX_DEGREE, 'degree');
  checkWhole(points, degree + 1, Number.POSITIVE_INFINITY, 'points');
  checkedNumbers([start, end], 2, 'range');
  const pieces = points - degree;
  const step = (end - start) / pieces;
  return Float64Array.from({ length: points + degree + 1 }, (_, k) => {
    const piece = clamped ? Math.min(Math.max(k - degree, 0), pieces) : k - degree;
    return piece === pieces ? end : start + piece * step;
  });
}

/** Each k for which [knots[k], knots[k + 1]] is a piece of the curve. */
export function piecesOf(knots: Float64Array, points: number, degree: number): number[] {
  const pieces: number[] = [];
  for (let k = degree; k < points; k++) if (knots[k + 1] > knots[k]) pieces.push(k);
  return pieces;
}

/** Where those pieces begin, and the last ends. */
export function joinsOf(knots: Float64Array, pieces: readonly number[]): number[] {
  return [knots[pieces[0]], ...pieces.map((k) => knots[k + 1])];
}

/**
 * The Bezier points of the piece [knots[k], knots[k + 1]] to out[o...]: blossoms f(a, ..., a, b, ..., b) (Ramshaw 1989).
 *
 * @param points - The degree + 1 control points that the piece depends on.
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
    if (!(knots[k] >= knots[k - 1])) throw badKnot(k, `falls from ${knots[k - 1]} s to ${knots[k]} s.`);
    // More than `degree` alike inside tear the curve; at the very ends one more is the custom.
    const inside = knots[k] > knots[degree] && knots[k] < knots[points];
    if (inside && k > degree && knots[k] === knots[k - degree]) {
      throw badKnot(k, `is there more than ${degree} times, which leaves a gap.`);
    }
  }
  if (!(knots[points] > knots[degree])) throw badKnot(points, 'ends the curve where it begins.');
  return knots;
}

function badKnot(k: number, what: string): MotionError {
  return new MotionError('not-increasing', what, {
    path: `knots[${k}]`,
    remedy: 'Give knots that never fall, with a range between the first and the last `degree` of them.',
  });
}
