/** Exponential and logarithm of rigid transforms. */
import { requireFinite, requireSize } from '../../checks.js';
import { DomainError } from '../../errors.js';
import * as mat3 from '../../math/geometry/mat3.js';
import type { Mat3x4, MutableNumbers, Numbers } from '../../math/linear/types.js';
import { unset12 } from '../../math/linear/unset.js';
import { writeLeftJacobian, writeLeftJacobianInverse, writeRotationMatrix } from './kernels.js';
import { rotationVectorFromMatrix } from './log.js';

const jacobian = /* @__PURE__ */ new Float64Array(9);
const vector = /* @__PURE__ */ new Float64Array(3);

/**
 * The rigid transform exp [v u; 0 0] of a screw (v, u), twelve numbers: rotation exp [v], position J_l(v) u. A body that moves for one second with the
 * angular velocity v and the velocity u of its point at the origin, both constant in world axes, goes there; so exp(t (v, u)), t from 0 to 1, is
 * the screw motion between two frames.
 *
 * @param screw - Six numbers: rotation vector v (rad), then u (m).
 * @throws DomainError `wrong-size`, `not-finite`.
 */
export function rigidFromScrew<T extends MutableNumbers = number[]>(screw: Numbers, out: T = unset12()): T {
  requireFirst(screw, 6, 'screw');
  writeLeftJacobian(screw[0], screw[1], screw[2], jacobian, 0);
  for (let k = 0; k < 3; k++) vector[k] = screw[3 + k];
  mat3.multiplyVector(jacobian, vector, vector);
  writeRotationMatrix(screw[0], screw[1], screw[2], out, 0);
  for (let k = 0; k < 3; k++) out[9 + k] = vector[k];
  return out;
}

/**
 * The shortest screw (v, u) of a rigid transform, the inverse of {@link rigidFromScrew}: v the rotation vector, |v| <= pi, u = J_l^-1(v) p.
 *
 * @throws DomainError `wrong-size`, `not-finite`; `not-unit` as `rotationVectorFromMatrix`.
 */
export function screwFromRigid<T extends MutableNumbers = number[]>(
  m: Mat3x4,
  out: T = [0, 0, 0, 0, 0, 0] as MutableNumbers as T,
): T {
  requireFirst(m, 12, 'm');
  rotationVectorFromMatrix(m, undefined, vector);
  writeLeftJacobianInverse(vector[0], vector[1], vector[2], jacobian, 0);
  const x = m[9];
  const y = m[10];
  const z = m[11];
  for (let k = 0; k < 3; k++) {
    out[k] = vector[k];
    out[3 + k] = jacobian[3 * k] * x + jacobian[3 * k + 1] * y + jacobian[3 * k + 2] * z;
  }
  return out;
}

/** What is written in place stands in a longer list. */
function requireFirst(numbers: Numbers, count: number, path: string): void {
  if (typeof numbers !== 'object' || !(numbers?.length >= count))
    requireSize(numbers, count, path, DomainError);
  for (let k = 0; k < count; k++) requireFinite(numbers[k], `${path}[${k}]`, DomainError);
}
