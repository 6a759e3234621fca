import { nearestAngle } from '../../../figure/joints/joint.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Vec3 } from '../../../math/linear/types.js';

const TWO_PI = 2 * Math.PI;

/** Of unit vectors, a part across an axis shorter than this has no direction: it is rounding. */
export const MIN_LENGTH = 2e-15;

/** v turned by an angle about a unit axis: v + sin [a]v + (1 - cos) [a]^2 v. */
export function rotateAbout(axis: Vec3, angle: number, v: Vec3): number[] {
  const across = vec3.cross(axis, v);
  const half = Math.sin(0.5 * angle);
  const out = vec3.addScaled(v, across, Math.sin(angle));
  return vec3.addScaled(out, vec3.cross(axis, across), 2 * half * half, out);
}

/**
 * The turn about a unit axis that brings a direction nearest to another: with both at height over the axis's plane, the
 * cosine between them is (const) + amplitude cos(x - turn). Amplitude 0: no turn is better than another, and `turn` is 0.
 */
export function bestAngle(axis: Vec3, from: Vec3, to: Vec3): { turn: number; amplitude: number } {
  const ax = axis[0];
  const ay = axis[1];
  const az = axis[2];
  // Across the axis, a quarter turn on: axis x from, axis x to.
  const fx = ay * from[2] - az * from[1];
  const fy = az * from[0] - ax * from[2];
  const fz = ax * from[1] - ay * from[0];
  const tx = ay * to[2] - az * to[1];
  const ty = az * to[0] - ax * to[2];
  const tz = ax * to[1] - ay * to[0];
  const amplitude = Math.sqrt((fx * fx + fy * fy + fz * fz) * (tx * tx + ty * ty + tz * tz));
  if (!(amplitude > MIN_LENGTH)) return { turn: 0, amplitude: 0 };
  const sine = ax * (fy * tz - fz * ty) + ay * (fz * tx - fx * tz) + az * (fx * ty - fy * tx);
  return { turn: Math.atan2(sine, fx * tx + fy * ty + fz * tz), amplitude };
}

/** Of the angles a whole turn apart from x, the allowed one nearest to `near`; NaN where none is allowed. */
export function allowedAngle(x: number, near: number, [least, greatest]: readonly number[]): number {
  let angle = nearestAngle(x, near);
  if (angle < least) angle += TWO_PI * Math.ceil((least - angle) / TWO_PI);
  else if (angle > greatest) angle -= TWO_PI * Math.ceil((angle - greatest) / TWO_PI);
  return angle >= least && angle <= greatest ? angle : Number.NaN;
}

/** The allowed angle that is best for amplitude cos(x - best): best itself, a whole turn from it, or the better end. */
export function bestAllowedAngle(best: number, near: number, interval: readonly number[]): number {
  const allowed = allowedAngle(best, near, interval);
  if (!Number.isNaN(allowed)) return allowed;
  const [least, greatest] = interval;
  const overLeast = Math.abs(nearestAngle(best - least, 0));
  const overGreatest = Math.abs(nearestAngle(best - greatest, 0));
  if (Math.abs(overLeast - overGreatest) < 1e-15) return near - least <= greatest - near ? least : greatest;
  return overLeast < overGreatest ? least : greatest;
}
