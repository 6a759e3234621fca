import type { MutableNumbers, Numbers } from '../linear/types.js';
import { copyNumbers, norm } from '../linear/vector.js';

/** Distance from its boundary at which a limit counts as touched: in the unitless g of a curved limit, in scaled coordinates of a bound. */
const ACTIVE_TOLERANCE = 1e-10;
/** The same of a curved limit where that is more, rad: what a step of angles up to a turn rounds to. It is much of the g of a limit a hair wide. */
const STEP_ROUNDING = 8 * Number.EPSILON;

/** Mark of an interval whose bounds coincide: an equality constraint. */
export const FIXED = 2;

/** A convex set over `size` consecutive coordinates of a point. */
export interface ConvexBlock {
  readonly kind: string;
  /** Index of the first coordinate. */
  readonly coordinate: number;
  /** Number of coordinates: 1, 2 or 3. */
  readonly size: number;
  /** Parameters by kind: interval [min, max]; disk [radius]; ellipse [a, b]; quad-ellipse [s-, s+, t-, t+]. */
  readonly parameters: readonly number[];
}

/**
 * Functions of a convex set g(x) <= 0, x = q[i .. i + size). `gradient` and `hessian` are exact where g is smooth.
 */
export interface LimitShape {
  /** g(x): negative inside, zero on the boundary, positive outside. */
  value(parameters: Numbers, q: Numbers, i: number, size: number): number;
  /** dg/dx to out[o .. o + size). */
  gradient(parameters: Numbers, q: Numbers, i: number, size: number, out: MutableNumbers, o: number): void;
  /** d2g/dx2, size x size, row by row. */
  hessian(parameters: Numbers, q: Numbers, i: number, size: number, out: MutableNumbers, o: number): void;
  /** Projects x to the nearest point of the set, in place; points inside are unchanged. @returns whether x changed. */
  project(parameters: Numbers, q: MutableNumbers, i: number, size: number): boolean;
}

/** A limit of a problem; its coordinates are `size` consecutive columns. */
export interface ColumnLimit<Limit extends ConvexBlock = ConvexBlock> {
  readonly limit: Limit;
  readonly shape: LimitShape;
  /** First column. */
  readonly column: number;
}

/**
 * The active set of convex limits g_n <= 0, no two with a coordinate in common: those that a pose touches and that the descent
 * direction -grad f would violate. A solver moves in the tangent space of the active limits. Steps, gradients and matrices are by
 * column, in scaled coordinates y = q / columnScale.
 */
export interface ActiveSet<Limit extends ConvexBlock = ConvexBlock> {
  readonly limits: readonly ColumnLimit<Limit>[];
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

export function createActiveSet<Limit extends ConvexBlock>(
  limits: readonly ColumnLimit<Limit>[],
  coordinates: Int32Array,
  columnScale: Float64Array,
): ActiveSet<Limit> {
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
  shape.gradient(parameters, pose, coordinate, size, normals, column);
  // To first order g is the distance times |dg|.
  let square = 0;
  for (let k = column; k < column + size; k++) square += normals[k] * normals[k];
  const tolerance = Math.max(ACTIVE_TOLERANCE, STEP_ROUNDING * Math.sqrt(square));
  return shape.value(parameters, pose, coordinate, size) < -tolerance ? 0 : 1;
}

/** Scales a normal to length 1. @returns the factor: infinite for a normal of length 0. */
export function normalize(normals: Float64Array, first: number, size: number): number {
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

/** Z B Z + s n n^T of one block B (lower triangle read and written), Z = 1 - n n^T: B - n (Bn)^T - (Bn) n^T + (n.Bn + s) n n^T. */
export function projectOutOfBlock(
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

/**
 * Finds the active limits for the gradient of f and writes the reduced gradient, its projection onto their tangent space.
 *
 * @returns its norm.
 */
export function reduceGradient(
  set: ActiveSet,
  pose: Float64Array,
  gradient: Float64Array,
  reduced: Float64Array,
): number {
  updateActiveSet(set, pose, gradient);
  copyNumbers(gradient, reduced, reduced.length);
  projectOutNormals(set, reduced);
  return norm(reduced);
}

/** Z (H + sum lambda d2g) Z + s (1 - Z): the Hessian of the Lagrangian in the tangent space, lower triangle, in place. */
export function reduceHessian(
  set: ActiveSet,
  pose: Float64Array,
  hessian: Float64Array,
  width: number,
  stiffness: number,
): void {
  addLimitCurvature(set, pose, hessian, width);
  projectOutSymmetric(set, hessian, width, stiffness);
}

/**
 * Writes the trial pose, the projection of pose + step onto the limits, and the step that leads there. The columns of limits that
 * were not active and are reached now become fixed.
 *
 * @returns how many limits were reached.
 */
export function projectStep(
  { limits, coordinates, columnScale, active }: ActiveSet,
  pose: Float64Array,
  step: Float64Array,
  trial: Float64Array,
  fixed: Uint8Array,
): number {
  copyNumbers(pose, trial, pose.length);
  for (let k = 0; k < coordinates.length; k++) trial[coordinates[k]] += columnScale[k] * step[k];
  let reached = 0;
  for (let n = 0; n < limits.length; n++) {
    const { limit, column, shape } = limits[n];
    if (!shape.project(limit.parameters, trial, limit.coordinate, limit.size)) continue;
    for (let k = 0; k < limit.size; k++) {
      const i = limit.coordinate + k;
      step[column + k] = (trial[i] - pose[i]) / columnScale[column + k];
    }
    if (active[n] === 1 || fixed[column] === 1) continue;
    fixed.fill(1, column, column + limit.size);
    reached++;
  }
  return reached;
}

/** Factor that shortens a direction so that no angle changes by more than `max`; translations may be of any length. */
export function stepLength(direction: Float64Array, translates: Uint8Array, max: number): number {
  let longest = 0;
  for (let k = 0; k < direction.length; k++) {
    if (translates[k] === 0) longest = Math.max(longest, Math.abs(direction[k]));
  }
  return longest > max ? max / longest : 1;
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
