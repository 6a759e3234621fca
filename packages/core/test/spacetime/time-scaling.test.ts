import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTimeScaling, timeScalingRow } from '../../src/spacetime/transcription/time-scaling.js';
import { derivative } from '../figure/support.js';

const cases = fc.record({
  duration: fc.double({ min: 0.2, max: 10, noNaN: true }),
  pieces: fc.integer({ min: 1, max: 9 }),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
});

describe('the time scaling', () => {
  test('has no unknowns where the duration is fixed', () => {
    const timeScaling = createTimeScaling(2, 0, 1, 1);
    expect(timeScaling.count).toBe(0);
    expect(timeScalingRow(timeScaling, 1.3).values.length).toBe(0);
  });

  test('with equal control points is constant', () => {
    fc.assert(
      fc.property(cases, ({ duration, pieces, share }) => {
        const { values, derivatives, integrals } = timeScalingRow(
          createTimeScaling(duration, pieces, 0.5, 2),
          share * duration,
        );
        const sum = (x: Float64Array) => x.reduce((a, b) => a + b, 0);
        expect(sum(values)).toBeCloseTo(1, 12);
        expect(Math.abs(sum(derivatives)) * duration).toBeLessThan(1e-11);
        expect(Math.abs(sum(integrals) - share * duration)).toBeLessThan(1e-13 * duration);
        expect(Math.min(...values)).toBeGreaterThan(-1e-15);
        expect(Math.min(...integrals)).toBeGreaterThan(-1e-15);
      }),
    );
  });

  test('has integral and derivative consistent with its values', () => {
    fc.assert(
      fc.property(cases, ({ duration, pieces, share }) => {
        const timeScaling = createTimeScaling(duration, pieces, 0.5, 2);
        // Within a piece: at its joins the rate has a corner.
        const count = Math.max(1, pieces - 2);
        const piece = Math.min(count - 1, Math.floor(share * count));
        const time = ((piece + 0.1 + 0.8 * (share * count - piece)) * duration) / count;
        const step = (0.02 * duration) / count;
        const at = timeScalingRow(timeScaling, time);
        const rate = derivative((h) => timeScalingRow(timeScaling, time + h).integrals, step);
        const slope = derivative((h) => timeScalingRow(timeScaling, time + h).values, step);
        at.values.forEach((value, m) => {
          expect(Math.abs(value - rate[m])).toBeLessThan(1e-11);
        });
        at.derivatives.forEach((value, m) => {
          expect(Math.abs(value - slope[m]) * duration).toBeLessThan(1e-9);
        });
      }),
    );
  });

  test('starts at zero, and ends at a mean of its control points', () => {
    fc.assert(
      fc.property(cases, ({ duration, pieces }) => {
        const timeScaling = createTimeScaling(duration, pieces, 0.5, 2);
        expect(Math.max(...timeScalingRow(timeScaling, 0).integrals)).toBe(0);
        const { integrals } = timeScalingRow(timeScaling, duration);
        // The integral of a B-spline is the length of its support over its degree and one (de Boor).
        const { knots, degree } = timeScaling.basis ?? expect.fail('a basis');
        integrals.forEach((value, m) => {
          const expected = (knots[m + degree + 1] - knots[m]) / (degree + 1);
          expect(Math.abs(value - expected)).toBeLessThan(1e-13 * duration);
        });
      }),
    );
  });
});
