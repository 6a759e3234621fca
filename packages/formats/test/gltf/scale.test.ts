import fc from 'fast-check';
import { mat3, quat } from 'poise/math';
import { describe, expect, test } from 'vitest';
import { conjugateByOrthogonal, orthogonalFactor, rotationFactor, splitScale } from '../../src/gltf/scale.js';

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
        const q = orthogonalFactor(m);
        expect(norm(mat3.subtract(mat3.multiply(mat3.transpose(q), q), mat3.identity()))).toBeLessThan(1e-14);
        const p = mat3.multiply(mat3.transpose(q), m);
        expect(norm(mat3.subtract(p, mat3.transpose(p)))).toBeLessThan(1e-13);
        expect(p[0]).toBeGreaterThan(0);
        expect(p[0] * p[4] - p[1] * p[3]).toBeGreaterThan(0);
        expect(mat3.determinant(p)).toBeGreaterThan(0);
      }),
    );
  });

  test('it gives back the factors of a product', () => {
    fc.assert(
      fc.property(rotation, fc.tuple(entry, entry, entry), rotation, (q, [a, b, c], axes) => {
        const e = quat.toMatrix(axes);
        const d = [Math.exp(a), 0, 0, 0, Math.exp(b), 0, 0, 0, Math.exp(c)];
        const p = mat3.multiply(e, mat3.multiply(d, mat3.transpose(e)));
        const r = quat.toMatrix(q);
        const got = orthogonalFactor(mat3.multiply(r, p));
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
          const distance = norm(mat3.subtract(m, rotationFactor(m)));
          expect(distance).toBeLessThanOrEqual(norm(mat3.subtract(m, quat.toMatrix(other))) + 1e-12);
        },
      ),
    );
  });

  test('a mirrored matrix gives a rotation all the same', () => {
    fc.assert(
      fc.property(matrix, (m) => {
        expect(mat3.determinant(rotationFactor(m))).toBeCloseTo(1, 12);
      }),
    );
  });
});

test('conjugateByOrthogonal is the quaternion of O R O^T, mirrors included', () => {
  fc.assert(
    fc.property(rotation, matrix, (q, m) => {
      const o = orthogonalFactor(m);
      const expected = mat3.multiply(o, mat3.multiply(quat.toMatrix(q), mat3.transpose(o)));
      expect(norm(mat3.subtract(quat.toMatrix(conjugateByOrthogonal(o, q)), expected))).toBeLessThan(1e-13);
    }),
  );
});

describe('splitScale', () => {
  test('a uniform scale splits without any rounding', () => {
    expect(splitScale([0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5])).toEqual({
      factor: 0.5,
      orthogonal: [1, 0, 0, 0, 1, 0, 0, 0, 1],
      departure: 0,
    });
    expect(splitScale([-0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5]).orthogonal).toEqual([-1, 0, 0, 0, 1, 0, 0, 0, 1]);
  });

  test('the departure says how far from uniform', () => {
    expect(splitScale([1, 0, 0, 0, 2, 0, 0, 0, 1]).departure).toBeGreaterThan(0.5);
    const rounded = splitScale([1, 0, 0, 0, 1 + 1e-7, 0, 0, 0, 1]);
    expect(rounded.departure).toBeGreaterThan(1e-8);
    expect(rounded.departure).toBeLessThan(1e-6);
    expect(rounded.orthogonal).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1]);
  });
});
