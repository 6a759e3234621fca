/**
 * Gram matrix of sparse rows, accumulated four rows at a time: neighbouring rows mostly share their columns, so one entry is loaded and
 * stored once for four products. The packed rows are module constants because an engine then knows their address and length (V8: twice as
 * fast).
 */
import type { Envelope } from '../../math/linear/envelope-cholesky.js';
import type { JacobianRows } from '../transcription/jacobian-rows.js';

/** Rows per group. */
const GROUP = 4;
/** Capacity of a group, in columns; longer rows are added one by one. */
const MAX_COLUMNS = 2048;
/** Rows are grouped where their union has at most this multiple of the columns of the longest. */
const MAX_FILL = 1.6;

/**
 * Columns of the group, ascending, and its values at [column][row of group]. Rows without a column have a zero there, which may be added
 * outside their envelope.
 */
const groupColumns = /* @__PURE__ */ new Int32Array(MAX_COLUMNS + 1);
const packed = /* @__PURE__ */ new Float64Array(GROUP * (MAX_COLUMNS + 1));
/** Rows of the group, their weights, and merge positions. */
const ids = /* @__PURE__ */ new Int32Array(GROUP);
const weights = /* @__PURE__ */ new Float64Array(GROUP);
const cursors = /* @__PURE__ */ new Int32Array(GROUP);

/**
 * hessian += sum of w J_i^T J_i, the lower triangle.
 *
 * @param count - Number of rows.
 * @param rowOf - Row index for 0 <= k < count; neighbours best one after the other.
 * @param weightOf - Its weight w >= 0.
 */
export function addGram(
  rows: JacobianRows,
  count: number,
  rowOf: (k: number) => number,
  weightOf: (k: number) => number,
  hessian: Envelope,
): void {
  let filled = 0;
  for (let k = 0; k < count; k++) {
    const weight = weightOf(k);
    if (weight === 0) continue;
    ids[filled] = rowOf(k);
    weights[filled] = weight;
    filled++;
    if (filled === GROUP) {
      addGroup(rows, filled, hessian);
      filled = 0;
    }
  }
  for (let r = 0; r < filled; r++) addRow(rows, r, hessian);
}

function addGroup(rows: JacobianRows, count: number, hessian: Envelope): void {
  const merged = merge(rows, count);
  if (merged > 0) addPacked(merged, hessian);
  else for (let r = 0; r < count; r++) addRow(rows, r, hessian);
}

/** Merges the rows of the group. @returns the number of columns, 0 where the rows are too different. */
function merge({ start, columns, values }: JacobianRows, count: number): number {
  let longest = 0;
  for (let r = 0; r < count; r++) {
    cursors[r] = start[ids[r]];
    longest = Math.max(longest, start[ids[r] + 1] - cursors[r]);
  }
  const maxColumns = Math.min(MAX_COLUMNS, MAX_FILL * longest);
  for (let n = 0; ; n++) {
    let column = -1;
    for (let r = 0; r < count; r++) {
      if (cursors[r] === start[ids[r] + 1]) continue;
      const own = columns[cursors[r]];
      if (column < 0 || own < column) column = own;
    }
    if (column < 0) {
      // One more column of zeros, as columns are processed in pairs.
      groupColumns[n] = groupColumns[Math.max(0, n - 1)];
      packed.fill(0, GROUP * n, GROUP * (n + 1));
      return n;
    }
    if (n >= maxColumns) return 0;
    groupColumns[n] = column;
    for (let r = 0; r < count; r++) {
      const p = cursors[r];
      const isOwn = p < start[ids[r] + 1] && columns[p] === column;
      packed[GROUP * n + r] = isOwn ? values[p] : 0;
      if (isOwn) cursors[r] = p + 1;
    }
  }
}

/** Accumulates two matrix rows at a time. */
function addPacked(count: number, { base, values: h }: Envelope): void {
  const [w0, w1, w2, w3] = weights;
  for (let p = 0; p < count; p += 2) {
    const at = (GROUP * p) | 0;
    const u0 = w0 * packed[at];
    const u1 = w1 * packed[(at + 1) | 0];
    const u2 = w2 * packed[(at + 2) | 0];
    const u3 = w3 * packed[(at + 3) | 0];
    const upper = base[groupColumns[p]] | 0;
    const v0 = w0 * packed[(at + 4) | 0];
    const v1 = w1 * packed[(at + 5) | 0];
    const v2 = w2 * packed[(at + 6) | 0];
    const v3 = w3 * packed[(at + 7) | 0];
    const lower = base[groupColumns[(p + 1) | 0]] | 0;
    let t = 0;
    for (let q = 0; q <= p; q = (q + 1) | 0) {
      const a0 = packed[t];
      const a1 = packed[(t + 1) | 0];
      const a2 = packed[(t + 2) | 0];
      const a3 = packed[(t + 3) | 0];
      const column = groupColumns[q];
      h[(upper + column) | 0] += u0 * a0 + u1 * a1 + u2 * a2 + u3 * a3;
      h[(lower + column) | 0] += v0 * a0 + v1 * a1 + v2 * a2 + v3 * a3;
      t = (t + GROUP) | 0;
    }
    h[(lower + groupColumns[(p + 1) | 0]) | 0] +=
      v0 * packed[t] + v1 * packed[(t + 1) | 0] + v2 * packed[(t + 2) | 0] + v3 * packed[(t + 3) | 0];
  }
}

/** Adds row r of the group alone. */
function addRow({ start, columns, values }: JacobianRows, r: number, { base, values: h }: Envelope): void {
  const begin = start[ids[r]];
  const end = start[ids[r] + 1];
  for (let p = begin; p < end; p++) {
    const v = weights[r] * values[p];
    const row = base[columns[p]];
    for (let q = begin; q <= p; q++) h[row + columns[q]] += v * values[q];
  }
}
