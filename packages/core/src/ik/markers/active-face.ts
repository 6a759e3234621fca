import { type ActiveSet, createActiveSet, updateActiveSet } from '../problem/active-set.js';
import type { ProblemLimit } from '../problem/problem.js';
import type { MarkerProblem } from './marker-problem.js';

/** The active set of a marker problem, whose columns are the coordinates themselves, and room for one limit's matrix. */
export interface Faces extends ActiveSet {
  readonly small: Float64Array;
}

export function createFaces({ limited }: MarkerProblem): Faces {
  return { ...createActiveSet(limited), small: new Float64Array(9) };
}

/** Finds the active limits at an allowed pose for the gradient there (scaled coordinates). */
export function findFaces(
  { limited }: MarkerProblem,
  faces: Faces,
  pose: Float64Array,
  gradient: Float64Array,
): void {
  updateActiveSet(limited, faces, pose, gradient);
}

/** x - (x.n) n over the active limits: what is left on the face. */
export function projectVector({ limits }: MarkerProblem, faces: Faces, x: Float64Array): void {
  for (let n = 0; n < limits.length; n++) {
    if (faces.active[n] === 1) projectOut(limits[n], faces, x);
  }
}

/** x - (x.n) n for the normal of one limit. */
export function projectOut(
  { part: { coordinate, size } }: ProblemLimit,
  { normals }: Faces,
  x: Float64Array,
): void {
  const end = coordinate + size;
  let along = 0;
  for (let k = coordinate; k < end; k++) along += x[k] * normals[k];
  for (let k = coordinate; k < end; k++) x[k] -= along * normals[k];
}

/**
 * Z H Z + (1 - Z) times `pin` of a Hessian by its lower triangle, in place, with the curvature of the active limits in it
 * (the Hessian of the Lagrangian): directions out of the face get a stiffness and no coupling.
 */
export function projectHessian(
  { limits }: MarkerProblem,
  faces: Faces,
  pose: Float64Array,
  hessian: Float64Array,
  width: number,
  pin: number,
): void {
  const { small } = faces;
  for (let n = 0; n < limits.length; n++) {
    if (faces.active[n] === 0) continue;
    const { part, shape } = limits[n];
    const { coordinate: first, size } = part;
    if (size > 1) {
      // Multipliers are against the unit normal; g's own gradient has another length.
      shape.gradient(part.parameters, pose, first, size, small, 0);
      let square = 0;
      for (let k = 0; k < size; k++) square += small[k] * small[k];
      const multiplier = faces.multipliers[n] / Math.sqrt(square);
      shape.hessian(part.parameters, pose, first, size, small, 0);
      for (let k = 0; k < size; k++) {
        for (let l = 0; l <= k; l++) {
          hessian[(first + k) * width + first + l] += multiplier * small[k * size + l];
        }
      }
    }
    projectLimit(limits[n], faces, hessian, width, pin);
  }
}

/** Z M Z + (1 - Z) pin of a symmetric matrix by its lower triangle, in place, Z = 1 - n n^T for the normal of one limit. */
export function projectLimit(
  { part: { coordinate: first, size } }: ProblemLimit,
  { normals, small }: Faces,
  matrix: Float64Array,
  width: number,
  pin: number,
): void {
  const end = first + size;
  const rows = matrix.length / width;
  for (let l = 0; l < first; l++) {
    let along = 0;
    for (let k = first; k < end; k++) along += matrix[k * width + l] * normals[k];
    for (let k = first; k < end; k++) matrix[k * width + l] -= along * normals[k];
  }
  for (let r = end; r < rows; r++) {
    const o = r * width;
    let along = 0;
    for (let k = first; k < end; k++) along += matrix[o + k] * normals[k];
    for (let k = first; k < end; k++) matrix[o + k] -= along * normals[k];
  }
  projectBlock(normals, first, size, matrix, width, pin, small);
}

/** The diagonal block: B - n (Bn)^T - (Bn) n^T + (n.Bn + pin) n n^T. */
function projectBlock(
  normals: Float64Array,
  first: number,
  size: number,
  hessian: Float64Array,
  width: number,
  pin: number,
  small: Float64Array,
): void {
  let twice = 0;
  for (let k = 0; k < size; k++) {
    let sum = 0;
    for (let l = 0; l < size; l++) {
      const row = first + Math.max(k, l);
      sum += hessian[row * width + first + Math.min(k, l)] * normals[first + l];
    }
    small[k] = sum;
    twice += sum * normals[first + k];
  }
  for (let k = 0; k < size; k++) {
    const nk = normals[first + k];
    for (let l = 0; l <= k; l++) {
      const nl = normals[first + l];
      hessian[(first + k) * width + first + l] += (twice + pin) * nk * nl - nk * small[l] - small[k] * nl;
    }
  }
}
