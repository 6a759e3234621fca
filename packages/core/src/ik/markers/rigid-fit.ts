import * as quat from '../../math/geometry/quat.js';
import { wahbaRotation } from '../../math/geometry/wahba.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';

const pairs = /* @__PURE__ */ new Float64Array(9);
const quaternion = /* @__PURE__ */ new Float64Array(4);

/**
 * The rotation and translation that best map points a_k to points b_k, minimizing sum of w_k |R a_k + t - b_k|^2: Wahba's problem about
 * the centroids. A proper rotation for any points; for one point or collinear points, one of the optimal ones.
 *
 * @param a - 3 numbers per point; `b` likewise.
 * @param weights - One per point; 0 excludes it.
 * @param out - 12 numbers: rotation row by row, then t.
 * @returns false, with `out` unchanged, when no weight is positive.
 */
export function rigidFit(a: Numbers, b: Numbers, weights: Numbers, out: MutableNumbers): boolean {
  let total = 0;
  const meanA = [0, 0, 0];
  const meanB = [0, 0, 0];
  for (let m = 0; m < weights.length; m++) {
    const w = weights[m];
    if (!(w > 0)) continue;
    total += w;
    for (let k = 0; k < 3; k++) {
      meanA[k] += w * a[3 * m + k];
      meanB[k] += w * b[3 * m + k];
    }
  }
  if (!(total > 0)) return false;
  for (let k = 0; k < 3; k++) {
    meanA[k] /= total;
    meanB[k] /= total;
  }
  // B = sum w b a^T about the means.
  pairs.fill(0);
  for (let m = 0; m < weights.length; m++) {
    const w = weights[m];
    if (!(w > 0)) continue;
    for (let k = 0; k < 3; k++) {
      const x = w * (b[3 * m + k] - meanB[k]);
      for (let l = 0; l < 3; l++) pairs[3 * k + l] += x * (a[3 * m + l] - meanA[l]);
    }
  }
  quat.toMatrix(wahbaRotation(pairs, quaternion), out);
  for (let k = 0; k < 3; k++) {
    const r = 3 * k;
    out[9 + k] = meanB[k] - out[r] * meanA[0] - out[r + 1] * meanA[1] - out[r + 2] * meanA[2];
  }
  return true;
}
