import * as vec3 from '../../../math/geometry/vec3.js';
import type { Numbers } from '../../../math/linear/types.js';

/** Writes d, e1, e2 to the columns of `out`, 3x3 row by row: orthonormal, right-handed, d along `axis`, e1 from the coordinate axis least along d. */
export function writeOrthonormalBasis(axis: Numbers, out: Float64Array): void {
  const length = vec3.norm(axis);
  let least = 0;
  for (let k = 0; k < 3; k++) {
    out[3 * k] = axis[k] / length;
    if (Math.abs(out[3 * k]) < Math.abs(out[3 * least])) least = k;
  }
  for (let k = 0; k < 3; k++) out[3 * k + 1] = (k === least ? 1 : 0) - out[3 * least] * out[3 * k];
  const norm = vec3.length(out[1], out[4], out[7]);
  for (let k = 0; k < 3; k++) out[3 * k + 1] /= norm;
  out[2] = out[3] * out[7] - out[6] * out[4];
  out[5] = out[6] * out[1] - out[0] * out[7];
  out[8] = out[0] * out[4] - out[3] * out[1];
}
