/**
 * Gram matrix of sparse rows, accumulated four rows at a time: neighbouring rows mostly share their columns, so one entry is loaded and
 * stored once for four products.
 */
import { type Envelope, envelopeShape } from '../../math/linear/envelope-cholesky.js';
import {
  createRowUpdates,
  MAX_SLOTS,
  PACKED_ROWS,
  type RowUpdates,
  SLOT,
  SLOT_COLUMNS,
} from '../../math/linear/row-updates.js';
import type { JacobianRows } from '../transcription/jacobian-rows.js';

/** A matrix to which Gram matrices can be added. */
export interface GramMatrix extends Envelope {
  readonly updates: RowUpdates;
}

/** Rows of a group. */
const GROUP = PACKED_ROWS;
/** Capacity of a group, in columns; longer rows are added one by one. */
const MAX_COLUMNS = MAX_SLOTS;
/** Rows are grouped where their union has at most this multiple of the columns of the longest. */
const MAX_FILL = 1.6;
/** Rows without a group are packed alone from this many columns on: below, packing takes longer than it saves. */
const MIN_PACKED = 24;

/** Rows of the group, their weights, and merge positions. */
const ids = /* @__PURE__ */ new Int32Array(GROUP);
const weights = /* @__PURE__ */ new Float64Array(GROUP);
const cursors = /* @__PURE__ */ new Int32Array(GROUP);
/** The second column of each slot; the first one again where there is none. */
const seconds = /* @__PURE__ */ new Int32Array(MAX_SLOTS);

/** A matrix of zeros; `first` as for `createEnvelope`. */
export function createGramMatrix(first: Int32Array): GramMatrix {
  const { size, ...shape } = envelopeShape(first);
  const updates = createRowUpdates(size);
  return { ...shape, values: updates.values, updates };
}

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
  hessian: GramMatrix,
): void {
  let filled = 0;
  for (let k = 0; k < count; k++) {
    const weight = weightOf(k);
    if (weight === 0) continue;
    ids[filled] = rowOf(k);
    weights[filled] = weight;
    filled++;
    if (filled === GROUP) {
      addGroup(rows, hessian);
      filled = 0;
    }
  }
  for (let r = 0; r < filled; r++) addRow(rows, r, hessian);
}

function addGroup(rows: JacobianRows, hessian: GramMatrix): void {
  const { updates } = hessian;
  const slots = isAlike(rows) ? packAlike(rows, 0, GROUP, updates) : merge(rows, updates);
  if (slots > 0) addPacked(slots, hessian);
  else {
    for (let r = 0; r < GROUP; r++) {
      const length = rows.start[ids[r] + 1] - rows.start[ids[r]];
      if (length < MIN_PACKED || length > MAX_COLUMNS) addRow(rows, r, hessian);
      else addPacked(packAlike(rows, r, r + 1, updates), hessian);
    }
  }
}

/** Whether the rows of the group have the same columns, and not too many. */
function isAlike({ start, columns }: JacobianRows): boolean {
  const begin = start[ids[0]];
  const length = start[ids[0] + 1] - begin;
  if (length > MAX_COLUMNS) return false;
  for (let r = 1; r < GROUP; r++) {
    const other = start[ids[r]];
    if (start[ids[r] + 1] - other !== length) return false;
    for (let k = 0; k < length; k++) if (columns[other + k] !== columns[begin + k]) return false;
  }
  return true;
}

/** Packs rows `from` to `to` of the group, which have the same columns; zeros for the others. @returns the number of slots. */
function packAlike(
  { start, columns, values }: JacobianRows,
  from: number,
  to: number,
  updates: RowUpdates,
): number {
  const { packed } = updates;
  const begin = start[ids[from]];
  const length = start[ids[from] + 1] - begin;
  let slots = 0;
  for (let k = 0; k < length; k++) {
    const place = placeOf(columns[begin + k], slots, updates);
    slots = Math.floor(place / SLOT) + 1;
    for (let r = from; r < to; r++) packed[place + SLOT_COLUMNS * r] = values[start[ids[r]] + k];
  }
  return slots;
}

/**
 * Merges the rows of the group, ascending. Rows without a column have a zero there, which may be added outside their envelope.
 *
 * @returns the number of slots, 0 where the rows are too different.
 */
function merge({ start, columns, values }: JacobianRows, updates: RowUpdates): number {
  const { packed } = updates;
  let longest = 0;
  for (let r = 0; r < GROUP; r++) {
    cursors[r] = start[ids[r]];
    longest = Math.max(longest, start[ids[r] + 1] - cursors[r]);
  }
  const maxColumns = Math.min(MAX_COLUMNS, MAX_FILL * longest);
  let slots = 0;
  for (let n = 0; ; n++) {
    let column = -1;
    for (let r = 0; r < GROUP; r++) {
      if (cursors[r] === start[ids[r] + 1]) continue;
      const own = columns[cursors[r]];
      if (column < 0 || own < column) column = own;
    }
    if (column < 0) return slots;
    if (n >= maxColumns) return 0;
    const place = placeOf(column, slots, updates);
    slots = Math.floor(place / SLOT) + 1;
    for (let r = 0; r < GROUP; r++) {
      const p = cursors[r];
      if (p === start[ids[r] + 1] || columns[p] !== column) continue;
      packed[place + SLOT_COLUMNS * r] = values[p];
      cursors[r] = p + 1;
    }
  }
}

/** Place of the next column in the packed rows: in the last slot beside its left neighbour, or in a new slot, all zeros. */
function placeOf(column: number, slots: number, { packed, columns: firsts }: RowUpdates): number {
  const last = slots - 1;
  if (last >= 0 && firsts[last] === column - 1 && seconds[last] === column - 1) {
    seconds[last] = column;
    return SLOT * last + 1;
  }
  firsts[slots] = column;
  seconds[slots] = column;
  const place = SLOT * slots;
  for (let k = 0; k < SLOT; k++) packed[place + k] = 0;
  return place;
}

/** Accumulates two matrix rows at a time, those of a slot. */
function addPacked(slots: number, { base, updates }: GramMatrix): void {
  const { packed, columns, values: h, add } = updates;
  const [w0, w1, w2, w3] = weights;
  for (let s = 0; s < slots; s++) {
    const at = SLOT * s;
    const first = columns[s];
    const second = seconds[s];
    const a0 = packed[at];
    const b0 = packed[at + 1];
    const a1 = packed[at + 2];
    const b1 = packed[at + 3];
    const a2 = packed[at + 4];
    const b2 = packed[at + 5];
    const a3 = packed[at + 6];
    const b3 = packed[at + 7];
    const u0 = w0 * a0;
    const u1 = w1 * a1;
    const u2 = w2 * a2;
    const u3 = w3 * a3;
    const v0 = w0 * b0;
    const v1 = w1 * b1;
    const v2 = w2 * b2;
    const v3 = w3 * b3;
    const upper = base[first];
    const lower = base[second];
    // Without a second column v is zero.
    add(upper, lower, s, u0, u1, u2, u3, v0, v1, v2, v3);
    h[upper + first] += u0 * a0 + u1 * a1 + u2 * a2 + u3 * a3;
    if (second === first) continue;
    h[lower + first] += v0 * a0 + v1 * a1 + v2 * a2 + v3 * a3;
    h[lower + second] += v0 * b0 + v1 * b1 + v2 * b2 + v3 * b3;
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
