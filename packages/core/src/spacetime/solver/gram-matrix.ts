/**
 * Sums of outer products of sparse rows, four rows at a time: neighbours act on the same unknowns, as a rule, and one number of the sum is then
 * fetched and put back for four products. The rows stand next to each other in constants of this file, because an engine then knows their
 * place and length (V8: twice as fast).
 */
import type { Envelope } from '../../math/linear/envelope-cholesky.js';
import type { JacobianRows } from '../transcription/jacobian-rows.js';

/** Rows that go together. */
const GROUP = 4;
/** Columns that there is room for; rows with more go alone. */
const MOST_COLUMNS = 2048;
/** Rows go together where their columns are at most so many times those of the longest. */
const ALIKE = 1.6;

/** Columns of the group, ascending, and its rows at [column][row of group]. A row without a column has a zero there, which may be added outside its envelope. */
const places = /* @__PURE__ */ new Int32Array(MOST_COLUMNS + 1);
const packed = /* @__PURE__ */ new Float64Array(GROUP * (MOST_COLUMNS + 1));
/** The rows of the group, their weights, and how far each is merged. */
const ids = /* @__PURE__ */ new Int32Array(GROUP);
const weights = /* @__PURE__ */ new Float64Array(GROUP);
const cursors = /* @__PURE__ */ new Int32Array(GROUP);

/**
 * hessian += sum of w J_i^T J_i, the lower triangle.
 *
 * @param count - How many rows there are to look at.
 * @param rowOf - Row i of place k, 0 <= k < count; neighbours best one after the other.
 * @param weightOf - Its weight w >= 0.
 */
export function addSquares(
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

/** Merges the rows of the group. @returns how many columns they have, 0 where they do not go together. */
function merge({ start, columns, values }: JacobianRows, count: number): number {
  let longest = 0;
  for (let r = 0; r < count; r++) {
    cursors[r] = start[ids[r]];
    longest = Math.max(longest, start[ids[r] + 1] - cursors[r]);
  }
  const most = Math.min(MOST_COLUMNS, ALIKE * longest);
  for (let n = 0; ; n++) {
    let column = -1;
    for (let r = 0; r < count; r++) {
      if (cursors[r] === start[ids[r] + 1]) continue;
      const own = columns[cursors[r]];
      if (column < 0 || own < column) column = own;
    }
    if (column < 0) {
      // One more of zeros, for columns are taken by twos.
      places[n] = places[Math.max(0, n - 1)];
      packed.fill(0, GROUP * n, GROUP * (n + 1));
      return n;
    }
    if (n >= most) return 0;
    places[n] = column;
    for (let r = 0; r < count; r++) {
      const p = cursors[r];
      const isOwn = p < start[ids[r] + 1] && columns[p] === column;
      packed[GROUP * n + r] = isOwn ? values[p] : 0;
      if (isOwn) cursors[r] = p + 1;
    }
  }
}

/** Two rows of the sum at a time. */
function addPacked(count: number, { base, values: h }: Envelope): void {
  const [w0, w1, w2, w3] = weights;
  for (let p = 0; p < count; p += 2) {
    const at = (GROUP * p) | 0;
    const u0 = w0 * packed[at];
    const u1 = w1 * packed[(at + 1) | 0];
    const u2 = w2 * packed[(at + 2) | 0];
    const u3 = w3 * packed[(at + 3) | 0];
    const upper = base[places[p]] | 0;
    const v0 = w0 * packed[(at + 4) | 0];
    const v1 = w1 * packed[(at + 5) | 0];
    const v2 = w2 * packed[(at + 6) | 0];
    const v3 = w3 * packed[(at + 7) | 0];
    const lower = base[places[(p + 1) | 0]] | 0;
    let t = 0;
    for (let q = 0; q <= p; q = (q + 1) | 0) {
      const a0 = packed[t];
      const a1 = packed[(t + 1) | 0];
      const a2 = packed[(t + 2) | 0];
      const a3 = packed[(t + 3) | 0];
      const column = places[q];
      h[(upper + column) | 0] += u0 * a0 + u1 * a1 + u2 * a2 + u3 * a3;
      h[(lower + column) | 0] += v0 * a0 + v1 * a1 + v2 * a2 + v3 * a3;
      t = (t + GROUP) | 0;
    }
    h[(lower + places[(p + 1) | 0]) | 0] +=
      v0 * packed[t] + v1 * packed[(t + 1) | 0] + v2 * packed[(t + 2) | 0] + v3 * packed[(t + 3) | 0];
  }
}

/** The row of place r of the group, alone. */
function addRow({ start, columns, values }: JacobianRows, r: number, { base, values: h }: Envelope): void {
  const begin = start[ids[r]];
  const end = start[ids[r] + 1];
  for (let p = begin; p < end; p++) {
    const v = weights[r] * values[p];
    const row = base[columns[p]];
    for (let q = begin; q <= p; q++) h[row + columns[q]] += v * values[q];
  }
}
