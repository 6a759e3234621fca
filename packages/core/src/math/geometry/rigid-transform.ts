/**
 * Rigid transforms: twelve numbers, a rotation matrix R row by row, then a position p; x_outer = R x_inner + p.
 * Named `outerFromInner`, so that `compose(worldFromBone, boneFromTool)` is worldFromTool. `out` may be an input.
 */

import type { Mat3x4, MutableNumbers, Quat, Vec3 } from '../linear/types.js';
import { unset3, unset4, unset12 } from '../linear/unset.js';
import * as quat from './quat.js';

/** out = the identity. */
export function identity<T extends MutableNumbers = number[]>(out: T = unset12()): T {
  out[0] = out[4] = out[8] = 1;
  out[1] = out[2] = out[3] = out[5] = out[6] = out[7] = 0;
  out[9] = out[10] = out[11] = 0;
  return out;
}

/** out = m. */
export function copy<T extends MutableNumbers = number[]>(m: Mat3x4, out: T = unset12()): T {
  for (let i = 0; i < 12; i++) out[i] = m[i];
  return out;
}

/** out = a b: aFromC = compose(aFromB, bFromC). */
export function compose<T extends MutableNumbers = number[]>(a: Mat3x4, b: Mat3x4, out: T = unset12()): T {
  composeAt(a, 0, b, 0, out, 0);
  return out;
}

/** {@link compose} on packed arrays: out[o..o+11] = a[i..i+11] b[j..j+11]. Allocates nothing; out may overlap exactly. */
export function composeAt(a: Mat3x4, i: number, b: Mat3x4, j: number, out: MutableNumbers, o: number): void {
  const a0 = a[i];
  const a1 = a[i + 1];
  const a2 = a[i + 2];
  const a3 = a[i + 3];
  const a4 = a[i + 4];
  const a5 = a[i + 5];
  const a6 = a[i + 6];
  const a7 = a[i + 7];
  const a8 = a[i + 8];
  const a9 = a[i + 9];
  const a10 = a[i + 10];
  const a11 = a[i + 11];
  const b0 = b[j];
  const b1 = b[j + 1];
  const b2 = b[j + 2];
  const b3 = b[j + 3];
  const b4 = b[j + 4];
  const b5 = b[j + 5];
  const b6 = b[j + 6];
  const b7 = b[j + 7];
  const b8 = b[j + 8];
  const b9 = b[j + 9];
  const b10 = b[j + 10];
  const b11 = b[j + 11];
  // R = R_a R_b
  out[o] = a0 * b0 + a1 * b3 + a2 * b6;
  out[o + 1] = a0 * b1 + a1 * b4 + a2 * b7;
  out[o + 2] = a0 * b2 + a1 * b5 + a2 * b8;
  out[o + 3] = a3 * b0 + a4 * b3 + a5 * b6;
  out[o + 4] = a3 * b1 + a4 * b4 + a5 * b7;
  out[o + 5] = a3 * b2 + a4 * b5 + a5 * b8;
  out[o + 6] = a6 * b0 + a7 * b3 + a8 * b6;
  out[o + 7] = a6 * b1 + a7 * b4 + a8 * b7;
  out[o + 8] = a6 * b2 + a7 * b5 + a8 * b8;
  // p = R_a p_b + p_a
  out[o + 9] = a0 * b9 + a1 * b10 + a2 * b11 + a9;
  out[o + 10] = a3 * b9 + a4 * b10 + a5 * b11 + a10;
  out[o + 11] = a6 * b9 + a7 * b10 + a8 * b11 + a11;
}

/**
 * out = m^-1 = (R^T, -R^T p), by transpose and negation (the lecture notes on constraints in a scene graph, section 2.2).
 * Valid only for a rigid m.
 */
export function inverse<T extends MutableNumbers = number[]>(m: Mat3x4, out: T = unset12()): T {
  const m0 = m[0];
  const m1 = m[1];
  const m2 = m[2];
  const m3 = m[3];
  const m4 = m[4];
  const m5 = m[5];
  const m6 = m[6];
  const m7 = m[7];
  const m8 = m[8];
  const x = m[9];
  const y = m[10];
  const z = m[11];
  out[0] = m0;
  out[1] = m3;
  out[2] = m6;
  out[3] = m1;
  out[4] = m4;
  out[5] = m7;
  out[6] = m2;
  out[7] = m5;
  out[8] = m8;
  out[9] = -(m0 * x + m3 * y + m6 * z);
  out[10] = -(m1 * x + m4 * y + m7 * z);
  out[11] = -(m2 * x + m5 * y + m8 * z);
  return out;
}

/** out = a^-1 b: aFromB from worldFromA and worldFromB. */
export function relative<T extends MutableNumbers = number[]>(a: Mat3x4, b: Mat3x4, out: T = unset12()): T {
  return compose(inverse(a), b, out);
}

/** out = R x + p: a point of the inner frame in the outer one. */
export function transformPoint<T extends MutableNumbers = number[]>(
  m: Mat3x4,
  x: Vec3,
  out: T = unset3(),
): T {
  const x0 = x[0];
  const x1 = x[1];
  const x2 = x[2];
  out[0] = m[0] * x0 + m[1] * x1 + m[2] * x2 + m[9];
  out[1] = m[3] * x0 + m[4] * x1 + m[5] * x2 + m[10];
  out[2] = m[6] * x0 + m[7] * x1 + m[8] * x2 + m[11];
  return out;
}

/** out = R x: a direction of the inner frame in the outer one. */
export function transformVector<T extends MutableNumbers = number[]>(
  m: Mat3x4,
  x: Vec3,
  out: T = unset3(),
): T {
  const x0 = x[0];
  const x1 = x[1];
  const x2 = x[2];
  out[0] = m[0] * x0 + m[1] * x1 + m[2] * x2;
  out[1] = m[3] * x0 + m[4] * x1 + m[5] * x2;
  out[2] = m[6] * x0 + m[7] * x1 + m[8] * x2;
  return out;
}

/** out = R^T (x - p): a point of the outer frame in the inner one. */
export function inverseTransformPoint<T extends MutableNumbers = number[]>(
  m: Mat3x4,
  x: Vec3,
  out: T = unset3(),
): T {
  const x0 = x[0] - m[9];
  const x1 = x[1] - m[10];
  const x2 = x[2] - m[11];
  out[0] = m[0] * x0 + m[3] * x1 + m[6] * x2;
  out[1] = m[1] * x0 + m[4] * x1 + m[7] * x2;
  out[2] = m[2] * x0 + m[5] * x1 + m[8] * x2;
  return out;
}

/** out = R^T x: a direction of the outer frame in the inner one. */
export function inverseTransformVector<T extends MutableNumbers = number[]>(
  m: Mat3x4,
  x: Vec3,
  out: T = unset3(),
): T {
  const x0 = x[0];
  const x1 = x[1];
  const x2 = x[2];
  out[0] = m[0] * x0 + m[3] * x1 + m[6] * x2;
  out[1] = m[1] * x0 + m[4] * x1 + m[7] * x2;
  out[2] = m[2] * x0 + m[5] * x1 + m[8] * x2;
  return out;
}

/** out = the transform with rotation q (unit) and position p. */
export function fromQuatPosition<T extends MutableNumbers = number[]>(
  q: Quat,
  p: Vec3,
  out: T = unset12(),
): T {
  const x = p[0];
  const y = p[1];
  const z = p[2];
  quat.toMatrix(q, out);
  out[9] = x;
  out[10] = y;
  out[11] = z;
  return out;
}

/** out = the unit quaternion of the rotation, w >= 0. */
export function toQuat<T extends MutableNumbers = number[]>(m: Mat3x4, out: T = unset4()): T {
  return quat.fromMatrix(m, out);
}

/** out = the position p. */
export function toPosition<T extends MutableNumbers = number[]>(m: Mat3x4, out: T = unset3()): T {
  out[0] = m[9];
  out[1] = m[10];
  out[2] = m[11];
  return out;
}
