import { diagonalize } from '../linear/symmetric-eigen.js';
import type { MutableNumbers, Numbers } from '../linear/types.js';
import { unset4 } from '../linear/unset.js';

const form = /* @__PURE__ */ new Float64Array(16);
const vectors = /* @__PURE__ */ new Float64Array(16);

/**
 * Solves Wahba's problem: the rotation R that minimizes sum of w |R x - y|^2 over vectors x, y with weights w, that is maximizes
 * tr(R^T B), B = sum of w y x^T (row by row). Returns its unit quaternion [x, y, z, w], w not negative. A proper rotation for
 * planar and mirrored sets too, unlike the polar factor of B. Where the minimum is not unique (collinear vectors) one of the
 * minima; the identity for B = 0 or not finite. Nothing is allocated.
 *
 * By Davenport's method (Horn 1987 has the same form): tr(R(q)^T B) = q^T K q with
 *   K = [ B + B^T - tr(B) I   z ]     z = (b21 - b12, b02 - b20, b10 - b01)
 *       [ z^T             tr(B) ]
 * so q is the eigenvector of the largest eigenvalue.
 */
export function wahbaRotation<T extends MutableNumbers = number[]>(b: Numbers, out: T = unset4()): T {
  let size = 0;
  for (let n = 0; n < 9; n++) size = Math.max(size, Math.abs(b[n]));
  if (!(size > 0 && size < Number.POSITIVE_INFINITY)) {
    out[0] = out[1] = out[2] = 0;
    out[3] = 1;
    return out;
  }
  const s = 1 / size;
  const k = form;
  const trace = s * b[0] + s * b[4] + s * b[8];
  k[0] = 2 * s * b[0] - trace;
  k[5] = 2 * s * b[4] - trace;
  k[10] = 2 * s * b[8] - trace;
  k[15] = trace;
  k[1] = k[4] = s * b[1] + s * b[3];
  k[2] = k[8] = s * b[2] + s * b[6];
  k[6] = k[9] = s * b[5] + s * b[7];
  k[3] = k[12] = s * b[7] - s * b[5];
  k[7] = k[13] = s * b[2] - s * b[6];
  k[11] = k[14] = s * b[3] - s * b[1];
  diagonalize(k, 4, vectors);
  let top = 3;
  for (let n = 0; n < 3; n++) if (k[5 * n] > k[5 * top]) top = n;
  const o = 4 * top;
  const x = vectors[o];
  const y = vectors[o + 1];
  const z = vectors[o + 2];
  const w = vectors[o + 3];
  const norm = Math.sqrt(x * x + y * y + z * z + w * w);
  const scale = (w < 0 ? -1 : 1) / norm;
  out[0] = scale * x;
  out[1] = scale * y;
  out[2] = scale * z;
  out[3] = scale * w;
  return out;
}
