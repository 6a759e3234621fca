/**
 * Cholesky factorization of symmetric positive-definite matrices in envelope (skyline) storage: each row from its first nonzero
 * to the diagonal. The factor L of A = L L^T has the envelope of A (George and Liu, Computer Solution of Large Sparse Positive
 * Definite Systems, 1981, chapter 4).
 */
import { DomainError } from '../../errors.js';
import { copyCorner, copyTriple, finishRows, subtractRows } from './panel-kernels.js';
import { PANEL_COLUMNS, PANEL_ROWS } from './panel-product.js';
import type { MutableNumbers, Numbers } from './types.js';

/** Symmetric matrix in envelope storage: row i of the lower triangle from column first[i] to i. */
export interface Envelope {
  readonly n: number;
  /** First stored column of each row: as given, or less, since rows are padded with zeros to groups of six of one length. */
  readonly first: Int32Array;
  /** Entry (i, j) is values[base[i] + j], first[i] <= j <= i. */
  readonly base: Int32Array;
  readonly values: Float64Array;
}

/** Rows of a group: they share their first column, a multiple of GROUP. The last group is padded to full size. */
const GROUP = 6;

/**
 * A matrix of zeros.
 *
 * @param first - The first column of every row that may be nonzero.
 * @throws DomainError `out-of-range` for a column that is negative or right of the diagonal.
 */
export function createEnvelope(first: Int32Array): Envelope {
  const { size, ...shape } = envelopeShape(first);
  return { ...shape, values: new Float64Array(size) };
}

/** What {@link createEnvelope} makes, with the length of its values instead of these. */
export function envelopeShape(first: Int32Array): Omit<Envelope, 'values'> & { readonly size: number } {
  const n = first.length;
  const padded = new Int32Array(n);
  const base = new Int32Array(n);
  let size = 0;
  for (let group = 0; group < n; group += GROUP) {
    const end = Math.min(n, group + GROUP);
    let lowest = group;
    for (let i = group; i < end; i++) {
      if (!(first[i] >= 0 && first[i] <= i)) {
        throw new DomainError('out-of-range', `is ${first[i]}, not a column from 0 to ${i}.`, {
          path: `first[${i}]`,
          remedy: 'Give the first column of each row of the lower triangle, at most the diagonal.',
        });
      }
      lowest = Math.min(lowest, first[i]);
    }
    lowest -= lowest % GROUP;
    const stride = group + GROUP - lowest;
    for (let i = group; i < end; i++) {
      padded[i] = lowest;
      base[i] = size + (i - group) * stride - lowest;
    }
    size += GROUP * stride;
  }
  return { n, first: padded, base, size };
}

/**
 * Factors A = L L^T.
 *
 * @param a - The lower triangle of A.
 * @param l - Output L: of the same shape, or `a` itself.
 * @returns false, with `l` partly overwritten, when a pivot is not positive or not finite.
 */
export function factorEnvelope(a: Envelope, l: Envelope): boolean {
  const { n, first } = l;
  if (l !== a) l.values.set(a.values);
  for (let top = 0; top < n; top += PANEL_ROWS) {
    const end = Math.min(n, top + PANEL_ROWS);
    let low = top;
    for (let i = top; i < end; i += GROUP) low = Math.min(low, first[i]);
    for (let from = low; from < end; from += PANEL_COLUMNS) {
      if (!factorColumns(l, top, end, from, Math.min(end, from + PANEL_COLUMNS))) return false;
    }
  }
  return true;
}

/**
 * Computes columns `from` to `to` of L in rows `top` to `end`, given the columns before `from`, and subtracts their outer
 * products from the entries to the right. Six columns at a time: those of a group of rows.
 */
function factorColumns(l: Envelope, top: number, end: number, from: number, to: number): boolean {
  const { n, first, base, values } = l;
  for (let group = from; group < end; group += GROUP) {
    const start = Math.max(from, first[group]);
    const stop = Math.min(group, to);
    if (start > stop) continue;
    const count = stop - start;
    const stride = group + GROUP - first[group];
    const row = base[group];
    copyTriple(values, row + start, stride, 0, 0, count);
    copyTriple(values, row + 3 * stride + start, stride, 1, 0, count);
    if (group >= to) {
      subtractProducts(l, top, Math.max(top, group), end, group, from, start, stop);
      continue;
    }
    if (group >= top) {
      subtractProducts(l, top, group, Math.min(end, group + GROUP), group, from, start, stop);
      if (!factorDiagonal(values, row + group, stride, Math.min(GROUP, n - group))) return false;
    }
    copyTriple(values, row + 3 * stride + group, stride, 1, count, 3);
    copyCorner(values, row + group, stride, 0);
    copyCorner(values, row + 3 * stride + group + 3, stride, 1);
    for (let i = Math.max(top, group + GROUP); i < end; i += GROUP) {
      if (first[i] > group) continue;
      const k = Math.max(start, first[i]);
      const to = base[i] + group;
      const step = i + GROUP - first[i];
      finishRows(values, to, step, 0, i - top, k - from, k - start, group - k);
      finishRows(values, to + 3, step, 1, i - top, k - from, k - start, group + 3 - k);
    }
  }
  return true;
}

/**
 * A_ij -= sum_k L_ik L_jk for rows i from `begin` to `end` and the six columns j of `group` up to the diagonal, k from `start` to
 * `stop`; the panel begins at column `from`.
 */
function subtractProducts(
  l: Envelope,
  top: number,
  begin: number,
  end: number,
  group: number,
  from: number,
  start: number,
  stop: number,
): void {
  const { first, base, values } = l;
  for (let i = begin; i < end; i += GROUP) {
    const k = Math.max(start, first[i]);
    if (k >= stop) continue;
    const step = i + GROUP - first[i];
    for (let half = 0; half < 2; half++) {
      const j = group + 3 * half;
      subtractRows(values, base[i] + j, step, i + 1 - j, half, i - top, k - from, k - start, stop - k);
    }
  }
}

/** Factors the diagonal block of `rows` rows that begins at values[corner]. */
function factorDiagonal(values: Float64Array, corner: number, stride: number, rows: number): boolean {
  for (let i = 0; i < rows; i++) {
    const row = corner + i * stride;
    for (let j = 0; j <= i; j++) {
      const other = corner + j * stride;
      let sum = values[row + j];
      for (let k = 0; k < j; k++) sum -= values[row + k] * values[other + k];
      if (j < i) values[row + j] = sum / values[other + j];
      else if (sum > 0 && sum < Number.POSITIVE_INFINITY) values[row + i] = Math.sqrt(sum);
      else return false;
    }
  }
  return true;
}

/** Solves L L^T x = b in place, three rows at a time. */
export function solveEnvelope(l: Envelope, b: MutableNumbers): void {
  const { n, base, values } = l;
  for (let i = 0; i < n; i += 3) {
    multiplyRows(l, i, b);
    const end = Math.min(n, i + 3);
    for (let j = i; j < end; j++) {
      let sum = b[j] - products[j - i];
      for (let k = i; k < j; k++) sum -= values[base[j] + k] * b[k];
      b[j] = sum / values[base[j] + j];
    }
  }
  for (let i = n - 1 - ((n - 1) % 3); i >= 0; i -= 3) {
    for (let j = Math.min(n, i + 3) - 1; j >= i; j--) {
      const x = b[j] / values[base[j] + j];
      b[j] = x;
      for (let k = i; k < j; k++) b[k] -= values[base[j] + k] * x;
    }
    addRows(l, i, b, -1, b);
  }
}

/** out = A x; `out` and `x` must not overlap. */
export function multiplyEnvelope(a: Envelope, x: Numbers, out: MutableNumbers): void {
  const { n, base, values } = a;
  for (let i = 0; i < n; i += 3) {
    multiplyRows(a, i, x);
    const end = Math.min(n, i + 3);
    for (let j = i; j < end; j++) {
      let sum = products[j - i] + values[base[j] + j] * x[j];
      for (let k = i; k < j; k++) {
        sum += values[base[j] + k] * x[k];
        out[k] += values[base[j] + k] * x[j];
      }
      out[j] = sum;
    }
    addRows(a, i, x, 1, out);
  }
}

/** Row products of {@link multiplyRows}. */
const products = /* @__PURE__ */ new Float64Array(3);

/** products = rows i to i + 2, left of column i, times x. */
function multiplyRows(a: Envelope, i: number, x: Numbers): void {
  const { n, first, base, values } = a;
  const row0 = base[i];
  const row1 = base[Math.min(n - 1, i + 1)];
  const row2 = base[Math.min(n - 1, i + 2)];
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  for (let k = first[i]; k < i; k++) {
    const xk = x[k];
    s0 += values[row0 + k] * xk;
    s1 += values[row1 + k] * xk;
    s2 += values[row2 + k] * xk;
  }
  products[0] = s0;
  products[1] = s1;
  products[2] = s2;
}

/** out_k += scale sum_j A_jk x_j over rows j from i to i + 2, for columns k < i. */
function addRows(a: Envelope, i: number, x: Numbers, scale: number, out: MutableNumbers): void {
  const { n, first, base, values } = a;
  const row0 = base[i];
  const row1 = base[Math.min(n - 1, i + 1)];
  const row2 = base[Math.min(n - 1, i + 2)];
  const x0 = scale * x[i];
  const x1 = i + 1 < n ? scale * x[i + 1] : 0;
  const x2 = i + 2 < n ? scale * x[i + 2] : 0;
  for (let k = first[i]; k < i; k++) {
    out[k] += values[row0 + k] * x0 + values[row1 + k] * x1 + values[row2 + k] * x2;
  }
}
