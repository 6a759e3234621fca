import { expect, it } from 'vitest';
import { diagonalize } from '../../src/math/linear/symmetric-eigen.js';
import { testRandom } from '../support/random-figure.js';

/** Largest entry of V A V^T - D and of V V^T - 1. */
function errors(
  a: readonly number[],
  n: number,
): { diagonal: number[]; residual: number; orthogonality: number } {
  const d = Float64Array.from(a);
  const v = new Float64Array(n * n);
  diagonalize(d, n, v);
  let residual = 0;
  let orthogonality = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      let diagonalized = 0;
      let product = 0;
      for (let k = 0; k < n; k++) {
        product += v[i * n + k] * v[j * n + k];
        for (let l = 0; l < n; l++) diagonalized += v[i * n + k] * a[k * n + l] * v[j * n + l];
      }
      residual = Math.max(residual, Math.abs(diagonalized - (i === j ? d[i * n + i] : 0)));
      orthogonality = Math.max(orthogonality, Math.abs(product - (i === j ? 1 : 0)));
    }
  }
  return { diagonal: Array.from({ length: n }, (_, k) => d[k * n + k]), residual, orthogonality };
}

it('diagonalizes random symmetric matrices by an orthogonal one, rank-deficient and repeated eigenvalues included', () => {
  const random = testRandom(5);
  for (let n = 1; n <= 40; n += 3) {
    const rank = 1 + Math.floor(n * random());
    const rows = Array.from({ length: rank }, () => Array.from({ length: n }, () => 2 * random() - 1));
    const a = Array.from({ length: n * n }, (_, e) =>
      rows.reduce(
        (sum, row) => sum + row[Math.floor(e / n)] * row[e % n],
        e % (n + 1) === 0 && n % 2 === 0 ? 1 : 0,
      ),
    );
    const { residual, orthogonality } = errors(a, n);
    expect(residual).toBeLessThan(2e-15 * n * n);
    expect(orthogonality).toBeLessThan(1e-15 * n);
  }
});

it('gives known eigenvalues: 2 cos(k pi / (n + 1)) of the path graph', () => {
  const n = 9;
  const a = Array.from({ length: n * n }, (_, e) => (Math.abs(Math.floor(e / n) - (e % n)) === 1 ? 1 : 0));
  const { diagonal } = errors(a, n);
  const expected = Array.from({ length: n }, (_, k) => 2 * Math.cos(((k + 1) * Math.PI) / (n + 1)));
  diagonal.sort((x, y) => y - x);
  for (let k = 0; k < n; k++) expect(diagonal[k]).toBeCloseTo(expected[k], 14);
});
