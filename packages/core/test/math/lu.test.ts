import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as linear from '../../src/math/linear/lu.js';

const entry = fc.double({ min: -1, max: 1, noNaN: true });
const numbers = (count: number) => fc.array(entry, { minLength: count, maxLength: count });

/** A x, A row by row. */
function product(a: readonly number[], x: readonly number[]): number[] {
  return x.map((_, i) => x.reduce((sum, value, j) => sum + a[i * x.length + j] * value, 0));
}

describe('dense systems', () => {
  const sized = fc
    .integer({ min: 1, max: 9 })
    .chain((n) => fc.tuple(fc.constant(n), numbers(n * n), numbers(n)));

  it('are solved for any order of rows', () => {
    fc.assert(
      fc.property(sized, fc.nat(8), ([n, g, x], shift) => {
        // One dominant entry a row, shifted off the diagonal.
        const a = g.map((value, e) => value + (e % n === (Math.floor(e / n) + shift) % n ? n + 1 : 0));
        const b = product(a, x);
        expect(linear.solve([...a], n, b)).toBe(true);
        for (let i = 0; i < n; i++) expect(Math.abs(b[i] - x[i])).toBeLessThan(1e-13);
      }),
    );
  });

  it('are solved for several right-hand sides', () => {
    const b = [1, 2, 3, 4, 5, 6];
    expect(linear.solve([0, 2, 4, 0], 2, b, 3)).toBe(true);
    expect(b).toEqual([1, 1.25, 1.5, 0.5, 1, 1.5]);
  });

  it('are reported where singular or with NaN', () => {
    expect(linear.solve([1, 2, 2, 4], 2, [1, 1])).toBe(false);
    expect(linear.solve([0], 1, [1])).toBe(false);
    expect(linear.solve([1, 0, 0, Number.NaN], 2, [1, 1])).toBe(false);
    expect(linear.solve([1e-200], 1, [1e-200])).toBe(true);
  });
});
