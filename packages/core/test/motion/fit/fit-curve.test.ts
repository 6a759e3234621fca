import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hermiteCurve, linearCurve } from '../../../src/motion/curves/index.js';
import { fitCurve } from '../../../src/motion/fit/index.js';
import { evaluateCurve } from '../../../src/motion/representation/curve.js';

interface Case {
  readonly times: number[];
  readonly values: number[][];
  readonly tolerance: number;
  readonly fewest: number;
}
const { fits } = JSON.parse(
  readFileSync(new URL('../../fixtures/motion/editing.json', import.meta.url), 'utf8'),
) as { fits: Case[] };

/** Largest error of any coordinate at the samples, against its tolerance. */
function worstAt(
  curve: ReturnType<typeof fitCurve>['curve'],
  times: ArrayLike<number>,
  values: ArrayLike<number>,
): number {
  let worst = 0;
  for (let i = 0; i < times.length; i++) {
    const { value } = evaluateCurve(curve, times[i]);
    for (let c = 0; c < curve.size; c++)
      worst = Math.max(worst, Math.abs(value[c] - values[i * curve.size + c]));
  }
  return worst;
}

describe('fitCurve', () => {
  it('needs at most one keyframe more than the optimum, found by a linear program for every set', () => {
    const more = fits.map(({ times, values, tolerance, fewest }) => {
      const { keys, curve, deviation } = fitCurve({ times, values: values.flat() }, { tolerance });
      expect(deviation).toBeLessThanOrEqual(tolerance);
      expect(worstAt(curve, times, values.flat())).toBe(deviation);
      return keys.times.length - fewest;
    });
    expect(Math.min(...more)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...more)).toBeLessThanOrEqual(1);
    // Thirteen of fourteen have the fewest.
    expect(more.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(1);
  });

  it('is within the tolerance at every sample, and smooth, whatever the samples are', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.double({ min: 0.01, max: 1, noNaN: true }),
            fc.double({ min: -2, max: 2, noNaN: true }),
            fc.double({ min: -2, max: 2, noNaN: true }),
          ),
          { minLength: 2, maxLength: 40 },
        ),
        fc.double({ min: 1e-6, max: 1, noNaN: true }),
        (steps, tolerance) => {
          let time = 0;
          const times = steps.map(([step]) => (time += step));
          const values = steps.flatMap(([, a, b]) => [a, b]);
          const { keys, curve } = fitCurve({ times, values }, { tolerance: [tolerance, 2 * tolerance] });
          for (const [i, t] of times.entries()) {
            const { value } = evaluateCurve(curve, t);
            expect(Math.abs(value[0] - values[2 * i])).toBeLessThanOrEqual(tolerance * (1 + 1e-9));
            expect(Math.abs(value[1] - values[2 * i + 1])).toBeLessThanOrEqual(2 * tolerance * (1 + 1e-9));
          }
          expect(keys.arriving).toEqual(keys.tangents);
          expect([keys.times[0], keys.times[keys.times.length - 1]]).toEqual([
            times[0],
            times[times.length - 1],
          ]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('recovers the keyframes from which samples were drawn', () => {
    const keys = { times: [0, 0.7, 1.1, 2], values: [0, 3, -1, 2], tangents: [1, 0, -4, 3] };
    const drawn = hermiteCurve(keys);
    const times = Array.from({ length: 201 }, (_, i) => i / 100);
    const values = times.map((t) => evaluateCurve(drawn, t).value[0]);
    const fit = fitCurve({ times, values }, { tolerance: 1e-6 });
    expect(Array.from(fit.keys.times)).toEqual(keys.times);
    for (let i = 0; i < 4; i++) {
      expect(Math.abs(fit.keys.values[i] - keys.values[i])).toBeLessThan(1e-5);
      expect(Math.abs(fit.keys.tangents[i] - keys.tangents[i])).toBeLessThan(1e-3);
    }
  });

  it('takes two keyframes for a cubic, and keeps named corners', () => {
    const times = Array.from({ length: 50 }, (_, i) => i / 10);
    expect(
      fitCurve({ times, values: times.map((t) => t ** 3 - t) }, { tolerance: 1e-9 }).keys.times.length,
    ).toBe(2);
    const bent = linearCurve({ times: [0, 2, 4.9], values: [0, 4, -1] });
    const values = times.map((t) => evaluateCurve(bent, t).value[0]);
    const { keys, deviation } = fitCurve({ times, values }, { tolerance: 1e-9, corners: [20] });
    expect(Array.from(keys.times)).toEqual([0, 2, 4.9]);
    expect(deviation).toBeLessThan(1e-9);
    expect(keys.values[1]).toBe(values[20]);
    expect(keys.arriving[1]).toBeCloseTo(2, 8);
    expect(keys.tangents[1]).toBeCloseTo(-5 / 2.9, 8);
  });

  it('is deterministic', () => {
    const { times, values, tolerance } = fits[9];
    const samples = { times, values: values.flat() };
    expect(fitCurve(samples, { tolerance })).toEqual(fitCurve(samples, { tolerance }));
  });

  it('refuses invalid samples and bounds', () => {
    const samples = { times: [0, 1, 2], values: [0, 1, 4] };
    const code = (code: string, path: string) => expect.objectContaining({ name: 'MotionError', code, path });
    expect(() => fitCurve({ times: [0], values: [0] }, { tolerance: 1 })).toThrow(
      code('wrong-size', 'samples.times'),
    );
    expect(() => fitCurve({ times: [0, 0], values: [0, 1] }, { tolerance: 1 })).toThrow(
      code('not-increasing', 'samples.times[1]'),
    );
    expect(() => fitCurve({ times: [0, 1], values: [0, Number.NaN] }, { tolerance: 1 })).toThrow(
      code('not-finite', 'samples.values[1]'),
    );
    expect(() => fitCurve(samples, { tolerance: 0 })).toThrow(code('out-of-range', 'tolerance[0]'));
    expect(() => fitCurve(samples, { tolerance: [1, 2] })).toThrow(code('wrong-size', 'tolerance'));
    expect(() => fitCurve(samples, { tolerance: 1, corners: [3] })).toThrow(
      code('out-of-range', 'corners[0]'),
    );
  });
});
