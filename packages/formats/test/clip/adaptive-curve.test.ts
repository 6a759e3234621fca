import { expect, test } from 'vitest';
import { adaptiveCurve } from '../../src/clip/adaptive-curve.js';

/** An axis for which pi times it is longer than pi by a rounding unit, whatever is done to make it shorter. */
const AXIS = [-0.09738880301449188, -0.9757707880932303, 0.19592547091003928];

test('a rotation that starts at half a turn changes its chart once, if it helps', () => {
  const { curve, deviation } = adaptiveCurve({
    size: 3,
    rotation: 0,
    lengths: 0,
    intervals: [{ start: 0, end: 1, keyTime: 0.5 }],
    tolerance: { rotation: 1e-5, translation: 1e-6 },
    // By two radians a second about a fixed axis; of the equivalent vectors the one nearest to the one before.
    read(_, time, q) {
      const angle = Math.PI + 2 * time;
      const turns = Math.round((AXIS.reduce((sum, x, k) => sum + x * q[k], 0) - angle) / (2 * Math.PI));
      for (let k = 0; k < 3; k++) q[k] = AXIS[k] * (angle + 2 * Math.PI * turns);
    },
  });
  expect(deviation.rotation).toBeLessThan(1e-5);
  expect(Array.from(curve.knots).slice(-1)).toEqual([1]);
});
