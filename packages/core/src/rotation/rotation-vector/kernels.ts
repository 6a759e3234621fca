/**
 * Allocation-free kernels for hot loops: scalar arguments (the rotation vector), an output array and an offset.
 * Matrices are nine numbers row by row at out[o..o+8]. NaN and infinity give NaN, and so does |v| above 1e154 rad, where
 * theta^2 overflows; callers validate.
 *
 * Up to |v| = pi they use only + - * /, so they give the same bits on every engine.
 */
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import {
  COSINE_FORM_FROM,
  COSINE_FORM_TO,
  cosHalfSeries,
  SERIES_LIMIT,
  s0Series,
  s1Series,
  s2Series,
} from './coefficients.js';

/** out[o..o+3] = unit quaternion [x, y, z, w] of the rotation vector: q = [s0 v, cos(theta/2)]. */
export function writeQuaternion(x: number, y: number, z: number, out: MutableNumbers, o: number): void {
  const t = x * x + y * y + z * z;
  let s: number;
  let c: number;
  if (t <= SERIES_LIMIT) {
    s = s0Series(t);
    c = cosHalfSeries(t);
  } else {
    const theta = Math.sqrt(t);
    s = Math.sin(0.5 * theta) / theta;
    c = Math.cos(0.5 * theta);
  }
  out[o] = s * x;
  out[o + 1] = s * y;
  out[o + 2] = s * z;
  out[o + 3] = c;
}

/**
 * out[o..o+8] = R(v) = I + A [v] + B [v]^2, A = sin(theta)/theta = 2 s0 c, B = (1 - cos theta)/theta^2 = 2 s0^2.
 * From 2 rad to 4.24 rad B is evaluated as 2 (1 - c^2)/theta^2, which reduces the error at pi from 9e-16 to 5e-16.
 */
export function writeRotationMatrix(x: number, y: number, z: number, out: MutableNumbers, o: number): void {
  const xx = x * x;
  const yy = y * y;
  const zz = z * z;
  const t = xx + yy + zz;
  let s: number;
  let c: number;
  if (t <= SERIES_LIMIT) {
    s = s0Series(t);
    c = cosHalfSeries(t);
  } else {
    const theta = Math.sqrt(t);
    s = Math.sin(0.5 * theta) / theta;
    c = Math.cos(0.5 * theta);
  }
  const b = t > COSINE_FORM_FROM && t < COSINE_FORM_TO ? (2 - 2 * c * c) / t : 2 * s * s;
  writePolynomial(x, y, z, xx, yy, zz, 2 * s * c, b, out, o);
}

/** out[o..o+8] = J_l(v) = I + B [v] + C [v]^2: world angular velocity = J_l v'. */
export function writeLeftJacobian(x: number, y: number, z: number, out: MutableNumbers, o: number): void {
  writeJacobian(x, y, z, 1, out, o);
}

/** out[o..o+8] = J_r(v) = J_l^T = I - B [v] + C [v]^2: body angular velocity = J_r v'. */
export function writeRightJacobian(x: number, y: number, z: number, out: MutableNumbers, o: number): void {
  writeJacobian(x, y, z, -1, out, o);
}

/** out[o..o+8] = J_l^-1(v) = I - 1/2 [v] + D [v]^2: v' = J_l^-1 (world angular velocity). Singular at 2 pi, 4 pi... */
export function writeLeftJacobianInverse(
  x: number,
  y: number,
  z: number,
  out: MutableNumbers,
  o: number,
): void {
  writeJacobianInverse(x, y, z, -0.5, out, o);
}

/** out[o..o+8] = J_r^-1(v) = I + 1/2 [v] + D [v]^2: v' = J_r^-1 (body angular velocity). Singular at 2 pi, 4 pi... */
export function writeRightJacobianInverse(
  x: number,
  y: number,
  z: number,
  out: MutableNumbers,
  o: number,
): void {
  writeJacobianInverse(x, y, z, 0.5, out, o);
}

/** {@link writeRightJacobianInverse} of the rotation vector at v[i..i+2]. */
export function writeRightJacobianInverseAt(v: Numbers, i: number, out: MutableNumbers, o: number): void {
  writeJacobianInverse(v[i], v[i + 1], v[i + 2], 0.5, out, o);
}

/** I + sign B [v] + C [v]^2, B = 2 s0^2, C = (1 - A)/theta^2 = s0^2 + 2 c s1. */
function writeJacobian(x: number, y: number, z: number, sign: number, out: MutableNumbers, o: number): void {
  const xx = x * x;
  const yy = y * y;
  const zz = z * z;
  const t = xx + yy + zz;
  let b: number;
  let cc: number;
  if (t <= SERIES_LIMIT) {
    const s = s0Series(t);
    b = 2 * s * s;
    cc = s * s + 2 * cosHalfSeries(t) * s1Series(t);
  } else {
    const theta = Math.sqrt(t);
    const s = Math.sin(0.5 * theta) / theta;
    b = 2 * s * s;
    cc = (1 - 2 * s * Math.cos(0.5 * theta)) / t;
  }
  writePolynomial(x, y, z, xx, yy, zz, sign * b, cc, out, o);
}

/** I + half [v] + D [v]^2, half = -1/2 for J_l^-1 and 1/2 for J_r^-1, D = (1 - x cot x)/theta^2 = -s1/s0. */
function writeJacobianInverse(
  x: number,
  y: number,
  z: number,
  half: number,
  out: MutableNumbers,
  o: number,
): void {
  const xx = x * x;
  const yy = y * y;
  const zz = z * z;
  const t = xx + yy + zz;
  let d: number;
  if (t <= SERIES_LIMIT) {
    d = -s1Series(t) / s0Series(t);
  } else {
    const theta = Math.sqrt(t);
    const halfTheta = 0.5 * theta;
    d = (1 - (halfTheta * Math.cos(halfTheta)) / Math.sin(halfTheta)) / t;
  }
  writePolynomial(x, y, z, xx, yy, zz, half, d, out, o);
}

/** out = I + a [v] + b [v]^2, [v]^2 = v v^T - theta^2 I. */
function writePolynomial(
  x: number,
  y: number,
  z: number,
  xx: number,
  yy: number,
  zz: number,
  a: number,
  b: number,
  out: MutableNumbers,
  o: number,
): void {
  const ax = a * x;
  const ay = a * y;
  const az = a * z;
  const bx = b * x;
  const xy = bx * y;
  const xz = bx * z;
  const yz = b * y * z;
  out[o] = 1 - b * (yy + zz);
  out[o + 1] = xy - az;
  out[o + 2] = xz + ay;
  out[o + 3] = xy + az;
  out[o + 4] = 1 - b * (xx + zz);
  out[o + 5] = yz - ax;
  out[o + 6] = xz - ay;
  out[o + 7] = yz + ax;
  out[o + 8] = 1 - b * (xx + yy);
}

/** out = d(J_l^-1 y)/dv at the rotation vector v, 3x3, for a fixed y (`jacobian.ts`): D = -s1/s0, D1 = D'/theta = D^2 - s2/s0. */
export function writeLeftJacobianInverseDerivative(v: Numbers, y: Numbers, out: MutableNumbers): void {
  const t = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  let s0: number;
  let s1: number;
  let s2: number;
  if (t <= SERIES_LIMIT) {
    s0 = s0Series(t);
    s1 = s1Series(t);
    s2 = s2Series(t);
  } else {
    const theta = Math.sqrt(t);
    s0 = Math.sin(0.5 * theta) / theta;
    s1 = (0.5 * Math.cos(0.5 * theta) - s0) / t;
    s2 = (-0.25 * s0 - 3 * s1) / t;
  }
  const d = -s1 / s0;
  writeProductDerivative(v[0], v[1], v[2], y, 0.5, d, 0, d * d - s2 / s0, out);
}

/** a [y] + (e v x y + f v x (v x y)) v^T + b (v y^T + (v.y) I - 2 y v^T). */
export function writeProductDerivative(
  vx: number,
  vy: number,
  vz: number,
  y: Numbers,
  a: number,
  b: number,
  e: number,
  f: number,
  out: MutableNumbers,
): void {
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
}
