/**
 * Left and right Jacobians of the rotation vector, their inverses, and the derivatives of their products with a
 * fixed vector. w_world = J_l v', w_body = J_r v', J_r = J_l^T. All matrices nine numbers row by row.
 */
import type { MutableNumbers, Vec3 } from '../../math/linear/types.js';
import { createRotationCache, evaluated, isRotationCache, type RotationPoint } from './evaluate.js';
import {
  writeLeftJacobian,
  writeLeftJacobianInverse,
  writeRightJacobian,
  writeRightJacobianInverse,
} from './kernels.js';

const scratch = /* @__PURE__ */ createRotationCache();

/** Nine zeros, for an `out` that was not given. */
function fresh<T extends MutableNumbers>(): T {
  return [0, 0, 0, 0, 0, 0, 0, 0, 0] as MutableNumbers as T;
}

/** Evaluates a 3x3 kernel at a rotation vector or a cache. */
function evaluateKernel<T extends MutableNumbers>(
  kernel: (x: number, y: number, z: number, out: MutableNumbers, o: number) => void,
  at: RotationPoint,
  out: T,
): T {
  if (isRotationCache(at)) kernel(at.x, at.y, at.z, out, 0);
  else kernel(at[0], at[1], at[2], out, 0);
  return out;
}

/** J_l(v) = I + B [v] + C [v]^2: angular velocity in world axes = J_l v'. */
export function leftJacobian<T extends MutableNumbers = number[]>(at: RotationPoint, out: T = fresh()): T {
  return evaluateKernel(writeLeftJacobian, at, out);
}

/** J_r(v) = I - B [v] + C [v]^2: angular velocity in body axes = J_r v'. */
export function rightJacobian<T extends MutableNumbers = number[]>(at: RotationPoint, out: T = fresh()): T {
  return evaluateKernel(writeRightJacobian, at, out);
}

/** J_l^-1(v) = I - 1/2 [v] + D [v]^2. Unbounded as |v| -> 2 pi, 4 pi, ...: regularize first. */
export function leftJacobianInverse<T extends MutableNumbers = number[]>(
  at: RotationPoint,
  out: T = fresh(),
): T {
  return evaluateKernel(writeLeftJacobianInverse, at, out);
}

/** J_r^-1(v) = I + 1/2 [v] + D [v]^2. Unbounded as |v| -> 2 pi, 4 pi, ...: regularize first. */
export function rightJacobianInverse<T extends MutableNumbers = number[]>(
  at: RotationPoint,
  out: T = fresh(),
): T {
  return evaluateKernel(writeRightJacobianInverse, at, out);
}

/**
 * d(J_l y)/dv for a fixed y: out[3 i + k] = d(J_l y)_i/dv_k
 * = -B [y] + (-E v x y - F v x (v x y)) v^T + C (v y^T + (v.y) I - 2 y v^T).
 */
export function leftJacobianProductDerivative<T extends MutableNumbers = number[]>(
  at: RotationPoint,
  y: Vec3,
  out: T = fresh(),
): T {
  const e = evaluated(at, scratch);
  return productDerivative(e.x, e.y, e.z, y, -e.B, e.C, -e.E, -e.F, out);
}

/**
 * d(J_r y)/dv for a fixed y: out[3 i + k] = d(J_r y)_i/dv_k
 * = B [y] + (E v x y - F v x (v x y)) v^T + C (v y^T + (v.y) I - 2 y v^T).
 */
export function rightJacobianProductDerivative<T extends MutableNumbers = number[]>(
  at: RotationPoint,
  y: Vec3,
  out: T = fresh(),
): T {
  const e = evaluated(at, scratch);
  return productDerivative(e.x, e.y, e.z, y, e.B, e.C, e.E, -e.F, out);
}

/**
 * d(J_l^-1 y)/dv for a fixed y: J_l^-1 y = y - 1/2 v x y + D v x (v x y), so
 * 1/2 [y] + (D1 v x (v x y)) v^T + D (v y^T + (v.y) I - 2 y v^T), D1 = D'/theta.
 */
export function leftJacobianInverseProductDerivative<T extends MutableNumbers = number[]>(
  at: RotationPoint,
  y: Vec3,
  out: T = fresh(),
): T {
  const e = evaluated(at, scratch);
  return productDerivative(e.x, e.y, e.z, y, 0.5, e.D, 0, e.D1, out);
}

/** d(J_r^-1 y)/dv for a fixed y: as {@link leftJacobianInverseProductDerivative} with -1/2 [y]. */
export function rightJacobianInverseProductDerivative<T extends MutableNumbers = number[]>(
  at: RotationPoint,
  y: Vec3,
  out: T = fresh(),
): T {
  const e = evaluated(at, scratch);
  return productDerivative(e.x, e.y, e.z, y, -0.5, e.D, 0, e.D1, out);
}

/** a [y] + (e v x y + f v x (v x y)) v^T + b (v y^T + (v.y) I - 2 y v^T). */
function productDerivative<T extends MutableNumbers>(
  vx: number,
  vy: number,
  vz: number,
  y: Vec3,
  a: number,
  b: number,
  e: number,
  f: number,
  out: T,
): T {
  const yx = y[0];
  const yy = y[1];
  const yz = y[2];
  // p = v x y, g = e p + f v x p
  const px = vy * yz - vz * yy;
  const py = vz * yx - vx * yz;
  const pz = vx * yy - vy * yx;
  const gx = e * px + f * (vy * pz - vz * py);
  const gy = e * py + f * (vz * px - vx * pz);
  const gz = e * pz + f * (vx * py - vy * px);
  const d = b * (vx * yx + vy * yy + vz * yz);
  out[0] = d + gx * vx - b * vx * yx;
  out[1] = -a * yz + gx * vy + b * (vx * yy - 2 * yx * vy);
  out[2] = a * yy + gx * vz + b * (vx * yz - 2 * yx * vz);
  out[3] = a * yz + gy * vx + b * (vy * yx - 2 * yy * vx);
  out[4] = d + gy * vy - b * vy * yy;
  out[5] = -a * yx + gy * vz + b * (vy * yz - 2 * yy * vz);
  out[6] = -a * yy + gz * vx + b * (vz * yx - 2 * yz * vx);
  out[7] = a * yx + gz * vy + b * (vz * yy - 2 * yz * vy);
  out[8] = d + gz * vz - b * vz * yz;
  return out;
}
