/**
 * Affine transforms: twelve numbers, any 3x3 matrix M row by row, then a position p; x_outer = M x_inner + p.
 * For scaled bases and imported matrices; rigid ones have the cheaper inverse of `rigid`. `out` may be an input.
 */
import { DomainError } from '../../errors.js';
import type { Mat3x4, MutableNumbers, Numbers, Quat, Vec3 } from '../linear/types.js';
import { unset12 } from '../linear/unset.js';
import * as mat3 from './mat3.js';
import * as quat from './quat.js';

export { compose, composeAt, copy, identity, transformPoint, transformVector } from './rigid-transform.js';

/**
 * out = m^-1 = (M^-1, -M^-1 p).
 * @throws DomainError `singular` when M has no inverse in double precision, as with a scale of zero.
 */
export function inverse<T extends MutableNumbers = number[]>(m: Mat3x4, out: T = unset12()): T {
  const x = m[9];
  const y = m[10];
  const z = m[11];
  mat3.inverse(m, out);
  out[9] = -(out[0] * x + out[1] * y + out[2] * z);
  out[10] = -(out[3] * x + out[4] * y + out[5] * z);
  out[11] = -(out[6] * x + out[7] * y + out[8] * z);
  return out;
}

/** out = translate(position) rotate(rotation) scale(factors), glTF's TRS order; rotation a unit quaternion. */
export function fromTranslationRotationScale<T extends MutableNumbers = number[]>(
  position: Vec3,
  rotation: Quat,
  factors: Vec3,
  out: T = unset12(),
): T {
  const [sx, sy, sz] = [factors[0], factors[1], factors[2]];
  const [px, py, pz] = [position[0], position[1], position[2]];
  quat.toMatrix(rotation, out);
  for (let row = 0; row < 9; row += 3) {
    out[row] *= sx;
    out[row + 1] *= sy;
    out[row + 2] *= sz;
  }
  out[9] = px;
  out[10] = py;
  out[11] = pz;
  return out;
}

/** out = the transform of a 4x4 matrix given as 16 numbers row by row, as textbooks print it. */
export function fromRowMajor4<T extends MutableNumbers = number[]>(m: Numbers, out: T = unset12()): T {
  requireAffineRow(m[12], m[13], m[14], m[15], 'affine.fromRowMajor4(m)');
  const p = [m[3], m[7], m[11]];
  mat3.set(m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10], out);
  out[9] = p[0];
  out[10] = p[1];
  out[11] = p[2];
  return out;
}

/** out = the transform of a 4x4 matrix given as 16 numbers column by column, as glTF and three.js store it. */
export function fromColumnMajor4<T extends MutableNumbers = number[]>(m: Numbers, out: T = unset12()): T {
  requireAffineRow(m[3], m[7], m[11], m[15], 'affine.fromColumnMajor4(m)');
  const p = [m[12], m[13], m[14]];
  mat3.set(m[0], m[4], m[8], m[1], m[5], m[9], m[2], m[6], m[10], out);
  out[9] = p[0];
  out[10] = p[1];
  out[11] = p[2];
  return out;
}

/** out = 16 numbers column by column (glTF, three.js, WebGL), last row (0, 0, 0, 1). */
export function toColumnMajor4<T extends MutableNumbers = number[]>(
  m: Mat3x4,
  out: T = new Array<number>(16).fill(0) as MutableNumbers as T,
): T {
  const [x, y, z] = [m[9], m[10], m[11]];
  const [m0, m1, m2, m3, m4, m5, m6, m7, m8] = [m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]];
  mat3.set(m0, m3, m6, 0, m1, m4, m7, 0, m2, out);
  out[9] = m5;
  out[10] = m8;
  out[11] = 0;
  out[12] = x;
  out[13] = y;
  out[14] = z;
  out[15] = 1;
  return out;
}

/** Refuses a projective last row, which twelve numbers cannot store. */
function requireAffineRow(a: number, b: number, c: number, d: number, path: string): void {
  if (a === 0 && b === 0 && c === 0 && d === 1) return;
  throw new DomainError('unsupported', `the last row is (${a}, ${b}, ${c}, ${d}).`, {
    path,
    remedy: 'Give an affine matrix, whose last row is (0, 0, 0, 1).',
  });
}
