import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EULER_ORDERS, matrixFromEuler, nearestEulerAngles } from '../../src/rotation/alternatives/index.js';

const angle = fc.double({ min: -9, max: 9, noNaN: true });
const triple = fc.tuple(angle, angle, angle);

it('gives the same rotation in every order, and the nearest of its triples', () => {
  fc.assert(
    fc.property(triple, triple, fc.constantFrom(...EULER_ORDERS), (angles, reference, order) => {
      const near = nearestEulerAngles(angles, order, reference);
      const [a, b] = [angles, near].map((v) => matrixFromEuler(v, order));
      for (let k = 0; k < 9; k++) expect(b[k]).toBeCloseTo(a[k], 13);
      const gap = (v: readonly number[]) => Math.hypot(...v.map((x, k) => x - reference[k]));
      const proper = order[0] === order[2];
      const flipped = [angles[0] + Math.PI, (proper ? 0 : Math.PI) - angles[1], angles[2] + Math.PI];
      for (const start of [angles, flipped]) {
        for (let n = 0; n < 125; n++) {
          const rotations = [n % 5, Math.floor(n / 5) % 5, Math.floor(n / 25)].map(
            (x) => 2 * Math.PI * (x - 2),
          );
          const other = start.map(
            (x, k) => x + 2 * Math.PI * Math.round((reference[k] - x) / (2 * Math.PI)) + rotations[k],
          );
          expect(gap(near)).toBeLessThanOrEqual(gap(other) + 1e-12);
        }
      }
    }),
  );
});

it('is continuous through the pole', () => {
  // XYZ past 90 degrees about Y: the shortest triple jumps by pi on two axes.
  let last: readonly number[] = [0, 1.5, 0];
  for (let b = 1.5; b < 1.7; b += 0.01) {
    const folded = [Math.PI, Math.PI - b, Math.PI];
    last = nearestEulerAngles(b > Math.PI / 2 ? folded : [0, b, 0], 'XYZ', last);
    expect(last[0]).toBeCloseTo(0, 12);
    expect(last[1]).toBeCloseTo(b, 12);
  }
});
