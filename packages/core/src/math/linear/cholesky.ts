/** Dense Cholesky factorization, in place on a packed array with a row stride. Nothing is allocated. */
import type { MutableNumbers, Numbers } from './types.js';

/**
 * Factors A = L L^T in place: reads the lower triangle of the n x n matrix a[offset + i * stride + j] and
 * overwrites it with L; the strict upper triangle is neither read nor written.
 * @returns false, with `a` partly overwritten, when a pivot is not positive: A is not positive definite
 * in double precision (or contains NaN).
 */
export function factor(a: MutableNumbers, n: number, stride: number = n, offset = 0): boolean {
  for (let j = 0; j < n; j++) {
    const rowJ = offset + j * stride;
    // L_jj = sqrt(A_jj - sum_k L_jk^2)
    let pivot = a[rowJ + j];
    for (let k = 0; k < j; k++) pivot -= a[rowJ + k] * a[rowJ + k];
    if (!(pivot > 0)) return false;
    const diagonal = Math.sqrt(pivot);
    a[rowJ + j] = diagonal;
    const reciprocal = 1 / diagonal;
    // L_ij = (A_ij - sum_k L_ik L_jk) / L_jj
    for (let i = j + 1; i < n; i++) {
      const rowI = offset + i * stride;
      let sum = a[rowI + j];
      for (let k = 0; k < j; k++) sum -= a[rowI + k] * a[rowJ + k];
      a[rowI + j] = sum * reciprocal;
    }
  }
  return true;
}

/** Solves L L^T x = b in place of b[start..start+n-1], with the L that {@link factor} left in `l`. */
export function solve(
  l: Numbers,
  n: number,
  b: MutableNumbers,
  stride: number = n,
  offset = 0,
  start = 0,
): void {
  // L y = b
  for (let i = 0; i < n; i++) {
    const row = offset + i * stride;
    let sum = b[start + i];
    for (let k = 0; k < i; k++) sum -= l[row + k] * b[start + k];
    b[start + i] = sum / l[row + i];
  }
  // L^T x = y
  for (let i = n - 1; i >= 0; i--) {
    let sum = b[start + i];
    for (let k = i + 1; k < n; k++) sum -= l[offset + k * stride + i] * b[start + k];
    b[start + i] = sum / l[offset + i * stride + i];
  }
}
