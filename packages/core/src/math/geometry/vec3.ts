/** Three-vectors: points, directions, rotation vectors. Inputs first, `out` last; `out` may be an input. */
import { DomainError } from '../../errors.js';
import type { MutableNumbers, Vec3 } from '../linear/types.js';
import { unset3 } from '../linear/unset.js';

/** out = (x, y, z). */
export function set<T extends MutableNumbers>(x: number, y: number, z: number, out: T): T {
  out[0] = x;
  out[1] = y;
  out[2] = z;
  return out;
}

/** out = a. */
export function copy<T extends MutableNumbers = number[]>(a: Vec3, out: T = unset3()): T {
  return set(a[0], a[1], a[2], out);
}

/** out = a + b. */
export function add<T extends MutableNumbers = number[]>(a: Vec3, b: Vec3, out: T = unset3()): T {
  return set(a[0] + b[0], a[1] + b[1], a[2] + b[2], out);
}

/** out = a - b. */
export function subtract<T extends MutableNumbers = number[]>(a: Vec3, b: Vec3, out: T = unset3()): T {
  return set(a[0] - b[0], a[1] - b[1], a[2] - b[2], out);
}

/** out = s a. */
export function scale<T extends MutableNumbers = number[]>(a: Vec3, s: number, out: T = unset3()): T {
  return set(s * a[0], s * a[1], s * a[2], out);
}

/** out = a + s b. */
export function addScaled<T extends MutableNumbers = number[]>(
  a: Vec3,
  b: Vec3,
  s: number,
  out: T = unset3(),
): T {
  return set(a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2], out);
}

/** out = -a. */
export function negate<T extends MutableNumbers = number[]>(a: Vec3, out: T = unset3()): T {
  return set(-a[0], -a[1], -a[2], out);
}

/** a + t (b - a); exactly a at t = 0 and b at t = 1. */
export function lerp<T extends MutableNumbers = number[]>(a: Vec3, b: Vec3, t: number, out: T = unset3()): T {
  const s = 1 - t;
  return set(s * a[0] + t * b[0], s * a[1] + t * b[1], s * a[2] + t * b[2], out);
}

/** a . b */
export function dot(a: Vec3, b: Vec3): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** out = a x b. */
export function cross<T extends MutableNumbers = number[]>(a: Vec3, b: Vec3, out: T = unset3()): T {
  return set(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0], out);
}

/** |a|^2. Underflows below 1e-162; use {@link norm} where that matters. */
export function normSquared(a: Vec3): number {
  return a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
}

/** |a|, also where |a|^2 would underflow or overflow. */
export function norm(a: Vec3): number {
  return length(a[0], a[1], a[2]);
}

/** |(x, y, z)| without underflow or overflow: plain inside the safe range, scaled outside. */
export function length(x: number, y: number, z: number): number {
  const squared = x * x + y * y + z * z;
  if (squared > 1e-280 && squared < 1e280) return Math.sqrt(squared);
  const largest = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
  if (largest === 0 || !(largest < Infinity)) return largest;
  // A power of two rounds nothing. 2^600 lifts 1e-308 and even the least subnormal well above underflow of its square.
  const by = largest > 1 ? 2 ** -600 : 2 ** 600;
  return Math.sqrt((x * by) ** 2 + (y * by) ** 2 + (z * by) ** 2) / by;
}

/** |a - b| */
export function distance(a: Vec3, b: Vec3): number {
  return length(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/**
 * out = a / |a|.
 * @throws DomainError `out-of-range` for the zero vector, which has no direction, and for a vector that is not finite.
 */
export function normalize<T extends MutableNumbers = number[]>(a: Vec3, out: T = unset3()): T {
  const size = norm(a);
  if (!(size > 0 && size < Infinity)) {
    throw new DomainError('out-of-range', `a vector of length ${size} has no direction.`, {
      path: 'vec3.normalize(a)',
      remedy: 'Give a finite vector that is not zero.',
    });
  }
  // A subnormal length has few digits: scale the vector up first.
  if (size < 1e-290) return normalize(scale(a, 2 ** 600), out);
  return set(a[0] / size, a[1] / size, a[2] / size, out);
}

/** A unit vector normal to `a` (not zero), from the axis of the smallest entry of `a` to avoid cancellation. */
export function perpendicular<T extends MutableNumbers = number[]>(a: Vec3, out: T = unset3()): T {
  const [x, y, z] = normalize(a);
  const ax = Math.abs(x);
  const ay = Math.abs(y);
  const az = Math.abs(z);
  if (ax <= ay && ax <= az) set(0, -z, y, out);
  else if (ay <= az) set(z, 0, -x, out);
  else set(-y, x, 0, out);
  return normalize(out, out);
}

/** Whether all three numbers are finite. */
export function allFinite(a: Vec3): boolean {
  return Number.isFinite(a[0]) && Number.isFinite(a[1]) && Number.isFinite(a[2]);
}
