import fc from 'fast-check';
import { expect, test } from 'vitest';
import { insertKnots } from '../../src/spacetime/transcription/knot-insertion.js';
import { refineBasis } from '../../src/spacetime/transcription/knots.js';
import {
  createKnottedBasis,
  ORDERS,
  type SplineBasis,
  writeBasis,
} from '../../src/spacetime/transcription/spline-basis.js';
import { createRandom } from '../figure/support.js';

function valueAt(basis: SplineBasis, points: Float64Array, time: number, order: number): number {
  const width = basis.degree + 1;
  const row = new Float64Array(ORDERS * width);
  const first = writeBasis(basis, time, row);
  let sum = 0;
  for (let j = 0; j < width; j++) sum += row[order * width + j] * points[first + j];
  return sum;
}

test('inserted knots leave the spline as it is, and its control points in their hull', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 1, max: 7 }), (seed, degree) => {
      const random = createRandom(seed);
      const intervals = 1 + Math.floor(6 * random());
      const breaks = [0];
      for (let k = 0; k < intervals; k++) breaks.push(breaks[k] + 0.05 + random());
      const multiplicity = Int32Array.from(breaks, () => 1 + Math.floor(degree * random()));
      const basis = createKnottedBasis(degree, Float64Array.from(breaks), multiplicity);
      const points = Float64Array.from({ length: basis.count }, () => 2 * random() - 1);
      const end = breaks[intervals];
      const added = Array.from({ length: Math.floor(5 * random()) }, () => end * random());
      const all = Float64Array.from([...breaks, ...added].sort((a, b) => a - b));
      const refined = refineBasis(basis, all);
      const found = insertKnots(basis, points, refined);
      expect(found).toHaveLength(refined.count);
      for (let k = 0; k < 20; k++) {
        const time = end * random();
        for (const order of [0, 1]) {
          const value = valueAt(basis, points, time, order);
          const scale = 1 + Math.abs(value);
          expect(Math.abs(valueAt(refined, found, time, order) - value)).toBeLessThan(
            1e-9 * scale * 100 ** order,
          );
        }
      }
      for (const value of found) {
        expect(value).toBeGreaterThanOrEqual(Math.min(...points) - 1e-12);
        expect(value).toBeLessThanOrEqual(Math.max(...points) + 1e-12);
      }
    }),
  );
});

test('a part of the span has the same spline', () => {
  const basis = createKnottedBasis(3, Float64Array.of(0, 1, 2, 4), Int32Array.of(4, 1, 2, 4));
  const points = Float64Array.from({ length: basis.count }, (_, k) => Math.sin(2 * k));
  const part = createKnottedBasis(3, Float64Array.of(0.5, 1, 2, 3), Int32Array.of(4, 1, 2, 4));
  const found = insertKnots(basis, points, part);
  for (const time of [0.5, 0.7, 1.3, 2, 2.9, 3])
    expect(valueAt(part, found, time, 0)).toBeCloseTo(valueAt(basis, points, time, 0), 12);
});
