/** A pose with a displacement. */
import type { Figure } from '../../figure/model/figure.js';
import { rotationVectors } from '../../figure/model/regularize.js';
import * as quat from '../../math/geometry/quat.js';
import { quatFromRotationVector } from '../../rotation/rotation-vector/exponential.js';
import { rotationVectorFromQuat } from '../../rotation/rotation-vector/log.js';

/** out = pose + d, for rotation vectors log(exp(v) exp(d)), at most pi long. */
export function displacePose(
  figure: Figure,
  pose: Float64Array,
  d: Float64Array,
  out: Float64Array,
): Float64Array {
  for (let i = 0; i < figure.dof; i++) out[i] = pose[i] + d[i];
  for (const i of rotationVectors(figure)) {
    const first = quatFromRotationVector([pose[i], pose[i + 1], pose[i + 2]]);
    const second = quatFromRotationVector([d[i], d[i + 1], d[i + 2]]);
    rotationVectorFromQuat(quat.multiply(first, second), undefined, out.subarray(i, i + 3));
  }
  return out;
}
