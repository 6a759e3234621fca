import { describe, expect, it } from 'vitest';
import { factorTree, solveLower, solveUpper } from '../../src/math/linear/sparse-ltl.js';
import { createRandom, within } from '../figure/support.js';

describe('factorTree', () => {
  it.each([
    ['a branching tree', [-1, 0, 1, 1, 3, 0, 5, 5, 7]],
    ['a dense matrix', [-1, 0, 1, 2, 3, 4, 5, 6, 7]],
    ['two trees', [-1, 0, 1, -1, 3, 4, 3, 6, 6]],
  ])(
    '%s: L^T L is the matrix, both halves of the solve invert it, and entries off the chains are not read',
    (_, parents) => {
      const random = createRandom(1);
      const n = parents.length;
      const before = Int32Array.from(parents);
      // H = sum over chains of rank-one terms: positive definite, with the pattern of the tree.
      const full = new Float64Array(n * n);
      for (let leaf = 0; leaf < n; leaf++) {
        for (let repeat = 0; repeat < 2; repeat++) {
          const v = new Float64Array(n);
          for (let i = leaf; i >= 0; i = before[i]) v[i] = within(random, 1);
          for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) full[i * n + j] += v[i] * v[j];
        }
        full[leaf * (n + 1)] += 0.1;
      }
      const factor = full.slice();
      const onChain = (i: number, j: number): boolean => {
        for (let k = i; k >= 0; k = before[k]) if (k === j) return true;
        return false;
      };
      for (let i = 0; i < n; i++)
        for (let j = 0; j < n; j++) if (!onChain(i, j)) factor[i * n + j] = Number.NaN;
      expect(factorTree(factor, n, before)).toBe(true);
      for (let i = 0; i < n; i++) {
        for (let j = 0; j <= i; j++) {
          let sum = 0;
          for (let k = i; k < n; k++)
            if (onChain(k, i) && onChain(k, j)) sum += factor[k * n + i] * factor[k * n + j];
          expect(Math.abs(sum - full[i * n + j])).toBeLessThan(1e-14);
        }
      }
      const x = Float64Array.from({ length: n }, () => within(random, 1));
      const b = x.map((_value, i) => x.reduce((sum, value, j) => sum + full[i * n + j] * value, 0));
      solveUpper(factor, n, before, b);
      solveLower(factor, n, before, b);
      for (let i = 0; i < n; i++) expect(Math.abs(b[i] - x[i])).toBeLessThan(1e-12);
    },
  );

  it('returns false for a matrix that is not positive definite, and for NaN', () => {
    const before = Int32Array.from([-1, 0]);
    expect(factorTree(Float64Array.from([1, 0, 2, 1]), 2, before)).toBe(false);
    expect(factorTree(Float64Array.from([Number.NaN, 0, 0, 1]), 2, before)).toBe(false);
  });
});
