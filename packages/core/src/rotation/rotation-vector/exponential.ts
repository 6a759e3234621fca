/** Exponential map: the rotation of a rotation vector v (the paper's RQ vector; also axis-angle vector). */
import type { MutableNumbers } from '../../math/linear/types.js';
import { unset4, unset9 } from '../../math/linear/unset.js';
import { isRotationCache, type RotationPoint } from './evaluate.js';
import { writeQuaternion, writeRotationMatrix } from './kernels.js';

/** Unit quaternion [x, y, z, w] of v (rad): q = [s0 v, cos(theta/2)] (Grassia 1997, section 3). w < 0 for pi < |v| < 3 pi. */
export function quatFromRotationVector<T extends MutableNumbers = number[]>(
  at: RotationPoint,
  out: T = unset4(),
): T {
  if (isRotationCache(at)) writeQuaternion(at.x, at.y, at.z, out, 0);
  else writeQuaternion(at[0], at[1], at[2], out, 0);
  return out;
}

/** Rotation matrix of v (rad), nine numbers row by row: R = I + A [v] + B [v]^2; exactly I at v = 0. */
export function matrixFromRotationVector<T extends MutableNumbers = number[]>(
  at: RotationPoint,
  out: T = unset9(),
): T {
  if (isRotationCache(at)) writeRotationMatrix(at.x, at.y, at.z, out, 0);
  else writeRotationMatrix(at[0], at[1], at[2], out, 0);
  return out;
}
