import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as blockTridiagonal from '../../src/math/linear/block-tridiagonal.js';

const entry = fc.double({ min: -1, max: 1, noNaN: true });
const numbers = (count: number) => fc.array(entry, { minLength: count, maxLength: count });

/** A x, A row by row. */
function product(a: readonly number[], x: readonly number[]): number[] {
  return x.map((_, i) => x.reduce((sum, value, j) => sum + a[i * x.length + j] * value, 0));
}

describe('block tridiagonal systems', () => {
  const rows = fc
    .integer({ min: 1, max: 7 })
    .chain((n) => fc.tuple(fc.constant(n), numbers(27 * n), numbers(3 * n)));

  it('have the solution of the dense system', () => {
    fc.assert(
      fc.property(rows, ([n, g, x]) => {
        const block = (i: number) => g.slice(9 * i, 9 * i + 9);
        const left = Array.from({ length: n }, (_, i) => block(3 * i));
        const right = Array.from({ length: n }, (_, i) => block(3 * i + 1));
        const middle = Array.from({ length: n }, (_, i) =>
          block(3 * i + 2).map((value, e) => value + (e % 4 === 0 ? 10 : 0)),
        );
        const dense = new Array<number>(9 * n * n).fill(0);
        for (let i = 0; i < n; i++) {
          for (const [j, m] of [
            [i - 1, left[i]],
            [i, middle[i]],
            [i + 1, right[i]],
          ] as const) {
            if (j < 0 || j >= n) continue;
            for (let e = 0; e < 9; e++) dense[(3 * i + Math.floor(e / 3)) * 3 * n + 3 * j + (e % 3)] = m[e];
          }
        }
        const b = product(dense, x);
        expect(blockTridiagonal.solve({ left, middle, right }, b)).toBe(true);
        for (let i = 0; i < 3 * n; i++) expect(Math.abs(b[i] - x[i])).toBeLessThan(1e-13);
      }),
    );
  });

  it('report a singular pivot block', () => {
    const middle = [[1, 0, 0, 0, 1, 0, 0, 0, 0]];
    expect(blockTridiagonal.solve({ left: [[]], middle, right: [[]] }, [1, 1, 1])).toBe(false);
  });
});
