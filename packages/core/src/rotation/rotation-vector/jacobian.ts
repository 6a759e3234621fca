/**
 * Left and right Jacobians of the rotation vector, their inverses, and the derivatives of their products with a
 * fixed vector. w_world = J_l v', w_body = J_r v', J_r = J_l^T. All matrices nine numbers row by row.
 */
import type { MutableNumbers, Vec3 } from '../../math/linear/types.js';
import { unset9 } from '../../math/linear/unset.js';
import { createRotationCache, evaluated, isRotationCache, type RotationPoint } from './evaluate.js';
import {
  writeLeftJacobian,
  writeLeftJacobianInverse,
  writeProductDerivative,
  writeRightJacobian,
  writeRightJacobianInverse,
} from './kernels.js';

const scratch = /* @__PURE__ */ createRotationCache();

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
export function leftJacobian<T extends MutableNumbers = number[]>(at: RotationPoint, out: T = unset9()): T {
  return evaluateKernel(writeLeftJacobian, at, out);
}

/** J_r(v) = I - B [v] + C [v]^2: angular velocity in body axes = J_r v'. */
export function rightJacobian<T extends MutableNumbers = number[]>(at: RotationPoint, out: T = unset9()): T {
  return evaluateKernel(writeRightJacobian, at, out);
}

/** J_l^-1(v) = I - 1/2 [v] + D [v]^2. Unbounded as |v| -> 2 pi, 4 pi, ...: regularize first. */
export function leftJacobianInverse<T extends MutableNumbers = number[]>(
  at: RotationPoint,
  out: T = unset9(),
): T {
  return evaluateKernel(writeLeftJacobianInverse, at, out);
}

/** J_r^-1(v) = I + 1/2 [v] + D [v]^2. Unbounded as |v| -> 2 pi, 4 pi, ...: regularize first. */
export function rightJacobianInverse<T extends MutableNumbers = number[]>(
  at: RotationPoint,
  out: T = unset9(),
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
  out: T = unset9(),
): T {
  const e = evaluated(at, scratch);
  writeProductDerivative(e.x, e.y, e.z, y, -e.B, e.C, -e.E, -e.F, out);
  return out;
}

/**
 * d(J_r y)/dv for a fixed y: out[3 i + k] = d(J_r y)_i/dv_k
 * = B [y] + (E v x y - F v x (v x y)) v^T + C (v y^T + (v.y) I - 2 y v^T).
 */
export function rightJacobianProductDerivative<T extends MutableNumbers = number[]>(
  at: RotationPoint,
  y: Vec3,
  out: T = unset9(),
): T {
  const e = evaluated(at, scratch);
  writeProductDerivative(e.x, e.y, e.z, y, e.B, e.C, e.E, -e.F, out);
  return out;
}

/**
 * d(J_l^-1 y)/dv for a fixed y: J_l^-1 y = y - 1/2 v x y + D v x (v x y), so
 * 1/2 [y] + (D1 v x (v x y)) v^T + D (v y^T + (v.y) I - 2 y v^T), D1 = D'/theta.
 */
export function leftJacobianInverseProductDerivative<T extends MutableNumbers = number[]>(
  at: RotationPoint,
  y: Vec3,
  out: T = unset9(),
): T {
  const e = evaluated(at, scratch);
  writeProductDerivative(e.x, e.y, e.z, y, 0.5, e.D, 0, e.D1, out);
  return out;
}

/** d(J_r^-1 y)/dv for a fixed y: as {@link leftJacobianInverseProductDerivative} with -1/2 [y]. */
export function rightJacobianInverseProductDerivative<T extends MutableNumbers = number[]>(
  at: RotationPoint,
  y: Vec3,
  out: T = unset9(),
): T {
  const e = evaluated(at, scratch);
  writeProductDerivative(e.x, e.y, e.z, y, -0.5, e.D, 0, e.D1, out);
  return out;
}
