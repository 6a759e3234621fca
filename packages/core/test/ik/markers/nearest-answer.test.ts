import { describe, expect, it } from 'vitest';
import {
  answerError,
  type MeasuredProblem,
  noiseRatios,
} from '../../../../../scripts/oracles/markers/nearest-answer.js';
import { symmetricEigen } from '../../../../../scripts/oracles/markers/symmetric-eigen.js';
import { createRandom, within } from '../../figure/support.js';

describe('symmetricEigen (oracle)', () => {
  it('A v = lambda v with v orthonormal and lambda decreasing, with zeros', () => {
    const random = createRandom(301);
    const n = 7;
    // Rank 5: sum of five products.
    const a = new Float64Array(n * n);
    for (let r = 0; r < 5; r++) {
      const row = Array.from({ length: n }, () => within(random, 1));
      for (let i = 0; i < n; i++) for (let k = 0; k < n; k++) a[i * n + k] += row[i] * row[k];
    }
    const { values, vectors } = symmetricEigen(a, n);
    for (let p = 0; p < n; p++) {
      for (let i = 0; i < n; i++) {
        const image = vectors[p].reduce((sum, x, k) => sum + a[i * n + k] * x, 0);
        expect(Math.abs(image - values[p] * vectors[p][i])).toBeLessThan(1e-14);
      }
      for (let q = 0; q <= p; q++) {
        const product = vectors[p].reduce((sum, x, k) => sum + x * vectors[q][k], 0);
        expect(Math.abs(product - (p === q ? 1 : 0))).toBeLessThan(1e-14);
      }
      if (p > 0) expect(values[p]).toBeLessThanOrEqual(values[p - 1]);
    }
    expect(Math.abs(values[5])).toBeLessThan(1e-14);
  });
});

describe('answerError (oracle)', () => {
  /** One number of two coordinates: their distance from the origin. The answers are the unit circle. */
  const circle: MeasuredProblem = {
    residual: ([x, y]) => Float64Array.of(Math.hypot(x, y) - 1),
    floor: 1e-3,
  };
  const at = (angle: number, radius = 1): Float64Array =>
    Float64Array.of(radius * Math.cos(angle), radius * Math.sin(angle));

  it('is zero for an estimate elsewhere on the solution curve, where the straight distance is not', () => {
    const error = answerError(circle, at(0.2), at(1.2));
    expect(error.observed).toBe(1);
    expect(error.straight).toBeCloseTo(1 - Math.cos(1), 8);
    expect(error.drift).toBeCloseTo(Math.sin(1), 8);
    expect(error.distance).toBeLessThan(1e-9);
    expect(error.residual).toBeLessThan(1e-12);
    expect(error.estimateResidual).toBeLessThan(1e-15);
  });

  it('is the distance from the curve for an estimate off it', () => {
    for (const off of [1e-5, -0.03]) {
      expect(answerError(circle, at(0.2), at(1.2, 1 + off)).distance).toBeCloseTo(Math.abs(off), 8);
    }
  });

  it('is the full distance for a solution that no curve connects to the truth, with zero residual', () => {
    // y^2 = (x^2 - 1)^2 with y seen as well: the answers x = 1 and x = -1.
    const two: MeasuredProblem = { residual: ([x]) => Float64Array.of(x * x - 1), floor: 1e-3 };
    const error = answerError(two, Float64Array.of(1), Float64Array.of(-1));
    expect(error.distance).toBe(2);
    expect(error.estimateResidual).toBe(0);
  });
});

describe('noiseRatios (oracle)', () => {
  it('are standard normal for the least squares of a linear problem, direction by direction', () => {
    const random = createRandom(302);
    const [rows, size, noise, draws] = [8, 3, 0.01, 2000];
    const a = Array.from({ length: rows }, () => Array.from({ length: size }, () => within(random, 1)));
    const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const image = (y: ArrayLike<number>): number[] =>
      a.map((row) => row.reduce((s, x, i) => s + x * y[i], 0));
    const eigen = symmetricEigen(
      Float64Array.from({ length: size * size }, (_, k) =>
        a.reduce((s, row) => s + row[Math.floor(k / size)] * row[k % size], 0),
      ),
      size,
    );
    const truth = Float64Array.of(0.3, -0.2, 0.5);
    const squares = new Float64Array(size);
    for (let n = 0; n < draws; n++) {
      const seen = image(truth).map((x) => x + noise * normal());
      const problem: MeasuredProblem = {
        residual: (y) => Float64Array.from(image(y), (x, r) => x - seen[r]),
        floor: 1e-3,
      };
      // truth + (A^T A)^-1 A^T e
      const pull = Array.from({ length: size }, (_, i) =>
        a.reduce((s, row, r) => s + row[i] * (seen[r] - image(truth)[r]), 0),
      );
      const estimate = truth.slice();
      eigen.vectors.forEach((v, k) => {
        const along = v.reduce((s, x, i) => s + x * pull[i], 0) / eigen.values[k];
        for (let i = 0; i < size; i++) estimate[i] += along * v[i];
      });
      noiseRatios(problem, truth, estimate, noise).forEach((ratio, k) => {
        squares[k] += ratio ** 2 / draws;
      });
    }
    // The spread of a mean square of 2,000 draws is sqrt(2 / 2000) = 3 %.
    for (const square of squares) expect(Math.abs(square - 1)).toBeLessThan(0.16);
  });
});
