import type { LimitComponent, LimitShape } from './limit.js';

/** Distance from its boundary at which a limit counts as touched: in the unitless g of a curved limit, in scaled coordinates of a bound. */
const ACTIVE_TOLERANCE = 1e-10;

/** Mark of an interval whose bounds coincide: an equality constraint. */
export const FIXED = 2;

/** A limit of a problem; its coordinates are `size` consecutive columns. */
export interface ColumnLimit {
  readonly limit: LimitComponent;
  readonly shape: LimitShape;
  /** First column. */
  readonly column: number;
}

/**
 * The active set of convex limits g_n <= 0, no two with a coordinate in common: those that a pose touches and that the descent
 * direction -grad f would violate. A solver moves in the tangent space of the active limits. Steps, gradients and matrices are by
 * column, in scaled coordinates y = q / columnScale.
 */
export interface ActiveSet {
  readonly limits: readonly ColumnLimit[];
  /** Coordinate of each column. */
  readonly coordinates: Int32Array;
  readonly columnScale: Float64Array;
  /** 1 for an active limit. */
  readonly active: Uint8Array;
  /** Multiplier of each active limit, not negative: grad f + lambda n = 0 on its columns at a stationary pose, |n| = 1. */
  readonly multipliers: Float64Array;
  /** Outward unit normal n of each active limit, on its columns. */
  readonly normals: Float64Array;
  /** Gradient or Hessian of one g. */
  readonly scratch: Float64Array;
}

export function createActiveSet(
  limits: readonly ColumnLimit[],
  coordinates: Int32Array,
  columnScale: Float64Array,
): ActiveSet {
  return {
    limits,
    coordinates,
    columnScale,
    active: new Uint8Array(limits.length),
    multipliers: new Float64Array(limits.length),
    normals: new Float64Array(columnScale.length),
    scratch: new Float64Array(9),
  };
}

/** Finds the active limits at a feasible pose for the gradient of f. */
export function updateActiveSet(set: ActiveSet, pose: Float64Array, gradient: Float64Array): void {
  const { limits, active, multipliers, normals } = set;
  for (let n = 0; n < limits.length; n++) {
    active[n] = 0;
    const touched = touch(set, limits[n], pose);
    if (touched === 0) continue;
    const { column, limit } = limits[n];
    if (touched === FIXED) normals[column] = -Math.sign(gradient[column]);
    let multiplier = 0;
    for (let k = column; k < column + limit.size; k++) multiplier -= gradient[k] * normals[k];
    if (!(multiplier > 0)) continue;
    multipliers[n] = multiplier * normalize(normals, column, limit.size);
    active[n] = 1;
  }
}

/**
 * Finds the limits that a feasible pose touches, whatever their multipliers, and their outward unit normals.
 *
 * @param touched - 1 for a touched limit, {@link FIXED} for an equality.
 */
export function findTouchedLimits(set: ActiveSet, pose: Float64Array, touched: Uint8Array): void {
  const { limits, normals } = set;
  for (let n = 0; n < limits.length; n++) {
    touched[n] = touch(set, limits[n], pose);
    if (touched[n] !== 0) normalize(normals, limits[n].column, limits[n].limit.size);
  }
}

/** Whether a feasible pose touches a limit: 0, 1 or {@link FIXED}. Writes dg, outward, to the normals where it does. */
function touch(
  { columnScale, normals }: ActiveSet,
  { limit, shape, column }: ColumnLimit,
  pose: Float64Array,
): number {
  const { parameters, coordinate, size } = limit;
  if (limit.kind === 'interval') {
    // Projection puts a coordinate on the bound exactly; a step may round to just inside.
    const slack = ACTIVE_TOLERANCE * columnScale[column];
    const above = pose[coordinate] + slack >= parameters[1];
    const below = pose[coordinate] - slack <= parameters[0];
    if (!above && !below) return 0;
    normals[column] = above ? 1 : -1;
    return above && below ? FIXED : 1;
  }
  if (shape.value(parameters, pose, coordinate, size) < -ACTIVE_TOLERANCE) return 0;
  shape.gradient(parameters, pose, coordinate, size, normals, column);
  return 1;
}

/** Scales a normal to length 1. @returns the factor. */
function normalize(normals: Float64Array, first: number, size: number): number {
  let square = 0;
  for (let k = first; k < first + size; k++) square += normals[k] * normals[k];
  const inverse = 1 / Math.sqrt(square);
  for (let k = first; k < first + size; k++) normals[k] *= inverse;
  return inverse;
}

/**
 * Projects the rows of a matrix (row length `width`), or one vector, onto the tangent space of the active limits: x - (x . n) n.
 *
 * @param mask - 1 for a limit whose normal is projected out.
 */
export function projectOutNormals(
  { limits, active, normals }: ActiveSet,
  values: Float64Array,
  rows = 1,
  width = 0,
  mask = active,
): void {
  for (let n = 0; n < limits.length; n++) {
    if (mask[n] === 0) continue;
    const { limit, column } = limits[n];
    const end = column + limit.size;
    for (let r = 0; r < rows; r++) {
      const o = r * width;
      let normalComponent = 0;
      for (let k = column; k < end; k++) normalComponent += values[o + k] * normals[k];
      for (let k = column; k < end; k++) values[o + k] -= normalComponent * normals[k];
    }
  }
}

/**
 * Z M Z + s (1 - Z) of a symmetric matrix (lower triangle, in place), Z = 1 - n n^T for each active limit: the normal directions
 * have the stiffness s and no off-diagonal entries. Rows past the columns are projected too.
 *
 * @param mask - 1 for a limit whose normal is projected out.
 */
export function projectOutSymmetric(
  { limits, active, normals, scratch }: ActiveSet,
  matrix: Float64Array,
  width: number,
  stiffness: number,
  mask = active,
): void {
  const rows = matrix.length / width;
  for (let n = 0; n < limits.length; n++) {
    if (mask[n] === 0) continue;
    const { limit, column: first } = limits[n];
    const end = first + limit.size;
    for (let l = 0; l < first; l++) {
      let normalComponent = 0;
      for (let k = first; k < end; k++) normalComponent += matrix[k * width + l] * normals[k];
      for (let k = first; k < end; k++) matrix[k * width + l] -= normalComponent * normals[k];
    }
    for (let r = end; r < rows; r++) {
      const o = r * width;
      let normalComponent = 0;
      for (let k = first; k < end; k++) normalComponent += matrix[o + k] * normals[k];
      for (let k = first; k < end; k++) matrix[o + k] -= normalComponent * normals[k];
    }
    projectOutOfBlock(normals, first, limit.size, matrix, width, stiffness, scratch);
  }
}

/** The diagonal block B of a limit: B - n (Bn)^T - (Bn) n^T + (n.Bn + s) n n^T. */
function projectOutOfBlock(
  normals: Float64Array,
  first: number,
  size: number,
  matrix: Float64Array,
  width: number,
  stiffness: number,
  scratch: Float64Array,
): void {
  let normalCurvature = 0;
  for (let k = 0; k < size; k++) {
    let sum = 0;
    for (let l = 0; l < size; l++) {
      const row = first + Math.max(k, l);
      sum += matrix[row * width + first + Math.min(k, l)] * normals[first + l];
    }
    scratch[k] = sum;
    normalCurvature += sum * normals[first + k];
  }
  for (let k = 0; k < size; k++) {
    const nk = normals[first + k];
    for (let l = 0; l <= k; l++) {
      const nl = normals[first + l];
      matrix[(first + k) * width + first + l] +=
        (normalCurvature + stiffness) * nk * nl - nk * scratch[l] - scratch[k] * nl;
    }
  }
}

/** Adds lambda d2g of each active limit, the curvature of its boundary, to the Hessian of f: that of the Lagrangian. */
export function addLimitCurvature(
  { limits, active, multipliers, scratch }: ActiveSet,
  pose: Float64Array,
  hessian: Float64Array,
  width: number,
): void {
  for (let n = 0; n < limits.length; n++) {
    const { limit, shape, column } = limits[n];
    const { parameters, coordinate, size } = limit;
    if (active[n] === 0 || size === 1) continue;
    // The multipliers are for the unit normal; the gradient of g has another length.
    shape.gradient(parameters, pose, coordinate, size, scratch, 0);
    let square = 0;
    for (let k = 0; k < size; k++) square += scratch[k] * scratch[k];
    const multiplier = multipliers[n] / Math.sqrt(square);
    shape.hessian(parameters, pose, coordinate, size, scratch, 0);
    for (let k = 0; k < size; k++) {
      const row = (column + k) * width + column;
      for (let l = 0; l < size; l++) hessian[row + l] += multiplier * scratch[k * size + l];
    }
  }
}

/** Norm of the projected gradient, |P(q - grad f) - q|, P the projection onto the limits: 0 at a stationary pose. */
export function stationarityOf(
  { limits, coordinates, columnScale }: ActiveSet,
  pose: Float64Array,
  gradient: Float64Array,
  trial: Float64Array,
): number {
  trial.set(pose);
  for (let k = 0; k < coordinates.length; k++) trial[coordinates[k]] -= gradient[k] * columnScale[k];
  for (const { limit, shape } of limits) shape.project(limit.parameters, trial, limit.coordinate, limit.size);
  let sum = 0;
  for (let k = 0; k < coordinates.length; k++) {
    sum += ((trial[coordinates[k]] - pose[coordinates[k]]) / columnScale[k]) ** 2;
  }
  return Math.sqrt(sum);
}
