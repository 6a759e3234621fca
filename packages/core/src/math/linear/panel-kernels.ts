/**
 * The inner kernel of a blocked Cholesky factorization: sum_k L_ik L_jk for 2 rows i times 3 rows j, over packed copies of the
 * rows (panels). Six sums are as many as a JavaScript engine keeps in registers beside the five factors. The panels are constants
 * of this module: their address and length are then known to V8, which doubles the speed; `| 0` marks integer indices.
 */

/** Maximum number of rows i of the panel. */
export const PANEL_ROWS = 48;
/** Maximum number of columns of the panel. */
export const PANEL_COLUMNS = 510;

/** Rows i in pairs: L_ik at [pair][k][row of the pair]. */
const pairs = /* @__PURE__ */ new Float64Array(PANEL_ROWS * PANEL_COLUMNS);
/** Six rows j in two triples: L_jk at [half][k][row of the triple]. */
const triples = /* @__PURE__ */ new Float64Array(6 * PANEL_COLUMNS);
/** Diagonal block of each triple, [half][00 10 11 20 21 22]; its diagonal entries as reciprocals. */
const corners = /* @__PURE__ */ new Float64Array(12);
/** sum_k L_ik L_jk at [row of the pair][row of the triple]. */
const sums = /* @__PURE__ */ new Float64Array(6);

/**
 * Packs three rows j into `triples`.
 *
 * @param values - Storage of the matrix.
 * @param row - Index in `values` of the first number of the first row.
 * @param stride - Offset in `values` from a row to the next.
 * @param half - Which triple of the six rows, 0 or 1.
 * @param column - First column of the panel to write.
 * @param count - Number of columns.
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

/** Packs the diagonal block of three rows j that begins at values[corner]. */
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
 * Computes L for a pair of rows i and a triple of columns j: L_ij = (A_ij - sum_k L_ik L_jk) / L_jj, also into the panel.
 *
 * @param upper - Index in `values` of the three entries of the first row: A on entry, L on return.
 * @param lower - The same of the second row.
 * @param half - Which triple of the rows j.
 * @param rows - Index of the first row i in the panel, even.
 * @param column - First column of the sum in the panel of the rows i.
 * @param other - The same in the panel of the rows j.
 * @param count - Number of columns of the sum.
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
 * A_ij -= sum_k L_ik L_jk for a pair of rows i and a triple of rows j.
 *
 * @param upper - Index in `values` of the three entries of the first row i.
 * @param lower - The same of the second row.
 * @param width - Entries of the first row up to the diagonal; the second has one more. Entries right of it are skipped.
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
