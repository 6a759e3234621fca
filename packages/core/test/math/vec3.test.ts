import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../src/errors.js';
import * as vec3 from '../../src/math/geometry/vec3.js';

const numbers = fc.double({ min: -100, max: 100, noNaN: true });
const vectors = fc.tuple(numbers, numbers, numbers);

describe('vec3', () => {
  it('adds, subtracts, scales and interpolates', () => {
    expect(vec3.add([1, 2, 3], [4, 5, 6])).toEqual([5, 7, 9]);
    expect(vec3.subtract([1, 2, 3], [4, 6, 8])).toEqual([-3, -4, -5]);
    expect(vec3.scale([1, 2, 3], -2)).toEqual([-2, -4, -6]);
    expect(vec3.addScaled([1, 2, 3], [1, 0, -1], 0.5)).toEqual([1.5, 2, 2.5]);
    expect(vec3.negate([1, -2, 3])).toEqual([-1, 2, -3]);
    expect(vec3.lerp([0.1, 0.2, 0.3], [1, 2, 3], 0)).toEqual([0.1, 0.2, 0.3]);
    expect(vec3.lerp([0.1, 0.2, 0.3], [1, 2, 3], 1)).toEqual([1, 2, 3]);
  });

  it('the cross product is right-handed and normal to both', () => {
    expect(vec3.cross([1, 0, 0], [0, 1, 0])).toEqual([0, 0, 1]);
    fc.assert(
      fc.property(vectors, vectors, (a, b) => {
        const c = vec3.cross(a, b);
        const scale = vec3.norm(a) * vec3.norm(b) + 1;
        expect(Math.abs(vec3.dot(a, c))).toBeLessThan(1e-13 * scale * (vec3.norm(a) + 1));
        expect(vec3.normSquared(c) + vec3.dot(a, b) ** 2).toBeCloseTo(
          vec3.normSquared(a) * vec3.normSquared(b),
          -Math.log10(1e-12 * scale * scale),
        );
      }),
    );
  });

  it('the norm neither underflows nor overflows', () => {
    expect(vec3.norm([3e-300, 4e-300, 0]) / 5e-300).toBeCloseTo(1, 15);
    expect(vec3.norm([3e300, 0, -4e300]) / 5e300).toBeCloseTo(1, 15);
    expect(vec3.norm([0, 5e-324, 0])).toBe(5e-324);
    expect(vec3.norm([0, 0, 0])).toBe(0);
    expect(vec3.norm([Number.NaN, 1, 1])).toBeNaN();
    expect(vec3.norm([Number.POSITIVE_INFINITY, 1, 1])).toBe(Number.POSITIVE_INFINITY);
    expect(vec3.distance([1, 1, 1], [1, 4, 5])).toBe(5);
  });

  it('normalizes to unit length at every scale, and throws for zero and nonfinite vectors', () => {
    for (const scale of [1, 1e-200, 1e200, 5e-324, 1e308]) {
      expect(vec3.norm(vec3.normalize([scale, -scale, 0]))).toBeCloseTo(1, 15);
    }
    for (const bad of [
      [0, 0, 0],
      [Number.NaN, 1, 0],
      [0, Number.NEGATIVE_INFINITY, 0],
    ]) {
      expect(() => vec3.normalize(bad)).toThrow(DomainError);
    }
  });

  it('finds a unit vector normal to any vector', () => {
    fc.assert(
      fc.property(
        vectors.filter((a) => vec3.norm(a) > 1e-6),
        (a) => {
          const n = vec3.perpendicular(a);
          expect(vec3.norm(n)).toBeCloseTo(1, 14);
          expect(Math.abs(vec3.dot(n, a)) / vec3.norm(a)).toBeLessThan(1e-15);
        },
      ),
    );
  });

  it('lets out be an input', () => {
    const a = [1, 2, 3];
    expect(vec3.cross(a, [4, 5, 6], a)).toBe(a);
    expect(a).toEqual([-3, 6, -3]);
    const b = new Float64Array([3, 0, 4]);
    expect(Array.from(vec3.normalize(b, b))).toEqual([0.6, 0, 0.8]);
    const c = [1, 2, 5];
    vec3.perpendicular(c, c);
    expect(vec3.dot(c, [1, 2, 5])).toBeCloseTo(0, 14);
  });

  it('says whether all entries are finite', () => {
    expect(vec3.allFinite([1, 2, 3])).toBe(true);
    expect(vec3.allFinite([1, Number.NaN, 3])).toBe(false);
    expect(vec3.allFinite([1, 2, Number.POSITIVE_INFINITY])).toBe(false);
  });
});
