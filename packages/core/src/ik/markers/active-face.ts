import { type ActiveSet, createActiveSet, updateActiveSet } from '../problem/active-set.js';
import type { ProblemLimit } from '../problem/problem.js';
import type { MarkerProblem } from './marker-problem.js';

/** Active set of a marker problem, whose columns are the coordinates. Defines the tangent space of the active limits. */
export interface ActiveFace extends ActiveSet {
  readonly scratch: Float64Array;
}

export function createActiveFace({ limited }: MarkerProblem): ActiveFace {
  return { ...createActiveSet(limited), scratch: new Float64Array(9) };
}

/** Updates the active limits at a feasible pose for the gradient there (scaled coordinates). */
export function updateActiveFace(
  { limited }: MarkerProblem,
  activeFace: ActiveFace,
  pose: Float64Array,
  gradient: Float64Array,
): void {
  updateActiveSet(limited, activeFace, pose, gradient);
}

/** Projects x onto the tangent space of the active limits: x - (x.n) n. */
export function projectToTangentSpace(
  { limits }: MarkerProblem,
  activeFace: ActiveFace,
  x: Float64Array,
): void {
  for (let n = 0; n < limits.length; n++) {
    if (activeFace.active[n] === 1) projectOutNormal(limits[n], activeFace, x);
  }
}

/** Projects out the normal of one limit: x - (x.n) n. */
export function projectOutNormal(
  { limit: { coordinate, size } }: ProblemLimit,
  { normals }: ActiveFace,
  x: Float64Array,
): void {
  const end = coordinate + size;
  let normalComponent = 0;
  for (let k = coordinate; k < end; k++) normalComponent += x[k] * normals[k];
  for (let k = coordinate; k < end; k++) x[k] -= normalComponent * normals[k];
}

/**
 * Projects a Hessian (lower triangle, in place) onto the tangent space, Z H Z + (1 - Z) times `normalStiffness`, with the curvature of the
 * active limits (the Hessian of the Lagrangian): normal directions get that stiffness and no off-diagonal terms.
 */
export function projectHessian(
  { limits }: MarkerProblem,
  activeFace: ActiveFace,
  pose: Float64Array,
  hessian: Float64Array,
  width: number,
  normalStiffness: number,
): void {
  const { scratch } = activeFace;
  for (let n = 0; n < limits.length; n++) {
    if (activeFace.active[n] === 0) continue;
    const { limit, shape } = limits[n];
    const { coordinate: first, size } = limit;
    if (size > 1) {
      // Multipliers are for the unit normal; divides by the norm of g's gradient.
      shape.gradient(limit.parameters, pose, first, size, scratch, 0);
      let square = 0;
      for (let k = 0; k < size; k++) square += scratch[k] * scratch[k];
      const multiplier = activeFace.multipliers[n] / Math.sqrt(square);
      shape.hessian(limit.parameters, pose, first, size, scratch, 0);
      for (let k = 0; k < size; k++) {
        for (let l = 0; l <= k; l++) {
          hessian[(first + k) * width + first + l] += multiplier * scratch[k * size + l];
        }
      }
    }
    projectLimit(limits[n], activeFace, hessian, width, normalStiffness);
  }
}

/** Z M Z + (1 - Z) normalStiffness of a symmetric matrix (lower triangle, in place), Z = 1 - n n^T for the normal of one limit. */
export function projectLimit(
  { limit: { coordinate: first, size } }: ProblemLimit,
  { normals, scratch }: ActiveFace,
  matrix: Float64Array,
  width: number,
  normalStiffness: number,
): void {
  const end = first + size;
  const rows = matrix.length / width;
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
  projectBlock(normals, first, size, matrix, width, normalStiffness, scratch);
}

/** The diagonal block: B - n (Bn)^T - (Bn) n^T + (n.Bn + normalStiffness) n n^T. */
function projectBlock(
  normals: Float64Array,
  first: number,
  size: number,
  hessian: Float64Array,
  width: number,
  normalStiffness: number,
  scratch: Float64Array,
): void {
  let normalCurvature = 0;
  for (let k = 0; k < size; k++) {
    let sum = 0;
    for (let l = 0; l < size; l++) {
      const row = first + Math.max(k, l);
      sum += hessian[row * width + first + Math.min(k, l)] * normals[first + l];
    }
    scratch[k] = sum;
    normalCurvature += sum * normals[first + k];
  }
  for (let k = 0; k < size; k++) {
    const nk = normals[first + k];
    for (let l = 0; l <= k; l++) {
      const nl = normals[first + l];
      hessian[(first + k) * width + first + l] +=
        (normalCurvature + normalStiffness) * nk * nl - nk * scratch[l] - scratch[k] * nl;
    }
  }
}
