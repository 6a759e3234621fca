import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DomainError } from '../../src/errors.js';
import { mat3, quat } from '../../src/math/index.js';

const entry = fc.double({ min: -3, max: 3, noNaN: true });
const matrix = fc
  .array(entry, { minLength: 9, maxLength: 9 })
  .filter((m) => Math.abs(mat3.determinant(m)) > 1e-2);
const rotation = fc
  .tuple(entry, entry, entry, entry)
  .filter((q) => quat.norm(q) > 0.1)
  .map((q) => quat.normalize(q));

const norm = (m: ArrayLike<number>) => mat3.frobeniusNorm(m);

describe('polar decomposition', () => {
  test('M = Q P with Q orthogonal and P symmetric positive definite', () => {
    fc.assert(
      fc.property(matrix, (m) => {
        const q = mat3.orthogonalFactor(m);
        expect(norm(mat3.subtract(mat3.multiply(mat3.transpose(q), q), mat3.identity()))).toBeLessThan(1e-14);
        const p = mat3.multiply(mat3.transpose(q), m);
        expect(norm(mat3.subtract(p, mat3.transpose(p)))).toBeLessThan(1e-13);
        expect(p[0]).toBeGreaterThan(0);
        expect(p[0] * p[4] - p[1] * p[3]).toBeGreaterThan(0);
        expect(mat3.determinant(p)).toBeGreaterThan(0);
      }),
    );
  });

  test('recovers the factors of a product', () => {
    fc.assert(
      fc.property(rotation, fc.tuple(entry, entry, entry), rotation, (q, [a, b, c], axes) => {
        const e = quat.toMatrix(axes);
        const d = [Math.exp(a), 0, 0, 0, Math.exp(b), 0, 0, 0, Math.exp(c)];
        const p = mat3.multiply(e, mat3.multiply(d, mat3.transpose(e)));
        const r = quat.toMatrix(q);
        const got = mat3.orthogonalFactor(mat3.multiply(r, p));
        expect(norm(mat3.subtract(got, r))).toBeLessThan(1e-12);
      }),
    );
  });

  test('no rotation is nearer to M, by Frobenius norm', () => {
    fc.assert(
      fc.property(
        matrix.filter((m) => mat3.determinant(m) > 0),
        rotation,
        (m, other) => {
          const distance = norm(mat3.subtract(m, mat3.rotationFactor(m)));
          expect(distance).toBeLessThanOrEqual(norm(mat3.subtract(m, quat.toMatrix(other))) + 1e-12);
        },
      ),
    );
  });

  test('a mirrored matrix gives a rotation', () => {
    fc.assert(
      fc.property(matrix, (m) => {
        expect(mat3.determinant(mat3.rotationFactor(m))).toBeCloseTo(1, 12);
      }),
    );
  });

  test('throws for a singular matrix', () => {
    expect(() => mat3.orthogonalFactor([1, 2, 3, 2, 4, 6, 0, 0, 1])).toThrow(DomainError);
  });
});
