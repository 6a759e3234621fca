import * as fc from 'fast-check';
import { mat3, quat, vec3 } from 'poise/math';
import { describe, expect, it } from 'vitest';
import {
  addPair,
  clearPairs,
  fitRotation,
  writeSmallestRotation,
} from '../../../src/ik/fabrik/bodies/fit-rotation.js';
import { randomQuat, randomTriple, testRandom } from '../../support/random-figure.js';

type V = readonly number[];

function pairsOf(from: readonly V[], to: readonly V[], weights: readonly number[]): Float64Array {
  const b = new Float64Array(9);
  clearPairs(b);
  from.forEach((x, n) => {
    addPair(b, weights[n], x[0], x[1], x[2], to[n][0], to[n][1], to[n][2]);
  });
  return b;
}

/** sum w |R x - y|^2, the plain definition. */
function misfit(q: V, from: readonly V[], to: readonly V[], weights: readonly number[]): number {
  return from.reduce(
    (sum, x, n) => sum + weights[n] * vec3.normSquared(vec3.subtract(quat.rotate(q, x), to[n])),
    0,
  );
}

const gap = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Math.hypot(...Array.from(a, (x, k) => x - b[k]));

describe('fitRotation, Wahba problem', () => {
  it('is the polar factor where B has full rank and is not mirrored', () => {
    const random = testRandom(1);
    for (let n = 0; n < 300; n++) {
      const rotation = randomQuat(random);
      const from = Array.from({ length: 4 }, () => randomTriple(random));
      const noise = n % 2 === 0 ? 0 : 0.1;
      const to = from.map((x) => vec3.add(quat.rotate(rotation, x), randomTriple(random, noise)));
      const weights = from.map(() => 0.1 + random());
      const b = pairsOf(from, to, weights);
      if (mat3.determinant(b) < 1e-3) continue;
      const q = new Float64Array(4);
      expect(fitRotation(b, [1, 0, 0], q)).toBe(2);
      expect(gap(quat.toMatrix(q), mat3.rotationFactor(b))).toBeLessThan(1e-11);
      if (noise === 0) expect(quat.angleBetween(q, rotation)).toBeLessThan(1e-13);
    }
  });

  it('no other rotation fits better, also for coplanar or mirrored sets', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 2, max: 5 }), (seed, count) => {
        const random = testRandom(seed);
        const from = Array.from({ length: count }, () => randomTriple(random));
        // Unrelated targets: half of all B are mirrored.
        const to = Array.from({ length: count }, () => randomTriple(random));
        const weights = from.map(() => random() + 0.01);
        const q = new Float64Array(4);
        const rank = fitRotation(pairsOf(from, to, weights), [1, 0, 0], q);
        if (rank !== 2) return;
        const best = misfit(Array.from(q), from, to, weights);
        for (let n = 0; n < 60; n++) {
          expect(best).toBeLessThanOrEqual(misfit(randomQuat(random), from, to, weights) + 1e-12);
        }
        // And none near by.
        for (let n = 0; n < 20; n++) {
          const near = quat.normalize(quat.multiply(quat.normalize([...randomTriple(random, 1e-3), 1]), q));
          expect(best).toBeLessThanOrEqual(misfit(near, from, to, weights) + 1e-12);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('one direction gives the smallest rotation, several on one line add up', () => {
    const random = testRandom(3);
    for (let n = 0; n < 200; n++) {
      const x = randomTriple(random);
      const y = randomTriple(random);
      const from = [x, vec3.scale(x, -2), vec3.scale(x, 0.5)];
      const to = [y, vec3.scale(y, -3), vec3.scale(y, 2)];
      const q = new Float64Array(4);
      expect(fitRotation(pairsOf(from, to, [1, 1, 1]), [1, 0, 0], q)).toBe(1);
      expect(gap(quat.rotate(q, vec3.normalize(x)), vec3.normalize(y))).toBeLessThan(1e-13);
      // About an axis across both: nothing of it is a turn about the direction.
      expect(Math.abs(vec3.dot(q.subarray(0, 3), vec3.normalize(x)))).toBeLessThan(1e-13);
    }
  });

  it('reverses a direction about the reference axis', () => {
    const q = new Float64Array(4);
    writeSmallestRotation(0, 0, 1, 0, 0, -1, [3, 0, 7], q);
    expect(Array.from(q)).toEqual([1, 0, 0, 0]);
    // An axis along the direction tells nothing: some half turn, always the same.
    writeSmallestRotation(0, 0, 1, 0, 0, -1, [0, 0, 1], q);
    expect(gap(quat.rotate(q, [0, 0, 1]), [0, 0, -1])).toBeLessThan(1e-15);
  });

  it('returns rank 0 and no NaN for vectors of length zero or overflowing squares', () => {
    const q = new Float64Array(4);
    expect(fitRotation(pairsOf([[0, 0, 0]], [[1, 2, 3]], [1]), [1, 0, 0], q)).toBe(0);
    expect(Array.from(q)).toEqual([0, 0, 0, 1]);
    for (const size of [1e-120, 1e100]) {
      const b = pairsOf([[0, size, 0]], [[0, 0, 1]], [1]);
      expect(fitRotation(b, [1, 0, 0], q)).toBe(1);
      expect(gap(quat.rotate(q, [0, 1, 0]), [0, 0, 1])).toBeLessThan(1e-15);
    }
  });
});
