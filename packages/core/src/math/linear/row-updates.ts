/**
 * The inner loop of a Gram matrix: two rows of a matrix += four packed rows times four factors each. In WebAssembly, whose vectors of two
 * numbers halve its time, where that is available; else in JavaScript, with the same bits.
 */
import {
  BLOCK,
  BRANCH_IF,
  compileVectorFunction,
  createVectorInstance,
  END,
  each,
  F64,
  F64X2_ADD,
  F64X2_MULTIPLY,
  F64X2_SPLAT,
  I32,
  I32_ADD,
  I32_CONST,
  I32_EQUAL,
  I32_LESS_UNSIGNED,
  I32_LOAD,
  I32_SHIFT_LEFT,
  I32_SHIFT_RIGHT,
  LOCAL_GET,
  LOCAL_SET,
  LOCAL_TEE,
  LOOP,
  unsigned,
  V128,
  V128_LOAD,
  V128_STORE,
  type VectorModule,
} from './vector-module.js';

/** Packed rows, and neighbouring columns of a slot. */
export const PACKED_ROWS = 4;
export const SLOT_COLUMNS = 2;
/** Numbers of a slot. */
export const SLOT = PACKED_ROWS * SLOT_COLUMNS;
/** Maximum number of slots. */
export const MAX_SLOTS = 2048;

const BYTES = 8;
const SLOT_BYTES = BYTES * SLOT;
const COLUMNS_START = SLOT_BYTES * MAX_SLOTS;
const VALUES_START = COLUMNS_START + 4 * MAX_SLOTS;

export interface RowUpdates {
  /** Storage of the matrix. */
  readonly values: Float64Array;
  /** The packed rows, at [slot][row][column]. */
  readonly packed: Float64Array;
  /** First column of each slot. */
  readonly columns: Int32Array;
  /**
   * Adds to two rows of the matrix the packed rows of the first `slots` slots: times u to the first, times v to the second.
   *
   * @param upper - Index in `values` of column 0 of the first row.
   * @param lower - The same of the second row.
   */
  readonly add: (
    upper: number,
    lower: number,
    slots: number,
    u0: number,
    u1: number,
    u2: number,
    u3: number,
    v0: number,
    v1: number,
    v2: number,
    v3: number,
  ) => void;
}

/** @param size - Length of `values`. */
export function createRowUpdates(size: number): RowUpdates {
  return createVectorUpdates(size) ?? createScalarUpdates(size);
}

export function createScalarUpdates(size: number): RowUpdates {
  const values = new Float64Array(size);
  const packed = new Float64Array(SLOT * MAX_SLOTS);
  const columns = new Int32Array(MAX_SLOTS);
  const add: RowUpdates['add'] = (upper, lower, slots, u0, u1, u2, u3, v0, v1, v2, v3) => {
    for (let s = 0; s < slots; s++) {
      let t = SLOT * s;
      for (let column = columns[s]; column < columns[s] + SLOT_COLUMNS; column++, t++) {
        const a0 = packed[t];
        const a1 = packed[t + SLOT_COLUMNS];
        const a2 = packed[t + 2 * SLOT_COLUMNS];
        const a3 = packed[t + 3 * SLOT_COLUMNS];
        values[upper + column] += u0 * a0 + u1 * a1 + u2 * a2 + u3 * a3;
        values[lower + column] += v0 * a0 + v1 * a1 + v2 * a2 + v3 * a3;
      }
    }
  };
  return { values, packed, columns, add };
}

let compiled: VectorModule | undefined;

/** @returns undefined where there is no WebAssembly, none with vectors, or no memory of this size. */
export function createVectorUpdates(size: number): RowUpdates | undefined {
  compiled ??= compileVectorFunction(
    [I32, I32, I32, ...Array.from({ length: 2 * PACKED_ROWS }, () => F64)],
    [
      [2, I32],
      [3 * PACKED_ROWS, V128],
    ],
    addInstructions(),
  );
  const instance = compiled && createVectorInstance(compiled, VALUES_START + BYTES * size);
  if (instance === undefined) return undefined;
  const { buffer, run } = instance;
  return {
    values: new Float64Array(buffer, VALUES_START, size),
    packed: new Float64Array(buffer, 0, SLOT * MAX_SLOTS),
    columns: new Int32Array(buffer, COLUMNS_START, MAX_SLOTS),
    add: (upper, lower, slots, u0, u1, u2, u3, v0, v1, v2, v3) =>
      run(BYTES * upper, BYTES * lower, SLOT_BYTES * slots, u0, u1, u2, u3, v0, v1, v2, v3),
  };
}

/**
 * add(upper, lower, end, u, v): byte addresses, of the rows from `VALUES_START` on, and of the end of the slots, which begin at 0. Each factor is
 * a vector of two equal numbers, a slot a vector for each packed row.
 */
function addInstructions(): number[] {
  const [upper, lower, end, factors] = [0, 1, 2, 3];
  const slot = factors + 2 * PACKED_ROWS;
  const column = slot + 1;
  const vectors = column + 1;
  const packed = vectors + 2 * PACKED_ROWS;
  const address = (row: number): number[] => [LOCAL_GET, row, LOCAL_GET, column, I32_ADD];
  const addTo = (row: number, factor: number): number[] => [
    ...[...address(row), ...address(row), ...V128_LOAD, ...unsigned(VALUES_START)],
    ...each(PACKED_ROWS, (k) => [
      ...[LOCAL_GET, vectors + factor + k, LOCAL_GET, packed + k, ...F64X2_MULTIPLY],
      ...(k > 0 ? F64X2_ADD : []),
    ]),
    ...[...F64X2_ADD, ...V128_STORE, ...unsigned(VALUES_START)],
  ];
  return [
    ...each(2 * PACKED_ROWS, (k) => [LOCAL_GET, factors + k, ...F64X2_SPLAT, LOCAL_SET, vectors + k]),
    ...BLOCK,
    ...[LOCAL_GET, slot, LOCAL_GET, end, I32_EQUAL, BRANCH_IF, 0],
    ...LOOP,
    // A slot has 64 bytes, its column 4; columns are indices of numbers of 8 bytes.
    ...[LOCAL_GET, slot, I32_CONST, 4, I32_SHIFT_RIGHT, ...I32_LOAD, ...unsigned(COLUMNS_START)],
    ...[I32_CONST, 3, I32_SHIFT_LEFT, LOCAL_SET, column],
    ...each(PACKED_ROWS, (k) => [LOCAL_GET, slot, ...V128_LOAD, 16 * k, LOCAL_SET, packed + k]),
    ...addTo(upper, 0),
    ...addTo(lower, PACKED_ROWS),
    // The constant 64 as signed LEB128.
    ...[LOCAL_GET, slot, I32_CONST, SLOT_BYTES | 128, 0, I32_ADD, LOCAL_TEE, slot],
    ...[LOCAL_GET, end, I32_LESS_UNSIGNED, BRANCH_IF, 0],
    ...[END, END],
  ];
}
