import { nearestAngle } from '../../../figure/joints/joint.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Vec3 } from '../../../math/linear/types.js';

const TWO_PI = 2 * Math.PI;

/** Length below which the component of a unit vector normal to an axis is rounding. */
export const MIN_LENGTH = 2e-15;

/** v rotated by an angle about a unit axis (Rodrigues): v + sin [a]v + (1 - cos) [a]^2 v. */
export function rotateAbout(axis: Vec3, angle: number, v: Vec3): number[] {
  const across = vec3.cross(axis, v);
  const half = Math.sin(0.5 * angle);
  const out = vec3.addScaled(v, across, Math.sin(angle));
  return vec3.addScaled(out, vec3.cross(axis, across), 2 * half * half, out);
}

/**
 * The angle about a unit axis that rotates a direction nearest to another: the cosine between them after a rotation by x is
 * constant + amplitude cos(x - angle). Amplitude 0: all angles are equivalent, and `angle` is 0.
 */
export function bestAngle(axis: Vec3, from: Vec3, to: Vec3): { angle: number; amplitude: number } {
  const ax = axis[0];
  const ay = axis[1];
  const az = axis[2];
  // The normal components rotated by a right angle: axis x from, axis x to.
  const fx = ay * from[2] - az * from[1];
  const fy = az * from[0] - ax * from[2];
  const fz = ax * from[1] - ay * from[0];
  const tx = ay * to[2] - az * to[1];
  const ty = az * to[0] - ax * to[2];
  const tz = ax * to[1] - ay * to[0];
  const amplitude = Math.sqrt((fx * fx + fy * fy + fz * fz) * (tx * tx + ty * ty + tz * tz));
  if (!(amplitude > MIN_LENGTH)) return { angle: 0, amplitude: 0 };
  const sine = ax * (fy * tz - fz * ty) + ay * (fz * tx - fx * tz) + az * (fx * ty - fy * tx);
  return { angle: Math.atan2(sine, fx * tx + fy * ty + fz * tz), amplitude };
}

/** Of the angles equal to x modulo 2 pi, the allowed one nearest to `near`; NaN where none is allowed. */
export function allowedAngle(x: number, near: number, [lower, upper]: readonly number[]): number {
  let angle = nearestAngle(x, near);
  if (angle < lower) angle += TWO_PI * Math.ceil((lower - angle) / TWO_PI);
  else if (angle > upper) angle -= TWO_PI * Math.ceil((angle - upper) / TWO_PI);
  return angle >= lower && angle <= upper ? angle : Number.NaN;
}

/** The allowed angle that maximizes cos(x - best): best modulo 2 pi, or the better bound. */
export function bestAllowedAngle(best: number, near: number, interval: readonly number[]): number {
  const allowed = allowedAngle(best, near, interval);
  if (!Number.isNaN(allowed)) return allowed;
  const [lower, upper] = interval;
  const overLower = Math.abs(nearestAngle(best - lower, 0));
  const overUpper = Math.abs(nearestAngle(best - upper, 0));
  if (Math.abs(overLower - overUpper) < 1e-15) return near - lower <= upper - near ? lower : upper;
  return overLower < overUpper ? lower : upper;
}
