/**
 * Autonormalized quaternions (Gleicher; Grassia 1997, section 2.2): R(q/|q|) for any nonzero q, without a constraint. The
 * derivative along q is zero: one redundant coordinate per joint, and a singular mass matrix.
 */
import * as mat3 from '../../math/geometry/mat3.js';
import * as quat from '../../math/geometry/quat.js';
import type { MutableNumbers, Quat } from '../../math/linear/types.js';
import { unset9 } from '../../math/linear/unset.js';

/** R(q/|q|), nine numbers row by row. @throws DomainError `out-of-range` for the zero quaternion. */
export function matrixFromAnyQuat<T extends MutableNumbers = number[]>(q: Quat, out: T = unset9()): T {
  return quat.toMatrix(quat.normalize(q), out);
}

/**
 * d R(q/|q|)/dq_n at out[9 n ..], n over x, y, z, w, four matrices row by row (36 numbers). R = N(q)/|q|^2 with N the
 * homogeneous quadratic form, so with u = q/|q|: dR/dq_n = (dN/dq_n(u) - 2 u_n R)/|q|. Sum of q_n dR/dq_n is zero.
 * @throws DomainError `out-of-range` for the zero quaternion.
 */
export function anyQuatMatrixPartials<T extends MutableNumbers = number[]>(
  q: Quat,
  out: T = new Array<number>(36).fill(0) as MutableNumbers as T,
): T {
  const size = quat.norm(q);
  const u = quat.normalize(q);
  const r = quat.toMatrix(u);
  const [x, y, z, w] = u;
  // Half of dN/dq_n, N = diag(w^2 + x^2 - y^2 - z^2, ...) + 2 (xy - wz, ...).
  const half = [
    mat3.set(x, y, z, y, -x, -w, z, w, -x, []),
    mat3.set(-y, x, w, x, y, z, -w, z, -y, []),
    mat3.set(-z, -w, x, w, -z, y, x, y, z, []),
    mat3.set(w, -z, y, z, w, -x, -y, x, w, []),
  ];
  const scale = 2 / size;
  for (let n = 0; n < 4; n++) {
    for (let e = 0; e < 9; e++) out[9 * n + e] = scale * (half[n][e] - u[n] * r[e]);
  }
  return out;
}
