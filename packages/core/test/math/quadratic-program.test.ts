import { describe, expect, it } from 'vitest';
import {
  createQuadraticProgram,
  type QuadraticProgram,
  solveQuadraticProgram,
} from '../../src/math/optimization/quadratic-program.js';
import { testRandom } from '../support/random-figure.js';

/** A random program, some rows repeated, nearly dependent or single coordinates. Zero is always feasible. */
function randomProgram(random: () => number, size: number, count: number): QuadraticProgram {
  const program = createQuadraticProgram(size, count);
  const normal = (): number => random() + random() + random() + random() - 2;
  const factor = Array.from({ length: size * size }, normal);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      let sum = i === j ? 10 ** (-3 * random()) : 0;
      for (let k = 0; k < size; k++) sum += factor[k * size + i] * factor[k * size + j];
      program.hessian[i * size + j] = sum;
    }
    program.linear[i] = 4 * normal();
  }
  for (let i = 0; i < count; i++) {
    const kind = random();
    for (let k = 0; k < size; k++) {
      program.rows[i * size + k] =
        kind < 0.4
          ? k === i % size
            ? 1
            : 0
          : kind < 0.5 && i > 0
            ? program.rows[(i - 1) * size + k]
            : normal();
    }
    if (random() < 0.8) program.upper[i] = random() < 0.2 ? 0 : random();
    if (random() < 0.8) program.lower[i] = random() < 0.2 ? 0 : -random();
  }
  return program;
}

/** Largest violation of the conditions of Karush, Kuhn and Tucker, recomputed from the data. */
function violation(program: QuadraticProgram, count: number): number {
  const { size, hessian, linear, rows, lower, upper, solution: x, multipliers: y } = program;
  let worst = 0;
  for (let k = 0; k < size; k++) {
    let sum = linear[k];
    for (let j = 0; j < size; j++) sum += hessian[k * size + j] * x[j];
    for (let i = 0; i < count; i++) sum += rows[i * size + k] * y[i];
    worst = Math.max(worst, Math.abs(sum));
  }
  for (let i = 0; i < count; i++) {
    const value = rowValue(program, i);
    worst = Math.max(worst, value - upper[i], lower[i] - value);
    if (y[i] > 0) worst = Math.max(worst, Math.abs(value - upper[i]));
    if (y[i] < 0) worst = Math.max(worst, Math.abs(value - lower[i]));
  }
  return worst;
}

function rowValue({ size, rows, solution }: QuadraticProgram, i: number): number {
  return Array.from(solution).reduce((sum, x, k) => sum + rows[i * size + k] * x, 0);
}

function objective({ size, hessian, linear }: QuadraticProgram, x: readonly number[]): number {
  let f = 0;
  for (let i = 0; i < size; i++) {
    f += linear[i] * x[i];
    for (let j = 0; j < size; j++) f += 0.5 * x[i] * hessian[i * size + j] * x[j];
  }
  return f;
}

/** Gaussian elimination with full pivoting; undefined where the matrix is singular. */
function eliminate(matrix: number[][], right: number[]): number[] | undefined {
  const n = right.length;
  const a = matrix.map((row, i) => [...row, right[i]]);
  const order = Array.from({ length: n }, (_, k) => k);
  for (let k = 0; k < n; k++) {
    let best = [k, k];
    for (let i = k; i < n; i++)
      for (let j = k; j < n; j++) if (Math.abs(a[i][j]) > Math.abs(a[best[0]][best[1]])) best = [i, j];
    if (Math.abs(a[best[0]][best[1]]) < 1e-9) return undefined;
    [a[k], a[best[0]]] = [a[best[0]], a[k]];
    for (const row of a) [row[k], row[best[1]]] = [row[best[1]], row[k]];
    [order[k], order[best[1]]] = [order[best[1]], order[k]];
    for (let i = 0; i < n; i++) {
      if (i === k) continue;
      const f = a[i][k] / a[k][k];
      for (let j = k; j <= n; j++) a[i][j] -= f * a[k][j];
    }
  }
  const x = new Array<number>(n).fill(0);
  for (let k = 0; k < n; k++) x[order[k]] = a[k][n] / a[k][k];
  return x;
}

/** The minimum by enumerating active sets: all subsets of the rows, each row at either bound. */
function byEnumeration(program: QuadraticProgram, count: number): number {
  const { size, hessian, linear, rows, lower, upper } = program;
  let best = Number.POSITIVE_INFINITY;
  const choice = new Array<number>(count).fill(0);
  const visit = (i: number, chosen: number): void => {
    if (i < count) {
      for (const side of [0, 1, 2]) {
        if (side === 1 && !Number.isFinite(upper[i])) continue;
        if (side === 2 && !Number.isFinite(lower[i])) continue;
        if (side > 0 && chosen === size) continue;
        choice[i] = side;
        visit(i + 1, chosen + (side > 0 ? 1 : 0));
      }
      choice[i] = 0;
      return;
    }
    const active = Array.from({ length: count }, (_, k) => k).filter((k) => choice[k] > 0);
    const n = size + active.length;
    const matrix = Array.from({ length: n }, () => new Array<number>(n).fill(0));
    const right = new Array<number>(n).fill(0);
    for (let r = 0; r < size; r++) {
      for (let c = 0; c < size; c++) matrix[r][c] = hessian[r * size + c];
      right[r] = -linear[r];
    }
    active.forEach((k, m) => {
      for (let c = 0; c < size; c++) matrix[size + m][c] = matrix[c][size + m] = rows[k * size + c];
      right[size + m] = choice[k] === 1 ? upper[k] : lower[k];
    });
    const x = eliminate(matrix, right)?.slice(0, size);
    if (x === undefined) return;
    for (let k = 0; k < count; k++) {
      const value = x.reduce((sum, each, c) => sum + rows[k * size + c] * each, 0);
      if (value > upper[k] + 1e-9 || value < lower[k] - 1e-9) return;
    }
    best = Math.min(best, objective(program, x));
  };
  visit(0, 0);
  return best;
}

/** Indices of the entries of a matrix that are read, row by row. */
function lowerTriangle(size: number): number[] {
  return Array.from({ length: size * size }, (_, k) => k).filter((k) => k % size <= Math.floor(k / size));
}

describe('solveQuadraticProgram', () => {
  it('finds the minimum found by enumerating all active sets', () => {
    const random = testRandom(7);
    let bounded = 0;
    for (let n = 0; n < 120; n++) {
      const size = 1 + Math.floor(4 * random());
      const count = Math.floor(6 * random());
      const program = randomProgram(random, size, count);
      expect(solveQuadraticProgram(program, count)).toBe('optimal');
      const f = objective(program, Array.from(program.solution));
      expect(Math.abs(f - byEnumeration(program, count))).toBeLessThan(1e-7 * (1 + Math.abs(f)));
      if (program.multipliers.some((y) => y !== 0)) bounded++;
    }
    expect(bounded).toBeGreaterThan(50);
  });

  it('meets the conditions of Karush, Kuhn and Tucker at the size of a body', () => {
    const random = testRandom(11);
    let active = 0;
    for (let n = 0; n < 60; n++) {
      const size = 1 + Math.floor(60 * random());
      const count = Math.floor(90 * random());
      const program = randomProgram(random, size, count);
      expect(solveQuadraticProgram(program, count)).toBe('optimal');
      // H has entries up to about `size`, and its least eigenvalue is 1e-3.
      expect(violation(program, count)).toBeLessThan(1e-9 * (1 + size));
      active += program.multipliers.filter((y) => y !== 0).length;
    }
    expect(active).toBeGreaterThan(300);
  });

  it('satisfies an equality row, whose bounds coincide', () => {
    const program = createQuadraticProgram(2, 1);
    program.hessian.set([1, 0, 0, 1]);
    program.linear.set([-3, -1]);
    program.rows.set([1, 1]);
    program.lower[0] = program.upper[0] = 1;
    expect(solveQuadraticProgram(program, 1)).toBe('optimal');
    // The nearest point of x + y = 1 to (3, 1).
    expect(Array.from(program.solution)).toEqual([1.5, -0.5]);
    expect(program.multipliers[0]).toBeCloseTo(1.5, 14);
  });

  it('reports contradictory rows, and H that is not positive definite', () => {
    const program = createQuadraticProgram(2, 2);
    program.hessian.set([1, 0, 0, 1]);
    program.rows.set([1, 0, 1, 0]);
    program.upper[0] = -1;
    program.lower[1] = 1;
    expect(solveQuadraticProgram(program, 2)).toBe('infeasible');
    program.hessian.set([1, 0, 2, 1]);
    expect(solveQuadraticProgram(program, 0)).toBe('not-convex');
  });

  it.each(['hessian', 'linear', 'rows', 'lower', 'upper'] as const)(
    'never calls NaN in its %s optimal, wherever it stands and whichever rows are active',
    (where) => {
      const random = testRandom(where.length + 29);
      for (let n = 0; n < 40; n++) {
        const size = 1 + Math.floor(6 * random());
        const program = randomProgram(random, size, 8);
        const read = where === 'hessian' ? lowerTriangle(size) : Array.from(program[where].keys());
        program[where][read[Math.floor(read.length * random())]] = Number.NaN;
        expect(solveQuadraticProgram(program, 8)).toBe(where === 'hessian' ? 'not-convex' : 'not-finite');
      }
    },
  );

  it('reports a solution beyond double precision', () => {
    const program = createQuadraticProgram(1, 1);
    program.hessian[0] = 1e-300;
    program.linear[0] = 1e300;
    program.rows[0] = 1;
    program.upper[0] = 1;
    expect(solveQuadraticProgram(program, 1)).toBe('not-finite');
  });

  it('reports infeasible rows', () => {
    const bounds = [
      [1, -1],
      [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
      [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
    ];
    for (const [lower, upper] of bounds) {
      const program = createQuadraticProgram(2, 1);
      program.hessian.set([1, 0, 0, 1]);
      program.rows.set([1, 2]);
      program.lower[0] = lower;
      program.upper[0] = upper;
      expect(solveQuadraticProgram(program, 1)).toBe('infeasible');
    }
  });

  it('is deterministic to the bit', () => {
    const run = (): number[] => {
      const program = randomProgram(testRandom(3), 20, 40);
      solveQuadraticProgram(program, 40);
      return [...program.solution, ...program.multipliers];
    };
    expect(run()).toEqual(run());
  });
});
