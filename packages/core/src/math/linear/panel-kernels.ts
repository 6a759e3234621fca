/**
 * The steps of a blocked Cholesky factorization for 6 rows i and 3 rows j, over packed copies of the rows (`panel-product.ts`). The panels are
 * constants of this module: their address and length are then known to V8, which doubles the speed; `| 0` marks integer indices.
 */
import { COLUMNS, createScalarPanels, createVectorPanels, PANEL_COLUMNS, ROWS } from './panel-product.js';

const panels = /* @__PURE__ */ (() => createVectorPanels() ?? createScalarPanels())();
const left = /* @__PURE__ */ (() => panels.left)();
const right = /* @__PURE__ */ (() => panels.right)();
const sums = /* @__PURE__ */ (() => panels.sums)();
/** Diagonal block of each triple, [half][00 10 11 20 21 22]; its diagonal entries as reciprocals. */
const corners = /* @__PURE__ */ new Float64Array(12);

/**
 * Packs three rows j.
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
    right[at] = values[row + k];
    right[at + 1] = values[second + k];
    right[at + 2] = values[third + k];
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
 * Computes L for six rows i and a triple of columns j: L_ij = (A_ij - sum_k L_ik L_jk) / L_jj, also into the panel.
 *
 * @param row - Index in `values` of the three entries of the first row: A on entry, L on return.
 * @param stride - Offset in `values` from a row to the next.
 * @param half - Which triple of the rows j.
 * @param rows - Index of the first row i in the panel, a multiple of six.
 * @param column - First column of the sum in the panel of the rows i.
 * @param other - The same in the panel of the rows j.
 * @param count - Number of columns of the sum.
 */
export function finishRows(
  values: Float64Array,
  row: number,
  stride: number,
  half: number,
  rows: number,
  column: number,
  other: number,
  count: number,
): void {
  multiplyPanels(half, rows, column, other, count);
  const corner = 6 * half;
  const d0 = corners[corner];
  const l10 = corners[corner + 1];
  const d1 = corners[corner + 2];
  const l20 = corners[corner + 3];
  const l21 = corners[corner + 4];
  const d2 = corners[corner + 5];
  const panel = (rows * PANEL_COLUMNS + ROWS * (column + count)) | 0;
  for (let r = 0, at = row | 0; r < ROWS; r = (r + 1) | 0, at = (at + stride) | 0) {
    const x0 = (values[at] - sums[r]) * d0;
    const x1 = (values[at + 1] - sums[ROWS + r] - x0 * l10) * d1;
    const x2 = (values[at + 2] - sums[2 * ROWS + r] - x0 * l20 - x1 * l21) * d2;
    values[at] = x0;
    values[at + 1] = x1;
    values[at + 2] = x2;
    left[panel + r] = x0;
    left[panel + ROWS + r] = x1;
    left[panel + 2 * ROWS + r] = x2;
  }
}

/**
 * A_ij -= sum_k L_ik L_jk for six rows i and a triple of rows j.
 *
 * @param row - Index in `values` of the three entries of the first row i.
 * @param width - Entries of the first row up to the diagonal; each row has one more. Entries right of it are skipped.
 */
export function subtractRows(
  values: Float64Array,
  row: number,
  stride: number,
  width: number,
  half: number,
  rows: number,
  column: number,
  other: number,
  count: number,
): void {
  multiplyPanels(half, rows, column, other, count);
  for (let r = 0; r < ROWS; r++) {
    const entries = Math.min(COLUMNS, width + r);
    for (let c = 0; c < entries; c++) values[row + r * stride + c] -= sums[ROWS * c + r];
  }
}

/** sums = sum_k L_ik L_jk over `count` columns of six rows i and three rows j. */
function multiplyPanels(half: number, rows: number, column: number, other: number, count: number): void {
  panels.multiply(rows * PANEL_COLUMNS + ROWS * column, COLUMNS * (half * PANEL_COLUMNS + other), count);
}
