import { requireFields } from '../../checks.js';
import { MotionError } from '../../errors.js';
import type { BSplineData } from '../curves/b-spline.js';
import { derivePoints } from '../representation/bernstein.js';
import type { Curve } from '../representation/curve.js';
import { pointsOfPiece, roundingAt } from './pieces.js';
import { requireCurve } from './require-curve.js';

export interface BSplineForm {
  /**
   * Repeat a knot where the curve is less smooth than a B-spline with simple knots, once for each discontinuous derivative. By
   * default such a curve is refused.
   */
  readonly repeatKnots?: boolean;
}

/** Relative jump of a derivative attributed to rounding. */
const ROUNDING = 1e-14;

/**
 * The control points and knots whose {@link bSplineCurve} equals the curve, of the same degree, with clamped ends: point j is the
 * blossom of a piece at knots j + 1, ..., j + degree (Ramshaw 1989). Simple knots need degree - 1 continuous derivatives at every
 * knot: C2 for cubics, as {@link cubicSpline} gives and {@link hermiteCurve} in general does not.
 * @throws MotionError `unsupported` for a curve that is less smooth (says where, and which derivative) or
 * discontinuous.
 */
export function toBSpline(curve: Curve, options: BSplineForm = {}): Required<BSplineData> {
  requireCurve(curve);
  requireFields(options, { repeatKnots: true }, 'options', MotionError);
  const { repeatKnots = false } = options;
  const { size, degree, knots } = curve;
  const last = knots.length - 1;
  const all: number[] = Array(degree + 1).fill(knots[0]);
  for (let join = 1; join < last; join++) {
    const { smooth, jump } = smoothness(curve, join);
    if (smooth < 0 || (smooth < degree - 1 && !repeatKnots)) throw notSmooth(curve, join, smooth, jump);
    for (let k = smooth; k < degree; k++) all.push(knots[join]);
  }
  for (let k = 0; k <= degree; k++) all.push(knots[last]);
  const count = all.length - degree - 1;
  const points = new Float64Array(count * size);
  for (let j = 0; j < count; j++) points.set(blossom(curve, all, j), j * size);
  return { size, degree, points, knots: Float64Array.from(all) };
}

/** Number of continuous derivatives at a knot (-1: not even the value), and the jump of the next one. */
function smoothness(curve: Curve, join: number): { readonly smooth: number; readonly jump: number } {
  const { size, degree, knots } = curve;
  const before = knots[join] - knots[join - 1];
  const after = knots[join + 1] - knots[join];
  let left = pointsOfPiece(curve, join - 1);
  let right = pointsOfPiece(curve, join);
  for (let k = 0; k < degree; k++) {
    const largest = Math.max(...left.map(Math.abs), ...right.map(Math.abs));
    let jump = 0;
    for (let c = 0; c < size; c++) jump = Math.max(jump, Math.abs(right[c] - left[left.length - size + c]));
    if (jump > ROUNDING * largest + roundingAt(curve, join, k)) return { smooth: k - 1, jump };
    left = derivePoints(left, size, before);
    right = derivePoints(right, size, after);
  }
  return { smooth: degree - 1, jump: 0 };
}

/** The blossom at knots j + 1, ..., j + degree, of the longest piece affected by point j, which extrapolates least. */
function blossom(curve: Curve, all: readonly number[], j: number): Float64Array {
  const { size, degree, knots } = curve;
  let piece = -1;
  for (let s = 0; s + 1 < knots.length; s++) {
    if (knots[s] < all[j] || knots[s + 1] > all[j + degree + 1]) continue;
    if (piece < 0 || knots[s + 1] - knots[s] > knots[piece + 1] - knots[piece]) piece = s;
  }
  const begin = knots[piece];
  const span = knots[piece + 1] - begin;
  const work = Float64Array.from(pointsOfPiece(curve, piece));
  for (let r = 1; r <= degree; r++) {
    const u = (all[j + r] - begin) / span;
    for (let k = 0; k < (degree + 1 - r) * size; k++) work[k] = (1 - u) * work[k] + u * work[k + size];
  }
  return work.subarray(0, size);
}

const NAMES = ['value', 'velocity', 'acceleration'];

function notSmooth(curve: Curve, join: number, smooth: number, jump: number): MotionError {
  const what = NAMES[smooth + 1] ?? `derivative ${smooth + 1}`;
  const time = curve.knots[join];
  const remedy =
    smooth < 0
      ? 'Split the curve there.'
      : `Use repeatKnots: true for repeated knots, or make the curve C${curve.degree - 1}: cubicSpline through its keys.`;
  return new MotionError('unsupported', `is not a B-spline: its ${what} jumps by ${jump} at ${time} s.`, {
    path: `curve.knots[${join}]`,
    remedy,
  });
}
