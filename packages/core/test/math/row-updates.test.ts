import { describe, expect, test } from 'vitest';
import {
  createRowUpdates,
  createScalarUpdates,
  createVectorUpdates,
  MAX_SLOTS,
  PACKED_ROWS,
  type RowUpdates,
  SLOT,
  SLOT_COLUMNS,
} from '../../src/math/linear/row-updates.js';
import { seededRandom } from '../../src/math/random.js';

const SIZE = 6000;
/** The two rows of the matrix. */
const UPPER = 11;
const LOWER = 3000;

/** Slots two or three columns apart, and what stands in the matrix already. */
function fill({ values, packed, columns }: RowUpdates): void {
  const random = seededRandom(7);
  for (let k = 0; k < values.length; k++) values[k] = 2 * random() - 1;
  for (let k = 0; k < packed.length; k++) packed[k] = (2 * random() - 1) * 10 ** (8 * random() - 4);
  for (let s = 0, column = 0; s < MAX_SLOTS; s++, column += 2 + (s % 2)) columns[s] = column;
}

const FACTORS = [0.3, -1.7, 1e5, 2e-3, 0.9, -4e3, 1.1, 7e-7] as const;

describe('two rows, each += four packed rows times factors', () => {
  const scalar = createScalarUpdates(SIZE);
  const vector = createVectorUpdates(SIZE);

  test.each([0, 1, 2, 7, 350])('of %i slots take the products in order', (slots) => {
    fill(scalar);
    const { values, packed, columns } = scalar;
    const expected = values.slice();
    for (let s = 0; s < slots; s++) {
      for (let c = 0; c < SLOT_COLUMNS; c++) {
        [UPPER, LOWER].forEach((row, which) => {
          let sum = 0;
          for (let r = 0; r < PACKED_ROWS; r++)
            sum += FACTORS[PACKED_ROWS * which + r] * packed[SLOT * s + SLOT_COLUMNS * r + c];
          expected[row + columns[s] + c] += sum;
        });
      }
    }
    scalar.add(UPPER, LOWER, slots, ...FACTORS);
    expect(values).toEqual(expected);
  });

  test('have the same bits in WebAssembly', () => {
    if (vector === undefined) throw new Error('no WebAssembly with vectors here');
    for (const slots of [0, 1, 2, 7, 350, 1000]) {
      fill(scalar);
      fill(vector);
      scalar.add(UPPER, LOWER, slots, ...FACTORS);
      vector.add(UPPER, LOWER, slots, ...FACTORS);
      expect(vector.values).toEqual(scalar.values);
    }
  });

  test('may be the same row', () => {
    if (vector === undefined) throw new Error('no WebAssembly with vectors here');
    fill(scalar);
    fill(vector);
    scalar.add(UPPER, UPPER, 40, ...FACTORS);
    vector.add(UPPER, UPPER, 40, ...FACTORS);
    expect(vector.values).toEqual(scalar.values);
  });

  test('do without WebAssembly where there is none, or no memory', () => {
    const scope = globalThis as { WebAssembly?: unknown };
    const given = scope.WebAssembly;
    const refuse = class {
      constructor() {
        throw new RangeError('no memory');
      }
    };
    try {
      for (const instead of [undefined, { Module: class {}, Memory: refuse, Instance: class {} }]) {
        scope.WebAssembly = instead;
        expect(createVectorUpdates(SIZE)).toBeUndefined();
        expect(createRowUpdates(SIZE).values).toHaveLength(SIZE);
      }
    } finally {
      scope.WebAssembly = given;
    }
  });
});
