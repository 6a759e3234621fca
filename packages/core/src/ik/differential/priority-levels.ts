import { diagonalize } from '../../math/linear/symmetric-eigen.js';
import { zeroNumbers } from '../../math/linear/vector.js';

/** Least width of the singular region, in the unit of the rows. */
const MIN_REGION = 1e-6;

/** Rows of one priority level, and the memory of its decomposition. */
export interface Level {
  readonly priority: number;
  readonly rows: number;
  /** Row of the problem of each row. */
  readonly source: Int32Array;
  /** J over the unknowns, without weights: rows x columns. */
  readonly jacobian: Float64Array;
  /** J P: J projected onto the null space of the earlier levels. */
  readonly projected: Float64Array;
  /** Activation of each row: less than one for a half-space that has just been entered. */
  readonly activations: Float64Array;
  /** Weight of each row relative to the largest of the level. */
  readonly weights: Float64Array;
  /** Desired velocity of each row, in its scaled unit. */
  readonly desired: Float64Array;
  /** Desired velocity minus that achieved by the earlier levels. */
  readonly residual: Float64Array;
  readonly gram: Float64Array;
  readonly eigenvectors: Float64Array;
  /** U^T J P: row k is sigma_k times the right singular vector k. */
  readonly scaledRightVectors: Float64Array;
  /** Width of the singular region epsilon. */
  singularRegion: number;
  /** Smallest singular value of J P up to its full rank. */
  smallestSingularValue: number;
}

export function createLevel(priority: number, source: readonly number[], columns: number): Level {
  const rows = source.length;
  const numbers = (size: number): Float64Array => new Float64Array(size);
  return {
    priority,
    rows,
    source: Int32Array.from(source),
    jacobian: numbers(rows * columns),
    projected: numbers(rows * columns),
    activations: numbers(rows).fill(1),
    weights: numbers(rows),
    desired: numbers(rows),
    residual: numbers(rows),
    gram: numbers(rows * rows),
    eigenvectors: numbers(rows * rows),
    scaledRightVectors: numbers(rows * columns),
    singularRegion: 0,
    smallestSingularValue: 0,
  };
}

/**
 * Singular values of J P, P the null-space projector of the earlier levels, and the width of the singular region: `scale` times the
 * largest singular value of J itself.
 */
export function decomposeLevel(
  level: Level,
  projector: Float64Array,
  first: boolean,
  scale: number,
  columns: number,
): void {
  const { rows, jacobian, projected, gram, eigenvectors, scaledRightVectors } = level;
  if (first) {
    for (let k = 0; k < rows * columns; k++) projected[k] = jacobian[k];
    spectrum(projected, rows, columns, gram, eigenvectors);
    level.singularRegion = regionOf(gram, rows, scale);
  } else {
    spectrum(jacobian, rows, columns, gram, eigenvectors);
    level.singularRegion = regionOf(gram, rows, scale);
    multiply(jacobian, projector, rows, columns, projected);
    spectrum(projected, rows, columns, gram, eigenvectors);
  }
  zeroNumbers(scaledRightVectors, rows * columns);
  for (let k = 0; k < rows; k++) {
    for (let r = 0; r < rows; r++) {
      const u = eigenvectors[k * rows + r];
      for (let c = 0; c < columns; c++) scaledRightVectors[k * columns + c] += u * projected[r * columns + c];
    }
  }
  level.smallestSingularValue = smallestOf(gram, rows, Math.min(rows, columns));
}

/**
 * Damping of one singular direction by its squared singular value s: epsilon^2 (1 - s/epsilon^2)^2 inside the singular region, zero
 * outside.
 *
 * The profile of Chiaverini, Siciliano and Egeland (*Review of the damped least-squares inverse kinematics with experiments on an
 * industrial robot manipulator*, IEEE Transactions on Control Systems Technology 2, 1994), lambda^2 = (1 - (sigma/epsilon)^2)
 * lambda_max^2, squared for a continuous derivative, with lambda_max = epsilon; applied to each singular direction separately, as the
 * numerical filtering of Maciejewski and Klein (Journal of Robotic Systems 5, 1988) damps the smallest. Joint velocity per task
 * velocity is then at most 1.07 / epsilon, and H at least 3/4 epsilon^2.
 */
export function dampingAt(s: number, region: number): number {
  const square = region * region;
  if (s >= square) return 0;
  const inside = 1 - s / square;
  return square * inside * inside;
}

/** Fraction of a direction left to later levels, by its squared singular value s: (1 - s/epsilon^2)^2 inside the region, else 0. */
function nullSpaceFraction(s: number, region: number): number {
  return dampingAt(s, region) / (region * region);
}

/**
 * Objective of the level over z, x = x* + P z: H = (J P)^T W (J P) + D and c = -(J P)^T W r.
 * D = h(P^T J^T J P) with h of {@link dampingAt}, null space included, so H is positive definite on every face.
 */
export function writeObjective(
  level: Level,
  columns: number,
  hessian: Float64Array,
  linear: Float64Array,
): void {
  const { rows, projected, weights, residual, gram, scaledRightVectors, singularRegion } = level;
  zeroNumbers(hessian, columns * columns);
  zeroNumbers(linear, columns);
  for (let k = 0; k < columns; k++) hessian[k * (columns + 1)] = singularRegion * singularRegion;
  for (let r = 0; r < rows; r++) {
    if (weights[r] === 0) continue;
    addOuter(hessian, columns, projected, r * columns, weights[r]);
    for (let k = 0; k < columns; k++) linear[k] -= weights[r] * residual[r] * projected[r * columns + k];
  }
  for (let k = 0; k < rows; k++) {
    const s = Math.max(0, gram[k * (rows + 1)]);
    // (h(s) - epsilon^2) / s on w w^T, |w|^2 = s: free of cancellation, also for s -> 0.
    const square = singularRegion * singularRegion;
    const scale = s < square ? -2 + s / square : -square / s;
    addOuter(hessian, columns, scaledRightVectors, k * columns, scale);
  }
}

/** P = P (1 - sum of (1 - nullSpaceFraction) w w^T / s): projects out the directions used by the level. */
export function updateProjector(
  level: Level,
  columns: number,
  projector: Float64Array,
  scratch: Float64Array,
): void {
  const { rows, gram, scaledRightVectors, singularRegion } = level;
  const square = singularRegion * singularRegion;
  for (let k = 0; k < rows; k++) {
    const s = Math.max(0, gram[k * (rows + 1)]);
    if (s === 0) continue;
    const scale = s < square ? (2 - s / square) / square : (1 - nullSpaceFraction(s, singularRegion)) / s;
    const o = k * columns;
    for (let r = 0; r < columns; r++) {
      let sum = 0;
      for (let c = 0; c < columns; c++) sum += projector[r * columns + c] * scaledRightVectors[o + c];
      scratch[r] = scale * sum;
    }
    for (let r = 0; r < columns; r++) {
      const x = scratch[r];
      if (x === 0) continue;
      for (let c = 0; c < columns; c++) projector[r * columns + c] -= x * scaledRightVectors[o + c];
    }
  }
}

/** Eigenvalues of M M^T to the diagonal of `gram`, eigenvectors to the rows of `vectors`. */
function spectrum(
  m: Float64Array,
  rows: number,
  columns: number,
  gram: Float64Array,
  vectors: Float64Array,
): void {
  for (let a = 0; a < rows; a++) {
    for (let b = 0; b <= a; b++) {
      let sum = 0;
      for (let k = 0; k < columns; k++) sum += m[a * columns + k] * m[b * columns + k];
      gram[a * rows + b] = sum;
      gram[b * rows + a] = sum;
    }
  }
  diagonalize(gram, rows, vectors);
}

function regionOf(gram: Float64Array, rows: number, scale: number): number {
  let largest = 0;
  for (let k = 0; k < rows; k++) largest = Math.max(largest, gram[k * (rows + 1)]);
  return Math.max(MIN_REGION, scale * Math.sqrt(largest));
}

/** The square root of the `rank`-th largest eigenvalue. */
function smallestOf(gram: Float64Array, rows: number, rank: number): number {
  // All but the largest `rank` are zero.
  let bound = Number.POSITIVE_INFINITY;
  let value = 0;
  for (let found = 0; found < rank; ) {
    value = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < rows; k++)
      if (gram[k * (rows + 1)] < bound) value = Math.max(value, gram[k * (rows + 1)]);
    if (value === Number.NEGATIVE_INFINITY) return Math.sqrt(Math.max(0, bound));
    for (let k = 0; k < rows; k++) if (gram[k * (rows + 1)] === value) found++;
    bound = value;
  }
  return Math.sqrt(Math.max(0, value));
}

/** out = M P. */
function multiply(m: Float64Array, p: Float64Array, rows: number, columns: number, out: Float64Array): void {
  zeroNumbers(out, rows * columns);
  for (let r = 0; r < rows; r++) {
    for (let k = 0; k < columns; k++) {
      const x = m[r * columns + k];
      if (x === 0) continue;
      for (let c = 0; c < columns; c++) out[r * columns + c] += x * p[k * columns + c];
    }
  }
}

/** Lower triangle of A += weight v v^T, v = m[o .. o + n). */
function addOuter(a: Float64Array, n: number, m: Float64Array, o: number, weight: number): void {
  for (let i = 0; i < n; i++) {
    const x = weight * m[o + i];
    if (x === 0) continue;
    for (let j = 0; j <= i; j++) a[i * n + j] += x * m[o + j];
  }
}
