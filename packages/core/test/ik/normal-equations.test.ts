import { describe, expect, it } from 'vitest';
import { dampAndSolve } from '../../src/ik/solver/normal-equations.js';
import { testRandom } from '../support/random-figure.js';

/** J J^T of a random rows x columns matrix, full storage. */
function gram(rows: number, columns: number, random: () => number): number[][] {
  const j = Array.from({ length: rows }, () => Array.from({ length: columns }, () => 2 * random() - 1));
  return j.map((a) => j.map((b) => a.reduce((sum, x, k) => sum + x * b[k], 0)));
}

describe('damped normal equations', () => {
  // 3 and 6 are written out, the others are loops.
  it.each([1, 2, 3, 4, 5, 6, 7, 9])('of %i rows: (A + lambda) x gives the right side back', (n) => {
    const random = testRandom(n);
    for (let trial = 0; trial < 50; trial++) {
      const a = gram(n, n + 2, random);
      const right = Array.from({ length: n }, () => 2 * random() - 1);
      const lambda = trial % 2 === 0 ? 0.1 * random() : 1e-6;
      const x = Float64Array.from(right);
      dampAndSolve(Float64Array.from(a.flat()), n, lambda, x);
      const back = a.map((row, i) => row.reduce((sum, v, k) => sum + v * x[k], lambda * x[i]));
      const size = Math.hypot(...x) * Math.max(1, ...a.flat().map(Math.abs));
      back.forEach((value, i) => {
        expect(Math.abs(value - right[i])).toBeLessThan(1e-13 * n * (1 + size));
      });
    }
  });

  it.each([3, 6, 7])('of %i rows read the lower triangle only', (n) => {
    const a = gram(n, n + 1, testRandom(40 + n));
    const lower = a.map((row, i) => row.map((v, k) => (k <= i ? v : Number.NaN)));
    const [x, y] = [a, lower].map((m) => {
      const right = new Float64Array(n).fill(1);
      dampAndSolve(Float64Array.from(m.flat()), n, 0.01, right);
      return Array.from(right);
    });
    expect(y).toEqual(x);
  });

  it.each([3, 6, 7])('of %i rows give no step for a matrix that is not positive', (n) => {
    const a = new Float64Array(n * n);
    for (let i = 0; i < n; i++) a[i * (n + 1)] = i === n - 1 ? -1 : 1;
    const x = new Float64Array(n).fill(1);
    dampAndSolve(a, n, 0.01, x);
    expect(Array.from(x)).toEqual(Array.from({ length: n }, () => 0));
  });

  it.each([3, 6, 7])('of %i rows stay finite for a singular matrix without damping', (n) => {
    const a = gram(n, 1, testRandom(60 + n));
    const x = new Float64Array(n).fill(1);
    dampAndSolve(Float64Array.from(a.flat()), n, 0, x);
    expect(x.every(Number.isFinite)).toBe(true);
  });
});
