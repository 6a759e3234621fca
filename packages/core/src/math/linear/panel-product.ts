/**
 * The inner loop of a blocked Cholesky factorization: sum_k L_ik L_jk for 6 rows i times 3 rows j, over packed copies of the rows (panels). In
 * WebAssembly, whose vectors of two numbers halve its time, where that is available; else in JavaScript, with the same bits: each sum
 * takes its products in the order of k, and no multiplication is fused with an addition.
 */
import {
  BLOCK,
  BRANCH_IF,
  compileVectorFunction,
  createVectorInstance,
  END,
  each,
  F64X2_ADD,
  F64X2_MULTIPLY,
  I32,
  I32_ADD,
  I32_CONST,
  I32_EQUAL,
  I32_LESS_UNSIGNED,
  LOCAL_GET,
  LOCAL_SET,
  LOOP,
  unsigned,
  V128,
  V128_LOAD,
  V128_LOAD64_SPLAT,
  V128_STORE,
} from './vector-module.js';

/** Rows i and j of a product. */
export const ROWS = 6;
export const COLUMNS = 3;
/** Maximum number of rows i of the panel, and of columns k. */
export const PANEL_ROWS = 48;
export const PANEL_COLUMNS = 510;

/** Numbers of the panel of rows i, L_ik at [group of six][k][row]; of rows j, two triples, at [triple][k][row]; and of the sums. */
const LEFT_SIZE = PANEL_ROWS * PANEL_COLUMNS;
const RIGHT_SIZE = 2 * COLUMNS * PANEL_COLUMNS;
const SUMS_SIZE = ROWS * COLUMNS;
const BYTES = 8;

export interface Panels {
  readonly left: Float64Array;
  readonly right: Float64Array;
  /** At [row j][row i]. */
  readonly sums: Float64Array;
  /**
   * Writes the sums.
   *
   * @param left - Index of the first number in the panel of rows i.
   * @param right - The same in that of rows j.
   * @param count - Number of columns k.
   */
  readonly multiply: (left: number, right: number, count: number) => void;
}

export function createScalarPanels(): Panels {
  const left = new Float64Array(LEFT_SIZE);
  const right = new Float64Array(RIGHT_SIZE);
  const sums = new Float64Array(SUMS_SIZE);
  // Six sums at a time are as many as a JavaScript engine keeps in registers beside the five factors.
  const multiply = (leftStart: number, rightStart: number, count: number): void => {
    for (let row = 0; row < ROWS; row += 2) {
      let s00 = 0;
      let s01 = 0;
      let s02 = 0;
      let s10 = 0;
      let s11 = 0;
      let s12 = 0;
      let p = (leftStart + row) | 0;
      let t = rightStart | 0;
      const end = (t + COLUMNS * count) | 0;
      while (t < end) {
        const b0 = right[t];
        const b1 = right[(t + 1) | 0];
        const b2 = right[(t + 2) | 0];
        const a0 = left[p];
        s00 += a0 * b0;
        s01 += a0 * b1;
        s02 += a0 * b2;
        const a1 = left[(p + 1) | 0];
        s10 += a1 * b0;
        s11 += a1 * b1;
        s12 += a1 * b2;
        p = (p + ROWS) | 0;
        t = (t + COLUMNS) | 0;
      }
      sums[row] = s00;
      sums[row + 1] = s10;
      sums[ROWS + row] = s01;
      sums[ROWS + row + 1] = s11;
      sums[2 * ROWS + row] = s02;
      sums[2 * ROWS + row + 1] = s12;
    }
  };
  return { left, right, sums, multiply };
}

/** @returns undefined where there is no WebAssembly, or none with vectors. */
export function createVectorPanels(): Panels | undefined {
  const [left, right, end] = [0, 1, 2];
  const pairs = ROWS / 2;
  const sumOf = (column: number, pair: number): number => 3 + pairs * column + pair;
  const rowsOf = (pair: number): number => sumOf(COLUMNS, pair);
  const number = sumOf(COLUMNS, pairs);
  const advance = (local: number, bytes: number): number[] => [
    ...[LOCAL_GET, local, I32_CONST, bytes, I32_ADD, LOCAL_SET, local],
  ];
  const rightStart = BYTES * LEFT_SIZE;
  const sumsStart = rightStart + BYTES * RIGHT_SIZE;
  // Parameters are byte addresses in the memory. The sums are nine vectors of two rows i each: left, 3 loads, times right, 3 numbers, added up
  // from `right` to `end`.
  const body = [
    ...BLOCK,
    ...[LOCAL_GET, right, LOCAL_GET, end, I32_EQUAL, BRANCH_IF, 0],
    ...LOOP,
    ...each(pairs, (p) => [LOCAL_GET, left, ...V128_LOAD, 16 * p, LOCAL_SET, rowsOf(p)]),
    ...each(COLUMNS, (c) => [
      ...[LOCAL_GET, right, ...V128_LOAD64_SPLAT, BYTES * c, LOCAL_SET, number],
      ...each(pairs, (p) => [
        ...[LOCAL_GET, sumOf(c, p), LOCAL_GET, rowsOf(p), LOCAL_GET, number, ...F64X2_MULTIPLY],
        ...[...F64X2_ADD, LOCAL_SET, sumOf(c, p)],
      ]),
    ]),
    ...advance(left, BYTES * ROWS),
    ...advance(right, BYTES * COLUMNS),
    ...[LOCAL_GET, right, LOCAL_GET, end, I32_LESS_UNSIGNED, BRANCH_IF, 0],
    ...[END, END],
    ...each(COLUMNS, (c) =>
      each(pairs, (p) => [
        ...[I32_CONST, 0, LOCAL_GET, sumOf(c, p)],
        ...[...V128_STORE, ...unsigned(sumsStart + BYTES * (ROWS * c + 2 * p))],
      ]),
    ),
  ];
  const compiled = compileVectorFunction([I32, I32, I32], [[number + 1 - 3, V128]], body);
  const instance = compiled && createVectorInstance(compiled, sumsStart + BYTES * SUMS_SIZE);
  if (instance === undefined) return undefined;
  const { buffer, run } = instance;
  return {
    left: new Float64Array(buffer, 0, LEFT_SIZE),
    right: new Float64Array(buffer, rightStart, RIGHT_SIZE),
    sums: new Float64Array(buffer, sumsStart, SUMS_SIZE),
    multiply: (left, right, count) =>
      run(BYTES * left, rightStart + BYTES * right, rightStart + BYTES * (right + COLUMNS * count)),
  };
}
