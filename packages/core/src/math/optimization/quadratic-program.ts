import * as cholesky from '../linear/cholesky.js';

/** Violation of a row, relative to the size of its terms at the free minimum, that counts as rounding. */
const FEASIBLE = 1e-13;
/** The same for a row that depends on the active ones: it holds as far as they do. */
const FEASIBLE_DEPENDENT = 1e-9;
/** In `isActive`: a row that the active ones imply. */
const IGNORED = 2;
/** Part of a row, in the metric of H^-1, that the active rows leave free; less counts as none. */
const DEPENDENT = 1e-11;

/**
 * A strictly convex quadratic program with two-sided rows,
 *
 *   minimize 1/2 x^T H x + c^T x   where   lower <= A x <= upper,
 *
 * and all the memory to solve it. Fill `hessian`, `linear`, `rows`, `lower` and `upper`, then call
 * {@link solveQuadraticProgram}.
 */
export interface QuadraticProgram {
  /** Number of variables n. */
  readonly size: number;
  /** Most rows that fit. */
  readonly capacity: number;
  /** H, n x n row by row; the lower triangle is read. Kept. */
  readonly hessian: Float64Array;
  readonly linear: Float64Array;
  /** A, row by row. A row of zeros is ignored. */
  readonly rows: Float64Array;
  /** Minus infinity for none. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** x, written. */
  readonly solution: Float64Array;
  /** One for each row, written: positive where the upper side holds x back, negative for the lower. H x + c + A^T y = 0. */
  readonly multipliers: Float64Array;
  readonly scratch: Scratch;
}

interface Scratch {
  /** Cholesky factor of H. */
  readonly factor: Float64Array;
  /** J with J J^T = H^-1, its first columns spanning the active rows (Goldfarb and Idnani). */
  readonly basis: Float64Array;
  /** Upper triangle R of the active rows, J^T N = [R; 0]. */
  readonly triangle: Float64Array;
  /** Active rows in order of their columns in R; the sign says which side. */
  readonly active: Int32Array;
  readonly sides: Int8Array;
  readonly isActive: Uint8Array;
  readonly weights: Float64Array;
  readonly projected: Float64Array;
  readonly direction: Float64Array;
  readonly response: Float64Array;
  readonly norms: Float64Array;
}

export type QuadraticStatus = 'optimal' | 'infeasible' | 'not-convex' | 'not-finite' | 'iteration-limit';

/** Memory for programs of `size` variables and up to `capacity` rows. */
export function createQuadraticProgram(size: number, capacity: number): QuadraticProgram {
  return {
    size,
    capacity,
    hessian: new Float64Array(size * size),
    linear: new Float64Array(size),
    rows: new Float64Array(capacity * size),
    lower: new Float64Array(capacity).fill(Number.NEGATIVE_INFINITY),
    upper: new Float64Array(capacity).fill(Number.POSITIVE_INFINITY),
    solution: new Float64Array(size),
    multipliers: new Float64Array(capacity),
    scratch: {
      factor: new Float64Array(size * size),
      basis: new Float64Array(size * size),
      triangle: new Float64Array(size * size),
      active: new Int32Array(size + 1),
      sides: new Int8Array(size + 1),
      isActive: new Uint8Array(capacity),
      weights: new Float64Array(size + 1),
      projected: new Float64Array(size),
      direction: new Float64Array(size),
      response: new Float64Array(size + 1),
      norms: new Float64Array(capacity),
    },
  };
}

/**
 * Solves the program over its first `count` rows with the dual active-set method of Goldfarb and Idnani (*A numerically
 * stable dual method for solving strictly convex quadratic programs*, Mathematical Programming 27, 1983): from the free minimum
 * on, the row violated most is made active, and active rows whose multiplier would change sign are let go. It ends after
 * finitely many changes with the exact active set. Allocates nothing; same input, same bits.
 *
 * @returns `infeasible` where the rows contradict each other, `not-convex` where H is not positive definite (or holds NaN),
 * `not-finite` where c, a row or a bound is NaN, or numbers grow beyond double precision: the solution is of no use then.
 */
export function solveQuadraticProgram(program: QuadraticProgram, count: number): QuadraticStatus {
  const { size, rows, lower, upper, solution, multipliers, scratch } = program;
  const { isActive, norms } = scratch;
  for (let i = 0; i < count; i++) {
    multipliers[i] = 0;
    isActive[i] = 0;
    let sum = 0;
    for (let k = i * size; k < (i + 1) * size; k++) sum += rows[k] * rows[k];
    norms[i] = Math.sqrt(sum);
    if (!(sum < Number.POSITIVE_INFINITY) || Number.isNaN(lower[i]) || Number.isNaN(upper[i]))
      return 'not-finite';
    if (lower[i] > upper[i] || lower[i] === Number.POSITIVE_INFINITY || upper[i] === Number.NEGATIVE_INFINITY)
      return 'infeasible';
  }
  if (!startFree(program)) return 'not-convex';
  let q = 0;
  // x comes down from the free minimum, so that is what its rounding is relative to.
  let largest = 0;
  for (let k = 0; k < size; k++) largest = Math.max(largest, Math.abs(solution[k]));
  if (!(largest < Number.POSITIVE_INFINITY)) return 'not-finite';
  const most = 50 + 20 * (size + count);
  for (let change = 0; change < most; change++) {
    // The row violated most, over the length of the row.
    let worst = -1;
    let side = 0;
    let violation = 0;
    for (let i = 0; i < count; i++) {
      if (isActive[i] !== 0 || norms[i] === 0) continue;
      let value = 0;
      for (let k = 0, o = i * size; k < size; k++) value += rows[o + k] * solution[k];
      const above = value - upper[i];
      const below = lower[i] - value;
      const excess = above > below ? above : below;
      const bound = Math.abs(above > below ? upper[i] : lower[i]);
      if (!(excess > FEASIBLE * (norms[i] * largest + bound))) continue;
      if (!(excess > violation * norms[i])) continue;
      violation = excess / norms[i];
      worst = i;
      side = above > below ? -1 : 1;
    }
    if (worst < 0) {
      settle(program, q);
      for (let k = 0; k < size; k++) if (!Number.isFinite(solution[k])) return 'not-finite';
      return 'optimal';
    }
    const next = makeActive(program, worst, side, q);
    q = next >= 0 ? next : -1 - next;
    // Rows that were implied may no longer be: look at them again.
    if (next >= 0) for (let i = 0; i < count; i++) if (isActive[i] === IGNORED) isActive[i] = 0;
    if (next < 0) {
      const bound = Math.abs(side > 0 ? lower[worst] : upper[worst]);
      if (violation * norms[worst] > FEASIBLE_DEPENDENT * (norms[worst] * largest + bound))
        return 'infeasible';
      isActive[worst] = IGNORED;
    }
  }
  return 'iteration-limit';
}

/** Takes the rounding out of the active rows, x += J_1 R^-T (b - A x), and hands out the multipliers. */
function settle(
  { size, rows, lower, upper, solution, multipliers, scratch }: QuadraticProgram,
  q: number,
): void {
  const { basis, triangle, active, sides, weights, response } = scratch;
  for (let j = 0; j < q; j++) {
    const i = active[j];
    let gap = sides[j] > 0 ? lower[i] : -upper[i];
    for (let k = 0, o = i * size; k < size; k++) gap -= sides[j] * rows[o + k] * solution[k];
    for (let k = 0; k < j; k++) gap -= triangle[k * size + j] * response[k];
    response[j] = gap / triangle[j * size + j];
    multipliers[i] = -sides[j] * weights[j];
  }
  for (let r = 0; r < size; r++) {
    let sum = 0;
    for (let j = 0; j < q; j++) sum += basis[r * size + j] * response[j];
    solution[r] += sum;
  }
}

/** x = -H^-1 c, J = L^-T. */
function startFree({ size, hessian, linear, solution, scratch }: QuadraticProgram): boolean {
  const { factor, basis } = scratch;
  for (let k = 0; k < size * size; k++) factor[k] = hessian[k];
  if (!cholesky.factor(factor, size)) return false;
  for (let k = 0; k < size; k++) solution[k] = -linear[k];
  cholesky.solve(factor, size, solution);
  // Column c of L^-1, by forward substitution, is row c of J.
  for (let c = 0; c < size; c++) {
    const row = c * size;
    for (let k = 0; k < c; k++) basis[row + k] = 0;
    basis[row + c] = 1 / factor[c * size + c];
    for (let r = c + 1; r < size; r++) {
      let sum = 0;
      for (let k = c; k < r; k++) sum -= factor[r * size + k] * basis[row + k];
      basis[row + r] = sum / factor[r * size + r];
    }
  }
  return true;
}

/**
 * Moves x to the nearest point, in the metric of H, where row `p` holds with the active ones, letting go those that this
 * frees. `side` is +1 for its lower bound and -1 for the upper: n.x >= b with n = side a.
 *
 * @returns how many rows are active then; -1 - that number where `p` cannot hold.
 */
function makeActive(program: QuadraticProgram, p: number, side: number, count: number): number {
  const { size, rows, lower, upper, solution, scratch } = program;
  const { basis, active, sides, isActive, weights, projected, direction, response } = scratch;
  const bound = side > 0 ? lower[p] : -upper[p];
  let q = count;
  let weight = 0;
  for (;;) {
    // d = J^T n
    let whole = 0;
    let free = 0;
    for (let k = 0; k < size; k++) projected[k] = 0;
    for (let r = 0, o = p * size; r < size; r++) {
      const n = side * rows[o + r];
      if (n === 0) continue;
      for (let k = 0; k < size; k++) projected[k] += basis[r * size + k] * n;
    }
    for (let k = 0; k < size; k++) {
      whole += projected[k] * projected[k];
      if (k >= q) free += projected[k] * projected[k];
    }
    const dependent = free <= DEPENDENT * DEPENDENT * whole;
    backSubstitute(scratch, size, q);
    // The longest step that keeps the multipliers of the active rows at zero or more.
    let partial = Number.POSITIVE_INFINITY;
    let leaves = -1;
    for (let j = 0; j < q; j++) {
      if (!(response[j] > 0)) continue;
      const t = weights[j] / response[j];
      if (t < partial) {
        partial = t;
        leaves = j;
      }
    }
    let slack = -bound;
    for (let k = 0, o = p * size; k < size; k++) slack += side * rows[o + k] * solution[k];
    const full = dependent ? Number.POSITIVE_INFINITY : Math.max(0, -slack / free);
    const step = Math.min(partial, full);
    if (step === Number.POSITIVE_INFINITY) return -1 - q;
    if (!dependent) {
      // z = J_2 d_2, and n.z = |d_2|^2
      for (let r = 0; r < size; r++) {
        let sum = 0;
        for (let k = q; k < size; k++) sum += basis[r * size + k] * projected[k];
        direction[r] = sum;
        solution[r] += step * sum;
      }
    }
    for (let j = 0; j < q; j++) weights[j] -= step * response[j];
    weight += step;
    if (full <= partial) {
      addRow(scratch, size, q);
      active[q] = p;
      sides[q] = side;
      weights[q] = weight;
      isActive[p] = 1;
      return q + 1;
    }
    isActive[active[leaves]] = 0;
    removeRow(scratch, size, q, leaves);
    q--;
  }
}

/** r = R^-1 d_1 */
function backSubstitute({ triangle, projected, response }: Scratch, size: number, q: number): void {
  for (let i = q - 1; i >= 0; i--) {
    let sum = projected[i];
    for (let j = i + 1; j < q; j++) sum -= triangle[i * size + j] * response[j];
    response[i] = sum / triangle[i * size + i];
  }
}

/** Turns the free columns of J so that d_2 = [|d_2|, 0, ...]: d becomes the new column of R. */
function addRow({ basis, triangle, projected }: Scratch, size: number, q: number): void {
  for (let k = size - 1; k > q; k--) {
    const y = projected[k];
    if (y === 0) continue;
    const x = projected[k - 1];
    const h = Math.sqrt(x * x + y * y);
    const c = x / h;
    const s = y / h;
    projected[k - 1] = h;
    projected[k] = 0;
    turnColumns(basis, size, k - 1, c, s);
  }
  for (let k = 0; k <= q; k++) triangle[k * size + q] = projected[k];
}

/** Takes column `gone` out of R and turns rows, and columns of J, until R is a triangle again. */
function removeRow(scratch: Scratch, size: number, q: number, gone: number): void {
  const { basis, triangle, active, sides, weights } = scratch;
  for (let j = gone; j < q - 1; j++) {
    active[j] = active[j + 1];
    sides[j] = sides[j + 1];
    weights[j] = weights[j + 1];
    for (let r = 0; r <= j + 1; r++) triangle[r * size + j] = triangle[r * size + j + 1];
  }
  for (let k = gone; k < q - 1; k++) {
    const y = triangle[(k + 1) * size + k];
    if (y === 0) continue;
    const x = triangle[k * size + k];
    const h = Math.sqrt(x * x + y * y);
    const c = x / h;
    const s = y / h;
    for (let j = k; j < q - 1; j++) {
      const u = triangle[k * size + j];
      const v = triangle[(k + 1) * size + j];
      triangle[k * size + j] = c * u + s * v;
      triangle[(k + 1) * size + j] = c * v - s * u;
    }
    turnColumns(basis, size, k, c, s);
  }
}

/** Columns k and k + 1 of J: (u, v) -> (c u + s v, c v - s u). */
function turnColumns(basis: Float64Array, size: number, k: number, c: number, s: number): void {
  for (let r = 0; r < size; r++) {
    const o = r * size + k;
    const u = basis[o];
    const v = basis[o + 1];
    basis[o] = c * u + s * v;
    basis[o + 1] = c * v - s * u;
  }
}
