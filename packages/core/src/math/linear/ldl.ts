/** L D L^T factorization of small symmetric matrices, in place, without square roots: one division a column. Nothing is allocated. */

/**
 * x = A^-1 x for a positive definite A, n x n, lower triangle given and overwritten.
 *
 * @returns false when a pivot is not positive.
 */
export function solve(a: Float64Array, n: number, x: Float64Array): boolean {
  return n === 3 ? solve3(a, x) : n === 6 ? solve6(a, x) : solveKkt(a, n, 0, x);
}

/** Envelope of the matrix being factored: the first nonzero column of each row. */
let envelope = new Int32Array(64);

/**
 * x = A^-1 x for a KKT matrix A = [H J^T; J 0], n x n, lower triangle given and overwritten, without pivoting: H must be nonsingular. L fills in
 * within the envelope only, so columns stand before those that they have in common.
 *
 * @param rows - Rows of J, linearly independent.
 * @returns whether H is positive definite on the null space of J: then exactly `rows` pivots are negative (Gould 1985).
 */
export function solveKkt(a: Float64Array, n: number, rows: number, x: Float64Array): boolean {
  if (envelope.length < n) envelope = new Int32Array(2 * n);
  let negative = 0;
  for (let j = 0; j < n; j++) {
    const row = j * n;
    let first = 0;
    while (first < j && a[row + first] === 0) first++;
    envelope[j] = first;
    // Row j: a_jk holds l_jk d_k until the pivot is known, then l_jk. Two entries at once: one sum alone waits for each of its additions.
    for (let k = first; k < j; k += 2) {
      const p = k * n;
      const q = p + n;
      let sum = a[row + k];
      let next = a[row + k + 1];
      for (let m = Math.max(first, Math.min(envelope[k], envelope[k + 1])); m < k; m++) {
        const y = a[row + m];
        sum -= y * a[p + m];
        next -= y * a[q + m];
      }
      a[row + k] = sum;
      if (k + 1 < j) a[row + k + 1] = next - sum * a[q + k];
    }
    let pivot = a[row + j];
    let y = x[j];
    for (let k = first; k < j; k++) {
      const l = a[row + k] * a[k * (n + 1)];
      pivot -= l * a[row + k];
      y -= l * x[k];
      a[row + k] = l;
    }
    if (pivot < 0 ? ++negative > rows : !(pivot > 0)) return false;
    // The diagonal keeps 1 / d_j.
    a[row + j] = 1 / pivot;
    x[j] = y;
  }
  for (let i = n - 1; i >= 0; i--) {
    let sum = x[i] * a[i * (n + 1)];
    for (let k = i + 1; k < n; k++) if (envelope[k] <= i) sum -= a[k * n + i] * x[k];
    x[i] = sum;
  }
  return negative === rows;
}

/**
 * x = A^-1 x for a positive definite 6x6, unrolled L D L^T: a position and an orientation goal, or two positions. 45 ns against
 * 110 ns for the loops of {@link solveKkt}.
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

/**
 * Writes a direction of negative curvature of H to `z`: the factorization H = L D L^T, in place, stops at the first negative pivot;
 * z with L^T z = e there has z^T H z = that pivot. Null directions (a twist that moves nothing) are skipped.
 *
 * @param largestCurvature - The scale of rounding.
 * @returns that pivot; 0 where there is none. After a skipped direction z^T H z may be less.
 */
export function writeNegativeCurvature(h: Float64Array, largestCurvature: number, z: Float64Array): number {
  const n = z.length;
  const noise = 1e-7 * largestCurvature;
  for (let j = 0; j < n; j++) {
    let pivot = h[j * n + j];
    for (let k = 0; k < j; k++) pivot -= h[j * n + k] * h[j * n + k] * h[k * n + k];
    if (pivot < -noise) {
      z.fill(0);
      z[j] = 1;
      for (let i = j - 1; i >= 0; i--) {
        let sum = -h[j * n + i];
        for (let k = i + 1; k < j; k++) sum -= h[k * n + i] * z[k];
        z[i] = sum;
      }
      return pivot;
    }
    const kept = pivot <= noise ? largestCurvature + noise : pivot;
    h[j * n + j] = kept;
    for (let i = j + 1; i < n; i++) {
      let sum = h[i * n + j];
      for (let k = 0; k < j; k++) sum -= h[i * n + k] * h[j * n + k] * h[k * n + k];
      h[i * n + j] = sum / kept;
    }
  }
  return 0;
}
