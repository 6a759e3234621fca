/** Quaternions `[x, y, z, w]`, Hamilton product; b a means: first a, then b. Active: v' = q v q^-1. */
import { DomainError } from '../../errors.js';
import type { Mat3, MutableNumbers, Quat, Vec3 } from '../linear/types.js';
import { unset3, unset4, unset9 } from '../linear/unset.js';

/** out = (x, y, z, w). */
export function set<T extends MutableNumbers>(x: number, y: number, z: number, w: number, out: T): T {
  out[0] = x;
  out[1] = y;
  out[2] = z;
  out[3] = w;
  return out;
}

/** out = 1, no rotation. */
export function identity<T extends MutableNumbers = number[]>(out: T = unset4()): T {
  return set(0, 0, 0, 1, out);
}

/** out = q. */
export function copy<T extends MutableNumbers = number[]>(q: Quat, out: T = unset4()): T {
  return set(q[0], q[1], q[2], q[3], out);
}

/** out = b a, the Hamilton product `multiply(b, a)`: rotate by a first, then by b. */
export function multiply<T extends MutableNumbers = number[]>(b: Quat, a: Quat, out: T = unset4()): T {
  const bx = b[0];
  const by = b[1];
  const bz = b[2];
  const bw = b[3];
  const ax = a[0];
  const ay = a[1];
  const az = a[2];
  const aw = a[3];
  return set(
    bw * ax + bx * aw + by * az - bz * ay,
    bw * ay - bx * az + by * aw + bz * ax,
    bw * az + bx * ay - by * ax + bz * aw,
    bw * aw - bx * ax - by * ay - bz * az,
    out,
  );
}

/** out = q with its vector part negated: the inverse of a unit quaternion. */
export function conjugate<T extends MutableNumbers = number[]>(q: Quat, out: T = unset4()): T {
  return set(-q[0], -q[1], -q[2], q[3], out);
}

/** out = -q: the same rotation. */
export function negate<T extends MutableNumbers = number[]>(q: Quat, out: T = unset4()): T {
  return set(-q[0], -q[1], -q[2], -q[3], out);
}

/** a . b in four dimensions: the cosine of half the angle between two rotations, up to sign. */
export function dot(a: Quat, b: Quat): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/** |q|, also where |q|^2 would underflow or overflow. */
export function norm(q: Quat): number {
  const squared = dot(q, q);
  if (squared > 1e-280 && squared < 1e280) return Math.sqrt(squared);
  return Math.hypot(q[0], q[1], q[2], q[3]);
}

/**
 * out = q / |q|.
 * @throws DomainError `out-of-range` for the zero quaternion and for one that is not finite.
 */
export function normalize<T extends MutableNumbers = number[]>(q: Quat, out: T = unset4()): T {
  const size = norm(q);
  if (!(size > 0 && size < Infinity)) {
    throw new DomainError('out-of-range', `a quaternion of length ${size} is no rotation.`, {
      path: 'quat.normalize(q)',
      remedy: 'Give a finite quaternion that is not zero.',
    });
  }
  for (let k = 0; k < 4; k++) out[k] = q[k] / size;
  return out;
}

/** out = q v q^-1 for a unit quaternion: v + 2 w (u x v) + 2 u x (u x v), u the vector part. */
export function rotate<T extends MutableNumbers = number[]>(q: Quat, v: Vec3, out: T = unset3()): T {
  const x = q[0];
  const y = q[1];
  const z = q[2];
  const w = q[3];
  const vx = v[0];
  const vy = v[1];
  const vz = v[2];
  // t = 2 u x v
  const tx = 2 * (y * vz - z * vy);
  const ty = 2 * (z * vx - x * vz);
  const tz = 2 * (x * vy - y * vx);
  out[0] = vx + w * tx + (y * tz - z * ty);
  out[1] = vy + w * ty + (z * tx - x * tz);
  out[2] = vz + w * tz + (x * ty - y * tx);
  return out;
}

/** out = rotation by `angle` (rad) about the unit vector `axis`. */
export function fromAxisAngle<T extends MutableNumbers = number[]>(
  axis: Vec3,
  angle: number,
  out: T = unset4(),
): T {
  const s = Math.sin(0.5 * angle);
  return set(s * axis[0], s * axis[1], s * axis[2], Math.cos(0.5 * angle), out);
}

/** out = 3x3 rotation matrix (9 numbers, row by row) of a unit quaternion. */
export function toMatrix<T extends MutableNumbers = number[]>(q: Quat, out: T = unset9()): T {
  const x = q[0];
  const y = q[1];
  const z = q[2];
  const w = q[3];
  const x2 = x + x;
  const y2 = y + y;
  const z2 = z + z;
  out[0] = 1 - (y * y2 + z * z2);
  out[1] = x * y2 - w * z2;
  out[2] = x * z2 + w * y2;
  out[3] = x * y2 + w * z2;
  out[4] = 1 - (x * x2 + z * z2);
  out[5] = y * z2 - w * x2;
  out[6] = x * z2 - w * y2;
  out[7] = y * z2 + w * x2;
  out[8] = 1 - (x * x2 + y * y2);
  return out;
}

/**
 * out = unit quaternion of a rotation matrix (9 numbers, row by row), by the largest pivot: of the four
 * numbers 4x^2, 4y^2, 4z^2, 4w^2 read off the diagonal, the largest is at least 1, so nothing cancels.
 * The sign makes w >= 0. A matrix a little off orthonormal gives a nearby unit quaternion.
 */
export function fromMatrix<T extends MutableNumbers = number[]>(m: Mat3, out: T = unset4()): T {
  const xx = 1 + m[0] - m[4] - m[8];
  const yy = 1 - m[0] + m[4] - m[8];
  const zz = 1 - m[0] - m[4] + m[8];
  const ww = 1 + m[0] + m[4] + m[8];
  const xy = m[3] + m[1];
  const xz = m[2] + m[6];
  const yz = m[7] + m[5];
  const xw = m[7] - m[5];
  const yw = m[2] - m[6];
  const zw = m[3] - m[1];
  let x = xz;
  let y = yz;
  let z = zz;
  let w = zw;
  if (ww >= xx && ww >= yy && ww >= zz) {
    x = xw;
    y = yw;
    z = zw;
    w = ww;
  } else if (xx >= yy && xx >= zz) {
    x = xx;
    y = xy;
    z = xz;
    w = xw;
  } else if (yy >= zz) {
    x = xy;
    y = yy;
    z = yz;
    w = yw;
  }
  const squared = x * x + y * y + z * z + w * w;
  const length = squared > 1e-280 && squared < 1e280 ? Math.sqrt(squared) : Math.hypot(x, y, z, w);
  const size = w < 0 ? -length : length;
  out[0] = x / size;
  out[1] = y / size;
  out[2] = z / size;
  out[3] = w / size;
  return out;
}

/** Angle in [0, pi] of the rotation from a to b, two unit quaternions; exact to rounding near 0 and near pi. */
export function angleBetween(a: Quat, b: Quat): number {
  // |vector part of a^-1 b| and |w|: atan2 keeps the small one's digits.
  const x = a[3] * b[0] - a[0] * b[3] - a[1] * b[2] + a[2] * b[1];
  const y = a[3] * b[1] + a[0] * b[2] - a[1] * b[3] - a[2] * b[0];
  const z = a[3] * b[2] - a[0] * b[1] + a[1] * b[0] - a[2] * b[3];
  return 2 * Math.atan2(Math.hypot(x, y, z), Math.abs(dot(a, b)));
}
