import { describe, expect, it } from 'vitest';
import { factorTree, solveLower, solveUpper } from '../../src/math/linear/sparse-ltl.js';
import { createRowBlocks, setRowBlocks, solveRowBlocks } from '../../src/math/linear/sparse-ltl-blocks.js';
import { createRandom, within } from '../figure/support.js';

/** A positive definite matrix with the pattern of the tree. */
function matrixOf(before: Int32Array, random: () => number): Float64Array {
  const n = before.length;
  const h = new Float64Array(n * n);
  for (let leaf = 0; leaf < n; leaf++) {
    const v = new Float64Array(n);
    for (let i = leaf; i >= 0; i = before[i]) v[i] = within(random, 1);
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) h[i * n + j] += v[i] * v[j];
    h[leaf * (n + 1)] += 0.1;
  }
  return h;
}

function randomTree(n: number, random: () => number): Int32Array {
  const chain = random();
  return Int32Array.from({ length: n }, (_, i) =>
    random() < chain ? i - 1 : Math.floor(random() * (i + 1)) - 1,
  );
}

describe('solveRowBlocks', () => {
  it('solves all columns as one column after the other, on random trees of 1 to 24 coordinates', () => {
    const random = createRandom(7);
    for (let round = 0; round < 200; round++) {
      const n = 1 + Math.floor(random() * 24);
      const width = 1 + Math.floor(random() * 5);
      const before = randomTree(n, random);
      const h = matrixOf(before, random);
      const factor = h.slice();
      expect(factorTree(factor, n, before)).toBe(true);
      const blocks = createRowBlocks(before);
      setRowBlocks(blocks, factor);
      const x = Float64Array.from({ length: (n + 1) * width }, () => within(random, 1));
      const columns = Array.from({ length: width }, (_, c) =>
        Float64Array.from({ length: n }, (_value, i) => x[i * width + c]),
      );
      solveRowBlocks(blocks, x, width);
      columns.forEach((b, c) => {
        const right = b.slice();
        solveUpper(factor, n, before, b);
        solveLower(factor, n, before, b);
        const scale = Math.max(...b.map(Math.abs));
        for (let i = 0; i < n; i++) {
          expect(Math.abs(x[i * width + c] - b[i])).toBeLessThan(1e-12 * scale);
          let residual = -right[i];
          for (let j = 0; j < n; j++) residual += h[i * n + j] * x[j * width + c];
          expect(Math.abs(residual)).toBeLessThan(1e-11 * scale);
        }
      });
    }
  });

  it('keeps no infinity of one solve for the next', () => {
    const blocks = createRowBlocks(Int32Array.from([-1, 0, 0]));
    setRowBlocks(blocks, Float64Array.of(2, 0, 0, 1, 2, 0, 1, 0, 2));
    const x = Float64Array.of(0, 0, Number.POSITIVE_INFINITY, 0);
    solveRowBlocks(blocks, x, 1);
    x.set([4, 0, 0]);
    solveRowBlocks(blocks, x, 1);
    expect(Array.from(x.subarray(0, 3))).toEqual([1, -0.5, -0.5]);
  });
});
