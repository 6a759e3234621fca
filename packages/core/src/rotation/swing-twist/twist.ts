/** One-DOF twist about a unit axis: the rotation vector angle * axis. */
import * as mat3 from '../../math/geometry/mat3.js';
import type { MutableNumbers, Quat, Vec3 } from '../../math/linear/types.js';
import { unset4, unset9 } from '../../math/linear/unset.js';
import { writeQuaternion, writeRotationMatrix } from '../rotation-vector/kernels.js';

/** Unit quaternion of the twist by `angle` (rad) about the unit vector `axis`. */
export function quatFromTwist<T extends MutableNumbers = number[]>(
  axis: Vec3,
  angle: number,
  out: T = unset4(),
): T {
  writeQuaternion(angle * axis[0], angle * axis[1], angle * axis[2], out, 0);
  return out;
}

/** Rotation matrix of the twist by `angle` (rad) about the unit vector `axis`. */
export function matrixFromTwist<T extends MutableNumbers = number[]>(
  axis: Vec3,
  angle: number,
  out: T = unset9(),
): T {
  writeRotationMatrix(angle * axis[0], angle * axis[1], angle * axis[2], out, 0);
  return out;
}

/** dq/d angle (4 numbers): 1/2 axis q = [c axis, -s]/2. */
export function twistQuatPartial<T extends MutableNumbers = number[]>(
  axis: Vec3,
  angle: number,
  out: T = unset4(),
): T {
  const [x, y, z] = [axis[0], axis[1], axis[2]];
  const q = quatFromTwist(axis, angle);
  out[0] = 0.5 * q[3] * x;
  out[1] = 0.5 * q[3] * y;
  out[2] = 0.5 * q[3] * z;
  out[3] = -0.5 * (q[0] * x + q[1] * y + q[2] * z);
  return out;
}

/** dR/d angle = [axis] R, nine numbers row by row. */
export function twistMatrixPartial<T extends MutableNumbers = number[]>(
  axis: Vec3,
  angle: number,
  out: T = unset9(),
): T {
  const cross = mat3.skew(axis);
  return mat3.multiply(cross, matrixFromTwist(axis, angle), out);
}

/** d2R/d angle^2 = [axis]^2 R, nine numbers row by row. */
export function twistMatrixSecondPartial<T extends MutableNumbers = number[]>(
  axis: Vec3,
  angle: number,
  out: T = unset9(),
): T {
  const cross = mat3.skew(axis);
  return mat3.multiply(cross, twistMatrixPartial(axis, angle), out);
}

/**
 * Twist angle in [-pi, pi] of a quaternion about the unit vector `axis`: the angle of the nearest rotation about the axis,
 * 2 atan2(q_v . axis, w). Never NaN: 0 at a swing of pi, where the twist is undetermined.
 */
export function twistAngleFromQuat(q: Quat, axis: Vec3): number {
  const sign = q[3] < 0 ? -1 : 1;
  return 2 * Math.atan2(sign * (q[0] * axis[0] + q[1] * axis[1] + q[2] * axis[2]), sign * q[3]);
}
