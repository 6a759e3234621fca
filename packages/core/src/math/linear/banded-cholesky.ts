/**
 * Cholesky factorization of symmetric positive-definite banded matrices, in place, in time linear in n. Row i of the lower
 * triangle is stored at band[i (width + 1)]: A_{i,i-width}, ..., A_{i,i}; entries left of column 0 are never read.
 */
import type { MutableNumbers, Numbers } from './types.js';

/**
 * Factors A = L L^T in place.
 *
 * @param n - Rows.
 * @param width - Half-bandwidth: entries of a row left of the diagonal.
 * @returns false, with `band` partly overwritten, when a pivot is not positive.
 */
export function factor(band: MutableNumbers, n: number, width: number): boolean {
  const stride = width + 1;
  for (let i = 0; i < n; i++) {
    const row = i * stride + width - i;
    for (let j = Math.max(0, i - width); j <= i; j++) {
      const other = j * stride + width - j;
      let sum = band[row + j];
      for (let k = Math.max(0, i - width, j - width); k < j; k++) sum -= band[row + k] * band[other + k];
      if (j < i) band[row + j] = sum / band[other + j];
      else if (sum > 0) band[row + i] = Math.sqrt(sum);
      else return false;
    }
  }
  return true;
}

/**
 * Solves L L^T X = B in place, B with `columns` numbers a row, with the L that {@link factor} left.
 */
export function solve(l: Numbers, n: number, width: number, b: MutableNumbers, columns = 1): void {
  const stride = width + 1;
  for (let i = 0; i < n; i++) {
    const row = i * stride + width - i;
    const pivot = l[row + i];
    for (let c = 0; c < columns; c++) {
      let sum = b[i * columns + c];
      for (let k = Math.max(0, i - width); k < i; k++) sum -= l[row + k] * b[k * columns + c];
      b[i * columns + c] = sum / pivot;
    }
  }
  for (let i = n - 1; i >= 0; i--) {
    const pivot = l[i * stride + width];
    const end = Math.min(n - 1, i + width);
    for (let c = 0; c < columns; c++) {
      let sum = b[i * columns + c];
      for (let k = i + 1; k <= end; k++) sum -= l[k * stride + width - k + i] * b[k * columns + c];
      b[i * columns + c] = sum / pivot;
    }
  }
}

/**
 * Fixes unknown i of A X = B to `value` (one number per column of B), before A is factored: its terms in the other equations
 * move to the right-hand side, so A stays symmetric.
 */
export function fix(
  band: MutableNumbers,
  n: number,
  width: number,
  b: MutableNumbers,
  i: number,
  value: Numbers,
): void {
  const columns = value.length;
  for (let other = Math.max(0, i - width); other <= Math.min(n - 1, i + width); other++) {
    if (other === i) continue;
    const low = Math.max(i, other);
    const at = low * (width + 1) + width - low + Math.min(i, other);
    for (let c = 0; c < columns; c++) b[other * columns + c] -= band[at] * value[c];
    band[at] = 0;
  }
  band[i * (width + 1) + width] = 1;
  for (let c = 0; c < columns; c++) b[i * columns + c] = value[c];
}
