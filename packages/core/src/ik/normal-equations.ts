import { zeroNumbers } from './arrays.js';

/*
 * The damped normal equations of a step: J J^T by rows or J^T J by columns, damped and solved. Everything in place,
 * nothing allocated.
 */

/**
 * Lower triangle of J J^T, three rows by three rows at a time: nine products for six loads. Each triple of rows is summed over
 * the columns that it shares with the other only (`ranges`: first and end column of each triple).
 */
export function formRowNormal(
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
export function formColumnNormal(out: Float64Array, j: Float64Array, rows: number, width: number): void {
  for (let a = 0; a < width; a++) {
    for (let b = 0; b <= a; b++) {
      let sum = 0;
      for (let o = 0; o < rows * width; o += width) sum += j[o + a] * j[o + b];
      out[a * width + b] = sum;
    }
  }
}

/** x = (A + lambda I)^-1 x, A positive semidefinite by its lower triangle; lambda at least rounding of A. */
export function dampAndSolve(a: Float64Array, size: number, lambda: number, x: Float64Array): void {
  let largest = 0;
  for (let i = 0; i < size; i++) largest = Math.max(largest, a[i * (size + 1)]);
  const damping = Math.max(lambda, 1e-13 * size * largest, Number.MIN_VALUE);
  for (let i = 0; i < size; i++) a[i * (size + 1)] += damping;
  const solved = size === 3 ? solve3(a, x) : solveSymmetric(a, size, x);
  if (!solved) x.fill(0, 0, size);
}

/**
 * x = A^-1 x for a positive definite A by its lower triangle, which is overwritten: A = L D L^T, one division a column and
 * no root (`math/cholesky.ts` takes a root and three divisions; for 6 x 6 these are half of its time).
 *
 * @returns false when a pivot is not positive.
 */
function solveSymmetric(a: Float64Array, n: number, x: Float64Array): boolean {
  for (let j = 0; j < n; j++) {
    const row = j * n;
    // Row j: a_jk holds l_jk d_k until the pivot is known, then l_jk.
    for (let k = 0; k < j; k++) {
      let sum = a[row + k];
      for (let m = 0; m < k; m++) sum -= a[row + m] * a[k * n + m];
      a[row + k] = sum;
    }
    let pivot = a[row + j];
    let y = x[j];
    for (let k = 0; k < j; k++) {
      const l = a[row + k] * a[k * (n + 1)];
      pivot -= l * a[row + k];
      y -= l * x[k];
      a[row + k] = l;
    }
    if (!(pivot > 0)) return false;
    // The diagonal keeps 1 / d_j.
    a[row + j] = 1 / pivot;
    x[j] = y;
  }
  for (let i = n - 1; i >= 0; i--) {
    let sum = x[i] * a[i * (n + 1)];
    for (let k = i + 1; k < n; k++) sum -= a[k * n + i] * x[k];
    x[i] = sum;
  }
  return true;
}

/** x = A^-1 x for a positive definite 3x3 by its lower triangle, L D L^T written out: one position goal, the most common case. */
function solve3(a: Float64Array, x: Float64Array): boolean {
  const d0 = a[0];
  const l10 = a[3] / d0;
  const l20 = a[6] / d0;
  const d1 = a[4] - l10 * a[3];
  const l21 = (a[7] - l20 * a[3]) / d1;
  const d2 = a[8] - l20 * a[6] - l21 * l21 * d1;
  if (!(d0 > 0 && d1 > 0 && d2 > 0)) return false;
  const y1 = x[1] - l10 * x[0];
  const y2 = x[2] - l20 * x[0] - l21 * y1;
  x[2] = y2 / d2;
  x[1] = y1 / d1 - l21 * x[2];
  x[0] = x[0] / d0 - l10 * x[1] - l20 * x[2];
  return true;
}

/** out = J^T x. */
export function multiplyTransposed(
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
