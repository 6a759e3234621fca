import type { Curve } from '../representation/curve.js';

/** Bezier points of a piece; a view where the curve has a typed array. */
export function pointsOfPiece({ size, degree, controls }: Curve, piece: number): Float64Array {
  const stride = (degree + 1) * size;
  if (controls instanceof Float64Array) return controls.subarray(piece * stride, (piece + 1) * stride);
  return Float64Array.from({ length: stride }, (_, o) => controls[piece * stride + o]);
}

/** Effect of rounding of the points on the k-th derivative at a knot: 2^k d!/(d - k)! eps |P|/h^k. */
export function roundingAt(curve: Curve, join: number, k: number): number {
  const { degree, knots } = curve;
  const span = Math.min(knots[join] - knots[join - 1], knots[join + 1] - knots[join]);
  let largest = 0;
  for (const points of [pointsOfPiece(curve, join - 1), pointsOfPiece(curve, join)]) {
    for (let o = 0; o < points.length; o++) largest = Math.max(largest, Math.abs(points[o]));
  }
  let scale = 16 * Number.EPSILON * largest;
  for (let n = 0; n < k; n++) scale *= (2 * (degree - n)) / span;
  return scale;
}

/** Relative difference attributed to rounding of the two values; rounding of the adjacent points is added. */
const ROUNDING = 1e-13;

/** The first knot with a discontinuity, and its size; undefined for a continuous curve. */
export function findJump(curve: Curve): { readonly join: number; readonly jump: number } | undefined {
  const { size, degree, knots, controls } = curve;
  const stride = (degree + 1) * size;
  for (let join = 1; join + 1 < knots.length; join++) {
    for (let c = 0; c < size; c++) {
      const before = controls[join * stride - size + c];
      const after = controls[join * stride + c];
      const jump = Math.abs(after - before);
      const explained = ROUNDING * Math.max(Math.abs(before), Math.abs(after));
      if (jump > explained && jump > explained + roundingAt(curve, join, 0)) return { join, jump };
    }
  }
  return undefined;
}
