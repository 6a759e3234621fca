import { describe, expect, it } from 'vitest';
import { factorTree, solveLower, solveUpper } from '../../src/math/linear/sparse-ltl.js';
import {
  createRowBlocks,
  invertRowBlocks,
  type RowBlocks,
  setRowBlocks,
  solvePattern,
} from '../../src/math/linear/sparse-ltl-blocks.js';
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

/** The trees of 200 rounds with their factors. */
function eachTree(
  seed: number,
  check: (tree: {
    n: number;
    before: Int32Array;
    h: Float64Array;
    factor: Float64Array;
    blocks: RowBlocks;
    random: () => number;
  }) => void,
): void {
  const random = createRandom(seed);
  for (let round = 0; round < 200; round++) {
    const n = 1 + Math.floor(random() * 24);
    const before = randomTree(n, random);
    const h = matrixOf(before, random);
    const factor = h.slice();
    expect(factorTree(factor, n, before)).toBe(true);
    const blocks = createRowBlocks(before);
    setRowBlocks(blocks, factor);
    check({ n, before, h, factor, blocks, random });
  }
}

/** Whether `x` solves H x = b, and is what one column after the other gives. */
function expectSolution(
  { n, before, h, factor }: { n: number; before: Int32Array; h: Float64Array; factor: Float64Array },
  x: Float64Array,
  right: Float64Array,
): void {
  for (let c = 0; c < n; c++) {
    const b = Float64Array.from({ length: n }, (_, i) => right[i * n + c]);
    solveUpper(factor, n, before, b);
    solveLower(factor, n, before, b);
    let scale = Number.MIN_VALUE;
    let difference = 0;
    let error = 0;
    for (let i = 0; i < n; i++) {
      scale = Math.max(scale, Math.abs(b[i]));
      difference = Math.max(difference, Math.abs(x[i * n + c] - b[i]));
      let residual = -right[i * n + c];
      for (let j = 0; j < n; j++) residual += h[i * n + j] * x[j * n + c];
      error = Math.max(error, Math.abs(residual));
    }
    expect(difference).toBeLessThan(1e-12 * scale);
    expect(error).toBeLessThan(1e-11 * scale);
  }
}

describe('solvePattern', () => {
  it('solves a matrix of the pattern as one column after the other, on random trees of 1 to 24 coordinates', () => {
    eachTree(7, (tree) => {
      const { n, before, blocks, random } = tree;
      const x = new Float64Array(n * n);
      for (let i = 0; i < n; i++) {
        for (let j = i; j >= 0; j = before[j]) {
          x[i * n + j] = within(random, 1);
          x[j * n + i] = within(random, 1);
        }
      }
      const right = x.slice();
      solvePattern(blocks, x);
      expectSolution(tree, x, right);
    });
  });

  it('keeps no infinity of one solve for the next', () => {
    const blocks = createRowBlocks(Int32Array.from([-1, 0, 0]));
    setRowBlocks(blocks, Float64Array.of(2, 0, 0, 1, 2, 0, 1, 0, 2));
    const x = Float64Array.of(0, 0, 0, 0, 0, 0, Number.POSITIVE_INFINITY, 0, 0);
    solvePattern(blocks, x);
    x.fill(0);
    x[0] = 4;
    solvePattern(blocks, x);
    expect(Array.from(x)).toEqual([1, 0, 0, -0.5, 0, 0, -0.5, 0, 0]);
  });
});

describe('invertRowBlocks', () => {
  it('gives the inverse, exactly symmetric, on random trees of 1 to 24 coordinates', () => {
    eachTree(11, (tree) => {
      const { n, blocks, random } = tree;
      const x = Float64Array.from({ length: n * n }, () => within(random, 1));
      invertRowBlocks(blocks, x);
      const identity = Float64Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 1 : 0));
      expectSolution(tree, x, identity);
      expect(x).toEqual(x.map((_, k) => x[(k % n) * n + Math.floor(k / n)]));
    });
  });
});
