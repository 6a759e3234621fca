/** Block-tridiagonal linear systems of 3x3 blocks, solved in time linear in their size. */
import * as linear from './lu.js';
import type { MutableNumbers, Numbers } from './types.js';

/** A block-tridiagonal matrix, one entry per block row; a block is nine numbers, row by row. */
export interface BlockRows {
  /** Subdiagonal A_{i,i-1}; the first is not read. */
  readonly left: readonly Numbers[];
  /** Diagonal A_{i,i}. */
  readonly middle: readonly Numbers[];
  /** Superdiagonal A_{i,i+1}; the last is not read. */
  readonly right: readonly Numbers[];
}

/**
 * Solves A x = b in place of `b`, three numbers a row, by the block Thomas algorithm: no pivoting between blocks, for diagonally
 * dominant matrices such as those of splines. P_i = A_{i,i} - A_{i,i-1} G_{i-1}, G_i = P_i^-1 A_{i,i+1}.
 * @returns false, with `b` partly overwritten, when some P_i is singular to rounding.
 */
export function solve({ left, middle, right }: BlockRows, b: MutableNumbers): boolean {
  const n = middle.length;
  /** A row of [G_i | g_i], four numbers. */
  const steps = new Float64Array(12 * n);
  const pivot = new Float64Array(9);
  for (let i = 0; i < n; i++) {
    const step = steps.subarray(12 * i, 12 * i + 12);
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 3; c++) {
        pivot[3 * r + c] = middle[i][3 * r + c];
        step[4 * r + c] = i + 1 < n ? right[i][3 * r + c] : 0;
      }
      step[4 * r + 3] = b[3 * i + r];
      for (let k = 0; i > 0 && k < 3; k++) {
        const factor = left[i][3 * r + k];
        const before = 12 * (i - 1) + 4 * k;
        for (let c = 0; c < 3; c++) pivot[3 * r + c] -= factor * steps[before + c];
        step[4 * r + 3] -= factor * steps[before + 3];
      }
    }
    if (!linear.solve(pivot, 3, step, 4)) return false;
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let r = 0; r < 3; r++) {
      const at = 12 * i + 4 * r;
      let sum = steps[at + 3];
      for (let k = 0; i + 1 < n && k < 3; k++) sum -= steps[at + k] * b[3 * i + 3 + k];
      b[3 * i + r] = sum;
    }
  }
  return true;
}
