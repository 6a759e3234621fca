/** Time scaling dt/du = s(u) from nominal to real time, fixed or unknown. */
import { createSplineBasis, type SplineBasis, writeBasis } from './spline-basis.js';

/** s(u) is a B-spline with positive control points, so time always increases. */
export interface TimeScaling {
  /** Number of control points; 0 where the timing is fixed. */
  readonly count: number;
  readonly basis: SplineBasis | undefined;
  /**
   * Bounds of the control points, and so of the duration, which is their mean, weighted by the integrals of the basis functions, times the
   * nominal one.
   */
  readonly min: number;
  readonly max: number;
}

/** Basis of the time scaling at one time. */
export interface TimeScalingRow {
  /** B_m(u), its derivative, and its integral from the start of the motion to u, one entry per control point. */
  readonly values: Float64Array;
  readonly derivatives: Float64Array;
  readonly integrals: Float64Array;
}

const QUADRATIC = 2;

export function createTimeScaling(duration: number, count: number, min: number, max: number): TimeScaling {
  if (count === 0) return { count: 0, basis: undefined, min: 1, max: 1 };
  const degree = Math.min(QUADRATIC, count - 1);
  return {
    count: count,
    basis: createSplineBasis(degree, count - degree, 0, duration),
    min: min,
    max: max,
  };
}

/** Two-point Gauss quadrature: exact for quadratics. */
const GAUSS_POINT = Math.sqrt(1 / 3);

export function timeScalingRow({ count, basis }: TimeScaling, time: number): TimeScalingRow {
  const values = new Float64Array(count);
  const derivatives = new Float64Array(count);
  const integrals = new Float64Array(count);
  if (basis === undefined) return { values, derivatives: derivatives, integrals };
  const width = basis.degree + 1;
  const row = new Float64Array(4 * width);
  const first = writeBasis(basis, time, row);
  for (let j = 0; j < width; j++) {
    values[first + j] = row[j];
    derivatives[first + j] = row[width + j];
  }
  const step = (basis.end - basis.start) / basis.intervals;
  for (let k = 0; k < basis.intervals; k++) {
    const low = basis.start + k * step;
    const high = Math.min(time, basis.start + (k + 1) * step);
    if (!(high > low)) break;
    for (const node of [-GAUSS_POINT, GAUSS_POINT]) {
      const at = writeBasis(basis, 0.5 * (low + high) + 0.5 * node * (high - low), row);
      for (let j = 0; j < width; j++) integrals[at + j] += 0.5 * (high - low) * row[j];
    }
  }
  return { values, derivatives: derivatives, integrals };
}
