/** Small dense linear systems by LU factorization, in place. Nothing is allocated. */
import type { MutableNumbers } from './types.js';

/** Pivots below this, relative to the largest entry of A, count as zero. */
const SINGULAR = 4 * Number.EPSILON;

/**
 * Solves A X = B in place of `b` by Gaussian elimination with partial pivoting.
 *
 * @param a - n x n, row by row; overwritten.
 * @param b - n rows of `columns` numbers.
 * @returns false, with both partly overwritten, when A is singular to rounding or contains NaN.
 */
export function solve(a: MutableNumbers, n: number, b: MutableNumbers, columns = 1): boolean {
  let largest = 0;
  for (let i = 0; i < n * n; i++) largest = Math.max(largest, Math.abs(a[i]));
  if (!Number.isFinite(largest)) return false;
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(a[i * n + k]) > Math.abs(a[best * n + k])) best = i;
    if (!(Math.abs(a[best * n + k]) > SINGULAR * largest)) return false;
    if (best !== k) {
      swapRows(a, n, k, best);
      swapRows(b, columns, k, best);
    }
    for (let i = k + 1; i < n; i++) {
      const factor = a[i * n + k] / a[k * n + k];
      if (factor === 0) continue;
      for (let j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
      for (let c = 0; c < columns; c++) b[i * columns + c] -= factor * b[k * columns + c];
    }
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let c = 0; c < columns; c++) {
      let sum = b[i * columns + c];
      for (let j = i + 1; j < n; j++) sum -= a[i * n + j] * b[j * columns + c];
      b[i * columns + c] = sum / a[i * n + i];
    }
  }
  return true;
}

function swapRows(m: MutableNumbers, width: number, i: number, j: number): void {
  for (let c = 0; c < width; c++) {
    const kept = m[i * width + c];
    m[i * width + c] = m[j * width + c];
    m[j * width + c] = kept;
  }
}
