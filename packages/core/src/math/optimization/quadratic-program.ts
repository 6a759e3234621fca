import * as cholesky from '../linear/cholesky.js';

/** Feasibility tolerance of a row, relative to its norm times |x| at the unconstrained minimum. */
const FEASIBLE = 1e-13;
/** Feasibility tolerance of a row that depends linearly on the active ones. */
const FEASIBLE_DEPENDENT = 1e-9;
/** Value in `isActive` of a redundant row: implied by the active ones. */
const REDUNDANT = 2;
/** Norm of a row projected onto the null space of the active rows, relative to the row, metric H^-1: below it the row is dependent. */
const DEPENDENT = 1e-11;

/**
 * A strictly convex quadratic program with two-sided constraints,
 *
 *   minimize 1/2 x^T H x + c^T x   where   lower <= A x <= upper,
 *
 * with its workspace. Fill `hessian`, `linear`, `rows`, `lower` and `upper`, then call
 * {@link solveQuadraticProgram}.
 */
export interface QuadraticProgram {
  /** Number of variables n. */
  readonly size: number;
  /** Maximum number of constraint rows. */
  readonly capacity: number;
  /** H, n x n row by row; only the lower triangle is read. Not modified. */
  readonly hessian: Float64Array;
  /** c. */
  readonly linear: Float64Array;
  /** A, row by row. A row of zeros is ignored. */
  readonly rows: Float64Array;
  /** Lower bound of each row; minus infinity for none. */
  readonly lower: Float64Array;
  /** Upper bound of each row; infinity for none. */
  readonly upper: Float64Array;
  /** Output: x. */
  readonly solution: Float64Array;
  /** Output: multiplier y of each row, positive at an active upper bound, negative at a lower one. H x + c + A^T y = 0. */
  readonly multipliers: Float64Array;
  readonly scratch: Scratch;
}

interface Scratch {
  /** Cholesky factor of H. */
  readonly factor: Float64Array;
  /** J of Goldfarb and Idnani: J J^T = H^-1, its first columns span the active rows. */
  readonly basis: Float64Array;
  /** Upper triangle R of the active rows, J^T N = [R; 0]. */
  readonly triangle: Float64Array;
  /** Active rows, in the order of their columns in R. */
  readonly active: Int32Array;
  /** Active bound of each: +1 the lower, -1 the upper. */
  readonly boundSigns: Int8Array;
  /** Per row: 1 active, 0 inactive, or `REDUNDANT`. */
  readonly isActive: Uint8Array;
  /** Multipliers of the active rows, not negative. */
  readonly activeMultipliers: Float64Array;
  readonly projected: Float64Array;
  readonly direction: Float64Array;
  readonly response: Float64Array;
  readonly norms: Float64Array;
}

export type QuadraticStatus = 'optimal' | 'infeasible' | 'not-convex' | 'not-finite' | 'iteration-limit';

/** Allocates a program of `size` variables and up to `capacity` rows. */
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
      boundSigns: new Int8Array(size + 1),
      isActive: new Uint8Array(capacity),
      activeMultipliers: new Float64Array(size + 1),
      projected: new Float64Array(size),
      direction: new Float64Array(size),
      response: new Float64Array(size + 1),
      norms: new Float64Array(capacity),
    },
  };
}

/**
 * Solves the program over its first `count` rows with the dual active-set method of Goldfarb and Idnani (*A numerically
 * stable dual method for solving strictly convex quadratic programs*, Mathematical Programming 27, 1983): starting at the
 * unconstrained minimum it adds the most violated row to the active set and drops rows whose multiplier would change sign.
 * It terminates with the exact active set. Allocates nothing; deterministic to the bit.
 *
 * @returns `infeasible` for contradictory rows, `not-convex` where H is not positive definite (or contains NaN),
 * `not-finite` for NaN in c, a row or a bound, or on overflow. The solution is valid only for `optimal`.
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
  if (!startUnconstrained(program)) return 'not-convex';
  let q = 0;
  // |x| at the unconstrained minimum: the scale of the rounding of all iterates.
  let largest = 0;
  for (let k = 0; k < size; k++) largest = Math.max(largest, Math.abs(solution[k]));
  if (!(largest < Number.POSITIVE_INFINITY)) return 'not-finite';
  const maxChanges = 50 + 20 * (size + count);
  for (let change = 0; change < maxChanges; change++) {
    // The row with the largest violation over its norm.
    let worst = -1;
    let sign = 0;
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
      sign = above > below ? -1 : 1;
    }
    if (worst < 0) {
      refineSolution(program, q);
      for (let k = 0; k < size; k++) if (!Number.isFinite(solution[k])) return 'not-finite';
      return 'optimal';
    }
    const next = addConstraint(program, worst, sign, q);
    q = next >= 0 ? next : -1 - next;
    // The active set changed: redundant rows may no longer be.
    if (next >= 0) for (let i = 0; i < count; i++) if (isActive[i] === REDUNDANT) isActive[i] = 0;
    if (next < 0) {
      const bound = Math.abs(sign > 0 ? lower[worst] : upper[worst]);
      if (violation * norms[worst] > FEASIBLE_DEPENDENT * (norms[worst] * largest + bound))
        return 'infeasible';
      isActive[worst] = REDUNDANT;
    }
  }
  return 'iteration-limit';
}

/** One step of iterative refinement on the active rows, x += J_1 R^-T (b - A x); writes the multipliers. */
function refineSolution(
  { size, rows, lower, upper, solution, multipliers, scratch }: QuadraticProgram,
  q: number,
): void {
  const { basis, triangle, active, boundSigns, activeMultipliers, response } = scratch;
  for (let j = 0; j < q; j++) {
    const i = active[j];
    let gap = boundSigns[j] > 0 ? lower[i] : -upper[i];
    for (let k = 0, o = i * size; k < size; k++) gap -= boundSigns[j] * rows[o + k] * solution[k];
    for (let k = 0; k < j; k++) gap -= triangle[k * size + j] * response[k];
    response[j] = gap / triangle[j * size + j];
    multipliers[i] = -boundSigns[j] * activeMultipliers[j];
  }
  for (let r = 0; r < size; r++) {
    let sum = 0;
    for (let j = 0; j < q; j++) sum += basis[r * size + j] * response[j];
    solution[r] += sum;
  }
}

/** The unconstrained minimum x = -H^-1 c, and J = L^-T. */
function startUnconstrained({ size, hessian, linear, solution, scratch }: QuadraticProgram): boolean {
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
 * Adds row `p` to the active set: moves x to the nearest point, in the metric of H, that satisfies it and the active rows,
 * dropping rows whose multiplier reaches zero. `sign` is +1 for its lower bound and -1 for the upper: n.x >= b, n = sign a.
 *
 * @returns the number of active rows; -1 - that number where `p` contradicts or depends on them.
 */
function addConstraint(program: QuadraticProgram, p: number, sign: number, count: number): number {
  const { size, rows, lower, upper, solution, scratch } = program;
  const { basis, active, boundSigns, isActive, activeMultipliers, projected, direction, response } = scratch;
  const bound = sign > 0 ? lower[p] : -upper[p];
  let q = count;
  let multiplier = 0;
  for (;;) {
    // d = J^T n
    let total = 0;
    let free = 0;
    for (let k = 0; k < size; k++) projected[k] = 0;
    for (let r = 0, o = p * size; r < size; r++) {
      const n = sign * rows[o + r];
      if (n === 0) continue;
      for (let k = 0; k < size; k++) projected[k] += basis[r * size + k] * n;
    }
    for (let k = 0; k < size; k++) {
      total += projected[k] * projected[k];
      if (k >= q) free += projected[k] * projected[k];
    }
    const dependent = free <= DEPENDENT * DEPENDENT * total;
    backSubstitute(scratch, size, q);
    // The longest dual step that keeps the multipliers of the active rows at zero or more.
    let partial = Number.POSITIVE_INFINITY;
    let leaving = -1;
    for (let j = 0; j < q; j++) {
      if (!(response[j] > 0)) continue;
      const t = activeMultipliers[j] / response[j];
      if (t < partial) {
        partial = t;
        leaving = j;
      }
    }
    let slack = -bound;
    for (let k = 0, o = p * size; k < size; k++) slack += sign * rows[o + k] * solution[k];
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
    for (let j = 0; j < q; j++) activeMultipliers[j] -= step * response[j];
    multiplier += step;
    if (full <= partial) {
      addRow(scratch, size, q);
      active[q] = p;
      boundSigns[q] = sign;
      activeMultipliers[q] = multiplier;
      isActive[p] = 1;
      return q + 1;
    }
    isActive[active[leaving]] = 0;
    removeRow(scratch, size, q, leaving);
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

/** Givens rotations of the free columns of J until d_2 = [|d_2|, 0, ...]; d becomes the new column of R. */
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
    rotateColumns(basis, size, k - 1, c, s);
  }
  for (let k = 0; k <= q; k++) triangle[k * size + q] = projected[k];
}

/** Removes a column of R and restores its triangle by Givens rotations of its rows and of the columns of J. */
function removeRow(scratch: Scratch, size: number, q: number, removed: number): void {
  const { basis, triangle, active, boundSigns, activeMultipliers } = scratch;
  for (let j = removed; j < q - 1; j++) {
    active[j] = active[j + 1];
    boundSigns[j] = boundSigns[j + 1];
    activeMultipliers[j] = activeMultipliers[j + 1];
    for (let r = 0; r <= j + 1; r++) triangle[r * size + j] = triangle[r * size + j + 1];
  }
  for (let k = removed; k < q - 1; k++) {
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
    rotateColumns(basis, size, k, c, s);
  }
}

/** Columns k and k + 1 of J: (u, v) -> (c u + s v, c v - s u). */
function rotateColumns(basis: Float64Array, size: number, k: number, c: number, s: number): void {
  for (let r = 0; r < size; r++) {
    const o = r * size + k;
    const u = basis[o];
    const v = basis[o + 1];
    basis[o] = c * u + s * v;
    basis[o + 1] = c * v - s * u;
  }
}
