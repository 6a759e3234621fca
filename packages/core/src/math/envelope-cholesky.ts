/**
 * Symmetric positive-definite systems kept as their envelope (skyline): every row from its first entry to the diagonal. L of
 * A = L L^T has no entry outside the envelope of A, so it stands in the same shape (George and Liu, Computer Solution of Large
 * Sparse Positive Definite Systems, 1981, chapter 4).
 *
 * The work is in the sums of L_ik L_jk. They are taken for two rows i and three rows j at a time, over rows that have been copied
 * next to each other into panels: per column two and three numbers are read for six products, and six sums are as many as a
 * JavaScript engine keeps in registers beside what it multiplies. The panels are constants of this file because an engine then knows
 * their place and length, which makes the sums twice as fast (V8).
 */
import { DomainError } from '../errors.js';
import type { MutableNumbers, Numbers } from './types.js';

/** Symmetric matrix kept as its envelope: row i of the lower triangle from column first[i] to i. */
export interface Envelope {
  readonly n: number;
  /** As given, or less: rows are made longer so that six at a time are alike. What is not written to there stays zero. */
  readonly first: Int32Array;
  /** Entry (i, j) stands at values[base[i] + j], first[i] <= j <= i. */
  readonly base: Int32Array;
  readonly values: Float64Array;
}

/** Rows that have their first column in common, a multiple of as many; the last rows are stored up to a multiple, too. */
const GROUP = 6;
/** Rows that are factored together, so that every row above is copied once for all of them. */
const BLOCK = 48;
/** Columns that a panel holds. */
const DEPTH = 510;

/** Pairs of rows of the block, L_ik at [pair][k][row of two]. */
const pairs = /* @__PURE__ */ new Float64Array(BLOCK * DEPTH);
/** Two triples of rows, L_jk at [triple][k][row of three]. */
const triples = /* @__PURE__ */ new Float64Array(GROUP * DEPTH);
const SECOND = 3 * DEPTH;
/** Two triangles of three rows at the diagonal of L, with one over L_jj. */
const corners = /* @__PURE__ */ new Float64Array(12);
/** Six sums, [row of two][row of three]. */
const sums = /* @__PURE__ */ new Float64Array(6);

/**
 * A matrix of zeros.
 *
 * @param first - The first column of every row that may be other than zero.
 * @throws DomainError when one is negative or right of the diagonal.
 */
export function createEnvelope(first: Int32Array): Envelope {
  const n = first.length;
  const padded = new Int32Array(n);
  const base = new Int32Array(n);
  let size = 0;
  for (let group = 0; group < n; group += GROUP) {
    const end = Math.min(n, group + GROUP);
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
    least -= least % GROUP;
    const length = group + GROUP - least;
    for (let i = group; i < end; i++) {
      padded[i] = least;
      base[i] = size + (i - group) * length - least;
    }
    size += GROUP * length;
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
  const { n, first } = l;
  if (l !== a) l.values.set(a.values);
  for (let top = 0; top < n; top += BLOCK) {
    const end = Math.min(n, top + BLOCK);
    let low = top;
    for (let i = top; i < end; i += GROUP) low = Math.min(low, first[i]);
    for (let from = low; from < end; from += DEPTH) {
      if (!factorColumns(l, top, end, from, Math.min(end, from + DEPTH))) return false;
    }
  }
  return true;
}

/**
 * Finds columns `from` to `to` of L in rows `top` to `end`, whose columns before `from` are done, and takes the products of these
 * columns from the entries right of them.
 */
function factorColumns(l: Envelope, top: number, end: number, from: number, to: number): boolean {
  const { first, base, values } = l;
  for (let group = from; group < end; group += GROUP) {
    const start = Math.max(from, first[group]);
    const stop = Math.min(group, to);
    if (start > stop) continue;
    const stride = group + GROUP - first[group];
    const row = base[group];
    copyTriple(values, row, stride, start, stop, 0);
    copyTriple(values, row + 3 * stride, stride, start, stop, SECOND);
    if (group >= top) {
      const last = group < to ? Math.min(end, group + GROUP) : end;
      for (let i = group; i < last; i += 2) subtractProducts(l, i, top, group, from, start, stop);
    } else if (group >= to) {
      for (let i = top; i < end; i += 2) subtractProducts(l, i, top, group, from, start, stop);
    }
    if (group >= to) continue;
    if (group >= top && !factorDiagonal(values, row, stride, group, l.n)) return false;
    copyTriple(values, row + 3 * stride, stride, group, group + 3, SECOND + 3 * (group - start));
    copyCorner(values, row + group, stride, 0);
    copyCorner(values, row + 3 * stride + group + 3, stride, 6);
    for (let i = Math.max(top, group + GROUP); i < end; i += 2) {
      if (first[i] > group) continue;
      const k = Math.max(start, first[i]);
      const upper = base[i];
      const lower = upper + i - (i % GROUP) + GROUP - first[i];
      const pair = (i - top) * DEPTH - 2 * from;
      sumProducts(pair + 2 * k, 3 * (k - start), 3 * (group - start));
      finishTriple(values, upper + group, lower + group, 0, pair + 2 * group);
      sumProducts(pair + 2 * k, SECOND + 3 * (k - start), SECOND + 3 * (group + 3 - start));
      finishTriple(values, upper + group + 3, lower + group + 3, 6, pair + 2 * (group + 3));
    }
  }
  return true;
}

/** triples[to..] = columns `start` to `stop` of three rows. */
function copyTriple(
  values: Float64Array,
  row: number,
  stride: number,
  start: number,
  stop: number,
  to: number,
): void {
  const second = row + stride;
  const third = second + stride;
  for (let k = start, at = to; k < stop; k++, at += 3) {
    triples[at] = values[row + k];
    triples[at + 1] = values[second + k];
    triples[at + 2] = values[third + k];
  }
}

/** The triangle of three rows of L that stands at the diagonal: what is left of it, and one over it. */
function copyCorner(values: Float64Array, corner: number, stride: number, to: number): void {
  corners[to] = 1 / values[corner];
  corners[to + 1] = values[corner + stride];
  corners[to + 2] = 1 / values[corner + stride + 1];
  corners[to + 3] = values[corner + 2 * stride];
  corners[to + 4] = values[corner + 2 * stride + 1];
  corners[to + 5] = 1 / values[corner + 2 * stride + 2];
}

/** sums = sum_k L_ik L_jk over the columns of a triple from `triple` to `end`, and as many of a pair from `pair` on. */
function sumProducts(pair: number, triple: number, end: number): void {
  let s00 = 0;
  let s01 = 0;
  let s02 = 0;
  let s10 = 0;
  let s11 = 0;
  let s12 = 0;
  for (let p = pair, t = triple; t < end; p += 2, t += 3) {
    const b0 = triples[t];
    const b1 = triples[t + 1];
    const b2 = triples[t + 2];
    const a0 = pairs[p];
    s00 += a0 * b0;
    s01 += a0 * b1;
    s02 += a0 * b2;
    const a1 = pairs[p + 1];
    s10 += a1 * b0;
    s11 += a1 * b1;
    s12 += a1 * b2;
  }
  sums[0] = s00;
  sums[1] = s01;
  sums[2] = s02;
  sums[3] = s10;
  sums[4] = s11;
  sums[5] = s12;
}

/** L_ij = (A_ij - sums - what is left of column j in the corner) / L_jj for two rows and three columns, to `values` and to `pairs`. */
function finishTriple(
  values: Float64Array,
  upper: number,
  lower: number,
  corner: number,
  pair: number,
): void {
  const d0 = corners[corner];
  const l10 = corners[corner + 1];
  const d1 = corners[corner + 2];
  const l20 = corners[corner + 3];
  const l21 = corners[corner + 4];
  const d2 = corners[corner + 5];
  const x0 = (values[upper] - sums[0]) * d0;
  const y0 = (values[lower] - sums[3]) * d0;
  const x1 = (values[upper + 1] - sums[1] - x0 * l10) * d1;
  const y1 = (values[lower + 1] - sums[4] - y0 * l10) * d1;
  const x2 = (values[upper + 2] - sums[2] - x0 * l20 - x1 * l21) * d2;
  const y2 = (values[lower + 2] - sums[5] - y0 * l20 - y1 * l21) * d2;
  values[upper] = x0;
  values[upper + 1] = x1;
  values[upper + 2] = x2;
  values[lower] = y0;
  values[lower + 1] = y1;
  values[lower + 2] = y2;
  pairs[pair] = x0;
  pairs[pair + 1] = y0;
  pairs[pair + 2] = x1;
  pairs[pair + 3] = y1;
  pairs[pair + 4] = x2;
  pairs[pair + 5] = y2;
}

/** A_ij -= sum_k L_ik L_jk for rows i, i + 1 and the six columns of `group` as far as the diagonal, over columns `start` to `stop`. */
function subtractProducts(
  l: Envelope,
  i: number,
  top: number,
  group: number,
  from: number,
  start: number,
  stop: number,
): void {
  const { first, base, values } = l;
  const k = Math.max(start, first[i]);
  if (k >= stop) return;
  const upper = base[i];
  const lower = upper + i - (i % GROUP) + GROUP - first[i];
  const pair = (i - top) * DEPTH + 2 * (k - from);
  for (let j = 0; j < GROUP; j += 3) {
    const triple = (j === 0 ? 0 : SECOND) + 3 * (k - start);
    sumProducts(pair, triple, triple + 3 * (stop - k));
    for (let c = 0; c < 3; c++) {
      if (group + j + c <= i) values[upper + group + j + c] -= sums[c];
      if (group + j + c <= i + 1) values[lower + group + j + c] -= sums[3 + c];
    }
  }
}

/** Factors the triangle at the diagonal of a group, as far as row n; what is left of it has been taken off. */
function factorDiagonal(
  values: Float64Array,
  first: number,
  stride: number,
  group: number,
  n: number,
): boolean {
  const rows = Math.min(GROUP, n - group);
  for (let i = 0; i < rows; i++) {
    const row = first + i * stride + group;
    for (let j = 0; j <= i; j++) {
      const other = first + j * stride + group;
      let sum = values[row + j];
      for (let k = 0; k < j; k++) sum -= values[row + k] * values[other + k];
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
