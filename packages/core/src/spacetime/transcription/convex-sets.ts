/**
 * What unknown numbers may be: convex sets over control points. A B-spline lies in the hull of its control points, so what holds for these
 * holds at every moment. Joint limits, cones of friction, bounds of the timing.
 */
import type { LimitShape } from '../../figure/limits/limit.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';

/** A set over `size` unknowns from `at` on. */
export interface ConvexSet {
  readonly at: number;
  readonly size: number;
  readonly shape: LimitShape;
  readonly parameters: Numbers;
  /** What reports say is reached: a bone's limit, a contact's friction, the timing. */
  readonly label: string;
  /** A number of the timing. */
  readonly isTiming?: boolean;
}

/** Moves unknowns to the nearest that are allowed. */
export function project(sets: readonly ConvexSet[], unknowns: MutableNumbers): void {
  for (let k = 0; k < sets.length; k++) {
    const { shape, parameters, at, size } = sets[k];
    shape.project(parameters, unknowns, at, size);
  }
}

/** Parameters are arrays where a set has several numbers. */
function four(parameters: Numbers): readonly number[] {
  return parameters as readonly number[];
}

/** Draws a point in that rounding has left outside. */
const INSIDE = 1 - 4 * Number.EPSILON;

/**
 * The cone of friction: |f_t| <= mu f_n, f = f_n n + f_t. Parameters: unit normal n, mu. g = |f_t| - mu f_n; at the tip it has no gradient.
 */
export const coneShape: LimitShape = {
  value(p, q, i) {
    const [nx, ny, nz, mu] = four(p);
    const normal = nx * q[i] + ny * q[i + 1] + nz * q[i + 2];
    const x = q[i] - normal * nx;
    const y = q[i + 1] - normal * ny;
    const z = q[i + 2] - normal * nz;
    return Math.sqrt(x * x + y * y + z * z) - mu * normal;
  },
  gradient(p, q, i, _size, out, o) {
    const [nx, ny, nz, mu] = four(p);
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
    const [nx, ny, nz] = four(p);
    const n = [nx, ny, nz];
    const normal = nx * q[i] + ny * q[i + 1] + nz * q[i + 2];
    const t = [q[i] - normal * nx, q[i + 1] - normal * ny, q[i + 2] - normal * nz];
    const length = Math.sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 3; c++) {
        const flat = (r === c ? 1 : 0) - n[r] * n[c];
        out[o + 3 * r + c] = length > 0 ? (flat - (t[r] * t[c]) / (length * length)) / length : 0;
      }
    }
  },
  project(p, q, i) {
    const [nx, ny, nz, mu] = four(p);
    const normal = nx * q[i] + ny * q[i + 1] + nz * q[i + 2];
    const x = q[i] - normal * nx;
    const y = q[i + 1] - normal * ny;
    const z = q[i + 2] - normal * nz;
    const length = Math.sqrt(x * x + y * y + z * z);
    if (length <= mu * normal) return false;
    // Along the axis of the cone's face that is nearest; what pulls is nearest to the tip.
    const along = (normal + mu * length) / (1 + mu * mu);
    // NaN must show.
    if (along <= 0) {
      q[i] = 0;
      q[i + 1] = 0;
      q[i + 2] = 0;
      return true;
    }
    const scale = length > 0 ? (INSIDE * mu * along) / length : 0;
    q[i] = along * nx + scale * x;
    q[i + 1] = along * ny + scale * y;
    q[i + 2] = along * nz + scale * z;
    return true;
  },
};

/** Whether a point is the tip of a cone, where it has no normal. */
export function isTip({ shape }: Pick<ConvexSet, 'shape'>, q: Numbers, i: number): boolean {
  return shape === coneShape && q[i] === 0 && q[i + 1] === 0 && q[i + 2] === 0;
}
