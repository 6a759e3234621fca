import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../src/errors.js';
import * as mat3 from '../../src/math/geometry/mat3.js';
import * as vec3 from '../../src/math/geometry/vec3.js';

const entry = fc.double({ min: -10, max: 10, noNaN: true });
const matrices = fc.array(entry, { minLength: 9, maxLength: 9 });
const vectors = fc.array(entry, { minLength: 3, maxLength: 3 });

/** Expects entries to agree relative to a scale. */
function near(a: ArrayLike<number>, b: ArrayLike<number>, tolerance: number): void {
  expect(Math.hypot(...Array.from(a, (x, i) => x - b[i]))).toBeLessThanOrEqual(tolerance);
}

describe('mat3', () => {
  it('multiplies row by column, and acts on columns', () => {
    const a = [1, 2, 3, 4, 5, 6, 7, 8, 10];
    const b = [0, 1, 0, 0, 0, 1, 1, 0, 0];
    expect(mat3.multiply(a, b)).toEqual([3, 1, 2, 6, 4, 5, 10, 7, 8]);
    expect(mat3.multiplyVector(a, [1, 0, -1])).toEqual([-2, -2, -3]);
    expect(mat3.transposeMultiplyVector(a, [1, 0, -1])).toEqual([-6, -6, -7]);
    expect(mat3.transpose(a)).toEqual([1, 4, 7, 2, 5, 8, 3, 6, 10]);
    expect(mat3.determinant(a)).toBeCloseTo(-3, 12);
    expect(mat3.frobeniusNorm([3, 0, 0, 0, 0, 4e200, 0, 0, 3e200])).toBeCloseTo(5e200, -190);
    expect(mat3.frobeniusNorm(a)).toBeCloseTo(Math.sqrt(304), 13);
  });

  it('is associative and distributes', () => {
    fc.assert(
      fc.property(matrices, matrices, vectors, (a, b, v) => {
        near(
          mat3.multiplyVector(mat3.multiply(a, b), v),
          mat3.multiplyVector(a, mat3.multiplyVector(b, v)),
          1e-10,
        );
        near(mat3.multiply(mat3.add(a, b), a), mat3.add(mat3.multiply(a, a), mat3.multiply(b, a)), 1e-10);
        near(mat3.subtract(mat3.scale(a, 2), a), a, 1e-14);
      }),
    );
  });

  it('[v] u is v x u, and the outer product is a b^T', () => {
    fc.assert(
      fc.property(vectors, vectors, (v, u) => {
        near(mat3.multiplyVector(mat3.skew(v), u), vec3.cross(v, u), 1e-13);
        near(mat3.multiplyVector(mat3.outer(v, u), u), vec3.scale(v, vec3.dot(u, u)), 1e-10);
      }),
    );
  });

  it('inverts and solves where the determinant is nonzero to rounding', () => {
    fc.assert(
      fc.property(matrices, vectors, (any, b) => {
        // Diagonally dominant, so that the condition number stays small.
        const m = mat3.add(any, mat3.scale(mat3.identity(), 35));
        near(mat3.multiply(mat3.inverse(m), m), mat3.identity(), 1e-13);
        near(mat3.multiplyVector(m, mat3.solve(m, b)), b, 1e-13);
      }),
    );
    near(mat3.inverse([1e-20, 0, 0, 0, 1, 0, 0, 0, 1e20]), [1e20, 0, 0, 0, 1, 0, 0, 0, 1e-20], 1e5);
  });

  it('throws for a matrix that is singular to rounding or not finite', () => {
    for (const m of [
      [1, 2, 3, 2, 4, 6, 0, 0, 1],
      [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
      [1, 0, 0, 0, 0, 0, 0, 0, 1],
      [Number.NaN, 0, 0, 0, 1, 0, 0, 0, 1],
    ]) {
      expect(() => mat3.inverse(m)).toThrow(DomainError);
      expect(() => mat3.solve(m, [1, 0, 0])).toThrow(/no inverse/);
    }
  });

  it('lets out be an input', () => {
    const a = [1, 2, 3, 4, 5, 6, 7, 8, 10];
    const b = [2, 0, 1, 1, 1, 0, 0, 3, 1];
    const product = mat3.multiply(a, b);
    expect(mat3.multiply(a, b, [...b])).toEqual(product);
    const left = [...a];
    expect(mat3.multiply(left, b, left)).toEqual(product);
    const right = [...b];
    expect(mat3.multiply(a, right, right)).toEqual(product);
    const t = [...a];
    expect(mat3.transpose(t, t)).toEqual(mat3.transpose(a));
    const i = [...b];
    expect(mat3.inverse(i, i)).toEqual(mat3.inverse(b));
  });
});
