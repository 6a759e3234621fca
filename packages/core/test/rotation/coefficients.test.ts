import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  cosHalfSeries,
  SERIES_LIMIT,
  s0Series,
  s1Series,
  s2Series,
  s3Series,
} from '../../src/rotation/rotation-vector/coefficients.js';
import { createRotationCache, evaluateRotationVector } from '../../src/rotation/rotation-vector/evaluate.js';

const NAMES = ['s0', 's1', 's2', 's3', 'c', 'A', 'B', 'C', 'D', 'E', 'F', 'A1', 'D1', 'E1', 'F1'] as const;
type Row = { readonly theta: number } & Readonly<Record<(typeof NAMES)[number], number>>;

const { rows } = JSON.parse(
  readFileSync(new URL('../fixtures/rotation/coefficients.json', import.meta.url), 'utf8'),
) as { rows: Row[] };

describe('coefficients of the rotation vector, up to pi', () => {
  // A and c pass through zero at pi, so their error is stated against 1 there.
  // The last three are the one order more: D1 is the difference of two larger terms, E1 is kept in step with E near pi.
  const bounds = NAMES.map((name) => ({
    name,
    bound: { D1: 1.5e-15, E1: 1e-15, F1: 6e-16 }[name as string] ?? 5e-16,
  }));
  it.each(bounds)('$name is within $bound of its value at 400 digits, relative', ({ name, bound }) => {
    let worst = 0;
    for (const row of rows) {
      const cache = evaluateRotationVector([row.theta, 0, 0], createRotationCache());
      const scale = name === 'A' || name === 'c' ? Math.max(Math.abs(row[name]), 0.5) : Math.abs(row[name]);
      worst = Math.max(worst, Math.abs(cache[name] - row[name]) / scale);
    }
    expect(worst).toBeLessThanOrEqual(bound);
  });

  it('start at their limits, exactly', () => {
    expect([s0Series(0), s1Series(0), s2Series(0), s3Series(0), cosHalfSeries(0)]).toEqual([
      1 / 2,
      -1 / 24,
      1 / 480,
      -1 / 13440,
      1,
    ]);
  });

  it('meet the closed forms at the end of the series', () => {
    const x = Math.sqrt(SERIES_LIMIT) / 2;
    expect(s0Series(SERIES_LIMIT)).toBeCloseTo(Math.sin(x) / (2 * x), 15);
    expect(cosHalfSeries(SERIES_LIMIT)).toBeCloseTo(0, 15);
  });

  it('the closed forms near zero lose eps/theta^2 in s1, eps/theta^4 in s2', () => {
    const theta = 1e-4;
    const row = evaluateRotationVector([theta, 0, 0], createRotationCache());
    const s0 = Math.sin(theta / 2) / theta;
    const s1 = (Math.cos(theta / 2) / 2 - s0) / theta ** 2;
    const s2 = (-s0 / 4 - 3 * s1) / theta ** 2;
    expect(Math.abs(s1 / row.s1 - 1)).toBeGreaterThan(1e-9);
    expect(Math.abs(s2 / row.s2 - 1)).toBeGreaterThan(1);
  });
});
