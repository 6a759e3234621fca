import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addGram, createGramMatrix } from '../../../src/spacetime/solver/gram-matrix.js';
import {
  appendRow,
  createJacobianRows,
  type JacobianRows,
} from '../../../src/spacetime/transcription/jacobian-rows.js';

interface SparseRow {
  readonly columns: readonly number[];
  readonly values: readonly number[];
  readonly weight: number;
}

function rowsOf(list: readonly SparseRow[], size: number): JacobianRows {
  const rows = createJacobianRows(list.length);
  const dense = new Float64Array(size);
  list.forEach(({ columns, values }, i) => {
    columns.forEach((column, k) => {
      dense[column] = values[k];
    });
    appendRow(rows, i, Int32Array.from(columns), dense);
  });
  return rows;
}

/** The sum as it is defined, row by row: only the lower triangle, and how large its terms are at most. */
function denseSum(
  list: readonly SparseRow[],
  order: readonly number[],
  size: number,
): { readonly sum: Float64Array; readonly scale: number } {
  const sum = new Float64Array(size * size);
  let scale = 0;
  for (const r of order) {
    const { columns, values, weight } = list[r];
    columns.forEach((i, a) => {
      columns.forEach((j, b) => {
        if (j <= i) sum[i * size + j] += weight * values[a] * values[b];
      });
      scale += weight * values[a] * values[a];
    });
  }
  return { sum, scale };
}

/** Expects the sum over `order` of the list, on top of what stands in the matrix. */
function expectSum(list: readonly SparseRow[], order: readonly number[], size: number): void {
  const rows = rowsOf(list, size);
  const first = Int32Array.from({ length: size }, (_, i) => i);
  for (const { columns } of list) for (const i of columns) first[i] = Math.min(first[i], columns[0]);
  const hessian = createGramMatrix(first);
  const { base, values } = hessian;
  // What was there stays; and nothing else is touched.
  const before = values.map((_, k) => 0.25 * (k % 7));
  values.set(before);
  addGram(
    rows,
    order.length,
    (k) => order[k],
    (k) => list[order[k]].weight,
    hessian,
  );
  const { sum, scale } = denseSum(list, order, size);
  const tolerance = 1e-14 * (1 + scale);
  const seen = new Uint8Array(values.length);
  let worst = 0;
  for (let i = 0; i < size; i++) {
    for (let j = first[i]; j <= i; j++) {
      const at = base[i] + j;
      seen[at] = 1;
      const off = Math.abs(values[at] - before[at] - sum[i * size + j]);
      if (!(off <= worst)) worst = off;
    }
  }
  expect(worst).toBeLessThanOrEqual(tolerance);
  for (let k = 0; k < values.length; k++) {
    if (seen[k] === 0 && values[k] !== before[k]) expect.fail(`writes to place ${k}, outside of the matrix`);
  }
}

const numbers = fc.double({ min: -3, max: 3, noNaN: true });
const weights = fc.oneof(
  { arbitrary: fc.double({ min: 0, max: 100, noNaN: true }), weight: 4 },
  { arbitrary: fc.constant(0), weight: 1 },
);

/** Rows that have `share` of `length` columns from one near the same place on: neighbours are alike. */
function bands(size: number): fc.Arbitrary<SparseRow[]> {
  return fc.array(
    fc
      .record({
        start: fc.integer({ min: 0, max: 5 }),
        length: fc.integer({ min: 0, max: size - 5 }),
        values: fc.array(numbers, { minLength: size, maxLength: size }),
        weight: weights,
      })
      .map(({ start, length, values, weight }) => {
        const columns = Array.from({ length }, (_, k) => start + k);
        return { columns, values: values.slice(0, length), weight };
      }),
    { maxLength: 14 },
  );
}

/** Rows of any columns. */
function scattered(size: number): fc.Arbitrary<SparseRow[]> {
  return fc.array(
    fc
      .record({
        columns: fc.subarray(Array.from({ length: size }, (_, i) => i)),
        values: fc.array(numbers, { minLength: size, maxLength: size }),
        weight: weights,
      })
      .map(({ columns, values, weight }) => ({ columns, values: values.slice(0, columns.length), weight })),
    { maxLength: 14 },
  );
}

/** A row of the columns from one on, with values that tell it from others. */
function wide(from: number, count: number, seed: number): SparseRow {
  return {
    columns: Array.from({ length: count }, (_, k) => from + k),
    values: Array.from({ length: count }, (_, k) => Math.sin(seed + 1.3 * k)),
    weight: 0.5 + seed,
  };
}

describe('the Gram matrix of rows', () => {
  test('equals a dense sum, columns alike or not', () => {
    fc.assert(
      fc.property(fc.oneof(bands(24), scattered(24)), (list) => {
        expectSum(
          list,
          list.map((_, i) => i),
          24,
        );
      }),
      { numRuns: 300 },
    );
  });

  test('includes the given rows, in any order and multiplicity', () => {
    fc.assert(
      fc.property(
        fc.oneof(bands(18), scattered(18)).filter((list) => list.length > 0),
        fc.array(fc.nat(999), { maxLength: 17 }),
        (list, picks) => {
          expectSum(
            list,
            picks.map((k) => k % list.length),
            18,
          );
        },
      ),
    );
  });

  test('does not depend on the number of rows left over, weighted or not', () => {
    for (let count = 0; count <= 13; count++) {
      const list = Array.from({ length: count }, (_, k) => ({
        ...wide(k % 3, 9 + (k % 2), k),
        weight: k % 5 === 3 ? 0 : 1 + k,
      }));
      expectSum(
        list,
        list.map((_, i) => i),
        16,
      );
    }
  });

  test('handles rows of more columns than a group holds', () => {
    // 2048 go together; one more does not, nor do rows that only together have more.
    for (const [count, shift] of [
      [2048, 0],
      [2049, 0],
      [2046, 1],
    ]) {
      const list = [0, 1, 2, 3, 4].map((k) => wide(k * shift, count, k));
      expectSum(list, [0, 1, 2, 3, 4], count + 4 * shift);
    }
  });

  test('keeps groups separate: a wide one, one without columns and a narrow one', () => {
    const empty = { columns: [], values: [], weight: 1 };
    const list = [
      ...[0, 1, 2, 3].map((k) => wide(0, 40, k)),
      empty,
      empty,
      empty,
      empty,
      ...[0, 1, 2, 3].map((k) => wide(5, 3, k)),
      ...[0, 1, 2, 3].map((k) => wide(10 * k, 3, k)),
      wide(20, 1, 2),
    ];
    expectSum(
      list,
      list.map((_, i) => i),
      40,
    );
  });
});
