import fc from 'fast-check';
import { mat3, quat } from 'poise/math';
import { describe, expect, test } from 'vitest';
import { conjugateByOrthogonal, splitScale } from '../../src/gltf/skeleton/scale.js';

const entry = fc.double({ min: -3, max: 3, noNaN: true });
const matrix = fc
  .array(entry, { minLength: 9, maxLength: 9 })
  .filter((m) => Math.abs(mat3.determinant(m)) > 1e-2);
const rotation = fc
  .tuple(entry, entry, entry, entry)
  .filter((q) => quat.norm(q) > 0.1)
  .map((q) => quat.normalize(q));

const norm = (m: ArrayLike<number>) => mat3.frobeniusNorm(m);

test('conjugateByOrthogonal is the quaternion of O R O^T, mirrors included', () => {
  fc.assert(
    fc.property(rotation, matrix, (q, m) => {
      const o = mat3.orthogonalFactor(m);
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

  test('the departure measures non-uniformity', () => {
    expect(splitScale([1, 0, 0, 0, 2, 0, 0, 0, 1]).departure).toBeGreaterThan(0.5);
    const rounded = splitScale([1, 0, 0, 0, 1 + 1e-7, 0, 0, 0, 1]);
    expect(rounded.departure).toBeGreaterThan(1e-8);
    expect(rounded.departure).toBeLessThan(1e-6);
    expect(rounded.orthogonal).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1]);
  });
});
