import * as fc from 'fast-check';
import { mat3, quat, vec3 } from 'poise/math';
import { Matrix4, Quaternion } from 'three';
import { describe, expect, it } from 'vitest';
import { wahbaRotation } from '../../src/math/geometry/wahba.js';
import { randomQuat, randomTriple, testRandom } from '../support/random-figure.js';

type V = readonly number[];

/** sum of w y x^T. */
function pairs(from: readonly V[], to: readonly V[], weights: readonly number[]): number[] {
  const b = new Array<number>(9).fill(0);
  from.forEach((x, n) => {
    for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) b[3 * r + c] += weights[n] * to[n][r] * x[c];
  });
  return b;
}

/** tr(R^T B), R by three.js. */
function overlap(q: V, b: V): number {
  const m = new Matrix4().makeRotationFromQuaternion(new Quaternion(q[0], q[1], q[2], q[3])).elements;
  // three.js stores columns.
  return [0, 1, 2].reduce(
    (sum, r) => sum + [0, 1, 2].reduce((s, c) => s + m[4 * c + r] * b[3 * r + c], 0),
    0,
  );
}

describe('the rotation nearest to pairs of vectors', () => {
  it('is the rotation that was applied to the vectors', () => {
    const random = testRandom(1);
    for (let n = 0; n < 300; n++) {
      const rotation = randomQuat(random);
      const from = Array.from({ length: 2 + (n % 4) }, () => randomTriple(random));
      const weights = from.map(() => 0.1 + random());
      const b = pairs(
        from,
        from.map((x) => quat.rotate(rotation, x)),
        weights,
      );
      const q = wahbaRotation(b);
      expect(quat.angleBetween(q, rotation)).toBeLessThan(1e-12);
      expect(Math.abs(quat.norm(q) - 1)).toBeLessThan(4e-16);
      expect(q[3]).toBeGreaterThanOrEqual(0);
    }
  });

  it('is the polar factor of B where that is a rotation', () => {
    const random = testRandom(2);
    for (let n = 0; n < 200; n++) {
      const b = Array.from({ length: 9 }, () => 2 * random() - 1);
      if (mat3.determinant(b) < 0.05) continue;
      const found = quat.toMatrix(wahbaRotation(b));
      mat3.rotationFactor(b).forEach((x, k) => {
        expect(Math.abs(found[k] - x)).toBeLessThan(1e-11);
      });
    }
  });

  it('maximizes tr(R^T B) over rotations for any B, mirrored, planar or of rank one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), (seed) => {
        const random = testRandom(seed);
        const count = 1 + (seed % 4);
        const from = Array.from({ length: count }, () => randomTriple(random));
        const to = Array.from({ length: count }, () => randomTriple(random));
        const b = pairs(from, to, new Array<number>(count).fill(1));
        const q = wahbaRotation(b);
        const best = overlap(q, b);
        for (let n = 0; n < 40; n++) expect(overlap(randomQuat(random), b)).toBeLessThan(best + 1e-13);
        for (let n = 0; n < 20; n++) {
          const near = quat.normalize(quat.multiply(quat.normalize([...randomTriple(random, 1e-2), 1]), q));
          expect(overlap(near, b)).toBeLessThan(best + 1e-13);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('does not depend on the size of B, from 1e-300 to 1e300', () => {
    const b = pairs(
      [
        [1, 2, 3],
        [0, 1, -1],
      ],
      [
        [2, 1, 3],
        [1, 0.5, -1],
      ],
      [1, 2],
    );
    const q = wahbaRotation(b);
    for (const size of [1e-300, 1e-150, 1e150, 1e299]) {
      expect(quat.angleBetween(wahbaRotation(scaled(b, size)), q)).toBeLessThan(1e-15);
    }
  });

  it('is the identity for B = 0 or not finite, and writes to a given array', () => {
    expect(wahbaRotation(new Array(9).fill(0))).toEqual([0, 0, 0, 1]);
    expect(wahbaRotation(new Array(9).fill(Number.NaN))).toEqual([0, 0, 0, 1]);
    const out = new Float64Array(4);
    expect(wahbaRotation([1, 0, 0, 0, 1, 0, 0, 0, 1], out)).toBe(out);
    expect(Array.from(out)).toEqual([0, 0, 0, 1]);
    expect(vec3.norm(out.subarray(0, 3))).toBe(0);
  });
});

function scaled(b: V, size: number): number[] {
  return b.map((x) => x * size);
}
