/** Composition, inverse and difference of rotation vectors, through quaternions (Grassia 1997, section 3.2.1). */
import * as quat from '../../math/geometry/quat.js';
import type { MutableNumbers, Vec3 } from '../../math/linear/types.js';
import { unset3, unset4 } from '../../math/linear/unset.js';
import { quatFromRotationVector } from './exponential.js';
import { frameSign, type RotationFrame } from './frame.js';
import { rotationVectorFromQuat } from './log.js';

const first = /* @__PURE__ */ unset4();
const second = /* @__PURE__ */ unset4();

/**
 * Rotation vector of "first a, then b", R = R(b) R(a), both about fixed axes; the arguments are in the order of the product.
 * @param reference chooses the branch as in {@link rotationVectorFromQuat}. Default: the shortest.
 */
export function composeRotationVectors<T extends MutableNumbers = number[]>(
  b: Vec3,
  a: Vec3,
  reference?: Vec3,
  out: T = unset3(),
): T {
  quatFromRotationVector(a, first);
  quatFromRotationVector(b, second);
  return rotationVectorFromQuat(quat.multiply(second, first, first), reference, out);
}

/** Rotation vector of the inverse rotation: -v. */
export function invertRotationVector<T extends MutableNumbers = number[]>(v: Vec3, out: T = unset3()): T {
  out[0] = -v[0];
  out[1] = -v[1];
  out[2] = -v[2];
  return out;
}

/**
 * Shortest rotation vector d from `from` to `to`: in world axes log(R_to R_from^-1), so R_to = exp(d) R_from; in body axes
 * log(R_from^-1 R_to), so R_to = R_from exp(d). The difference of two poses is this, not v_to - v_from.
 */
export function differenceOfRotationVectors<T extends MutableNumbers = number[]>(
  from: Vec3,
  to: Vec3,
  frame: RotationFrame,
  out: T = unset3(),
): T {
  quat.conjugate(quatFromRotationVector(from, first), first);
  quatFromRotationVector(to, second);
  const world = frameSign(frame, 'differenceOfRotationVectors(frame)') > 0;
  quat.multiply(world ? second : first, world ? first : second, first);
  return rotationVectorFromQuat(first, undefined, out);
}

/** Geodesic angle in [0, pi] between the rotations of a and b, rad. */
export function angleBetweenRotationVectors(a: Vec3, b: Vec3): number {
  return quat.angleBetween(quatFromRotationVector(a, first), quatFromRotationVector(b, second));
}
