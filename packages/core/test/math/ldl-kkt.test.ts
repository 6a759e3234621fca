import fc from 'fast-check';
import { expect, it } from 'vitest';
import { solveKkt } from '../../src/math/linear/ldl.js';

const entry = fc.double({ min: -1, max: 1, noNaN: true });

/** A symmetric H, zero outside a random pattern, rows A, and a right-hand side. */
const systems = fc.integer({ min: 1, max: 8 }).chain((size) =>
  fc.integer({ min: 0, max: size - 1 }).chain((rows) =>
    fc.record({
      size: fc.constant(size),
      rows: fc.constant(rows),
      h: fc.array(entry, { minLength: size * size, maxLength: size * size }),
      pattern: fc.array(fc.boolean(), { minLength: size * size, maxLength: size * size }),
      shift: fc.double({ min: 0, max: 3, noNaN: true }),
      a: fc.array(entry, { minLength: size * rows, maxLength: size * rows }),
      b: fc.array(entry, { minLength: size + rows, maxLength: size + rows }),
    }),
  ),
);

/** Orthonormal rows that span the null space of A; undefined where its rows are nearly dependent. */
function nullSpaceOf(a: number[][], size: number): number[][] | undefined {
  const dot = (x: number[], y: number[]): number => x.reduce((sum, v, k) => sum + v * y[k], 0);
  const basis: number[][] = [];
  const add = (row: number[], tolerance: number): boolean => {
    const left = row.slice();
    for (let pass = 0; pass < 2; pass++)
      for (const q of basis) {
        const d = dot(left, q);
        for (let k = 0; k < size; k++) left[k] -= d * q[k];
      }
    const length = Math.hypot(...left);
    if (length > tolerance) basis.push(left.map((x) => x / length));
    return length > tolerance;
  };
  for (const row of a) if (!add(row, 0.05)) return undefined;
  for (let k = 0; k < size; k++)
    add(
      Array.from({ length: size }, (_, n) => (n === k ? 1 : 0)),
      1e-6,
    );
  return basis.slice(a.length);
}

/** The pivots of the elimination of a dense symmetric matrix. */
function pivotsOf(matrix: number[][]): number[] {
  const m = matrix.map((row) => row.slice());
  return m.map((_, j) => {
    const pivot = m[j][j];
    for (let i = j + 1; i < m.length; i++) {
      const factor = m[i][j] / pivot;
      for (let k = j; k < m.length; k++) m[i][k] -= factor * m[j][k];
    }
    return pivot;
  });
}

it('solves [H A^T; A 0] [d; y] = [b; c], and says whether H is positive definite on the null space of A', () => {
  let definite = 0;
  let indefinite = 0;
  fc.assert(
    fc.property(systems, ({ size, rows, h, pattern, shift, a, b }) => {
      const order = size + rows;
      const full = Array.from({ length: order }, () => new Array<number>(order).fill(0));
      for (let k = 0; k < size; k++) {
        for (let l = 0; l < k; l++) full[k][l] = full[l][k] = pattern[k * size + l] ? h[k * size + l] : 0;
        full[k][k] = h[k * size + k] + shift;
        for (let r = 0; r < rows; r++) full[size + r][k] = full[k][size + r] = a[r * size + k];
      }
      const z = nullSpaceOf(
        full.slice(size).map((row) => row.slice(0, size)),
        size,
      );
      const pivots = pivotsOf(full);
      fc.pre(z !== undefined && pivots.every((pivot) => Math.abs(pivot) > 0.01));
      const reduced = z?.map((p) =>
        z.map((q) => p.reduce((sum, x, k) => sum + q.reduce((t, y, l) => t + x * full[k][l] * y, 0), 0)),
      );
      const expected = pivotsOf(reduced ?? []).every((pivot) => pivot > 0);

      const matrix = new Float64Array(order * order);
      const solution = Float64Array.from(b);
      full.forEach((row, k) => {
        for (let l = 0; l <= k; l++) matrix[k * order + l] = row[l];
      });
      expect(solveKkt(matrix, order, rows, solution)).toBe(expected);
      if (!expected) {
        indefinite++;
        return;
      }
      definite++;
      full.forEach((row, k) => {
        const sum = row.reduce((total, x, l) => total + x * solution[l], 0);
        expect(Math.abs(sum - b[k])).toBeLessThan(1e-8);
      });
    }),
    { numRuns: 2000, seed: 1 },
  );
  expect(Math.min(definite, indefinite)).toBeGreaterThan(100);
});

it('fails where a pivot is zero or NaN', () => {
  expect(solveKkt(new Float64Array(4), 2, 0, new Float64Array(2))).toBe(false);
  expect(solveKkt(Float64Array.of(1, 0, 1, Number.NaN), 2, 0, new Float64Array(2))).toBe(false);
});
