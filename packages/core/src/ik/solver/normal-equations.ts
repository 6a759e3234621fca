import * as ldl from '../../math/linear/ldl.js';
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

/** Lower triangle of J^T J, row by row of J: those of a posture have one entry. */
export function formColumnNormal(out: Float64Array, j: Float64Array, rows: number, width: number): void {
  zeroNumbers(out, width * width);
  for (let o = 0; o < rows * width; o += width) {
    for (let a = 0; a < width; a++) {
      const x = j[o + a];
      if (x === 0) continue;
      for (let b = 0; b <= a; b++) out[a * width + b] += x * j[o + b];
    }
  }
}

/**
 * Writes the damped least-squares solution J^T (J J^T + lambda I)^-1 r, or (J^T J + lambda I)^-1 J^T r where there are more rows than columns.
 *
 * @param normal - Scratch for the normal matrix.
 * @param r - Overwritten.
 */
export function solveDamped(
  normal: Float64Array,
  j: Float64Array,
  rows: number,
  width: number,
  ranges: Int32Array,
  lambda: number,
  r: Float64Array,
  out: Float64Array,
): void {
  if (rows <= width) {
    formRowNormal(normal, j, rows, width, ranges);
    dampAndSolve(normal, rows, lambda, r);
    multiplyTransposed(j, rows, width, r, out);
  } else {
    formColumnNormal(normal, j, rows, width);
    multiplyTransposed(j, rows, width, r, out);
    dampAndSolve(normal, width, lambda, out);
  }
}

/** x = (A + lambda I)^-1 x, A positive semidefinite, lower triangle given; lambda is raised to the rounding error of A. */
export function dampAndSolve(a: Float64Array, size: number, lambda: number, x: Float64Array): void {
  let largest = 0;
  for (let i = 0; i < size; i++) largest = Math.max(largest, a[i * (size + 1)]);
  const damping = Math.max(lambda, 1e-13 * size * largest, Number.MIN_VALUE);
  for (let i = 0; i < size; i++) a[i * (size + 1)] += damping;
  if (!ldl.solve(a, size, x)) x.fill(0, 0, size);
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
