import type { Quat, Vec3 } from 'poise/math';

/** A state vector y of a free rigid body: orientation and angular velocity (or rates), `size` numbers. */
export interface OrientationState {
  readonly id: 'vector' | 'quaternion' | 'autonormalized' | 'euler';
  readonly name: string;
  readonly size: number;
  /** Number of orientation coordinates: the first ones. */
  readonly coordinates: 3 | 4;
  /** Writes y for a unit quaternion and an angular velocity in body axes, rad/s. */
  start(attitude: Quat, spin: Vec3, y: Float64Array): void;
  /** y', without torque. */
  slope(y: Float64Array, out: Float64Array): void;
  /** Correction between steps; returns the norm error |q| - 1 removed, or 0 without one. */
  normalize(y: Float64Array): number;
  /** Quaternion x, y, z, w, not normalized, and angular velocity in body axes: 7 numbers. */
  read(y: Float64Array, out: Float64Array): void;
  /** Reciprocal condition number of the matrix inverted for y': 1 is best, 0 singular. */
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
