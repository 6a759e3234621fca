/**
 * The Paden-Kahan subproblems (Paden 1986): rotations of a point or a direction to a target, in the form and numbering of A. Elias
 * and J. Wen, "IK-Geo: Unified robot inverse kinematics using subproblem decomposition" (2022).
 *
 * Axes are unit vectors through the origin, angles in rad. Each returns all solutions in (-pi, pi], double ones once. `free` gives the
 * angle where every angle is a solution.
 */

import { addScaled, cross, dot, scale, subtract } from '../../../math/geometry/vec3.js';
import type { Vec3 } from '../../../math/linear/types.js';
import { bestAngle } from '../aim/best-angle.js';
import { wrapAngle } from './angle-in-limits.js';

/** The value of an arbitrary angle. */
export type AnyAngle = () => number;

/** Excess of a cosine over 1 that is rounding (of the geometry, too): the arm is straight, the solution double. */
const COSINE_TOLERANCE = 1e-10;
/** Distance of a cosine from 1 at which two solutions are one: 1.4e-7 rad. */
const DOUBLE_ROOT = 1e-14;
/** Relative length below which a vector has no direction. */
const MIN_LENGTH = 1e-12;

/** v rotated by `angle` about a unit axis (Rodrigues): v cos + (k x v) sin + k (k.v) (1 - cos). */
export function rotate(k: Vec3, angle: number, v: Vec3): number[] {
  const c = Math.cos(angle);
  return addScaled(addScaled(scale(v, c), cross(k, v), Math.sin(angle)), k, dot(k, v) * (1 - c));
}

/** Subproblem 1: the angle about k that rotates p towards q; exact where |p| = |q| and k.p = k.q. */
export function rotateTowards(k: Vec3, p: Vec3, q: Vec3, free: AnyAngle): number {
  const { angle, amplitude } = bestAngle(k, p, q);
  return amplitude <= MIN_LENGTH * Math.sqrt(dot(p, p) * dot(q, q)) ? free() : angle;
}

/**
 * Subproblem 2: the pairs with R(k1, first) R(k2, second) p = q, for |p| = |q| and k1, k2 not parallel.
 *
 * z = R(k2, second) p = R(k1, -first) q has k2.z = k2.p, k1.z = k1.q and |z| = |p|: two points, mirrored by the plane of the axes.
 */
export function rotateTwice(
  k1: Vec3,
  k2: Vec3,
  p: Vec3,
  q: Vec3,
  free1: AnyAngle,
  free2: AnyAngle,
): [number, number][] {
  const normal = cross(k1, k2);
  const square = dot(normal, normal);
  const c = dot(k1, k2);
  const a = dot(k1, q);
  const b = dot(k2, p);
  const middle = addScaled(scale(k1, (a - c * b) / square), k2, (b - c * a) / square);
  const size = dot(p, p);
  // The squared component along the normal, as the square of a sine.
  const rest = (size - dot(middle, middle)) / size;
  if (rest < -2 * COSINE_TOLERANCE) return [];
  const aside = Math.sqrt(Math.max(rest, 0) * (size / square));
  const sides = rest <= 2 * DOUBLE_ROOT ? [0] : [aside, -aside];
  return sides.map((side) => {
    const z = addScaled(middle, normal, side);
    return [rotateTowards(k1, z, q, free1), rotateTowards(k2, p, z, free2)];
  });
}

/** Subproblem 3: the angles with |R(k, angle) p - q| = distance. */
export function rotateToDistance(k: Vec3, p: Vec3, q: Vec3, distance: number, free: AnyAngle): number[] {
  // Only the components normal to the axis rotate: |p'|^2 + |q'|^2 - 2 p'.q' = distance^2 - (k.(p - q))^2
  const along = dot(k, subtract(p, q));
  const across = (v: Vec3): number[] => addScaled(v, k, -dot(k, v));
  const [pa, qa] = [across(p), across(q)];
  const c = (dot(pa, pa) + dot(qa, qa) - (distance * distance - along * along)) / 2;
  // p'.q' cos(angle) + k.(p' x q') sin(angle) = c
  return solveSineCosine(dot(pa, qa), dot(k, cross(pa, qa)), c, dot(p, p) + dot(q, q), free);
}

/** Subproblem 4: the angles with h.R(k, angle) p = height. */
export function rotateToHeight(h: Vec3, k: Vec3, p: Vec3, height: number, free: AnyAngle): number[] {
  const along = dot(k, p);
  return solveSineCosine(
    dot(h, addScaled(p, k, -along)),
    dot(h, cross(k, p)),
    height - along * dot(h, k),
    Math.sqrt(dot(h, h) * dot(p, p)),
    free,
  );
}

/** The angles with a cos + b sin = c; terms below the rounding of `size` are zero. */
function solveSineCosine(a: number, b: number, c: number, size: number, free: AnyAngle): number[] {
  const amplitude = Math.hypot(a, b);
  if (amplitude <= MIN_LENGTH * size) return Math.abs(c) <= MIN_LENGTH * size ? [free()] : [];
  const x = c / amplitude;
  if (Math.abs(x) > 1 + COSINE_TOLERANCE) return [];
  const middle = Math.atan2(b, a);
  if (Math.abs(x) >= 1 - DOUBLE_ROOT) return [wrapAngle(x > 0 ? middle : middle + Math.PI)];
  const aside = Math.acos(x);
  return [wrapAngle(middle + aside), wrapAngle(middle - aside)];
}
