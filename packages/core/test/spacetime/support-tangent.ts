import type { Figure } from '../../src/figure/index.js';
import { jointTypes } from '../../src/figure/joints/joint-types.js';
import { multiply } from '../../src/math/geometry/quat.js';
import type { Numbers } from '../../src/math/linear/types.js';
import { quatFromRotationVector } from '../../src/rotation/rotation-vector/exponential.js';
import { rotationVectorFromQuat } from '../../src/rotation/rotation-vector/log.js';

/** The pose moved by eps: rotation vectors by R exp([eps]), other coordinates by eps itself. */
export function movedBy(figure: Figure, pose: Numbers, eps: Numbers): Float64Array {
  const out = Float64Array.from(pose, (q, i) => q + eps[i]);
  for (const { joint, coordinate, dof } of figure.bones) {
    const { rotationVector } = jointTypes[joint.type];
    if (dof === 0 || rotationVector < 0) continue;
    const i = coordinate + rotationVector;
    const at = (x: Numbers) => [x[i], x[i + 1], x[i + 2]];
    const rotated = multiply(quatFromRotationVector(at(pose)), quatFromRotationVector(at(eps)));
    out.set(rotationVectorFromQuat(rotated, at(pose)), i);
  }
  return out;
}
