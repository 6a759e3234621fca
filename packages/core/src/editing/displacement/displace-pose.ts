/** A pose with a displacement, and the displacement of one pose from another. */
import type { Figure } from '../../figure/model/figure.js';
import { rotationVectors } from '../../figure/model/regularize.js';
import * as quat from '../../math/geometry/quat.js';
import { quatFromRotationVector } from '../../rotation/rotation-vector/exponential.js';
import { rotationVectorFromQuat } from '../../rotation/rotation-vector/log.js';

const first = /* @__PURE__ */ new Float64Array(4);
const second = /* @__PURE__ */ new Float64Array(4);

/**
 * out = pose + d, for rotation vectors log(exp(d) exp(v)), at most pi long: a bone that twists about itself does not turn the displacement of
 * its direction along, so its child is as fast as before.
 */
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
    rotationVectorFromQuat(quat.multiply(second, first, first), undefined, out.subarray(i, i + 3));
  }
  return out;
}

/** out = the d for which {@link displacePose} takes `before` to `pose`: log(R R_before^-1) for rotation vectors. */
export function writeDisplacement(
  figure: Figure,
  pose: Float64Array,
  before: Float64Array,
  out: Float64Array,
): Float64Array {
  for (let i = 0; i < figure.dof; i++) out[i] = pose[i] - before[i];
  for (const i of rotationVectors(figure)) {
    quatFromRotationVector(pose.subarray(i, i + 3), first);
    quatFromRotationVector(before.subarray(i, i + 3), second);
    quat.conjugate(second, second);
    rotationVectorFromQuat(quat.multiply(first, second, first), undefined, out.subarray(i, i + 3));
  }
  return out;
}
