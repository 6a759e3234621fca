/**
 * Cayley parameters (Rodrigues or Gibbs vector), g = tan(theta/2) n: rational formulas, singular at theta = pi. Discussed in
 * Grassia 1997, section 3; for comparison and teaching.
 */
import { DomainError } from '../../errors.js';
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Mat3, MutableNumbers, Quat, Vec3 } from '../../math/linear/types.js';
import { unset3, unset4, unset9 } from '../../math/linear/unset.js';
import { quatFromRotationVector } from '../rotation-vector/exponential.js';
import { frameSign, type RotationFrame } from '../rotation-vector/frame.js';
import { rotationVectorFromQuat } from '../rotation-vector/log.js';

/** @throws DomainError `singular` for a rotation by pi: |cos(theta/2)| of zero to rounding. NaN passes, and gives NaN. */
function requireBelowPi(cosHalf: number, path: string): void {
  if (!(Math.abs(cosHalf) <= Number.EPSILON)) return;
  throw new DomainError('singular', 'a rotation by pi has no finite Cayley parameters.', {
    path,
    remedy: 'Keep the angle below pi, or use a rotation vector or a quaternion.',
  });
}

/** R = I + 2 ([g] + [g]^2)/(1 + |g|^2) = (I - [g])^-1 (I + [g]), nine numbers row by row. */
export function matrixFromCayley<T extends MutableNumbers = number[]>(g: Vec3, out: T = unset9()): T {
  return quat.toMatrix(quatFromCayley(g), out);
}

/** Unit quaternion [g, 1]/sqrt(1 + |g|^2). */
export function quatFromCayley<T extends MutableNumbers = number[]>(g: Vec3, out: T = unset4()): T {
  const w = 1 / Math.hypot(g[0], g[1], g[2], 1);
  return quat.set(w * g[0], w * g[1], w * g[2], w, out);
}

/** g = q_v/w, of a quaternion of any length. @throws DomainError `singular` at theta = pi. */
export function cayleyFromQuat<T extends MutableNumbers = number[]>(q: Quat, out: T = unset3()): T {
  requireBelowPi(q[3] / quat.norm(q), 'cayleyFromQuat(q)');
  return vec3.set(q[0] / q[3], q[1] / q[3], q[2] / q[3], out);
}

/** g of a rotation matrix. @throws DomainError `singular` at theta = pi. */
export function cayleyFromMatrix<T extends MutableNumbers = number[]>(m: Mat3, out: T = unset3()): T {
  return cayleyFromQuat(quat.fromMatrix(m), out);
}

/** g = (tan(theta/2)/theta) v. @throws DomainError `singular` for |v| = pi, 3 pi, ... */
export function cayleyFromRotationVector<T extends MutableNumbers = number[]>(v: Vec3, out: T = unset3()): T {
  return cayleyFromQuat(quatFromRotationVector(v), out);
}

/** Shortest rotation vector of g: v = (2 atan(|g|)/|g|) g, |v| < pi. */
export function rotationVectorFromCayley<T extends MutableNumbers = number[]>(g: Vec3, out: T = unset3()): T {
  return rotationVectorFromQuat([g[0], g[1], g[2], 1], undefined, out);
}

/** "First a, then b": (a + b + b x a)/(1 - a.b). @throws DomainError `singular` where the product is a rotation by pi. */
export function composeCayley<T extends MutableNumbers = number[]>(b: Vec3, a: Vec3, out: T = unset3()): T {
  const w = 1 - vec3.dot(a, b);
  const x = a[0] + b[0] + (b[1] * a[2] - b[2] * a[1]);
  const y = a[1] + b[1] + (b[2] * a[0] - b[0] * a[2]);
  const z = a[2] + b[2] + (b[0] * a[1] - b[1] * a[0]);
  requireBelowPi(w / Math.hypot(x, y, z, w), 'composeCayley(b, a)');
  return vec3.set(x / w, y / w, z / w, out);
}

/** g' from an angular velocity: g' = 1/2 (w -+ g x w + (g.w) g), - for world axes, + for body axes. */
export function cayleyRateFromAngularVelocity<T extends MutableNumbers = number[]>(
  g: Vec3,
  angularVelocity: Vec3,
  frame: RotationFrame,
  out: T = unset3(),
): T {
  const sign = -frameSign(frame, 'cayleyRateFromAngularVelocity(frame)');
  const w = angularVelocity;
  const d = vec3.dot(g, w);
  return vec3.set(
    0.5 * (w[0] + sign * (g[1] * w[2] - g[2] * w[1]) + d * g[0]),
    0.5 * (w[1] + sign * (g[2] * w[0] - g[0] * w[2]) + d * g[1]),
    0.5 * (w[2] + sign * (g[0] * w[1] - g[1] * w[0]) + d * g[2]),
    out,
  );
}
