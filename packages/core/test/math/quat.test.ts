import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../src/errors.js';
import * as mat3 from '../../src/math/geometry/mat3.js';
import * as quat from '../../src/math/geometry/quat.js';

const component = fc.double({ min: -1, max: 1, noNaN: true });
const quats = fc
  .tuple(component, component, component, component)
  .filter((q) => Math.hypot(...q) > 1e-2)
  .map((q) => quat.normalize(q));

/** Expects entries to agree. */
function near(a: ArrayLike<number>, b: ArrayLike<number>, tolerance = 2e-15): void {
  expect(Math.hypot(...Array.from(a, (x, i) => x - b[i]))).toBeLessThanOrEqual(tolerance);
}

describe('quat', () => {
  it("multiplies by Hamilton's rules: ij = k, jk = i, ki = j", () => {
    const [i, j, k] = [
      [1, 0, 0, 0],
      [0, 1, 0, 0],
      [0, 0, 1, 0],
    ];
    expect(quat.multiply(i, j)).toEqual(k);
    expect(quat.multiply(j, k)).toEqual(i);
    expect(quat.multiply(k, i)).toEqual(j);
    expect(quat.multiply(i, i)).toEqual([0, 0, 0, -1]);
  });

  it('unit quaternions are a group', () => {
    fc.assert(
      fc.property(quats, quats, quats, (a, b, c) => {
        near(quat.multiply(quat.multiply(c, b), a), quat.multiply(c, quat.multiply(b, a)));
        near(quat.multiply(a, quat.identity()), a, 0);
        near(quat.multiply(a, quat.conjugate(a)), quat.identity());
        expect(quat.norm(quat.multiply(a, b))).toBeCloseTo(1, 14);
      }),
    );
  });

  it('the product b a rotates by a first, as its matrix does', () => {
    fc.assert(
      fc.property(quats, quats, (b, a) => {
        near(quat.toMatrix(quat.multiply(b, a)), mat3.multiply(quat.toMatrix(b), quat.toMatrix(a)), 4e-15);
      }),
    );
  });

  it('rotates a vector as q v q^-1 and as its matrix do', () => {
    fc.assert(
      fc.property(quats, quats, (q, r) => {
        const v = r.slice(0, 3);
        const sandwich = quat.multiply(quat.multiply(q, [...v, 0]), quat.conjugate(q));
        near(quat.rotate(q, v), sandwich.slice(0, 3));
        near(quat.rotate(q, v), mat3.multiplyVector(quat.toMatrix(q), v));
      }),
    );
    near(quat.rotate(quat.fromAxisAngle([0, 0, 1], Math.PI / 2), [1, 0, 0]), [0, 1, 0], 1e-15);
  });

  it('is recovered from its matrix with every pivot, w >= 0', () => {
    fc.assert(
      fc.property(quats, (q) => {
        const back = quat.fromMatrix(quat.toMatrix(q));
        expect(back[3]).toBeGreaterThanOrEqual(0);
        near(quat.dot(back, q) < 0 ? quat.negate(back) : back, q, 2e-15);
      }),
    );
    for (const half of [
      [1, 0, 0, 0],
      [0, 1, 0, 0],
      [0, 0, 1, 0],
      [0, 0.6, 0.8, 0],
    ]) {
      near(quat.fromMatrix(quat.toMatrix(half)), half, 1e-15);
    }
  });

  it('a matrix a little off orthonormal gives a unit quaternion near its rotation', () => {
    const m = quat.toMatrix(quat.normalize([0.3, -0.2, 0.5, 0.7]));
    m[4] += 1e-4;
    m[1] -= 2e-4;
    const q = quat.fromMatrix(m);
    expect(quat.norm(q)).toBeCloseTo(1, 15);
    near(q, quat.normalize([0.3, -0.2, 0.5, 0.7]), 2e-4);
  });

  it('measures the angle between rotations to rounding, near 0 and near pi too', () => {
    for (const angle of [0, 1e-300, 1e-9, 1, 3, Math.PI - 1e-9, Math.PI]) {
      const a = quat.normalize([0.5, 0.1, -0.4, 0.7]);
      const b = quat.multiply(a, quat.fromAxisAngle([0, 0.6, 0.8], angle));
      expect(Math.abs(quat.angleBetween(a, b) - angle)).toBeLessThan(5e-16 * Math.max(1, angle));
      expect(quat.angleBetween(a, quat.negate(b))).toBe(quat.angleBetween(a, b));
    }
  });

  it('throws on normalizing zero and nonfinite quaternions', () => {
    expect(() => quat.normalize([0, 0, 0, 0])).toThrow(DomainError);
    expect(() => quat.normalize([0, Number.NaN, 0, 1])).toThrow(/no rotation/);
    near(quat.normalize([0, 3e-200, 0, 4e-200]), [0, 0.6, 0, 0.8], 1e-15);
  });

  it('lets out be an input', () => {
    const a = quat.normalize([1, 2, 3, 4]);
    const b = quat.normalize([-2, 1, 0, 5]);
    const expected = quat.multiply(a, b);
    expect(quat.multiply(a, b, a)).toEqual(expected);
    const v = [1, 2, 3];
    const rotated = quat.rotate(b, v);
    expect(quat.rotate(b, v, v)).toEqual(rotated);
  });
});
