import type { Problem } from './problem.js';

/** The limits of a problem and the scale of its columns. */
export type LimitedProblem = Pick<Problem, 'limits'> & {
  readonly jacobian: Pick<Problem['jacobian'], 'columnScale'>;
};

/** Distance from its boundary at which a limit counts as touched: in the unitless g of a curved limit, in scaled coordinates of a bound. */
const ACTIVE_TOLERANCE = 1e-10;

/**
 * The active set: the limits that a pose touches and that the descent direction -g would violate. Indices are those of
 * `problem.limits`; the solver moves in the tangent space of the active limits.
 */
export interface ActiveSet {
  /** 1 for an active limit. */
  readonly active: Uint8Array;
  /** Multiplier of each active limit, not negative: g + lambda n = 0 on its coordinates at a stationary point, |n| = 1. */
  readonly multipliers: Float64Array;
  /** Outward unit normal of each active limit, on its columns. */
  readonly normals: Float64Array;
}

export function createActiveSet({ limits, jacobian }: LimitedProblem): ActiveSet {
  return {
    active: new Uint8Array(limits.length),
    multipliers: new Float64Array(limits.length),
    normals: new Float64Array(jacobian.columnScale.length),
  };
}

/**
 * Finds the active limits at a feasible pose for the gradient g (scaled coordinates).
 *
 * @returns how many are active.
 */
export function updateActiveSet(
  problem: LimitedProblem,
  set: ActiveSet,
  pose: Float64Array,
  gradient: Float64Array,
): number {
  const { limits } = problem;
  const { columnScale } = problem.jacobian;
  const { active, multipliers, normals } = set;
  let count = 0;
  for (let n = 0; n < limits.length; n++) {
    const { limit, shape, column } = limits[n];
    active[n] = 0;
    multipliers[n] = 0;
    if (limit.kind === 'interval') {
      // Projection puts a coordinate on the bound exactly; a step may round to just inside.
      const slack = ACTIVE_TOLERANCE * columnScale[column];
      const atLower = pose[limit.coordinate] - slack <= limit.parameters[0];
      const atUpper = pose[limit.coordinate] + slack >= limit.parameters[1];
      const outward = atLower && atUpper ? -Math.sign(gradient[column]) : atUpper ? 1 : atLower ? -1 : 0;
      const multiplier = -gradient[column] * outward;
      if (outward === 0 || !(multiplier > 0)) continue;
      normals[column] = outward;
      multipliers[n] = multiplier;
    } else {
      if (shape.value(limit.parameters, pose, limit.coordinate, limit.size) < -ACTIVE_TOLERANCE) continue;
      shape.gradient(limit.parameters, pose, limit.coordinate, limit.size, normals, column);
      let square = 0;
      let multiplier = 0;
      for (let k = column; k < column + limit.size; k++) {
        square += normals[k] * normals[k];
        multiplier -= gradient[k] * normals[k];
      }
      if (!(multiplier > 0)) continue;
      const inverse = 1 / Math.sqrt(square);
      for (let k = column; k < column + limit.size; k++) normals[k] *= inverse;
      multipliers[n] = multiplier * inverse;
    }
    active[n] = 1;
    count++;
  }
  return count;
}

/** Projects the rows of a matrix (row length `width`) onto the tangent space of the active limits: row - (row . n) n. */
export function projectOutNormals(
  problem: Problem,
  set: ActiveSet,
  values: Float64Array,
  rows: number,
  width: number,
): void {
  const { limits } = problem;
  for (let n = 0; n < limits.length; n++) {
    if (set.active[n] === 0) continue;
    const { limit, column } = limits[n];
    const end = column + limit.size;
    for (let r = 0; r < rows; r++) {
      const o = r * width;
      let normalComponent = 0;
      for (let k = column; k < end; k++) normalComponent += values[o + k] * set.normals[k];
      for (let k = column; k < end; k++) values[o + k] -= normalComponent * set.normals[k];
    }
  }
}

/** Mark of an interval whose bounds coincide: an equality constraint. */
export const FIXED = 2;

/**
 * Finds the limits that a feasible pose touches, whatever their multipliers, and their outward unit normals.
 *
 * @param touched - 1 for a touched limit, {@link FIXED} for an equality.
 * @returns how many there are.
 */
export function findTouchedLimits(
  { limits, jacobian: { columnScale } }: Problem,
  { normals }: ActiveSet,
  pose: Float64Array,
  touched: Uint8Array,
): number {
  let count = 0;
  for (let n = 0; n < limits.length; n++) {
    const { limit, shape, column } = limits[n];
    const { parameters, coordinate, size } = limit;
    touched[n] = 0;
    if (limit.kind === 'interval') {
      const slack = ACTIVE_TOLERANCE * columnScale[column];
      const above = pose[coordinate] + slack >= parameters[1];
      const below = pose[coordinate] - slack <= parameters[0];
      if (!above && !below) continue;
      normals[column] = above ? 1 : -1;
      touched[n] = above && below ? FIXED : 1;
    } else {
      if (shape.value(parameters, pose, coordinate, size) < -ACTIVE_TOLERANCE) continue;
      shape.gradient(parameters, pose, coordinate, size, normals, column);
      let square = 0;
      for (let k = column; k < column + size; k++) square += normals[k] * normals[k];
      const inverse = 1 / Math.sqrt(square);
      for (let k = column; k < column + size; k++) normals[k] *= inverse;
      touched[n] = 1;
    }
    count++;
  }
  return count;
}
