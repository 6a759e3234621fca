/** A pose with a displacement. */
import type { Figure } from '../../figure/model/figure.js';
import { rotationVectors } from '../../figure/model/regularize.js';
import * as quat from '../../math/geometry/quat.js';
import { quatFromRotationVector } from '../../rotation/rotation-vector/exponential.js';
import { rotationVectorFromQuat } from '../../rotation/rotation-vector/log.js';

const first = /* @__PURE__ */ new Float64Array(4);
const second = /* @__PURE__ */ new Float64Array(4);

/** out = pose + d, for rotation vectors log(exp(v) exp(d)), at most pi long. */
export function displacePose(
  figure: Figure,
  pose: Float64Array,
  d: Float64Array,
  out: Float64Array,
): Float64Array {
  for (let i = 0; i < figure.dof; i++) out[i] = pose[i] + d[i];
  for (const i of rotationVectors(figure)) {
    quatFromRotationVector(pose.subarray(i, i + 3), first);
    quatFromRotationVector(d.subarray(i, i + 3), second);
    rotationVectorFromQuat(quat.multiply(first, second, first), undefined, out.subarray(i, i + 3));
  }
  return out;
}
