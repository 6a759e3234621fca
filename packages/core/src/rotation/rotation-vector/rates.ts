/**
 * Conversions between rates of a rotation vector and angular velocity, and between their accelerations (Grassia 1997,
 * Appendix B, corrected: the frame is explicit, and small angles keep their O(theta) term). In rad, rad/s, rad/s^2.
 */
import type { MutableNumbers, Vec3 } from '../../math/linear/types.js';
import { unset3 } from '../../math/linear/unset.js';
import { createRotationCache, evaluated, type RotationPoint } from './evaluate.js';
import { frameSign, type RotationFrame } from './frame.js';

const scratch = /* @__PURE__ */ createRotationCache();

/**
 * v' from the angular velocity: v' = w -+ 1/2 v x w + D v x (v x w), - for world axes, + for body axes.
 * Unbounded as |v| -> 2 pi, where the chart is singular: regularize v between steps.
 */
export function rateFromAngularVelocity<T extends MutableNumbers = number[]>(
  at: RotationPoint,
  angularVelocity: Vec3,
  frame: RotationFrame,
  out: T = unset3(),
): T {
  const { x, y, z, D } = evaluated(at, scratch);
  const half = -0.5 * frameSign(frame, 'rateFromAngularVelocity(frame)');
  return writeCrossPolynomial(x, y, z, angularVelocity, half, D, out);
}

/** Angular velocity from v': w = v' +- B v x v' + C v x (v x v'), + for world axes, - for body axes. */
export function angularVelocityFromRate<T extends MutableNumbers = number[]>(
  at: RotationPoint,
  rate: Vec3,
  frame: RotationFrame,
  out: T = unset3(),
): T {
  const { x, y, z, B, C } = evaluated(at, scratch);
  const sign = frameSign(frame, 'angularVelocityFromRate(frame)');
  return writeCrossPolynomial(x, y, z, rate, sign * B, C, out);
}

/**
 * Angular acceleration w' from v, v' and v'': the time derivative of w = J v' in the named axes,
 * w' = J v'' + (v.v') (-+ E v x v' - F v x (v x v')) + C v' x (v x v'), - for world axes, + for body axes.
 */
export function angularAccelerationFromRates<T extends MutableNumbers = number[]>(
  at: RotationPoint,
  rate: Vec3,
  secondRate: Vec3,
  frame: RotationFrame,
  out: T = unset3(),
): T {
  const e = evaluated(at, scratch);
  const sign = frameSign(frame, 'angularAccelerationFromRates(frame)');
  const [bx, by, bz] = velocityProduct(e.x, e.y, e.z, rate, -sign * e.E, e.C, e.F);
  writeCrossPolynomial(e.x, e.y, e.z, secondRate, sign * e.B, e.C, out);
  out[0] += bx;
  out[1] += by;
  out[2] += bz;
  return out;
}

/** v'' from v, v' and the angular acceleration w' in the named axes: v'' = J^-1 (w' - velocity terms). */
export function secondRateFromAngularAcceleration<T extends MutableNumbers = number[]>(
  at: RotationPoint,
  rate: Vec3,
  angularAcceleration: Vec3,
  frame: RotationFrame,
  out: T = unset3(),
): T {
  const e = evaluated(at, scratch);
  const sign = frameSign(frame, 'secondRateFromAngularAcceleration(frame)');
  const b = velocityProduct(e.x, e.y, e.z, rate, -sign * e.E, e.C, e.F);
  for (let i = 0; i < 3; i++) b[i] = angularAcceleration[i] - b[i];
  return writeCrossPolynomial(e.x, e.y, e.z, b, -0.5 * sign, e.D, out);
}

/** out = u + a v x u + b v x (v x u), v = (x, y, z). */
function writeCrossPolynomial<T extends MutableNumbers>(
  x: number,
  y: number,
  z: number,
  u: Vec3,
  a: number,
  b: number,
  out: T,
): T {
  const ux = u[0];
  const uy = u[1];
  const uz = u[2];
  const px = y * uz - z * uy;
  const py = z * ux - x * uz;
  const pz = x * uy - y * ux;
  out[0] = ux + a * px + b * (y * pz - z * py);
  out[1] = uy + a * py + b * (z * px - x * pz);
  out[2] = uz + a * pz + b * (x * py - y * px);
  return out;
}

/** (v.u) (e v x u - F v x (v x u)) + C u x (v x u), v = (x, y, z), u = v'. */
function velocityProduct(
  x: number,
  y: number,
  z: number,
  u: Vec3,
  e: number,
  C: number,
  F: number,
): [number, number, number] {
  const ux = u[0];
  const uy = u[1];
  const uz = u[2];
  const d = x * ux + y * uy + z * uz;
  const px = y * uz - z * uy;
  const py = z * ux - x * uz;
  const pz = x * uy - y * ux;
  return [
    d * (e * px - F * (y * pz - z * py)) + C * (uy * pz - uz * py),
    d * (e * py - F * (z * px - x * pz)) + C * (uz * px - ux * pz),
    d * (e * pz - F * (x * py - y * px)) + C * (ux * py - uy * px),
  ];
}
