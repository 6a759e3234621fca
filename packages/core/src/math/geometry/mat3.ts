/** 3x3 matrices: nine numbers row by row, acting on column vectors. `out` may be an input. */
import { DomainError } from '../../errors.js';
import type { Mat3, MutableNumbers, Vec3 } from '../linear/types.js';
import { unset3, unset9 } from '../linear/unset.js';

/** out[0..8] = the nine numbers. */
export function set<T extends MutableNumbers>(
  m00: number,
  m01: number,
  m02: number,
  m10: number,
  m11: number,
  m12: number,
  m20: number,
  m21: number,
  m22: number,
  out: T,
): T {
  out[0] = m00;
  out[1] = m01;
  out[2] = m02;
  out[3] = m10;
  out[4] = m11;
  out[5] = m12;
  out[6] = m20;
  out[7] = m21;
  out[8] = m22;
  return out;
}

/** out = I. */
export function identity<T extends MutableNumbers = number[]>(out: T = unset9()): T {
  return set(1, 0, 0, 0, 1, 0, 0, 0, 1, out);
}

/** out = m. */
export function copy<T extends MutableNumbers = number[]>(m: Mat3, out: T = unset9()): T {
  return set(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], out);
}

/** out = m^T. */
export function transpose<T extends MutableNumbers = number[]>(m: Mat3, out: T = unset9()): T {
  return set(m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8], out);
}

/** out = a b. */
export function multiply<T extends MutableNumbers = number[]>(a: Mat3, b: Mat3, out: T = unset9()): T {
  const a0 = a[0];
  const a1 = a[1];
  const a2 = a[2];
  const a3 = a[3];
  const a4 = a[4];
  const a5 = a[5];
  const a6 = a[6];
  const a7 = a[7];
  const a8 = a[8];
  const b0 = b[0];
  const b1 = b[1];
  const b2 = b[2];
  const b3 = b[3];
  const b4 = b[4];
  const b5 = b[5];
  const b6 = b[6];
  const b7 = b[7];
  const b8 = b[8];
  out[0] = a0 * b0 + a1 * b3 + a2 * b6;
  out[1] = a0 * b1 + a1 * b4 + a2 * b7;
  out[2] = a0 * b2 + a1 * b5 + a2 * b8;
  out[3] = a3 * b0 + a4 * b3 + a5 * b6;
  out[4] = a3 * b1 + a4 * b4 + a5 * b7;
  out[5] = a3 * b2 + a4 * b5 + a5 * b8;
  out[6] = a6 * b0 + a7 * b3 + a8 * b6;
  out[7] = a6 * b1 + a7 * b4 + a8 * b7;
  out[8] = a6 * b2 + a7 * b5 + a8 * b8;
  return out;
}

/** out = a + b. */
export function add<T extends MutableNumbers = number[]>(a: Mat3, b: Mat3, out: T = unset9()): T {
  for (let i = 0; i < 9; i++) out[i] = a[i] + b[i];
  return out;
}

/** out = a - b. */
export function subtract<T extends MutableNumbers = number[]>(a: Mat3, b: Mat3, out: T = unset9()): T {
  for (let i = 0; i < 9; i++) out[i] = a[i] - b[i];
  return out;
}

/** out = s m. */
export function scale<T extends MutableNumbers = number[]>(m: Mat3, s: number, out: T = unset9()): T {
  for (let i = 0; i < 9; i++) out[i] = s * m[i];
  return out;
}

/** out = m v. */
export function multiplyVector<T extends MutableNumbers = number[]>(m: Mat3, v: Vec3, out: T = unset3()): T {
  const x = v[0];
  const y = v[1];
  const z = v[2];
  out[0] = m[0] * x + m[1] * y + m[2] * z;
  out[1] = m[3] * x + m[4] * y + m[5] * z;
  out[2] = m[6] * x + m[7] * y + m[8] * z;
  return out;
}

/** out = m^T v. */
export function transposeMultiplyVector<T extends MutableNumbers = number[]>(
  m: Mat3,
  v: Vec3,
  out: T = unset3(),
): T {
  const x = v[0];
  const y = v[1];
  const z = v[2];
  out[0] = m[0] * x + m[3] * y + m[6] * z;
  out[1] = m[1] * x + m[4] * y + m[7] * z;
  out[2] = m[2] * x + m[5] * y + m[8] * z;
  return out;
}

/** out = [v], the cross-product matrix: [v] u = v x u. */
export function skew<T extends MutableNumbers = number[]>(v: Vec3, out: T = unset9()): T {
  return set(0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0, out);
}

/** out = a b^T. */
export function outer<T extends MutableNumbers = number[]>(a: Vec3, b: Vec3, out: T = unset9()): T {
  const ax = a[0];
  const ay = a[1];
  const az = a[2];
  const bx = b[0];
  const by = b[1];
  const bz = b[2];
  return set(ax * bx, ax * by, ax * bz, ay * bx, ay * by, ay * bz, az * bx, az * by, az * bz, out);
}

/** det m */
export function determinant(m: Mat3): number {
  return (
    m[0] * (m[4] * m[8] - m[5] * m[7]) +
    m[1] * (m[5] * m[6] - m[3] * m[8]) +
    m[2] * (m[3] * m[7] - m[4] * m[6])
  );
}

/** Square root of the sum of the squared entries. */
export function frobeniusNorm(m: Mat3): number {
  return Math.hypot(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]);
}

/** Sum of the absolute values of the six products of the determinant: the scale of its rounding error. */
function determinantScale(m: Mat3): number {
  return (
    Math.abs(m[0] * m[4] * m[8]) +
    Math.abs(m[0] * m[5] * m[7]) +
    Math.abs(m[1] * m[5] * m[6]) +
    Math.abs(m[1] * m[3] * m[8]) +
    Math.abs(m[2] * m[3] * m[7]) +
    Math.abs(m[2] * m[4] * m[6])
  );
}

/**
 * out = m^-1 by cofactors.
 * @throws DomainError `singular` when the determinant cannot be told from zero in double precision.
 */
export function inverse<T extends MutableNumbers = number[]>(m: Mat3, out: T = unset9()): T {
  const c0 = m[4] * m[8] - m[5] * m[7];
  const c1 = m[5] * m[6] - m[3] * m[8];
  const c2 = m[3] * m[7] - m[4] * m[6];
  const det = m[0] * c0 + m[1] * c1 + m[2] * c2;
  if (!(Math.abs(det) > 4 * Number.EPSILON * determinantScale(m)) || !Number.isFinite(1 / det)) {
    throw new DomainError('singular', `the matrix has determinant ${det} and no inverse.`, {
      path: 'mat3.inverse(m)',
      remedy: 'Give a finite matrix whose columns are independent (no scale of zero).',
    });
  }
  const r = 1 / det;
  return set(
    r * c0,
    r * (m[2] * m[7] - m[1] * m[8]),
    r * (m[1] * m[5] - m[2] * m[4]),
    r * c1,
    r * (m[0] * m[8] - m[2] * m[6]),
    r * (m[2] * m[3] - m[0] * m[5]),
    r * c2,
    r * (m[1] * m[6] - m[0] * m[7]),
    r * (m[0] * m[4] - m[1] * m[3]),
    out,
  );
}

/**
 * out = x with m x = b.
 * @throws DomainError `singular` as {@link inverse}.
 */
export function solve<T extends MutableNumbers = number[]>(m: Mat3, b: Vec3, out: T = unset3()): T {
  return multiplyVector(inverse(m), b, out);
}

/**
 * Orthogonal factor Q of the polar decomposition M = Q P, P symmetric positive definite: the orthogonal matrix nearest to
 * M. By Newton's iteration X <- (g X + (g X)^-T) / 2 with Frobenius scaling g (Higham, *Functions of Matrices*, 8.6):
 * quadratic, and it keeps the sign of the determinant.
 * @throws DomainError `singular` when M has no inverse.
 */
export function orthogonalFactor(m: Mat3): number[] {
  let x = copy(m);
  for (let step = 0; step < 60; step++) {
    const inverseTranspose = transpose(inverse(x));
    const g = Math.sqrt(frobeniusNorm(inverseTranspose) / frobeniusNorm(x));
    const next = scale(add(scale(x, g), scale(inverseTranspose, 1 / g)), 0.5);
    const change = frobeniusNorm(subtract(next, x));
    x = next;
    // Quadratic convergence: the remaining error is of the order of change^2.
    if (change < 1e-9) break;
  }
  return x;
}

/**
 * The nearest rotation to M where det M > 0; for a mirrored M the negative of its orthogonal factor.
 * @throws DomainError `singular` when M has no inverse.
 */
export function rotationFactor(m: Mat3): number[] {
  const q = orthogonalFactor(m);
  return determinant(q) < 0 ? scale(q, -1) : q;
}
