import type { Quat, Vec3 } from 'poise/math';

/** A way to write the orientation of a free rigid body, with how fast it turns: y, `size` numbers. */
export interface OrientationState {
  readonly id: 'vector' | 'quaternion' | 'autonormalized' | 'euler';
  readonly name: string;
  readonly size: number;
  /** How many of the numbers are the orientation: the first ones. */
  readonly coordinates: 3 | 4;
  /** Writes y for a unit quaternion and an angular velocity in body axes, rad/s. */
  start(attitude: Quat, spin: Vec3, y: Float64Array): void;
  /** y', without torque. */
  slope(y: Float64Array, out: Float64Array): void;
  /** What is done between steps; gives what that took off |q| - 1, or 0 where there is no such repair. */
  settle(y: Float64Array): number;
  /** Quaternion x, y, z, w as long as it is, and angular velocity in body axes: 7 numbers. */
  read(y: Float64Array, out: Float64Array): void;
  /** Smallest over largest singular value of what has to be inverted for y': 1 is best, 0 cannot be solved. */
  reciprocalCondition(y: Float64Array): number;
}

/** Euler's equations without torque: w' in body axes, of the w at y[o..o+2]. */
export function writeSpinRate(inertia: Vec3, y: Float64Array, out: Float64Array, o: number): void {
  const [A, B, C] = [inertia[0], inertia[1], inertia[2]];
  const [a, b, c] = [y[o], y[o + 1], y[o + 2]];
  out[o] = ((B - C) / A) * b * c;
  out[o + 1] = ((C - A) / B) * c * a;
  out[o + 2] = ((A - B) / C) * a * b;
}
