import type { Curve } from '../curve.js';

/** The Bezier points of a piece, a view of those of the curve where they are a typed array. */
export function pointsOfPiece({ size, degree, controls }: Curve, piece: number): Float64Array {
  const stride = (degree + 1) * size;
  if (controls instanceof Float64Array) return controls.subarray(piece * stride, (piece + 1) * stride);
  return Float64Array.from({ length: stride }, (_, o) => controls[piece * stride + o]);
}

/** Difference that rounding explains, against the largest number beside it. */
const ROUNDING = 1e-13;

/** The first join whose two sides differ in value, and by how much; undefined where the curve is continuous. */
export function findJump(curve: Curve): { readonly join: number; readonly jump: number } | undefined {
  const { size, degree, knots, controls } = curve;
  const stride = (degree + 1) * size;
  for (let join = 1; join + 1 < knots.length; join++) {
    for (let c = 0; c < size; c++) {
      const before = controls[join * stride - size + c];
      const after = controls[join * stride + c];
      const jump = Math.abs(after - before);
      if (jump > ROUNDING * Math.max(Math.abs(before), Math.abs(after))) return { join, jump };
    }
  }
  return undefined;
}
