import { describe, expect, it } from 'vitest';
import type { LimitKind } from '../../src/figure/limits/limit.js';
import { limitShapes } from '../../src/figure/limits/shapes.js';
import { type ColumnLimit, createActiveSet } from '../../src/math/optimization/active-limits.js';
import {
  createBoundedNewton,
  type Objective,
  takeStep,
  updateGradient,
  updateHessian,
} from '../../src/math/optimization/bounded-newton.js';
import { createRandom } from '../figure/support.js';

const SETTINGS = { maxStep: 1, minDamping: 1e-12, initialDamping: 1e-6 };

function limitAt(kind: LimitKind, column: number, size: number, parameters: readonly number[]): ColumnLimit {
  return { limit: { kind, coordinate: column, size, parameters }, shape: limitShapes[kind], column };
}

/** Steps until the reduced gradient is at most 1e-12, or no step is left. f never rises, and no point leaves a limit. */
function minimize(
  objective: Objective,
  limits: readonly ColumnLimit[],
  x: Float64Array,
  steps = 200,
): number {
  const columns = Int32Array.from(x.keys());
  const set = createActiveSet(limits, columns, new Float64Array(x.length).fill(1));
  const newton = createBoundedNewton(objective, set, x.length, SETTINGS);
  newton.value = objective.evaluate(x);
  for (let n = 0; n < steps; n++) {
    if (updateGradient(newton, x) <= 1e-12) return newton.gradientNorm;
    updateHessian(newton, x);
    const before = newton.value;
    if (!takeStep(newton, x, 1e-15 * Math.max(1, Math.abs(before)))) break;
    expect(newton.value).toBeLessThanOrEqual(before + 1e-15 * Math.max(1, Math.abs(before)));
    x.set(newton.trial);
    for (const { limit, shape } of limits) {
      expect(shape.value(limit.parameters, x, limit.coordinate, limit.size)).toBeLessThanOrEqual(1e-13);
    }
  }
  return newton.gradientNorm;
}

/** f = x.A x / 2 + b.x */
function quadratic(a: readonly number[][], b: readonly number[]): Objective {
  const ax = (x: Float64Array, i: number): number => a[i].reduce((sum, y, j) => sum + y * x[j], 0);
  return {
    evaluate: (x) => b.reduce((sum, y, i) => sum + x[i] * (y + 0.5 * ax(x, i)), 0),
    writeGradient: (x, out) => {
      b.forEach((y, i) => {
        out[i] = y + ax(x, i);
      });
    },
    writeHessian: (_x, out) => {
      a.forEach((row, i) => {
        out.set(row, i * row.length);
      });
    },
  };
}

/** A = M M^T + shift */
function randomMatrix(random: () => number, n: number, shift: number): number[][] {
  const m = Array.from({ length: n }, () => Array.from({ length: n }, () => 2 * random() - 1));
  return m.map((row, i) =>
    m.map((other, j) => row.reduce((sum, y, k) => sum + y * other[k], i === j ? shift : 0)),
  );
}

/** Gaussian elimination with pivoting. */
function solve(a: readonly number[][], b: readonly number[]): number[] {
  const rows = a.map((row, i) => [...row, b[i]]);
  const n = rows.length;
  for (let k = 0; k < n; k++) {
    const pivot = rows.reduce(
      (best, row, i) => (i >= k && Math.abs(row[k]) > Math.abs(rows[best][k]) ? i : best),
      k,
    );
    [rows[k], rows[pivot]] = [rows[pivot], rows[k]];
    for (let i = 0; i < n; i++) {
      if (i === k) continue;
      const factor = rows[i][k] / rows[k][k];
      for (let j = k; j <= n; j++) rows[i][j] -= factor * rows[k][j];
    }
  }
  return rows.map((row, i) => row[n] / row[i]);
}

/** The minimum over the box [-1, 1]^n by all 3^n active sets: of those whose point is feasible, the lowest. */
function lowestInBox(a: readonly number[][], b: readonly number[], f: Objective): number {
  const n = b.length;
  let lowest = Number.POSITIVE_INFINITY;
  for (let code = 0; code < 3 ** n; code++) {
    const bound = b.map((_, i) => (Math.floor(code / 3 ** i) % 3) - 1);
    const free = bound.flatMap((side, i) => (side === 0 ? [i] : []));
    const right = free.map((i) => -b[i] - bound.reduce((sum, side, j) => sum + a[i][j] * side, 0));
    const at = solve(
      free.map((i) => free.map((j) => a[i][j])),
      right,
    );
    const x = Float64Array.from(bound);
    free.forEach((i, k) => {
      x[i] = at[k];
    });
    if (x.every((y) => Math.abs(y) <= 1)) lowest = Math.min(lowest, f.evaluate(x));
  }
  return lowest;
}

const box = (n: number): ColumnLimit[] =>
  Array.from({ length: n }, (_, i) => limitAt('interval', i, 1, [-1, 1]));

describe('bounded Newton', () => {
  it('minimizes convex quadratics over a box as the enumeration of all active sets does', () => {
    const random = createRandom(51);
    for (let trial = 0; trial < 200; trial++) {
      const n = 2 + (trial % 4);
      const a = randomMatrix(random, n, 0.1);
      const b = Array.from({ length: n }, () => 4 * random() - 2);
      const f = quadratic(a, b);
      const x = Float64Array.from({ length: n }, () => 2 * random() - 1);
      expect(minimize(f, box(n), x)).toBeLessThanOrEqual(1e-12);
      expect(f.evaluate(x)).toBeCloseTo(lowestInBox(a, b, f), 12);
    }
  });

  it('minimizes a quadratic over a ball: (A + lambda) x = -b with |x| = r, lambda by bisection', () => {
    const random = createRandom(52);
    for (let trial = 0; trial < 100; trial++) {
      const a = randomMatrix(random, 3, 0.01);
      const b = [0, 1, 2].map(() => 8 * random() - 4);
      const at = (lambda: number): number[] =>
        solve(
          a.map((row, i) => row.map((y, j) => (i === j ? y + lambda : y))),
          b.map((y) => -y),
        );
      const r = 0.5 * Math.hypot(...at(0));
      let [low, high] = [0, 1e6];
      for (let n = 0; n < 200; n++) {
        const middle = 0.5 * (low + high);
        if (Math.hypot(...at(middle)) > r) low = middle;
        else high = middle;
      }
      const x = Float64Array.of(0.1 * r, 0, 0);
      minimize(quadratic(a, b), [limitAt('disk', 0, 3, [r])], x);
      at(low).forEach((y, i) => {
        expect(x[i]).toBeCloseTo(y, 7);
      });
    }
  });

  it('ends at a point of Kuhn and Tucker where the Hessian is indefinite, without a higher f than in the start', () => {
    const random = createRandom(53);
    for (let trial = 0; trial < 200; trial++) {
      const n = 2 + (trial % 4);
      const a = randomMatrix(random, n, -1);
      const b = Array.from({ length: n }, () => 2 * random() - 1);
      const x = Float64Array.from({ length: n }, () => 2 * random() - 1);
      const f = quadratic(a, b);
      const start = f.evaluate(x);
      minimize(f, box(n), x);
      expect(f.evaluate(x)).toBeLessThanOrEqual(start);
      const gradient = new Float64Array(n);
      f.writeGradient(x, gradient);
      // x = P(x - grad f)
      x.forEach((y, i) => {
        expect(Math.min(1, Math.max(-1, y - gradient[i]))).toBeCloseTo(y, 11);
      });
    }
  });

  it.each([
    [2, [1, 1]],
    [0.5, [0.5, 0.25]],
    [-0.5, [-0.5, 0.25]],
  ])("finds the minimum of Rosenbrock's function for x <= %f", (bound, expected) => {
    const f: Objective = {
      evaluate: ([x, y]) => 100 * (y - x * x) ** 2 + (1 - x) ** 2,
      writeGradient: ([x, y], out) => out.set([-400 * x * (y - x * x) - 2 * (1 - x), 200 * (y - x * x)]),
      writeHessian: ([x, y], out) => out.set([1200 * x * x - 400 * y + 2, -400 * x, -400 * x, 200]),
    };
    const runs = [0, 1].map(() => {
      const x = Float64Array.of(-1.2, 1);
      minimize(f, [limitAt('interval', 0, 1, [-2, bound])], x);
      return x;
    });
    expect(runs[0][0]).toBeCloseTo(expected[0], 10);
    expect(runs[0][1]).toBeCloseTo(expected[1], 10);
    // The same bits each time.
    expect(runs[1]).toEqual(runs[0]);
  });

  it('takes no step longer than allowed, except along translations', () => {
    const f = quadratic(
      [
        [1, 0],
        [0, 1],
      ],
      [-9, -9],
    );
    const set = createActiveSet([], Int32Array.of(0, 1), Float64Array.of(1, 1));
    const steps = [Uint8Array.of(0, 1), Uint8Array.of(1, 1)].map((translates) => {
      const newton = createBoundedNewton(f, set, 2, SETTINGS, translates);
      const x = new Float64Array(2);
      newton.value = f.evaluate(x);
      updateGradient(newton, x);
      updateHessian(newton, x);
      expect(takeStep(newton, x, 0)).toBe(true);
      return newton.trial;
    });
    expect(steps[0][0]).toBeCloseTo(1, 14);
    expect(steps[1][0]).toBeCloseTo(9, 10);
  });
});
