/**
 * The inner part of a Cholesky factorization: sums of L_ik L_jk over k, for two rows i and three rows j at a time, over rows that have
 * been copied next to each other. A column takes two and three numbers for six products, and six sums are as many as a JavaScript
 * engine keeps in registers beside what it multiplies. The copies stand in constants of this file because an engine then knows
 * their place and length, which makes the sums twice as fast (V8); `| 0` tells it that an index stays whole.
 */

/** Rows i that there is room for. */
export const PANEL_ROWS = 48;
/** Columns that there is room for. */
export const PANEL_COLUMNS = 510;

/** Rows i by twos: L_ik at [pair][k][row of two]. */
const pairs = /* @__PURE__ */ new Float64Array(PANEL_ROWS * PANEL_COLUMNS);
/** Six rows j by threes: L_jk at [half][k][row of three]. */
const triples = /* @__PURE__ */ new Float64Array(6 * PANEL_COLUMNS);
/** The triangle at the diagonal of each half, [half][00 10 11 20 21 22]; one over it on the diagonal. */
const corners = /* @__PURE__ */ new Float64Array(12);
/** Sums of products, [row of two][row of three]. */
const sums = /* @__PURE__ */ new Float64Array(6);

/**
 * Copies numbers of three rows j.
 *
 * @param values - Where the rows stand.
 * @param row - Place of the first number of the first row.
 * @param stride - From a row to the next.
 * @param half - Which three of the six rows, 0 or 1.
 * @param column - Column of the panel that the first number goes to.
 * @param count - How many columns.
 */
export function copyTriple(
  values: Float64Array,
  row: number,
  stride: number,
  half: number,
  column: number,
  count: number,
): void {
  const second = row + stride;
  const third = second + stride;
  const start = 3 * (half * PANEL_COLUMNS + column);
  for (let k = 0, at = start | 0; k < count; k = (k + 1) | 0, at = (at + 3) | 0) {
    triples[at] = values[row + k];
    triples[at + 1] = values[second + k];
    triples[at + 2] = values[third + k];
  }
}

/** Copies the triangle of three rows j at the diagonal, which begins at `corner`. */
export function copyCorner(values: Float64Array, corner: number, stride: number, half: number): void {
  const at = 6 * half;
  corners[at] = 1 / values[corner];
  corners[at + 1] = values[corner + stride];
  corners[at + 2] = 1 / values[corner + stride + 1];
  corners[at + 3] = values[corner + 2 * stride];
  corners[at + 4] = values[corner + 2 * stride + 1];
  corners[at + 5] = 1 / values[corner + 2 * stride + 2];
}

/**
 * Finds three numbers of L in each of two rows i: L_ij = (A_ij - sum_k L_ik L_jk) / L_jj.
 *
 * @param upper - Place in `values` of the three numbers of the first row, A before and L after.
 * @param lower - That of the second row.
 * @param half - Which three of the rows j.
 * @param rows - Index of the first row i in the panel, even. The panel gets the numbers too.
 * @param column - The first column of the sum in the panel of the rows i.
 * @param other - The same in the panel of the rows j.
 * @param count - Columns before the three.
 */
export function finishPair(
  values: Float64Array,
  upper: number,
  lower: number,
  half: number,
  rows: number,
  column: number,
  other: number,
  count: number,
): void {
  sumProducts(half, rows, column, other, count);
  const corner = 6 * half;
  const d0 = corners[corner];
  const l10 = corners[corner + 1];
  const d1 = corners[corner + 2];
  const l20 = corners[corner + 3];
  const l21 = corners[corner + 4];
  const d2 = corners[corner + 5];
  const x0 = (values[upper] - sums[0]) * d0;
  const y0 = (values[lower] - sums[3]) * d0;
  const x1 = (values[upper + 1] - sums[1] - x0 * l10) * d1;
  const y1 = (values[lower + 1] - sums[4] - y0 * l10) * d1;
  const x2 = (values[upper + 2] - sums[2] - x0 * l20 - x1 * l21) * d2;
  const y2 = (values[lower + 2] - sums[5] - y0 * l20 - y1 * l21) * d2;
  values[upper] = x0;
  values[upper + 1] = x1;
  values[upper + 2] = x2;
  values[lower] = y0;
  values[lower + 1] = y1;
  values[lower + 2] = y2;
  const at = rows * PANEL_COLUMNS + 2 * (column + count);
  pairs[at] = x0;
  pairs[at + 1] = y0;
  pairs[at + 2] = x1;
  pairs[at + 3] = y1;
  pairs[at + 4] = x2;
  pairs[at + 5] = y2;
}

/**
 * A_ij -= sum_k L_ik L_jk for two rows i and three rows j.
 *
 * @param upper - Place in `values` of the three numbers of the first row i.
 * @param lower - That of the second row.
 * @param width - How many of the three the first row has; the second has one more. Those right of the diagonal are left out.
 */
export function subtractPair(
  values: Float64Array,
  upper: number,
  lower: number,
  width: number,
  half: number,
  rows: number,
  column: number,
  other: number,
  count: number,
): void {
  sumProducts(half, rows, column, other, count);
  for (let c = 0; c < 3; c++) {
    if (c < width) values[upper + c] -= sums[c];
    if (c <= width) values[lower + c] -= sums[3 + c];
  }
}

/** sums = sum_k L_ik L_jk over `count` columns of two rows i and three rows j. */
function sumProducts(half: number, rows: number, column: number, other: number, count: number): void {
  let s00 = 0;
  let s01 = 0;
  let s02 = 0;
  let s10 = 0;
  let s11 = 0;
  let s12 = 0;
  let p = (rows * PANEL_COLUMNS + 2 * column) | 0;
  let t = (3 * (half * PANEL_COLUMNS + other)) | 0;
  const end = (t + 3 * count) | 0;
  while (t < end) {
    const b0 = triples[t];
    const b1 = triples[(t + 1) | 0];
    const b2 = triples[(t + 2) | 0];
    const a0 = pairs[p];
    s00 += a0 * b0;
    s01 += a0 * b1;
    s02 += a0 * b2;
    const a1 = pairs[(p + 1) | 0];
    s10 += a1 * b0;
    s11 += a1 * b1;
    s12 += a1 * b2;
    p = (p + 2) | 0;
    t = (t + 3) | 0;
  }
  sums[0] = s00;
  sums[1] = s01;
  sums[2] = s02;
  sums[3] = s10;
  sums[4] = s11;
  sums[5] = s12;
}
