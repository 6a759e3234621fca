import { diagonalize } from '../../math/linear/symmetric-eigen.js';
import { zeroNumbers } from '../../math/linear/vector.js';

/** Least width of the singular region, in the unit of the rows: below it a level has nothing to say. */
const LEAST_REGION = 1e-6;

/** The rows of one priority, and what its step writes. */
export interface Level {
  readonly priority: number;
  readonly rows: number;
  /** Row of the problem behind each row. */
  readonly source: Int32Array;
  /** J against the scaled joint velocities, weights left out: rows x columns. */
  readonly jacobian: Float64Array;
  /** J P: what the levels before leave of it. */
  readonly reduced: Float64Array;
  /** Part of each row that counts: less than one for a half-space that has only just been entered. */
  readonly shares: Float64Array;
  /** Weight of each row, over the largest of the level. */
  readonly weights: Float64Array;
  /** Velocity wanted of each row, in its scaled unit. */
  readonly wanted: Float64Array;
  /** What is left of it after the levels before. */
  readonly remaining: Float64Array;
  readonly gram: Float64Array;
  readonly vectors: Float64Array;
  /** U^T J P, row k of length sigma_k. */
  readonly modes: Float64Array;
  /** Width of the singular region epsilon. */
  region: number;
  /** Least singular value of J P over the rows that it can have. */
  smallest: number;
}

export function createLevel(priority: number, source: readonly number[], columns: number): Level {
  const rows = source.length;
  const numbers = (size: number): Float64Array => new Float64Array(size);
  return {
    priority,
    rows,
    source: Int32Array.from(source),
    jacobian: numbers(rows * columns),
    reduced: numbers(rows * columns),
    shares: numbers(rows).fill(1),
    weights: numbers(rows),
    wanted: numbers(rows),
    remaining: numbers(rows),
    gram: numbers(rows * rows),
    vectors: numbers(rows * rows),
    modes: numbers(rows * columns),
    region: 0,
    smallest: 0,
  };
}

/**
 * The singular values of a level, of J P where P is what the levels before leave free, and the width of its singular region:
 * `share` of the largest singular value of J itself.
 */
export function decompose(
  level: Level,
  projector: Float64Array,
  first: boolean,
  share: number,
  columns: number,
): void {
  const { rows, jacobian, reduced, gram, vectors, modes } = level;
  if (first) {
    for (let k = 0; k < rows * columns; k++) reduced[k] = jacobian[k];
    spectrum(reduced, rows, columns, gram, vectors);
    level.region = regionOf(gram, rows, share);
  } else {
    spectrum(jacobian, rows, columns, gram, vectors);
    level.region = regionOf(gram, rows, share);
    multiply(jacobian, projector, rows, columns, reduced);
    spectrum(reduced, rows, columns, gram, vectors);
  }
  zeroNumbers(modes, rows * columns);
  for (let k = 0; k < rows; k++) {
    for (let r = 0; r < rows; r++) {
      const u = vectors[k * rows + r];
      for (let c = 0; c < columns; c++) modes[k * columns + c] += u * reduced[r * columns + c];
    }
  }
  level.smallest = smallestOf(gram, rows, Math.min(rows, columns));
}

/**
 * The damping of one direction, by its squared singular value s: epsilon^2 (1 - s/epsilon^2)^2 inside the singular region,
 * nothing outside.
 *
 * The profile of Chiaverini, Siciliano and Egeland (*Review of the damped least-squares inverse kinematics with experiments on an
 * industrial robot manipulator*, IEEE Transactions on Control Systems Technology 2, 1994), lambda^2 = (1 - (sigma/epsilon)^2)
 * lambda_max^2, squared so that its slope is continuous too, with lambda_max = epsilon; for each singular direction by
 * itself, as the numerical filtering of Maciejewski and Klein (Journal of Robotic Systems 5, 1988) damps the least one.
 * Joint velocity per task velocity is then at most 1.07 / epsilon, and H at least 3/4 epsilon^2.
 */
export function dampingAt(s: number, region: number): number {
  const square = region * region;
  if (s >= square) return 0;
  const inside = 1 - s / square;
  return square * inside * inside;
}

/** What a direction of squared singular value s keeps for the levels after: (1 - s/epsilon^2)^2 inside the region, else 0. */
function opening(s: number, region: number): number {
  return dampingAt(s, region) / (region * region);
}

/**
 * H = (J P)^T W (J P) + D and c = -(J P)^T W r: what the level minimizes over z, x = x* + P z.
 * D = h(P^T J^T J P) with h of {@link dampingAt}, the null space included, so that H is positive definite on every face.
 */
export function writeObjective(
  level: Level,
  columns: number,
  hessian: Float64Array,
  linear: Float64Array,
): void {
  const { rows, reduced, weights, remaining, gram, modes, region } = level;
  zeroNumbers(hessian, columns * columns);
  zeroNumbers(linear, columns);
  for (let k = 0; k < columns; k++) hessian[k * (columns + 1)] = region * region;
  for (let r = 0; r < rows; r++) {
    if (weights[r] === 0) continue;
    addOuter(hessian, columns, reduced, r * columns, weights[r]);
    for (let k = 0; k < columns; k++) linear[k] -= weights[r] * remaining[r] * reduced[r * columns + k];
  }
  for (let k = 0; k < rows; k++) {
    const s = Math.max(0, gram[k * (rows + 1)]);
    // (h(s) - epsilon^2) / s on w w^T, |w|^2 = s: no cancellation, s -> 0 included.
    const square = region * region;
    const share = s < square ? -2 + s / square : -square / s;
    addOuter(hessian, columns, modes, k * columns, share);
  }
}

/** P = P (1 - sum of (1 - opening) w w^T / s): closes the directions that the level uses. */
export function closeDirections(
  level: Level,
  columns: number,
  projector: Float64Array,
  scratch: Float64Array,
): void {
  const { rows, gram, modes, region } = level;
  const square = region * region;
  for (let k = 0; k < rows; k++) {
    const s = Math.max(0, gram[k * (rows + 1)]);
    if (s === 0) continue;
    const share = s < square ? (2 - s / square) / square : (1 - opening(s, region)) / s;
    const o = k * columns;
    for (let r = 0; r < columns; r++) {
      let sum = 0;
      for (let c = 0; c < columns; c++) sum += projector[r * columns + c] * modes[o + c];
      scratch[r] = share * sum;
    }
    for (let r = 0; r < columns; r++) {
      const x = scratch[r];
      if (x === 0) continue;
      for (let c = 0; c < columns; c++) projector[r * columns + c] -= x * modes[o + c];
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

function regionOf(gram: Float64Array, rows: number, share: number): number {
  let largest = 0;
  for (let k = 0; k < rows; k++) largest = Math.max(largest, gram[k * (rows + 1)]);
  return Math.max(LEAST_REGION, share * Math.sqrt(largest));
}

/** The square root of the `rank`-th largest eigenvalue. */
function smallestOf(gram: Float64Array, rows: number, rank: number): number {
  // All but the largest `rank` are zero.
  let bound = Number.POSITIVE_INFINITY;
  let value = 0;
  for (let place = 0; place < rank; ) {
    value = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < rows; k++)
      if (gram[k * (rows + 1)] < bound) value = Math.max(value, gram[k * (rows + 1)]);
    if (value === Number.NEGATIVE_INFINITY) return Math.sqrt(Math.max(0, bound));
    for (let k = 0; k < rows; k++) if (gram[k * (rows + 1)] === value) place++;
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
