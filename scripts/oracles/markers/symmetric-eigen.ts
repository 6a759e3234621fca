/** Eigenvalues and unit eigenvectors of a symmetric matrix. */
export interface SymmetricEigen {
  /** Falling. */
  readonly values: Float64Array;
  /** Row k belongs to value k. */
  readonly vectors: readonly Float64Array[];
}

const MAX_SWEEPS = 30;
/** Entries off the diagonal this small against the whole matrix are left: rounding. */
const SMALL = 1e-16;

/** Jacobi's rotations, row by row (Golub & Van Loan 2013, section 8.5). @param a - n x n, row by row; not changed. */
export function symmetricEigen(a: Float64Array, n: number): SymmetricEigen {
  const rows = Array.from({ length: n }, (_, k) => a.slice(k * n, (k + 1) * n));
  const v = Array.from({ length: n }, (_, k) =>
    Float64Array.from({ length: n }, (_, i) => (i === k ? 1 : 0)),
  );
  const min = SMALL * Math.hypot(...a);
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    let turned = false;
    for (let p = 0; p < n - 1; p++) {
      for (let q = p + 1; q < n; q++) {
        const off = rows[p][q];
        if (Math.abs(off) <= min) continue;
        turned = true;
        const theta = (rows[q][q] - rows[p][p]) / (2 * off);
        const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(1 + theta * theta));
        const c = 1 / Math.sqrt(1 + t * t);
        const s = c * t;
        const [row, other, left, right] = [rows[p], rows[q], v[p], v[q]];
        for (let k = 0; k < n; k++) {
          const x = rows[k][p];
          const y = rows[k][q];
          rows[k][p] = c * x - s * y;
          rows[k][q] = s * x + c * y;
        }
        for (let k = 0; k < n; k++) {
          const x = row[k];
          const y = other[k];
          row[k] = c * x - s * y;
          other[k] = s * x + c * y;
          const a = left[k];
          const b = right[k];
          left[k] = c * a - s * b;
          right[k] = s * a + c * b;
        }
      }
    }
    if (!turned) break;
  }
  const order = Array.from({ length: n }, (_, k) => k).sort((x, y) => rows[y][y] - rows[x][x]);
  return { values: Float64Array.from(order, (k) => rows[k][k]), vectors: order.map((k) => v[k]) };
}
