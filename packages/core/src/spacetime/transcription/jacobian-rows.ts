/** Residuals and their Jacobian in compressed sparse rows. */

/** Row i has its columns (ascending) and values at [start[i], start[i + 1]). The arrays grow as rows are appended. */
export interface JacobianRows {
  readonly residual: Float64Array;
  readonly start: Int32Array;
  columns: Int32Array;
  values: Float64Array;
}

export function createJacobianRows(rows: number): JacobianRows {
  return {
    residual: new Float64Array(rows),
    start: new Int32Array(rows + 1),
    columns: new Int32Array(1024),
    values: new Float64Array(1024),
  };
}

/** Appends row i, `factor` times the entries of `dense` at the indices `support`, and clears these. Rows must come in order. */
export function appendRow(
  rows: JacobianRows,
  i: number,
  support: Int32Array,
  dense: Float64Array,
  factor = 1,
): void {
  let at = rows.start[i];
  if (at + support.length > rows.columns.length) grow(rows, at + support.length);
  const { columns, values } = rows;
  for (let k = 0; k < support.length; k++) {
    const id = support[k];
    const entry = dense[id];
    if (entry === 0) continue;
    dense[id] = 0;
    const value = factor * entry;
    if (value === 0) continue;
    columns[at] = id;
    values[at] = value;
    at++;
  }
  rows.start[i + 1] = at;
}

function grow(rows: JacobianRows, needed: number): void {
  const length = Math.max(needed, 2 * rows.columns.length);
  const columns = new Int32Array(length);
  const values = new Float64Array(length);
  columns.set(rows.columns);
  values.set(rows.values);
  rows.columns = columns;
  rows.values = values;
}
