/**
 * Symmetric positive-definite systems kept as their envelope (skyline): every row from its first entry to the diagonal. L of
 * A = L L^T has no entry outside the envelope of A, so it stands in the same shape (George and Liu, Computer Solution of Large
 * Sparse Positive Definite Systems, 1981, chapter 4).
 */
import { DomainError } from '../errors.js';
import type { MutableNumbers, Numbers } from './types.js';

/** Symmetric matrix kept as its envelope: row i of the lower triangle from column first[i] to i. */
export interface Envelope {
  readonly n: number;
  /** As given, or less: rows are made longer so that four at a time are alike. What is not written to there stays zero. */
  readonly first: Int32Array;
  /** Entry (i, j) stands at values[base[i] + j], first[i] <= j <= i. */
  readonly base: Int32Array;
  readonly values: Float64Array;
}

/** Rows that share a first column, which is a multiple of as many. */
const TILE = 4;

/**
 * A matrix of zeros.
 *
 * @param first - The first column of every row that may be other than zero.
 * @throws DomainError when one is negative, not whole or right of the diagonal.
 */
export function createEnvelope(first: Int32Array): Envelope {
  const n = first.length;
  const padded = new Int32Array(n);
  const base = new Int32Array(n);
  let size = 0;
  for (let group = 0; group < n; group += TILE) {
    const end = Math.min(n, group + TILE);
    let least = group;
    for (let i = group; i < end; i++) {
      if (!(first[i] >= 0 && first[i] <= i)) {
        throw new DomainError('out-of-range', `is ${first[i]}, not a column from 0 to ${i}.`, {
          path: `first[${i}]`,
          remedy: 'Give the first column of each row of the lower triangle, at most the diagonal.',
        });
      }
      least = Math.min(least, first[i]);
    }
    least -= least % TILE;
    for (let i = group; i < end; i++) {
      padded[i] = least;
      base[i] = size - least;
      size += group + TILE - least;
    }
  }
  return { n, first: padded, base, values: new Float64Array(size) };
}

/**
 * Factors A = L L^T.
 *
 * @param a - The lower triangle of A.
 * @param l - Where L goes: of the same shape, or `a` itself.
 * @returns false, with `l` partly overwritten, when a pivot is not positive or not finite.
 */
export function factorEnvelope(a: Envelope, l: Envelope): boolean {
  const { n, first, base, values } = l;
  if (l !== a) values.set(a.values);
  for (let i = 0; i < n; i++) {
    const row = base[i];
    for (let j = first[i]; j <= i; j++) {
      const other = base[j];
      let sum = values[row + j];
      for (let k = Math.max(first[i], first[j]); k < j; k++) sum -= values[row + k] * values[other + k];
      if (j < i) values[row + j] = sum / values[other + j];
      else if (sum > 0 && sum < Number.POSITIVE_INFINITY) values[row + i] = Math.sqrt(sum);
      else return false;
    }
  }
  return true;
}

/** Solves L L^T x = b in place. */
export function solveEnvelope(l: Envelope, b: MutableNumbers): void {
  const { n, first, base, values } = l;
  for (let i = 0; i < n; i++) {
    const row = base[i];
    let sum = b[i];
    for (let k = first[i]; k < i; k++) sum -= values[row + k] * b[k];
    b[i] = sum / values[row + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    const row = base[i];
    const x = b[i] / values[row + i];
    b[i] = x;
    for (let k = first[i]; k < i; k++) b[k] -= values[row + k] * x;
  }
}

/** out = A x; `out` and `x` apart. */
export function multiplyEnvelope(a: Envelope, x: Numbers, out: MutableNumbers): void {
  const { n, first, base, values } = a;
  for (let i = 0; i < n; i++) {
    const row = base[i];
    const xi = x[i];
    let sum = values[row + i] * xi;
    for (let k = first[i]; k < i; k++) {
      sum += values[row + k] * x[k];
      out[k] += values[row + k] * xi;
    }
    out[i] = sum;
  }
}
