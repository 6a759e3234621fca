/**
 * The inner loop of a blocked Cholesky factorization: sum_k L_ik L_jk for 6 rows i times 3 rows j, over packed copies of the rows (panels). In
 * WebAssembly, whose vectors of two numbers halve its time, where that is available; else in JavaScript, with the same bits: each sum
 * takes its products in the order of k, and no multiplication is fused with an addition.
 *
 * WebAssembly is not available in old engines, and where a content security policy forbids it ('wasm-unsafe-eval').
 */

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
const PAGE = 65536;

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

/** What is used of WebAssembly; ES2022 does not declare it. */
interface WebAssemblyScope {
  readonly WebAssembly?: {
    readonly Module: new (bytes: Uint8Array) => object;
    readonly Instance: new (
      module: object,
    ) => {
      readonly exports: {
        readonly memory: { readonly buffer: ArrayBuffer };
        readonly multiply: (left: number, right: number, end: number) => void;
      };
    };
  };
}

/** @returns undefined where there is no WebAssembly, or none with vectors. */
export function createVectorPanels(): Panels | undefined {
  const { WebAssembly } = globalThis as WebAssemblyScope;
  if (WebAssembly === undefined) return undefined;
  try {
    const { memory, multiply } = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes())).exports;
    const rightStart = BYTES * LEFT_SIZE;
    const sumsStart = rightStart + BYTES * RIGHT_SIZE;
    return {
      left: new Float64Array(memory.buffer, 0, LEFT_SIZE),
      right: new Float64Array(memory.buffer, rightStart, RIGHT_SIZE),
      sums: new Float64Array(memory.buffer, sumsStart, SUMS_SIZE),
      multiply: (left, right, count) =>
        multiply(BYTES * left, rightStart + BYTES * right, rightStart + BYTES * (right + COLUMNS * count)),
    };
  } catch {
    return undefined;
  }
}

/** Opcodes and types of the module (*WebAssembly Core Specification* 2.0, section 5). */
const I32 = 0x7f;
const V128 = 0x7b;
const BLOCK = [0x02, 0x40];
const LOOP = [0x03, 0x40];
const END = 0x0b;
const BRANCH_IF = 0x0d;
const LOCAL_GET = 0x20;
const LOCAL_SET = 0x21;
const I32_CONST = 0x41;
const I32_LESS_UNSIGNED = 0x49;
const I32_EQUAL = 0x46;
const I32_ADD = 0x6a;
/** With the exponent of the alignment; an offset follows. */
const V128_LOAD = [0xfd, 0x00, 3];
const V128_LOAD64_SPLAT = [0xfd, 0x0a, 3];
const V128_STORE = [0xfd, 0x0b, 3];
const F64X2_ADD = [0xfd, 0xf0, 0x01];
const F64X2_MULTIPLY = [0xfd, 0xf2, 0x01];

/** Unsigned LEB128. */
function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)];
}

function sized(bytes: readonly number[]): number[] {
  return [...unsigned(bytes.length), ...bytes];
}

function section(id: number, entries: readonly (readonly number[])[]): number[] {
  return [id, ...sized([...unsigned(entries.length), ...entries.flat()])];
}

function exported(name: string, kind: number): number[] {
  return [...sized(Array.from(name, (letter) => letter.charCodeAt(0))), kind, 0];
}

/**
 * multiply(left, right, end): byte addresses in `memory`. The sums are nine vectors of two rows i each: left, 3 loads, times right, 3 numbers,
 * added up from `right` to `end`.
 */
function moduleBytes(): Uint8Array {
  const [left, right, end] = [0, 1, 2];
  const pairs = ROWS / 2;
  const sumOf = (column: number, pair: number): number => 3 + pairs * column + pair;
  const rowsOf = (pair: number): number => sumOf(COLUMNS, pair);
  const number = sumOf(COLUMNS, pairs);
  const each = (count: number, of: (k: number) => number[]): number[] =>
    Array.from({ length: count }, (_, k) => of(k)).flat();
  const advance = (local: number, bytes: number): number[] => [
    ...[LOCAL_GET, local, I32_CONST, bytes, I32_ADD, LOCAL_SET, local],
  ];
  const sumsStart = BYTES * (LEFT_SIZE + RIGHT_SIZE);
  const body = [
    ...[1, number + 1 - 3, V128],
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
    END,
  ];
  // As large as needed from the start: when a memory grows, V8 checks each access to any array from then on.
  const pages = Math.ceil((sumsStart + BYTES * SUMS_SIZE) / PAGE);
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [[0x60, 3, I32, I32, I32, 0]]),
    ...section(3, [[0]]),
    ...section(5, [[1, pages, pages]]),
    ...section(7, [exported('memory', 2), exported('multiply', 0)]),
    ...section(10, [sized(body)]),
  ]);
}
