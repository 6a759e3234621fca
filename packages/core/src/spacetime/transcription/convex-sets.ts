/**
 * Convex sets of control points: joint limits, friction cones, bounds of the time scaling. A B-spline lies in the convex hull of its
 * control points, so a set that contains these contains the curve at every time.
 */

import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import type { LimitShape } from '../../math/optimization/active-limits.js';

/** A convex set of `size` consecutive unknowns, the first at index `at`. */
export interface ConvexSet {
  readonly at: number;
  readonly size: number;
  readonly shape: LimitShape;
  readonly parameters: Numbers;
  /** Name in reports: a bone's limit, a contact's friction, the timing. */
  readonly label: string;
  /** Whether it bounds the time scaling. */
  readonly isTiming?: boolean;
}

/** Projects the unknowns onto the sets. */
export function project(sets: readonly ConvexSet[], unknowns: MutableNumbers): void {
  for (let k = 0; k < sets.length; k++) {
    const { shape, parameters, at, size } = sets[k];
    shape.project(parameters, unknowns, at, size);
  }
}

/** Shapes of several parameters store them as an array. */
function parameterArray(parameters: Numbers): readonly number[] {
  return parameters as readonly number[];
}

/** Scales a projected point inwards, so that rounding leaves it inside. */
const INWARD = 1 - 4 * Number.EPSILON;

/**
 * Friction cone |f_t| <= mu f_n, f = f_n n + f_t, with the projection onto it (cone projection). Parameters: unit normal n, mu. g = |f_t| -
 * mu f_n has no gradient at the apex.
 */
export const coneShape: LimitShape = {
  value(p, q, i) {
    const [nx, ny, nz, mu] = parameterArray(p);
    const normal = nx * q[i] + ny * q[i + 1] + nz * q[i + 2];
    const x = q[i] - normal * nx;
    const y = q[i + 1] - normal * ny;
    const z = q[i + 2] - normal * nz;
    return Math.sqrt(x * x + y * y + z * z) - mu * normal;
  },
  gradient(p, q, i, _size, out, o) {
    const [nx, ny, nz, mu] = parameterArray(p);
    const normal = nx * q[i] + ny * q[i + 1] + nz * q[i + 2];
    const x = q[i] - normal * nx;
    const y = q[i + 1] - normal * ny;
    const z = q[i + 2] - normal * nz;
    const length = Math.sqrt(x * x + y * y + z * z);
    const scale = length > 0 ? 1 / length : 0;
    out[o] = scale * x - mu * nx;
    out[o + 1] = scale * y - mu * ny;
    out[o + 2] = scale * z - mu * nz;
  },
  hessian(p, q, i, _size, out, o) {
    const [nx, ny, nz] = parameterArray(p);
    const n = [nx, ny, nz];
    const normal = nx * q[i] + ny * q[i + 1] + nz * q[i + 2];
    const t = [q[i] - normal * nx, q[i + 1] - normal * ny, q[i + 2] - normal * nz];
    const length = Math.sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 3; c++) {
        const tangential = (r === c ? 1 : 0) - n[r] * n[c];
        out[o + 3 * r + c] = length > 0 ? (tangential - (t[r] * t[c]) / (length * length)) / length : 0;
      }
    }
  },
  project(p, q, i) {
    const [nx, ny, nz, mu] = parameterArray(p);
    const normal = nx * q[i] + ny * q[i + 1] + nz * q[i + 2];
    const x = q[i] - normal * nx;
    const y = q[i + 1] - normal * ny;
    const z = q[i + 2] - normal * nz;
    const length = Math.sqrt(x * x + y * y + z * z);
    if (length <= mu * normal) return false;
    // Axial coordinate of the nearest point of the cone; a force in the polar cone projects to the apex.
    const axial = (normal + mu * length) / (1 + mu * mu);
    // NaN must propagate.
    if (axial <= 0) {
      q[i] = 0;
      q[i + 1] = 0;
      q[i + 2] = 0;
      return true;
    }
    const scale = length > 0 ? (INWARD * mu * axial) / length : 0;
    q[i] = axial * nx + scale * x;
    q[i + 1] = axial * ny + scale * y;
    q[i + 2] = axial * nz + scale * z;
    return true;
  },
};

/** Whether a point is the apex of a cone, where the boundary has no normal. */
export function isApex({ shape }: Pick<ConvexSet, 'shape'>, q: Numbers, i: number): boolean {
  return shape === coneShape && q[i] === 0 && q[i + 1] === 0 && q[i + 2] === 0;
}
