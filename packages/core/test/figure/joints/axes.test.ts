import { describe, expect, test } from 'vitest';
import type { Triple } from '../../../src/figure/data/types.js';
import { swingReferenceAxis, unitAxis } from '../../../src/figure/joints/axes.js';
import { createRandom, direction, expectClose, expectSameBits, within } from '../support.js';

function randomAxis(random: () => number): number[] {
  const scale = 10 ** within(random, 300);
  return direction(random).map((x) => x * scale);
}

describe('unitAxis', () => {
  test('is the direction of length 1, from 1e-300 to 1e300', () => {
    const random = createRandom(60);
    for (let n = 0; n < 2000; n++) {
      const axis = randomAxis(random);
      const unit = unitAxis(axis, 'axis');
      const largest = Math.max(...axis.map(Math.abs));
      const scaled = axis.map((x) => x / largest);
      const length = Math.hypot(...scaled);
      expectClose(
        unit,
        scaled.map((x) => x / length),
        3e-16,
      );
    }
  });

  test('does not change a unit axis, to the bit', () => {
    const random = createRandom(61);
    for (let n = 0; n < 2000; n++) {
      const unit = unitAxis(randomAxis(random), 'axis');
      expectSameBits(unitAxis(unit, 'axis'), unit);
    }
  });

  test('has no minus zero, which JSON would lose', () => {
    expectSameBits(unitAxis([-0, 1, -0], 'axis'), [0, 1, 0]);
    expectSameBits(unitAxis([-1e-320, 1e10, -0], 'axis'), [0, 1, 0]);
  });
});

describe('swingReferenceAxis', () => {
  test('is orthogonal to the axis within rounding, however oblique the reference was', () => {
    const random = createRandom(62);
    for (let n = 0; n < 2000; n++) {
      const axis = unitAxis(direction(random), 'axis');
      const tilt = 10 ** -(3 * random());
      const across = direction(random);
      const side = axis.map((a, k) => a + tilt * across[k]) as unknown as Triple;
      let s: Triple;
      try {
        s = swingReferenceAxis(axis, side, 'side');
      } catch (error) {
        expect(error).toMatchObject({ code: 'out-of-range', path: 'side' });
        continue;
      }
      expect(Math.abs(s[0] * axis[0] + s[1] * axis[1] + s[2] * axis[2])).toBeLessThan(2e-15);
      expect(Math.hypot(...s)).toBeCloseTo(1, 15);
      expectSameBits(swingReferenceAxis(axis, s, 'side'), s);
    }
  });

  test('lies in the plane of axis and reference, towards the reference', () => {
    expectClose(swingReferenceAxis([0, 1, 0], [3, 4, 0], 'side'), [1, 0, 0], 0);
    expectClose(swingReferenceAxis([0, 1, 0], [-3, 4, 0], 'side'), [-1, 0, 0], 0);
  });
});
