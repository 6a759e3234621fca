/** The displacement of a solution. */

import type { Trajectory } from '../../spacetime/trajectory.js';
import { ORDERS, writeBasis } from '../../spacetime/transcription/spline-basis.js';

/** A displacement of a clip over a span. */
export interface Displacement {
  /** In the clip's time, s. */
  readonly from: number;
  readonly to: number;
  /** Displaced coordinates, ascending. */
  readonly coordinates: Int32Array;
  /**
   * d and its derivatives at a time of the clip, `figure.dof` numbers each, zero for other coordinates. Zero outside the span where it
   * starts at zero.
   */
  at(time: number): DisplacementPoint;
}

export interface DisplacementPoint {
  readonly value: Float64Array;
  readonly first: Float64Array;
  readonly second: Float64Array;
}

/** @param from - Time of the clip at which the trajectory starts, s. */
export function displacementOf({ problem, unknowns }: Trajectory, from: number): Displacement {
  const { parameterization, indices } = problem.system;
  const { basis, free, figure } = parameterization;
  const width = basis.degree + 1;
  const row = new Float64Array(ORDERS * width);
  const known = new Map<number, DisplacementPoint>();
  const at = (time: number): DisplacementPoint => {
    const point = {
      value: new Float64Array(figure.dof),
      first: new Float64Array(figure.dof),
      second: new Float64Array(figure.dof),
    };
    const inside = Math.max(basis.start, Math.min(basis.end, time - from));
    const begin = writeBasis(basis, inside, row);
    for (let c = 0; c < free.length; c++) {
      const i = free[c];
      for (let j = 0; j < width; j++) {
        const x = unknowns[indices.motion[(begin + j) * free.length + c]];
        point.value[i] += row[j] * x;
        point.first[i] += row[width + j] * x;
        point.second[i] += row[2 * width + j] * x;
      }
    }
    return point;
  };
  return {
    from,
    to: from + basis.end,
    coordinates: free,
    at(time) {
      let point = known.get(time);
      if (point === undefined) {
        point = at(time);
        known.set(time, point);
      }
      return point;
    },
  };
}
