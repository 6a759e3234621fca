/** Singular values and right singular vectors of a matrix. */
export interface SingularValues {
  /** Descending. */
  readonly values: Float64Array;
  /** Row k is the right singular vector of values[k], `columns` numbers. */
  readonly directions: Float64Array;
}

const MAX_SWEEPS = 40;
/** |cosine| below which two columns count as orthogonal. */
const ORTHOGONAL = 1e-15;

/**
 * Singular value decomposition of a rows x columns matrix by one-sided Jacobi rotations (Hestenes 1958): small singular values
 * have the relative accuracy of large ones, unlike those from A^T A.
 *
 * @param a - Row by row; not modified.
 */
export function singularValues(a: Float64Array, rows: number, columns: number): SingularValues {
  // Columns of A as rows of a work array, and below them the columns of V.
  const u = new Float64Array(columns * rows);
  const v = new Float64Array(columns * columns);
  for (let c = 0; c < columns; c++) {
    for (let r = 0; r < rows; r++) u[c * rows + r] = a[r * columns + c];
    v[c * columns + c] = 1;
  }
  let rotated = true;
  for (let sweep = 0; rotated && sweep < MAX_SWEEPS; sweep++) {
    rotated = false;
    for (let p = 0; p < columns - 1; p++) {
      for (let q = p + 1; q < columns; q++) {
        if (rotate(u, v, rows, columns, p, q)) rotated = true;
      }
    }
  }
  const lengths = Array.from({ length: columns }, (_, c) => Math.sqrt(dot(u, rows, c, c)));
  const order = Array.from(lengths.keys()).sort((x, y) => lengths[y] - lengths[x] || x - y);
  const directions = new Float64Array(columns * columns);
  order.forEach((c, k) => {
    directions.set(v.subarray(c * columns, (c + 1) * columns), k * columns);
  });
  return { values: Float64Array.from(order, (c) => lengths[c]), directions };
}

/** Jacobi rotation that orthogonalizes columns p and q. Returns false where they are orthogonal already. */
function rotate(
  u: Float64Array,
  v: Float64Array,
  rows: number,
  columns: number,
  p: number,
  q: number,
): boolean {
  const alpha = dot(u, rows, p, p);
  const beta = dot(u, rows, q, q);
  const gamma = dot(u, rows, p, q);
  if (Math.abs(gamma) <= ORTHOGONAL * Math.sqrt(alpha * beta) || gamma === 0) return false;
  const zeta = (beta - alpha) / (2 * gamma);
  const t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
  const c = 1 / Math.sqrt(1 + t * t);
  rotateRows(u, rows, p, q, c, c * t);
  rotateRows(v, columns, p, q, c, c * t);
  return true;
}

function dot(u: Float64Array, rows: number, p: number, q: number): number {
  let sum = 0;
  for (let r = 0; r < rows; r++) sum += u[p * rows + r] * u[q * rows + r];
  return sum;
}

function rotateRows(u: Float64Array, rows: number, p: number, q: number, c: number, s: number): void {
  for (let r = 0; r < rows; r++) {
    const x = u[p * rows + r];
    const y = u[q * rows + r];
    u[p * rows + r] = c * x - s * y;
    u[q * rows + r] = s * x + c * y;
  }
}
