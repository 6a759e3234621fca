/** Rodrigues' formula: a rotation by an angle about an axis (Grassia 1997, section 3 and reference 4). */

import * as vec3 from '../../math/geometry/vec3.js';
import type { MutableNumbers, Quat, Vec3 } from '../../math/linear/types.js';
import { unset3, unset9 } from '../../math/linear/unset.js';

/**
 * R = I + sin(angle) [a] + (1 - cos(angle)) [a]^2, a = axis/|axis|, nine numbers row by row.
 * 1 - cos(angle) is evaluated as 2 sin(angle/2)^2: the difference cancels completely for angles below 1e-8.
 * @throws DomainError `out-of-range` when the axis is zero or not finite.
 */
export function matrixFromAxisAngle<T extends MutableNumbers = number[]>(
  axis: Vec3,
  angle: number,
  out: T = unset9(),
): T {
  const length = Math.sqrt(vec3.normSquared(axis));
  const isOrdinary = length > 1e-140 && length < 1e140;
  const [x, y, z] = isOrdinary
    ? [axis[0] / length, axis[1] / length, axis[2] / length]
    : vec3.normalize(axis);
  const half = Math.sin(0.5 * angle);
  const s = Math.sin(angle);
  const k = 2 * half * half;
  out[0] = 1 - k * (y * y + z * z);
  out[1] = k * x * y - s * z;
  out[2] = k * x * z + s * y;
  out[3] = k * x * y + s * z;
  out[4] = 1 - k * (x * x + z * z);
  out[5] = k * y * z - s * x;
  out[6] = k * x * z - s * y;
  out[7] = k * y * z + s * x;
  out[8] = 1 - k * (x * x + y * y);
  return out;
}

/** A rotation as a unit axis and an angle, rad. */
export interface AxisAngle {
  readonly axis: [number, number, number];
  readonly angle: number;
}

/** Axis and angle in [0, pi] of a nonzero quaternion of any length; the axis of the identity is X. */
export function axisAngleFromQuat(q: Quat): AxisAngle {
  const sign = q[3] < 0 ? -1 : 1;
  const n = vec3.length(q[0], q[1], q[2]);
  if (n === 0) return { axis: [1, 0, 0], angle: 0 };
  const axis: [number, number, number] = [sign * q[0], sign * q[1], sign * q[2]];
  return { axis: vec3.normalize(axis, axis), angle: 2 * Math.atan2(n, sign * q[3]) };
}

/** Rotation vector angle * axis/|axis|, rad. @throws DomainError `out-of-range` as {@link matrixFromAxisAngle}. */
export function rotationVectorFromAxisAngle<T extends MutableNumbers = number[]>(
  axis: Vec3,
  angle: number,
  out: T = unset3(),
): T {
  return vec3.scale(vec3.normalize(axis), angle, out);
}
