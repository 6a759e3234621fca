import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DoubleDouble } from '../../../../scripts/oracles/double-double.js';
import { DomainError } from '../../src/errors.js';
import {
  createEnvelope,
  type Envelope,
  factorEnvelope,
  multiplyEnvelope,
  solveEnvelope,
} from '../../src/math/linear/envelope-cholesky.js';

/** Numbers in [-1, 1] from a seed (mulberry32): matrices of thousands of entries would be slow to draw one by one. */
function uniform(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2147483648 - 1;
  };
}

/** Envelopes with ragged rows, with groups of equal rows, with both; then full rows. */
const firsts = fc
  .record({
    n: fc.integer({ min: 1, max: 70 }),
    width: fc.integer({ min: 0, max: 40 }),
    group: fc.integer({ min: 1, max: 9 }),
    border: fc.integer({ min: 0, max: 6 }),
    seed: fc.integer(),
  })
  .map(({ n, width, group, border, seed }) => {
    const random = uniform(seed);
    const first = new Int32Array(n + border);
    for (let i = 0; i < n; i++) {
      const ragged = Math.floor(Math.abs(random()) * (width + 1));
      first[i] = i % group === 0 || group === 1 ? Math.max(0, i - ragged) : first[i - 1];
    }
    return { first, seed };
  });

/** Diagonally dominant, so positive definite by Gershgorin; every entry of the given envelope other than zero. */
function definite(first: Int32Array, seed: number): Envelope {
  const a = createEnvelope(first);
  const random = uniform(seed ^ 0x5bd1e995);
  const sums = new Float64Array(a.n);
  for (let i = 0; i < a.n; i++) {
    for (let j = first[i]; j < i; j++) {
      const value = random();
      a.values[a.base[i] + j] = value;
      sums[i] += Math.abs(value);
      sums[j] += Math.abs(value);
    }
  }
  for (let i = 0; i < a.n; i++) a.values[a.base[i] + i] = sums[i] * 1.001 + 0.01;
  return a;
}

function copyOf(a: Envelope): Envelope {
  return { ...a, values: a.values.slice() };
}

/** Entry (i, j) of the lower triangle, zero outside the envelope. */
function entry(a: Envelope, i: number, j: number): number {
  return j >= a.first[i] && j <= i ? a.values[a.base[i] + j] : 0;
}

/** A row by row, both triangles. */
function dense(a: Envelope): number[][] {
  const at = (i: number, j: number) => entry(a, Math.max(i, j), Math.min(i, j));
  return Array.from({ length: a.n }, (_, i) => Array.from({ length: a.n }, (_, j) => at(i, j)));
}

describe('an envelope', () => {
  it('stores every entry of the requested rows separately, initially zero', () => {
    fc.assert(
      fc.property(firsts, ({ first }) => {
        const a = createEnvelope(first);
        expect(a.n).toBe(first.length);
        expect(a.values.every((value) => value === 0)).toBe(true);
        const positions = new Set<number>();
        let count = 0;
        for (let i = 0; i < a.n; i++) {
          expect(a.first[i]).toBeLessThanOrEqual(first[i]);
          expect(a.first[i]).toBeGreaterThanOrEqual(0);
          for (let j = a.first[i]; j <= i; j++, count++) positions.add(a.base[i] + j);
        }
        expect(positions.size).toBe(count);
        expect(Math.max(...positions)).toBeLessThan(a.values.length);
        expect(Math.min(...positions)).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('throws for a first column right of the diagonal or negative', () => {
    expect(() => createEnvelope(Int32Array.of(0, 2))).toThrow(DomainError);
    expect(() => createEnvelope(Int32Array.of(0, -1))).toThrow(DomainError);
    expect(createEnvelope(new Int32Array(0)).n).toBe(0);
  });
});

/** Higham, Accuracy and Stability of Numerical Algorithms, 2002, equation 3.4. */
function gamma(k: number): number {
  const ku = k * 2 ** -53;
  return ku / (1 - ku);
}

/** sum_k a[k] b[k], from `from` to `to`, in twice the digits. */
function exactDot(a: readonly number[], b: readonly number[], from = 0, to = a.length): DoubleDouble {
  let sum = new DoubleDouble(0);
  for (let k = from; k < to; k++) {
    if (a[k] !== 0 && b[k] !== 0) sum = sum.add(new DoubleDouble(a[k]).multiply(b[k]));
  }
  return sum;
}

/** |L| |L^T|, row by row. */
function absoluteProduct(l: Envelope): number[][] {
  const rows = lowerRows(l).map((row) => row.map(Math.abs));
  return rows.map((row) => rows.map((other) => row.reduce((sum, value, k) => sum + value * other[k], 0)));
}

/** L row by row, with the zeros right of the diagonal. */
function lowerRows(l: Envelope): number[][] {
  return Array.from({ length: l.n }, (_, i) => Array.from({ length: l.n }, (_, j) => entry(l, i, j)));
}

function factored(a: Envelope): Envelope {
  const l = copyOf(a);
  expect(factorEnvelope(a, l)).toBe(true);
  return l;
}

describe('the factor', () => {
  it('multiplies back to the matrix within the bound of rounding', () => {
    // Higham, theorem 10.3: |A - L L^T| <= gamma_(n+1) |L| |L^T|, whatever the order of the sums.
    fc.assert(
      fc.property(firsts, ({ first, seed }) => {
        const a = definite(first, seed);
        const l = lowerRows(factored(a));
        const bound = absoluteProduct(factored(a));
        for (let i = 0; i < a.n; i++) {
          expect(l[i][i]).toBeGreaterThan(0);
          for (let j = 0; j <= i; j++) {
            const residual = exactDot(l[i], l[j], 0, j + 1)
              .subtract(entry(a, i, j))
              .toNumber();
            expect(Math.abs(residual)).toBeLessThanOrEqual(gamma(a.n + 1) * bound[i][j]);
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it('is the same to the bit in place, out of place and over an old factor, and out of place does not modify the matrix', () => {
    fc.assert(
      fc.property(firsts, ({ first, seed }) => {
        const a = definite(first, seed);
        const before = a.values.slice();
        const l = createEnvelope(first);
        expect(factorEnvelope(a, l)).toBe(true);
        const once = l.values.slice();
        expect(a.values).toEqual(before);
        expect(factorEnvelope(definite(first, seed + 1), l)).toBe(true);
        expect(factorEnvelope(a, l)).toBe(true);
        expect(l.values).toEqual(once);
        expect(factorEnvelope(a, a)).toBe(true);
        expect(a.values).toEqual(once);
      }),
    );
  });

  it('of one row is its square root', () => {
    const a = createEnvelope(Int32Array.of(0));
    a.values[a.base[0]] = 2;
    expect(factorEnvelope(a, a)).toBe(true);
    expect(entry(a, 0, 0)).toBe(Math.SQRT2);
  });

  it('is zero in the padding', () => {
    const first = Int32Array.of(0, 1, 1, 3, 4, 5, 4, 7, 0);
    const l = factored(definite(first, 3));
    for (let i = 0; i < l.n; i++) {
      for (let j = l.first[i]; j < first[i]; j++) expect(entry(l, i, j)).toBe(0);
    }
    const asked = first.reduce((sum, column, i) => sum + i + 1 - column, 0);
    expect(l.values.filter((value) => value !== 0).length).toBeLessThanOrEqual(asked);
  });

  it('fails where a leading block is not positive definite', () => {
    // Lowering A_ii by L_ii^2 makes the leading block of i + 1 rows singular.
    fc.assert(
      fc.property(firsts, fc.nat(), ({ first, seed }, at) => {
        const a = definite(first, seed);
        const l = factored(a);
        const last = a.n - 1;
        const lower = (i: number, share: number) => {
          const changed = copyOf(a);
          changed.values[a.base[i] + i] -= entry(l, i, i) ** 2 * share;
          return factorEnvelope(changed, changed);
        };
        expect(lower(at % a.n, 1 + 1e-6)).toBe(false);
        expect(lower(last, 1 - 1e-6)).toBe(true);
      }),
    );
    const zero = createEnvelope(Int32Array.of(0));
    expect(factorEnvelope(zero, zero)).toBe(false);
  });

  it('fails where an entry is not finite', () => {
    const bad = fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);
    fc.assert(
      fc.property(firsts, fc.nat(), fc.nat(), bad, ({ first, seed }, row, column, value) => {
        const a = definite(first, seed);
        const i = row % a.n;
        a.values[a.base[i] + first[i] + (column % (i - first[i] + 1))] = value;
        expect(factorEnvelope(a, a)).toBe(false);
      }),
    );
  });
});

describe('the solution', () => {
  it('satisfies the system within the bound of rounding', () => {
    // Higham, theorem 10.4: (A + E) x = b with |E| <= gamma_(3n+1) |L| |L^T|.
    fc.assert(
      fc.property(firsts, ({ first, seed }) => {
        const a = definite(first, seed);
        const l = factored(a);
        const random = uniform(seed + 7);
        const b = Float64Array.from({ length: a.n }, random);
        const x = b.slice();
        solveEnvelope(l, x);
        const plain = Array.from(b);
        solveEnvelope(l, plain);
        expect(plain).toEqual(Array.from(x));
        const rows = dense(a);
        const bound = absoluteProduct(l);
        for (let i = 0; i < a.n; i++) {
          const residual = exactDot(rows[i], plain).subtract(b[i]).toNumber();
          const scale = bound[i].reduce((sum, value, k) => sum + value * Math.abs(x[k]), 0);
          expect(Math.abs(residual)).toBeLessThanOrEqual(gamma(3 * a.n + 1) * scale);
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('a system of the size of a trajectory', () => {
  const n = 1300;
  const first = Int32Array.from({ length: n }, (_, i) => (i < n - 11 ? Math.max(0, i - (i % 41) - 123) : 0));
  const a = definite(first, 11);
  const l = factored(a);

  it('has a factor that multiplies back to it, in banded rows and in full rows', () => {
    // Higham, theorem 10.3. The full rows are longer than a panel.
    for (const i of [0, 5, 47, 48, 100, 530, 1286, n - 12, n - 11, n - 6, n - 1]) {
      const row = Array.from({ length: n }, (_, j) => entry(l, i, j));
      for (let j = 0; j <= i; j++) {
        let sum = new DoubleDouble(0);
        let scale = 0;
        for (let k = Math.max(l.first[i], l.first[j]); k <= j; k++) {
          const ljk = entry(l, j, k);
          sum = sum.add(new DoubleDouble(row[k]).multiply(ljk));
          scale += Math.abs(row[k] * ljk);
        }
        const residual = sum.subtract(entry(a, i, j)).toNumber();
        if (!(Math.abs(residual) <= gamma(n + 1) * scale)) expect.fail(`(${i}, ${j}) is off by ${residual}`);
      }
    }
  });

  it('solves for the vector it was multiplied with', () => {
    const expected = Float64Array.from({ length: n }, uniform(12));
    const x = new Float64Array(n);
    multiplyEnvelope(a, expected, x);
    solveEnvelope(l, x);
    for (let i = 0; i < n; i++) expect(Math.abs(x[i] - expected[i])).toBeLessThan(1e-13);
  });

  it('has the same factor to the bit in place', () => {
    const again = copyOf(a);
    expect(factorEnvelope(again, again)).toBe(true);
    expect(Buffer.from(again.values.buffer).equals(Buffer.from(l.values.buffer))).toBe(true);
  });

  it('fails when its last pivot is not positive', () => {
    const changed = copyOf(a);
    changed.values[a.base[n - 1] + n - 1] -= entry(l, n - 1, n - 1) ** 2 * (1 + 1e-9);
    expect(factorEnvelope(changed, changed)).toBe(false);
  });
});

describe('the product', () => {
  it('is that of the dense symmetric matrix', () => {
    fc.assert(
      fc.property(firsts, ({ first, seed }) => {
        const a = definite(first, seed);
        const x = Array.from({ length: a.n }, uniform(seed + 5));
        const out = new Float64Array(a.n).fill(Number.NaN);
        multiplyEnvelope(a, x, out);
        const rows = dense(a);
        for (let i = 0; i < a.n; i++) {
          const scale = rows[i].reduce((sum, value, j) => sum + Math.abs(value * x[j]), 0);
          const difference = exactDot(rows[i], x).subtract(out[i]).toNumber();
          expect(Math.abs(difference)).toBeLessThanOrEqual(gamma(a.n) * scale);
        }
      }),
      { numRuns: 40 },
    );
  });
});
