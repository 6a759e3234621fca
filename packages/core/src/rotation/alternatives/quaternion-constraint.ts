/**
 * Constrained quaternions (Grassia 1997, section 2.2): four coordinates with an explicit unit-norm constraint. For comparison:
 * four coordinates and a Lagrange multiplier per joint, where a rotation vector has three and none.
 */
import * as mat3 from '../../math/geometry/mat3.js';
import type { MutableNumbers, Quat } from '../../math/linear/types.js';
import { zeros } from '../../math/linear/unset.js';

/** g(q) = q.q - 1, zero on unit quaternions. */
export function unitConstraint(q: Quat): number {
  return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1;
}

/** dg/dq = 2 q (4 numbers). */
export function unitConstraintGradient<T extends MutableNumbers = number[]>(q: Quat, out: T = zeros(4)): T {
  for (let i = 0; i < 4; i++) out[i] = 2 * q[i];
  return out;
}

/** d2g/dq2 = 2 I (16 numbers), constant. */
export function unitConstraintHessian<T extends MutableNumbers = number[]>(out: T = zeros(16)): T {
  for (let i = 0; i < 16; i++) out[i] = i % 5 === 0 ? 2 : 0;
  return out;
}

/**
 * dR/dq_n at out[9 n ..], n over x, y, z, w, four matrices row by row (36 numbers), of the formula of `quat.toMatrix`
 * (1 - 2 y^2 - 2 z^2, ...), which gives a rotation only for unit q.
 */
export function quatMatrixPartials<T extends MutableNumbers = number[]>(q: Quat, out: T = zeros(36)): T {
  const x = 2 * q[0];
  const y = 2 * q[1];
  const z = 2 * q[2];
  const w = 2 * q[3];
  const columns = [
    mat3.set(0, y, z, y, -2 * x, -w, z, w, -2 * x, []),
    mat3.set(-2 * y, x, w, x, 0, z, -w, z, -2 * y, []),
    mat3.set(-2 * z, -w, x, w, -2 * z, y, x, y, 0, []),
    mat3.set(0, -z, y, z, 0, -x, -y, x, 0, []),
  ];
  for (let e = 0; e < 36; e++) out[e] = columns[Math.floor(e / 9)][e % 9];
  return out;
}
