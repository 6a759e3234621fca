import { describe, expect, it } from 'vitest';
import {
  createLevel,
  dampingAt,
  decomposeLevel,
  updateProjector,
  writeObjective,
} from '../../../src/ik/differential/priority-levels.js';
import { testRandom } from '../../support/random-figure.js';

describe('the damping of a singular value', () => {
  it('is zero from epsilon on, epsilon^2 at zero, with a continuous derivative', () => {
    const at = (sigma: number): number => dampingAt(sigma * sigma, 0.2);
    expect(at(0)).toBeCloseTo(0.04, 15);
    expect(at(0.2)).toBe(0);
    expect(at(5)).toBe(0);
    for (const sigma of [0.05, 0.1, 0.15, 0.199999, 0.2, 0.200001]) {
      const slope = (at(sigma + 1e-6) - at(sigma - 1e-6)) / 2e-6;
      // d/dsigma epsilon^2 (1 - sigma^2/epsilon^2)^2 = -4 sigma (1 - sigma^2/epsilon^2)
      expect(slope).toBeCloseTo(sigma < 0.2 ? -4 * sigma * (1 - (sigma / 0.2) ** 2) : 0, 5);
    }
  });

  it('keeps joint velocity per task velocity below 1.07 / epsilon', () => {
    let largest = 0;
    for (let sigma = 0; sigma < 3; sigma += 1e-4) {
      largest = Math.max(largest, sigma / (sigma * sigma + dampingAt(sigma * sigma, 0.3)));
    }
    expect(largest * 0.3).toBeGreaterThan(1.06);
    expect(largest * 0.3).toBeLessThan(1.07);
  });
});

describe('a level', () => {
  /** A Jacobian with the singular values given: U S V^T from random reflections. */
  function jacobianOf(
    values: readonly number[],
    columns: number,
    random: () => number,
  ): { j: number[]; v: number[][] } {
    const frame = (n: number): number[][] => {
      const basis: number[][] = [];
      while (basis.length < n) {
        const x = Array.from({ length: n }, () => random() - 0.5);
        for (const b of basis) {
          const along = b.reduce((sum, y, k) => sum + y * x[k], 0);
          for (let k = 0; k < n; k++) x[k] -= along * b[k];
        }
        const size = Math.hypot(...x);
        if (size > 1e-3) basis.push(x.map((y) => y / size));
      }
      return basis;
    };
    const u = frame(values.length);
    const v = frame(columns);
    const j = values.flatMap((_, r) =>
      Array.from({ length: columns }, (_, c) => values.reduce((sum, s, k) => sum + u[k][r] * s * v[k][c], 0)),
    );
    return { j, v };
  }

  const values = [1, 0.5, 0.11, 0.06, 0.01, 0];

  it('damps each singular direction by its own singular value, and the null space by epsilon^2', () => {
    const columns = 9;
    const { j, v } = jacobianOf(values, columns, testRandom(4));
    const level = createLevel(0, [0, 1, 2, 3, 4, 5], columns);
    level.jacobian.set(j);
    level.weights.fill(1);
    decomposeLevel(level, new Float64Array(columns * columns), true, 0.1, columns);
    const hessian = new Float64Array(columns * columns);
    writeObjective(level, columns, hessian, new Float64Array(columns));
    v.forEach((direction, k) => {
      const s = (values[k] ?? 0) ** 2;
      const expected = s + (s < 0.01 ? 0.01 * (1 - s / 0.01) ** 2 : 0);
      for (let r = 0; r < columns; r++) {
        let sum = 0;
        for (let c = 0; c < columns; c++)
          sum += hessian[Math.max(r, c) * columns + Math.min(r, c)] * direction[c];
        expect(Math.abs(sum - expected * direction[r])).toBeLessThan(1e-15 * 20);
      }
    });
    expect(level.smallestSingularValue).toBeLessThan(1e-8);
  });

  it('removes its directions from the null space, and returns them as they become singular', () => {
    const columns = 9;
    const { j, v } = jacobianOf(values, columns, testRandom(8));
    const level = createLevel(0, [0, 1, 2, 3, 4, 5], columns);
    level.jacobian.set(j);
    const projector = new Float64Array(columns * columns);
    for (let k = 0; k < columns; k++) projector[k * (columns + 1)] = 1;
    decomposeLevel(level, projector, true, 0.1, columns);
    updateProjector(level, columns, projector, new Float64Array(columns));
    v.forEach((direction, k) => {
      const s = (values[k] ?? 0) ** 2;
      const open = s < 0.01 ? (1 - s / 0.01) ** 2 : 0;
      for (let r = 0; r < columns; r++) {
        let sum = 0;
        for (let c = 0; c < columns; c++) sum += projector[r * columns + c] * direction[c];
        expect(Math.abs(sum - open * direction[r])).toBeLessThan(1e-13);
      }
    });
  });
});
