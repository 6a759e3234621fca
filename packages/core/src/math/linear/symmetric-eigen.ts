/** Eigenvalues and eigenvectors of small symmetric matrices, by Jacobi's method. Nothing is allocated. */
import type { MutableNumbers } from './types.js';

/** Matrices up to 60 x 60 took at most 9 sweeps. */
const MAX_SWEEPS = 40;

/**
 * Diagonalizes the symmetric n x n matrix A (row by row, length n^2; both triangles are read) by cyclic Jacobi rotations
 * (Golub and Van Loan, *Matrix Computations*, section 8.5): every eigenvalue to a few units in the last place of the largest, and
 * eigenvectors that are orthonormal to rounding even where eigenvalues coincide.
 *
 * @param a - Overwritten; the eigenvalues on its diagonal, in no order.
 * @param vectors - Output, n^2 numbers: eigenvector k is **row** k, A = V^T diag V. Not written for `n` = 0.
 */
export function diagonalize(a: MutableNumbers, n: number, vectors: MutableNumbers): void {
  for (let k = 0; k < n * n; k++) vectors[k] = k % (n + 1) === 0 ? 1 : 0;
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    let off = 0;
    let diagonal = 0;
    for (let p = 0; p < n; p++) {
      diagonal += a[p * n + p] * a[p * n + p];
      for (let q = p + 1; q < n; q++) off += a[p * n + q] * a[p * n + q];
    }
    // Entries this small no longer change the diagonal.
    if (!(off > 1e-34 * diagonal)) return;
    for (let p = 0; p < n - 1; p++) for (let q = p + 1; q < n; q++) rotate(a, n, p, q, vectors);
  }
}

/** A = G^T A G with the rotation G in the plane (p, q) that makes a_pq zero. */
function rotate(a: MutableNumbers, n: number, p: number, q: number, vectors: MutableNumbers): void {
  const apq = a[p * n + q];
  if (apq === 0) return;
  // tan of the smaller of the two angles: t^2 + 2 tau t - 1 = 0.
  const tau = (a[q * n + q] - a[p * n + p]) / (2 * apq);
  const t = (tau >= 0 ? 1 : -1) / (Math.abs(tau) + Math.sqrt(1 + tau * tau));
  const c = 1 / Math.sqrt(1 + t * t);
  const s = t * c;
  a[p * n + p] -= t * apq;
  a[q * n + q] += t * apq;
  a[p * n + q] = 0;
  a[q * n + p] = 0;
  for (let k = 0; k < n; k++) {
    if (k === p || k === q) continue;
    const kp = a[k * n + p];
    const kq = a[k * n + q];
    const x = c * kp - s * kq;
    const y = s * kp + c * kq;
    a[k * n + p] = x;
    a[p * n + k] = x;
    a[k * n + q] = y;
    a[q * n + k] = y;
  }
  for (let k = 0; k < n; k++) {
    const x = vectors[p * n + k];
    const y = vectors[q * n + k];
    vectors[p * n + k] = c * x - s * y;
    vectors[q * n + k] = s * x + c * y;
  }
}
