import { describe, expect, test } from 'vitest';
import { limitShapes } from '../../../src/figure/index.js';
import { createRandom, derivative, direction, expectClose, expectSameBits } from '../support.js';
import { EXTREME_SAMPLES, randomPoint, randomSamples, type Sample } from './support.js';

const random = createRandom(200);
const samples: Sample[] = [
  ...EXTREME_SAMPLES,
  ...Array.from({ length: 40 }, () => randomSamples(random)).flat(),
];

function project({ kind, parameters, size }: Sample, point: readonly number[]): number[] {
  const out = [...point];
  limitShapes[kind].project(parameters, out, 0, size);
  return out;
}

function value({ kind, parameters, size }: Sample, point: readonly number[]): number {
  return limitShapes[kind].value(parameters, point, 0, size);
}

/** Awkward points: centre, axes, from the least subnormal number to the greatest and infinity. */
function awkwardPoints(size: number): number[][] {
  const sizes = [
    0,
    -0,
    5e-324,
    1e-300,
    1e-160,
    1e-8,
    1,
    Math.PI,
    1e8,
    1e160,
    1e300,
    Number.MAX_VALUE,
    Infinity,
  ];
  return sizes.flatMap((s) => [
    ...Array.from({ length: size }, (_, k) => Array.from({ length: size }, (_, i) => (i === k ? s : 0))),
    ...Array.from({ length: size }, (_, k) => Array.from({ length: size }, (_, i) => (i === k ? -s : 1e-3))),
    Array.from({ length: size }, (_, k) => (k % 2 === 0 ? s : -s)),
    Array.from({ length: size }, () => -s),
  ]);
}

describe('every limit shape', () => {
  test('a projected point is allowed: g <= 0 without tolerance, never NaN, for radii to 1e9 : 1 and points to 1e308', () => {
    for (const sample of samples) {
      const points = [
        ...awkwardPoints(sample.size),
        ...Array.from({ length: 100 }, () => randomPoint(random, sample.size)),
      ];
      for (const point of points) {
        const nearest = project(sample, point);
        expect(nearest.some(Number.isNaN)).toBe(false);
        // Infinity itself is allowed by an interval that is open on its side.
        if (Math.abs(nearest[0]) === Infinity && sample.parameters.includes(nearest[0])) continue;
        expect(nearest.every(Number.isFinite)).toBe(true);
        expect(value(sample, nearest)).toBeLessThanOrEqual(0);
      }
    }
  });

  test('projecting twice is projecting once, to the bit, and tells that nothing moved', () => {
    for (const sample of samples) {
      for (const point of [
        ...awkwardPoints(sample.size),
        ...Array.from({ length: 50 }, () => randomPoint(random, sample.size)),
      ]) {
        const once = project(sample, point);
        const twice = [...once];
        expect(limitShapes[sample.kind].project(sample.parameters, twice, 0, sample.size)).toBe(false);
        expectSameBits(twice, once);
      }
    }
  });

  test('points with g <= 0 stay to the bit, others move', () => {
    for (const sample of samples) {
      for (let n = 0; n < 50; n++) {
        const point = randomPoint(random, sample.size);
        const out = [...point];
        const moved = limitShapes[sample.kind].project(sample.parameters, out, 0, sample.size);
        expect(moved).toBe(value(sample, point) > 0);
        if (!moved) expectSameBits(out, point);
      }
    }
  });

  test('touches its own coordinates only', () => {
    for (const { kind, parameters, size } of samples) {
      const around = Float64Array.from([7, 8, ...Array.from({ length: size }, () => 5), 9, 10]);
      limitShapes[kind].project(parameters, around, 2, size);
      expect([around[0], around[1], around[size + 2], around[size + 3]]).toEqual([7, 8, 9, 10]);
    }
  });

  test('NaN stays NaN and is not an allowed point moved elsewhere', () => {
    for (const { kind, parameters, size } of samples) {
      const point = Array.from({ length: size }, () => Number.NaN);
      expect(limitShapes[kind].project(parameters, point, 0, size)).toBe(false);
      expect(point.every(Number.isNaN)).toBe(true);
    }
  });

  test('the set is convex: g at the middle of two allowed points is not positive', () => {
    for (const sample of samples) {
      for (let n = 0; n < 50; n++) {
        const a = project(sample, randomPoint(random, sample.size));
        const b = project(sample, randomPoint(random, sample.size));
        const middle = a.map((x, k) => x / 2 + b[k] / 2);
        // One rounding of the middle itself.
        expect(value(sample, middle)).toBeLessThanOrEqual(4e-16);
      }
    }
  });

  test('the projection is the nearest point: (x - p) . (y - p) <= 0 for every allowed y', () => {
    for (const sample of samples) {
      for (let n = 0; n < 30; n++) {
        const x = direction(random, sample.size).map((c) => c * 6 * random());
        const p = project(sample, x);
        for (let m = 0; m < 20; m++) {
          const y = project(sample, randomPoint(random, sample.size));
          const dot = x.reduce((sum, c, k) => sum + (c - p[k]) * (y[k] - p[k]), 0);
          expect(dot).toBeLessThan(1e-13);
        }
      }
    }
  });

  test('projection does not increase distances', () => {
    for (const sample of samples) {
      for (let n = 0; n < 50; n++) {
        const x = direction(random, sample.size).map((c) => c * 6 * random());
        const y = direction(random, sample.size).map((c) => c * 6 * random());
        const [px, py] = [project(sample, x), project(sample, y)];
        const distance = (a: number[], b: number[]) => Math.hypot(...a.map((c, k) => c - b[k]));
        expect(distance(px, py)).toBeLessThanOrEqual(distance(x, y) + 1e-14);
      }
    }
  });

  test('gradient and Hessian are the derivatives of g, away from seams, 1e-10 of their size', () => {
    for (const { kind, parameters, size } of samples.slice(EXTREME_SAMPLES.length)) {
      const shape = limitShapes[kind];
      for (let n = 0; n < 20; n++) {
        // Quarters meet on the axes and g of an interval has a corner halfway: stay 0.1 away.
        const x = Array.from({ length: size }, () => (0.1 + 3 * random()) * (random() < 0.5 ? -1 : 1));
        const middle = (parameters[0] + parameters[1]) / 2;
        if (kind === 'interval' && Math.abs(x[0] - middle) < 0.1) continue;
        const gradient = Array.from({ length: size }, () => Number.NaN);
        const hessian = Array.from({ length: size * size }, () => Number.NaN);
        shape.gradient(parameters, x, 0, size, gradient, 0);
        shape.hessian(parameters, x, 0, size, hessian, 0);
        for (let k = 0; k < size; k++) {
          const shifted = (step: number) => x.map((c, i) => (i === k ? c + step : c));
          const slope = derivative((step) => [shape.value(parameters, shifted(step), 0, size)]);
          expectClose(
            [gradient[k] / Math.max(1, Math.abs(slope[0]))],
            [slope[0] / Math.max(1, Math.abs(slope[0]))],
            1e-10,
          );
          const column = derivative((step) => {
            const g = Array.from({ length: size }, () => 0);
            shape.gradient(parameters, shifted(step), 0, size, g, 0);
            return g;
          });
          const scale = Math.max(1, ...column.map(Math.abs));
          const ours = Array.from({ length: size }, (_, i) => hessian[i * size + k] / scale);
          expectClose(
            ours,
            column.map((c) => c / scale),
            1e-10,
          );
        }
      }
    }
  });

  test('gradient and Hessian are written at their offset', () => {
    for (const { kind, parameters, size } of samples) {
      const q = [0, ...Array.from({ length: size }, () => 0.3)];
      const out = new Float64Array(size * size + 4).fill(-7);
      limitShapes[kind].gradient(parameters, q, 1, size, out, 2);
      expect(out.slice(2, 2 + size).every((x) => x !== -7)).toBe(true);
      expect([out[0], out[1], out[2 + size]]).toEqual([-7, -7, -7]);
      out.fill(-7);
      limitShapes[kind].hessian(parameters, q, 1, size, out, 2);
      expect(out.slice(2, 2 + size * size).every((x) => x !== -7)).toBe(true);
      expect([out[0], out[1], out[2 + size * size]]).toEqual([-7, -7, -7]);
    }
  });
});
