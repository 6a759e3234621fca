import { zeroNumbers } from '../../math/linear/vector.js';

/*
 * The damped normal equations of a step: J J^T by rows or J^T J by columns, damped and solved. Everything in place,
 * nothing allocated.
 */

/**
 * Lower triangle of J J^T in blocks of three rows by three: nine products for six loads. Two triples of rows are multiplied over
 * their common columns only (`ranges`: first and end column of each triple).
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

/** The products of rows a, a+1, a+2 with rows b, b+1, b+2 over columns [first, end), without rows past the last. */
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
  // Rows past the last repeat the last; their products are not stored.
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

/** x = (A + lambda I)^-1 x, A positive semidefinite, lower triangle given; lambda is raised to the rounding error of A. */
export function dampAndSolve(a: Float64Array, size: number, lambda: number, x: Float64Array): void {
  let largest = 0;
  for (let i = 0; i < size; i++) largest = Math.max(largest, a[i * (size + 1)]);
  const damping = Math.max(lambda, 1e-13 * size * largest, Number.MIN_VALUE);
  for (let i = 0; i < size; i++) a[i * (size + 1)] += damping;
  const solved = size === 3 ? solve3(a, x) : size === 6 ? solve6(a, x) : solveSymmetric(a, size, x);
  if (!solved) x.fill(0, 0, size);
}

/**
 * x = A^-1 x for a positive definite A, lower triangle given and overwritten: A = L D L^T with one division a column and no
 * square root (`math/linear/cholesky.ts` takes a root and three divisions, half of its time for 6 x 6).
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

/**
 * x = A^-1 x for a positive definite 6x6, unrolled L D L^T: a position and an orientation goal, or two positions. 45 ns against
 * 110 ns for the loops of {@link solveSymmetric}.
 */
function solve6(a: Float64Array, x: Float64Array): boolean {
  const d0 = a[0];
  const i0 = 1 / d0;
  const w10 = a[6];
  const l10 = w10 * i0;
  const d1 = a[7] - l10 * w10;
  const i1 = 1 / d1;
  const w20 = a[12];
  const l20 = w20 * i0;
  const w21 = a[13] - l10 * w20;
  const l21 = w21 * i1;
  const d2 = a[14] - l20 * w20 - l21 * w21;
  const i2 = 1 / d2;
  const w30 = a[18];
  const l30 = w30 * i0;
  const w31 = a[19] - l10 * w30;
  const l31 = w31 * i1;
  const w32 = a[20] - l20 * w30 - l21 * w31;
  const l32 = w32 * i2;
  const d3 = a[21] - l30 * w30 - l31 * w31 - l32 * w32;
  const i3 = 1 / d3;
  const w40 = a[24];
  const l40 = w40 * i0;
  const w41 = a[25] - l10 * w40;
  const l41 = w41 * i1;
  const w42 = a[26] - l20 * w40 - l21 * w41;
  const l42 = w42 * i2;
  const w43 = a[27] - l30 * w40 - l31 * w41 - l32 * w42;
  const l43 = w43 * i3;
  const d4 = a[28] - l40 * w40 - l41 * w41 - l42 * w42 - l43 * w43;
  const i4 = 1 / d4;
  const w50 = a[30];
  const l50 = w50 * i0;
  const w51 = a[31] - l10 * w50;
  const l51 = w51 * i1;
  const w52 = a[32] - l20 * w50 - l21 * w51;
  const l52 = w52 * i2;
  const w53 = a[33] - l30 * w50 - l31 * w51 - l32 * w52;
  const l53 = w53 * i3;
  const w54 = a[34] - l40 * w50 - l41 * w51 - l42 * w52 - l43 * w53;
  const l54 = w54 * i4;
  const d5 = a[35] - l50 * w50 - l51 * w51 - l52 * w52 - l53 * w53 - l54 * w54;
  const i5 = 1 / d5;
  if (!(d0 > 0 && d1 > 0 && d2 > 0 && d3 > 0 && d4 > 0 && d5 > 0)) return false;
  const y0 = x[0];
  const y1 = x[1] - l10 * y0;
  const y2 = x[2] - l20 * y0 - l21 * y1;
  const y3 = x[3] - l30 * y0 - l31 * y1 - l32 * y2;
  const y4 = x[4] - l40 * y0 - l41 * y1 - l42 * y2 - l43 * y3;
  const y5 = x[5] - l50 * y0 - l51 * y1 - l52 * y2 - l53 * y3 - l54 * y4;
  const z5 = y5 * i5;
  const z4 = y4 * i4 - l54 * z5;
  const z3 = y3 * i3 - l43 * z4 - l53 * z5;
  const z2 = y2 * i2 - l32 * z3 - l42 * z4 - l52 * z5;
  const z1 = y1 * i1 - l21 * z2 - l31 * z3 - l41 * z4 - l51 * z5;
  const z0 = y0 * i0 - l10 * z1 - l20 * z2 - l30 * z3 - l40 * z4 - l50 * z5;
  x[0] = z0;
  x[1] = z1;
  x[2] = z2;
  x[3] = z3;
  x[4] = z4;
  x[5] = z5;
  return true;
}

/** x = A^-1 x for a positive definite 3x3, unrolled L D L^T: one position goal, the most common case. */
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
