import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as cholesky from '../../src/math/linear/cholesky.js';

/** G^T G + I/10 of an n x n matrix: positive definite. */
function positiveDefinite(g: number[], n: number): number[] {
  return Array.from({ length: n * n }, (_, e) => {
    const [i, j] = [Math.floor(e / n), e % n];
    let sum = i === j ? 0.1 : 0;
    for (let k = 0; k < n; k++) sum += g[k * n + i] * g[k * n + j];
    return sum;
  });
}

describe('cholesky', () => {
  it('solves positive-definite systems of any size, inside a larger array with stride and offset', () => {
    const sized = fc
      .integer({ min: 1, max: 9 })
      .chain((n) =>
        fc.tuple(
          fc.constant(n),
          fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: n * n, maxLength: n * n }),
          fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: n, maxLength: n }),
        ),
      );
    fc.assert(
      fc.property(sized, ([n, g, x]) => {
        const a = positiveDefinite(g, n);
        const [stride, offset, start] = [n + 2, 3, 1];
        const packed = new Float64Array(offset + n * stride).fill(9);
        for (let i = 0; i < n; i++)
          for (let j = 0; j <= i; j++) packed[offset + i * stride + j] = a[i * n + j];
        const b = new Float64Array(start + n + 1).fill(7);
        for (let i = 0; i < n; i++) {
          b[start + i] = 0;
          for (let j = 0; j < n; j++) b[start + i] += a[i * n + j] * x[j];
        }
        expect(cholesky.factor(packed, n, stride, offset)).toBe(true);
        cholesky.solve(packed, n, b, stride, offset, start);
        for (let i = 0; i < n; i++) expect(b[start + i]).toBeCloseTo(x[i], 11);
        // Entries above the diagonal and outside the matrix are unchanged.
        expect(b[0]).toBe(7);
        expect(b[start + n]).toBe(7);
        for (let i = 0; i < n; i++) {
          for (let j = i + 1; j < stride; j++) expect(packed[offset + i * stride + j]).toBe(9);
        }
      }),
    );
  });

  it('returns false for a matrix that is not positive definite, and for NaN', () => {
    expect(cholesky.factor([1, 0, 2, 1], 2)).toBe(false);
    expect(cholesky.factor([0], 1)).toBe(false);
    expect(cholesky.factor([Number.NaN], 1)).toBe(false);
    expect(cholesky.factor([4, 0, 2, 2], 2)).toBe(true);
  });
});
