import type { FaceLimit, MarkerProblem } from './marker-problem.js';

/** How near its boundary (in g, which has no unit) a curved limit counts as reached. */
const TOUCHING = 1e-10;

/** The limits that hold a pose back: those it touches and that the way down would leave. One entry a limit of the problem. */
export interface Faces {
  readonly active: Uint8Array;
  /** Not negative; against the unit normal. */
  readonly multipliers: Float64Array;
  /** Outward unit normals, by coordinate. */
  readonly normals: Float64Array;
  readonly small: Float64Array;
}

export function createFaces({ limits, figure }: MarkerProblem): Faces {
  return {
    active: new Uint8Array(limits.length),
    multipliers: new Float64Array(limits.length),
    normals: new Float64Array(figure.dof),
    small: new Float64Array(9),
  };
}

/**
 * Finds the active limits at an allowed pose for the gradient there (scaled coordinates; the scale of the coordinates of one
 * limit is one, so its normal needs none).
 */
export function findFaces(
  { limits }: MarkerProblem,
  faces: Faces,
  pose: Float64Array,
  gradient: Float64Array,
): void {
  for (let n = 0; n < limits.length; n++) {
    const { part } = limits[n];
    faces.active[n] = 0;
    faces.multipliers[n] = 0;
    const push =
      part.kind === 'interval'
        ? intervalPush(limits[n], faces.normals, pose, gradient)
        : curvedPush(limits[n], faces.normals, pose, gradient);
    if (!(push > 0)) continue;
    faces.active[n] = 1;
    faces.multipliers[n] = push;
  }
}

/** An interval is reached exactly on its bound: projection puts the pose there. */
function intervalPush(
  { part: { coordinate: i, parameters } }: FaceLimit,
  normals: Float64Array,
  pose: Float64Array,
  gradient: Float64Array,
): number {
  const low = pose[i] <= parameters[0];
  const high = pose[i] >= parameters[1];
  if (!low && !high) return 0;
  normals[i] = low && high ? (gradient[i] > 0 ? -1 : 1) : low ? -1 : 1;
  return -gradient[i] * normals[i];
}

function curvedPush(
  { part: { coordinate: i, parameters, size }, shape }: FaceLimit,
  normals: Float64Array,
  pose: Float64Array,
  gradient: Float64Array,
): number {
  if (shape.value(parameters, pose, i, size) < -TOUCHING) return 0;
  shape.gradient(parameters, pose, i, size, normals, i);
  let square = 0;
  for (let k = i; k < i + size; k++) square += normals[k] * normals[k];
  const inverse = 1 / Math.sqrt(square);
  let push = 0;
  for (let k = i; k < i + size; k++) {
    normals[k] *= inverse;
    push -= gradient[k] * normals[k];
  }
  return push;
}

/** x - (x.n) n over the active limits: what is left on the face. */
export function projectVector({ limits }: MarkerProblem, faces: Faces, x: Float64Array): void {
  for (let n = 0; n < limits.length; n++) {
    if (faces.active[n] === 1) projectOut(limits[n], faces, x);
  }
}

/** x - (x.n) n for the normal of one limit. */
export function projectOut(
  { part: { coordinate, size } }: FaceLimit,
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
  { part: { coordinate: first, size } }: FaceLimit,
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
