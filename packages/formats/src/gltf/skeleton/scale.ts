/**
 * Separates scale from a node hierarchy. The world matrix of node n is decomposed into
 *
 *     W_n = F_n A_n,   F_n = (Rhat_n, p_n) rigid and metric,   A_n a 3x3 output matrix with the scale of W_n,
 *
 * where F_n is the figure's `worldFromBone` and A_n does not enter spatial algebra. Let a node's local transform be
 * translate(t) R K, with K = diag(scale) (for a `matrix` node K is the symmetric factor of its polar decomposition),
 * and let A be the parent's output matrix. Then relative to the parent's rigid frame
 *
 *     position  A t                      (exact in every pose, whatever A)
 *     linear    A R K.
 *
 * If A = a O with a > 0 and O orthogonal (uniform scale, mirrored or not), then A R K = (O R O^T)(a O K), so the
 * figure's rotation is O R O^T, the output matrix a O K is constant, and every pose can be written exactly: a rotation
 * J in the figure is R' = O^T (O R O^T J) O in the file. Otherwise A = O P with P symmetric positive definite,
 * and the rest rotation is O V O^T with V the rotation factor of P R |K|, the output matrix the remaining factor. Rotating
 * the joint then shears the node in a way that no rotation in the file reproduces: pose-nodes.ts uses the nearest one
 * and keeps all bone origins exact.
 */
import { type Mat3, type MutableNumbers, mat3, quat } from 'poise/math';

/** Largest relative departure of A from uniform scale that counts as rounding of the file. */
export const uniformTolerance = 1e-6;

/** A = orthogonal * stretch; factor^3 = |det A|. */
export interface ScaleSplit {
  readonly factor: number;
  /** Orthogonal, row by row; determinant -1 with a reflection. */
  readonly orthogonal: Mat3;
  /** Largest entry of A^T A / factor^2 - I: 0 where A is uniform to the bit. */
  readonly departure: number;
}

/** Decomposes a nonsingular A and measures its departure from uniform scale. */
export function splitScale(a: Mat3): ScaleSplit {
  const factor = Math.cbrt(Math.abs(mat3.determinant(a)));
  const gram = mat3.scale(mat3.multiply(mat3.transpose(a), a), 1 / factor ** 2);
  const departure = Math.max(...mat3.subtract(gram, mat3.identity()).map(Math.abs));
  return { factor, orthogonal: signs(a, factor) ?? mat3.orthogonalFactor(a), departure };
}

/** diag(+-1, +-1, +-1) if A is that times `factor` up to rounding: avoids rounding in rigs without reflection. */
function signs(a: Mat3, factor: number): Mat3 | undefined {
  const s = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (let i = 0; i < 9; i += 4) s[i] = a[i] < 0 ? -1 : 1;
  const rest = mat3.subtract(mat3.scale(a, 1 / factor), s).map(Math.abs);
  return Math.max(...rest) <= uniformTolerance ? s : undefined;
}

/** out = the quaternion of O R O^T for the quaternion q of R and an orthogonal O: the vector part maps by det(O) O. */
export function conjugateByOrthogonal<T extends MutableNumbers = number[]>(
  o: Mat3,
  q: ArrayLike<number>,
  out: T = quat.identity<T>(),
): T {
  const sign = mat3.determinant(o) < 0 ? -1 : 1;
  const w = q[3];
  mat3.multiplyVector(o, q, out);
  for (let k = 0; k < 3; k++) out[k] *= sign;
  out[3] = w;
  return out;
}
