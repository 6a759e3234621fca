/**
 * Quaternions with angular velocities (Baraff and Witkin; Grassia 1997, sections 2.2 and 4.1): q' = 1/2 w q. Three velocities
 * for four coordinates, so configuration space and tangent space differ in dimension.
 */
import * as mat3 from '../../math/geometry/mat3.js';
import type { Mat3, MutableNumbers, Quat, Vec3 } from '../../math/linear/types.js';
import { unset3, unset4 } from '../../math/linear/unset.js';
import { frameSign, type RotationFrame } from '../rotation-vector/frame.js';

/** q' = 1/2 w q for w in world axes, q' = 1/2 q w for w in body axes (4 numbers). */
export function quatRateFromAngularVelocity<T extends MutableNumbers = number[]>(
  q: Quat,
  angularVelocity: Vec3,
  frame: RotationFrame,
  out: T = unset4(),
): T {
  const sign = frameSign(frame, 'quatRateFromAngularVelocity(frame)');
  const x = 0.5 * q[0];
  const y = 0.5 * q[1];
  const z = 0.5 * q[2];
  const w = 0.5 * q[3];
  const [a, b, c] = [angularVelocity[0], angularVelocity[1], angularVelocity[2]];
  // Vector part w_q w +- w x q_v, scalar part -w.q_v
  out[0] = w * a + sign * (b * z - c * y);
  out[1] = w * b + sign * (c * x - a * z);
  out[2] = w * c + sign * (a * y - b * x);
  out[3] = -(a * x + b * y + c * z);
  return out;
}

/** w = 2 q' q^-1 in world axes, 2 q^-1 q' in body axes, for a unit q; the component of q' along q is ignored. */
export function angularVelocityFromQuatRate<T extends MutableNumbers = number[]>(
  q: Quat,
  rate: Quat,
  frame: RotationFrame,
  out: T = unset3(),
): T {
  const sign = frameSign(frame, 'angularVelocityFromQuatRate(frame)');
  const [x, y, z, w] = [2 * q[0], 2 * q[1], 2 * q[2], 2 * q[3]];
  const [a, b, c, d] = [rate[0], rate[1], rate[2], rate[3]];
  out[0] = w * a - d * x - sign * (b * z - c * y);
  out[1] = w * b - d * y - sign * (c * x - a * z);
  out[2] = w * c - d * z - sign * (a * y - b * x);
  return out;
}

/**
 * R' for a unit angular velocity about each axis, at out[9 n ..], three matrices row by row (27 numbers): [e_n] R for world
 * axes, R [e_n] for body axes. Baraff and Witkin use it in place of dR/dq.
 */
export function matrixRates<T extends MutableNumbers = number[]>(
  r: Mat3,
  frame: RotationFrame,
  out: T = new Array<number>(27).fill(0) as MutableNumbers as T,
): T {
  const world = frameSign(frame, 'matrixRates(frame)') > 0;
  const m = mat3.copy(r);
  for (let n = 0; n < 3; n++) {
    const cross = mat3.skew([n === 0 ? 1 : 0, n === 1 ? 1 : 0, n === 2 ? 1 : 0]);
    const product = world ? mat3.multiply(cross, m) : mat3.multiply(m, cross);
    for (let e = 0; e < 9; e++) out[9 * n + e] = product[e];
  }
  return out;
}
