import fc from 'fast-check';
import { expect, it } from 'vitest';
import { solve as solveDefinite } from '../../src/math/linear/ldl.js';
import {
  type NonnegativeLeastSquares,
  solveNonnegativeLeastSquares,
} from '../../src/math/optimization/nonnegative-least-squares.js';

/** |b - A x| for a dense A, columns one after another, by the normal equations of the active columns. */
function denseProblem(columns: readonly Float64Array[], b: Float64Array): NonnegativeLeastSquares {
  const count = columns.length;
  const dot = (x: Float64Array, y: Float64Array): number =>
    x.reduce((sum, value, k) => sum + value * y[k], 0);
  const residual = b.slice();
  const problem: NonnegativeLeastSquares = {
    candidate: new Uint8Array(count).fill(1),
    active: new Uint8Array(count),
    solution: new Float64Array(count),
    feasible: new Float64Array(count),
    solve() {
      const indices = Array.from(problem.active.keys()).filter((n) => problem.active[n] === 1);
      const x = Float64Array.from(indices, (n) => dot(columns[n], b));
      const normal = Float64Array.from(
        indices.flatMap((n) => indices.map((m) => dot(columns[n], columns[m]))),
      );
      const independent = solveDefinite(normal, indices.length, x);
      problem.solution.fill(0);
      if (!independent) return false;
      indices.forEach((n, k) => {
        problem.solution[n] = x[k];
      });
      return true;
    },
    updateResidual() {
      residual.set(b);
      columns.forEach((column, n) => {
        for (let k = 0; k < b.length; k++) residual[k] -= problem.solution[n] * column[k];
      });
    },
    descent: (n) => dot(columns[n], residual),
  };
  return problem;
}

const entry = fc.double({ min: -1, max: 1, noNaN: true });

/** Columns of length `rows`, the identity scaled below them so that they are independent. */
const problems = fc.integer({ min: 1, max: 6 }).chain((rows) =>
  fc.integer({ min: 1, max: 8 }).chain((count) =>
    fc.record({
      columns: fc
        .array(fc.array(entry, { minLength: rows, maxLength: rows }), { minLength: count, maxLength: count })
        .map((all) =>
          all.map((column, n) => Float64Array.from([...column, ...all.map((_, k) => (k === n ? 0.3 : 0))])),
        ),
      b: fc
        .array(entry, { minLength: rows + count, maxLength: rows + count })
        .map((values) => Float64Array.from(values)),
      unsigned: fc.array(fc.boolean(), { minLength: count, maxLength: count }),
    }),
  ),
);

it('meets the conditions of Karush, Kuhn and Tucker: x >= 0, A^T r <= 0, and zero where x > 0', () => {
  fc.assert(
    fc.property(problems, ({ columns, b }) => {
      const problem = denseProblem(columns, b);
      solveNonnegativeLeastSquares(problem, 1e-12);
      problem.solution.forEach((x, n) => {
        expect(x).toBeGreaterThanOrEqual(0);
        expect(problem.descent(n)).toBeLessThanOrEqual(1e-11);
        if (x > 0) expect(Math.abs(problem.descent(n))).toBeLessThanOrEqual(1e-11);
      });
    }),
    { numRuns: 500 },
  );
});

it('leaves variables that are active at the start without a sign', () => {
  fc.assert(
    fc.property(problems, ({ columns, b, unsigned }) => {
      const problem = denseProblem(columns, b);
      unsigned.forEach((free, n) => {
        problem.candidate[n] = free ? 0 : 1;
        problem.active[n] = free ? 1 : 0;
      });
      solveNonnegativeLeastSquares(problem, 1e-12);
      problem.solution.forEach((x, n) => {
        if (!unsigned[n]) expect(x).toBeGreaterThanOrEqual(0);
        if (unsigned[n] || x > 0) expect(Math.abs(problem.descent(n))).toBeLessThanOrEqual(1e-11);
        else expect(problem.descent(n)).toBeLessThanOrEqual(1e-11);
      });
    }),
    { numRuns: 300 },
  );
});

it('finds the minimum of a brute-force search over all active sets', () => {
  fc.assert(
    fc.property(problems, ({ columns, b }) => {
      const problem = denseProblem(columns, b);
      const squareOf = (): number => {
        let square = 0;
        for (let k = 0; k < b.length; k++) {
          let r = b[k];
          columns.forEach((column, n) => {
            r -= problem.solution[n] * column[k];
          });
          square += r * r;
        }
        return square;
      };
      solveNonnegativeLeastSquares(problem, 1e-12);
      const found = squareOf();
      let lowest = Number.POSITIVE_INFINITY;
      for (let set = 0; set < 2 ** columns.length; set++) {
        for (let n = 0; n < columns.length; n++) problem.active[n] = (set >> n) & 1;
        problem.solve();
        if (problem.solution.every((x) => x >= 0)) lowest = Math.min(lowest, squareOf());
      }
      expect(Math.abs(found - lowest)).toBeLessThanOrEqual(1e-11);
    }),
    { numRuns: 40 },
  );
});

it('takes from a guess what is positive, and drops a guess of dependent columns', () => {
  const axis = (k: number): Float64Array => Float64Array.from([0, 1, 2], (n) => (n === k ? 1 : 0));
  const mixed = denseProblem([axis(0), axis(1), axis(2)], Float64Array.from([1, -1, 2]));
  mixed.active.fill(1);
  solveNonnegativeLeastSquares(mixed, 1e-12);
  expect(Array.from(mixed.solution)).toEqual([1, 0, 2]);

  const dependent = denseProblem([axis(0), axis(0), axis(1)], Float64Array.from([1, 3, 0]));
  dependent.active.fill(1);
  solveNonnegativeLeastSquares(dependent, 1e-12);
  expect(dependent.solution[0] + dependent.solution[1]).toBe(1);
  expect(dependent.solution[2]).toBe(3);
});

it('from any guess the same solution', () => {
  fc.assert(
    fc.property(problems, fc.nat(), ({ columns, b }, guess) => {
      const plain = denseProblem(columns, b);
      solveNonnegativeLeastSquares(plain, 1e-12);
      const guessed = denseProblem(columns, b);
      for (let n = 0; n < columns.length; n++) guessed.active[n] = (guess >> n) & 1;
      solveNonnegativeLeastSquares(guessed, 1e-12);
      guessed.solution.forEach((x, n) => {
        expect(x).toBeCloseTo(plain.solution[n], 9);
      });
    }),
    { numRuns: 300 },
  );
});
