import * as cholesky from '../math/cholesky.js';
import { projectRows, updateActiveSet } from './active-set.js';
import { copyNumbers, zeroNumbers } from './arrays.js';
import { differentiate, evaluate, notFinite, type Problem, satisfied, writeGradient } from './problem.js';
import { regularizeCharts, writeTrial } from './trial.js';
import type { Workspace } from './workspace.js';

/** Damping against the squared residual: lambda = mu |r|^2 (Sugihara 2011), mu adapted by the gain ratio. */
const MU_START = 0.3;
const MU_LEAST = 1e-6;
const MU_MOST = 1e14;
/** Largest change of an angle in one step, rad: beyond it the linear model says nothing. Translations are linear. */
const STEP_LIMIT = 1.5;
/** Rounds of deciding which limits a step runs into. */
const CLIP_ROUNDS = 4;
/** So many steps in a row that lower f by less than this fraction end the descent as slow. */
const SLOW_FRACTION = 0.02;
const SLOW_STEPS = 4;

/** Columns [first, end) of a problem. */
export interface ColumnRange {
  readonly first: number;
  readonly end: number;
}

export interface DescentResult {
  readonly outcome: 'converged' | 'slow' | 'iteration-limit';
  /** f at the pose reached. */
  readonly objective: number;
  readonly iterations: number;
}

/**
 * Levenberg-Marquardt on the face of the active limits, in place on an allowed pose. Every accepted pose is allowed: a
 * step that leaves a limit is projected to the nearest allowed point, and the rest of the step is solved again with that
 * part decided. Every accepted step lowers f. Ends when the goals are reached, or slow when steps gain little.
 *
 * @param block - The columns that may move; all by default.
 */
export function levenbergMarquardt(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  maxIterations: number,
  block: ColumnRange = { first: 0, end: problem.coordinates.length },
): DescentResult {
  const { trial, gradient, activeSet } = work;
  let f = evaluate(problem, pose);
  if (!(f < Number.POSITIVE_INFINITY)) throw notFinite(f);
  work.onIterate?.(pose, f);
  let mu = MU_START;
  let slow = 0;
  let iterations = 0;
  while (!satisfied(problem)) {
    differentiate(problem, pose);
    if (problem.parts.length > 0) {
      writeGradient(problem, gradient);
      updateActiveSet(problem, activeSet, pose, gradient);
      projectRows(problem, activeSet, problem.jacobian.values, problem.rows, problem.jacobian.width);
    }
    keepColumns(problem, block);
    const before = f;
    while (f === before) {
      if (iterations >= maxIterations || mu > MU_MOST) {
        evaluate(problem, pose);
        return { outcome: mu > MU_MOST ? 'slow' : 'iteration-limit', objective: f, iterations };
      }
      const predicted = takeStep(problem, work, pose, mu * 2 * f);
      const next = evaluate(problem, trial);
      iterations++;
      const gain = (f - next) / predicted;
      if (next < f && gain > 1e-3) {
        if (gain > 0.7) mu = Math.max(MU_LEAST, mu * 0.2);
        else if (gain < 0.3) mu *= 3;
        f = next;
      } else {
        mu *= 6;
        evaluate(problem, pose);
      }
    }
    copyNumbers(trial, pose, pose.length);
    regularizeCharts(problem, pose);
    work.onIterate?.(pose, f);
    slow = f > before * (1 - SLOW_FRACTION) ? slow + 1 : 0;
    if (slow >= SLOW_STEPS)
      return { outcome: satisfied(problem) ? 'converged' : 'slow', objective: f, iterations };
  }
  return { outcome: 'converged', objective: f, iterations };
}

/** Zeroes the Jacobian outside a block of columns. */
function keepColumns({ jacobian, rows }: Problem, { first, end }: ColumnRange): void {
  const { values, width } = jacobian;
  if (first === 0 && end === width) return;
  for (let r = 0; r < rows; r++) {
    values.fill(0, r * width, r * width + first);
    values.fill(0, r * width + end, (r + 1) * width);
  }
}

/**
 * Writes the trial pose for the damping lambda: minimize |r + J d|^2 + lambda |d|^2 over the face, the limits met on the
 * way decided one round after the other. Returns the fall of f that the linear model predicts for the change really made.
 */
function takeStep(problem: Problem, work: Workspace, pose: Float64Array, lambda: number): number {
  const { jacobian, rows, residual } = problem;
  const { width, values } = jacobian;
  const { undecided, decided, step, remaining } = work;
  zeroNumbers(decided, width);
  copyNumbers(residual, remaining, rows);
  solveDamped(problem, work, values, lambda);
  let hit = writeTrial(problem, work, pose);
  for (let round = 0; hit > 0 && round < CLIP_ROUNDS; round++) {
    // What was hit keeps the change it got; the others are solved for against what remains.
    copyNumbers(values, undecided, rows * width);
    copyNumbers(residual, remaining, rows);
    for (let k = 0; k < width; k++) {
      if (decided[k] === 0) continue;
      for (let r = 0; r < rows; r++) {
        remaining[r] += values[r * width + k] * step[k];
        undecided[r * width + k] = 0;
      }
    }
    solveDamped(problem, work, undecided, lambda);
    hit = writeTrial(problem, work, pose);
  }
  return Math.max(predictedFall(problem, work), Number.MIN_VALUE);
}

/** |r|^2/2 - |r + J d|^2/2 for the change really made. */
function predictedFall({ jacobian, rows, residual }: Problem, { step }: Workspace): number {
  const { values, width } = jacobian;
  let fall = 0;
  for (let r = 0; r < rows; r++) {
    let change = 0;
    for (let k = 0, o = r * width; k < width; k++) change += values[o + k] * step[k];
    fall -= change * (residual[r] + 0.5 * change);
  }
  return fall;
}

/**
 * d = -J^T (J J^T + lambda I)^-1 r, or -(J^T J + lambda I)^-1 J^T r where there are more rows than columns; cut to
 * STEP_LIMIT and written to `step` where the column is not decided.
 */
function solveDamped(problem: Problem, work: Workspace, j: Float64Array, lambda: number): void {
  const { rows, jacobian, translates } = problem;
  const { width } = jacobian;
  const { remaining, rowSolution, direction, decided, step } = work;
  if (rows <= width) {
    formRowNormal(work.normal, j, rows, width, problem.rowRanges);
    copyNumbers(remaining, rowSolution, rows);
    dampAndSolve(work.normal, rows, lambda, rowSolution);
    multiplyTransposed(j, rows, width, rowSolution, direction);
  } else {
    formColumnNormal(work.normal, j, rows, width);
    multiplyTransposed(j, rows, width, remaining, direction);
    dampAndSolve(work.normal, width, lambda, direction);
  }
  let largest = 0;
  for (let k = 0; k < width; k++) {
    if (translates[k] === 0) largest = Math.max(largest, Math.abs(direction[k]));
  }
  const factor = largest > STEP_LIMIT ? -STEP_LIMIT / largest : -1;
  for (let k = 0; k < width; k++) if (decided[k] === 0) step[k] = factor * direction[k];
}

/**
 * Lower triangle of J J^T, three rows by three rows at a time: nine products for six loads. Each triple of rows is summed over
 * the columns that it shares with the other only (`ranges`: first and end column of each triple).
 */
function formRowNormal(
  out: Float64Array,
  j: Float64Array,
  rows: number,
  width: number,
  ranges: Int32Array,
): void {
  for (let a = 0; a < rows; a += 3) {
    for (let b = 0; b <= a; b += 3) {
      const first = Math.max(ranges[(2 * a) / 3], ranges[(2 * b) / 3]);
      const end = Math.min(ranges[(2 * a) / 3 + 1], ranges[(2 * b) / 3 + 1]);
      addRowProducts(out, j, rows, width, a, b, first, end);
    }
  }
}

/** The products of rows a, a+1, a+2 with rows b, b+1, b+2 over columns [first, end); rows past the last are left out. */
function addRowProducts(
  out: Float64Array,
  j: Float64Array,
  rows: number,
  width: number,
  a: number,
  b: number,
  first: number,
  end: number,
): void {
  // Rows past the last repeat the last: computed for nothing, never stored.
  const a1 = Math.min(a + 1, rows - 1);
  const a2 = Math.min(a + 2, rows - 1);
  const b1 = Math.min(b + 1, rows - 1);
  const b2 = Math.min(b + 2, rows - 1);
  let s00 = 0;
  let s01 = 0;
  let s02 = 0;
  let s10 = 0;
  let s11 = 0;
  let s12 = 0;
  let s20 = 0;
  let s21 = 0;
  let s22 = 0;
  for (let k = first; k < end; k++) {
    const x0 = j[a * width + k];
    const x1 = j[a1 * width + k];
    const x2 = j[a2 * width + k];
    const y0 = j[b * width + k];
    const y1 = j[b1 * width + k];
    const y2 = j[b2 * width + k];
    s00 += x0 * y0;
    s01 += x0 * y1;
    s02 += x0 * y2;
    s10 += x1 * y0;
    s11 += x1 * y1;
    s12 += x1 * y2;
    s20 += x2 * y0;
    s21 += x2 * y1;
    s22 += x2 * y2;
  }
  out[a * rows + b] = s00;
  out[a1 * rows + b] = s10;
  out[a2 * rows + b] = s20;
  if (b1 > b) {
    out[a * rows + b1] = s01;
    out[a1 * rows + b1] = s11;
    out[a2 * rows + b1] = s21;
  }
  if (b2 > b1) {
    out[a * rows + b2] = s02;
    out[a1 * rows + b2] = s12;
    out[a2 * rows + b2] = s22;
  }
}

/** Lower triangle of J^T J. */
function formColumnNormal(out: Float64Array, j: Float64Array, rows: number, width: number): void {
  for (let a = 0; a < width; a++) {
    for (let b = 0; b <= a; b++) {
      let sum = 0;
      for (let o = 0; o < rows * width; o += width) sum += j[o + a] * j[o + b];
      out[a * width + b] = sum;
    }
  }
}

/** x = (A + lambda I)^-1 x, A positive semidefinite by its lower triangle; lambda at least rounding of A. */
function dampAndSolve(a: Float64Array, size: number, lambda: number, x: Float64Array): void {
  let largest = 0;
  for (let i = 0; i < size; i++) largest = Math.max(largest, a[i * (size + 1)]);
  const damping = Math.max(lambda, 1e-13 * size * largest, Number.MIN_VALUE);
  for (let i = 0; i < size; i++) a[i * (size + 1)] += damping;
  if (size === 3) {
    solve3(a, x);
    return;
  }
  if (cholesky.factor(a, size)) cholesky.solve(a, size, x);
  else x.fill(0);
}

/** x = A^-1 x for a positive definite 3x3 by its lower triangle, L D L^T written out: one position goal, the most common case. */
function solve3(a: Float64Array, x: Float64Array): void {
  const d0 = a[0];
  const l10 = a[3] / d0;
  const l20 = a[6] / d0;
  const d1 = a[4] - l10 * a[3];
  const l21 = (a[7] - l20 * a[3]) / d1;
  const d2 = a[8] - l20 * a[6] - l21 * l21 * d1;
  if (!(d0 > 0 && d1 > 0 && d2 > 0)) {
    x.fill(0);
    return;
  }
  const y1 = x[1] - l10 * x[0];
  const y2 = x[2] - l20 * x[0] - l21 * y1;
  x[2] = y2 / d2;
  x[1] = y1 / d1 - l21 * x[2];
  x[0] = x[0] / d0 - l10 * x[1] - l20 * x[2];
}

/** out = J^T x. */
function multiplyTransposed(
  j: Float64Array,
  rows: number,
  width: number,
  x: Float64Array,
  out: Float64Array,
): void {
  zeroNumbers(out, width);
  for (let r = 0; r < rows; r++) {
    const weight = x[r];
    const o = r * width;
    for (let k = 0; k < width; k++) out[k] += weight * j[o + k];
  }
}
