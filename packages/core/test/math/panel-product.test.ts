import { describe, expect, test } from 'vitest';
import {
  COLUMNS,
  createScalarPanels,
  createVectorPanels,
  type Panels,
  ROWS,
} from '../../src/math/linear/panel-product.js';
import { seededRandom } from '../../src/math/random.js';

const LEFT = 12;
const RIGHT = 33;

function fill({ left, right }: Panels): void {
  const random = seededRandom(7);
  for (let k = 0; k < left.length; k++) left[k] = 2 * random() - 1;
  for (let k = 0; k < right.length; k++) right[k] = (2 * random() - 1) * 10 ** (8 * random() - 4);
}

describe('products of six rows and three', () => {
  const scalar = createScalarPanels();
  const vector = createVectorPanels();
  fill(scalar);

  test.each([0, 1, 2, 7, 350])('of %i columns are their sums, in order', (count) => {
    scalar.multiply(LEFT, RIGHT, count);
    const expected = Array.from({ length: ROWS * COLUMNS }, (_, n) => {
      let sum = 0;
      for (let k = 0; k < count; k++) {
        const a = scalar.left[LEFT + ROWS * k + (n % ROWS)];
        sum += a * scalar.right[RIGHT + COLUMNS * k + Math.floor(n / ROWS)];
      }
      return sum;
    });
    expect(Array.from(scalar.sums)).toEqual(expected);
  });

  test('have the same bits in WebAssembly', () => {
    if (vector === undefined) throw new Error('no WebAssembly with vectors here');
    fill(vector);
    for (const count of [0, 1, 2, 7, 350, 500]) {
      scalar.multiply(LEFT, RIGHT, count);
      vector.multiply(LEFT, RIGHT, count);
      expect(vector.sums).toEqual(scalar.sums);
    }
  });

  test('do without WebAssembly where it is missing or forbidden', () => {
    const scope = globalThis as { WebAssembly?: unknown };
    const given = scope.WebAssembly;
    try {
      for (const instead of [
        undefined,
        {
          Module: class {
            constructor() {
              throw new Error('forbidden');
            }
          },
        },
      ]) {
        scope.WebAssembly = instead;
        expect(createVectorPanels()).toBeUndefined();
      }
    } finally {
      scope.WebAssembly = given;
    }
  });
});
