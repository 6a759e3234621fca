/**
 * Singular values and right singular vectors of a rows x columns matrix by one-sided Jacobi rotations (Hestenes 1958): small values
 * come out as exactly as large ones, which those of A^T A do not.
 */
export interface SingularValues {
  /** Falling. */
  readonly values: Float64Array;
  /** Row k is the direction of values[k], a unit vector of `columns` numbers. */
  readonly directions: Float64Array;
}

const MOST_SWEEPS = 40;
/** Two columns this near to a right angle (cosine) are left. */
const ORTHOGONAL = 1e-15;

/** @param a - Row by row; not changed. */
export function singularValues(a: Float64Array, rows: number, columns: number): SingularValues {
  // Columns of A as rows of a work array, and below them the columns of V.
  const u = new Float64Array(columns * rows);
  const v = new Float64Array(columns * columns);
  for (let c = 0; c < columns; c++) {
    for (let r = 0; r < rows; r++) u[c * rows + r] = a[r * columns + c];
    v[c * columns + c] = 1;
  }
  let turned = true;
  for (let sweep = 0; turned && sweep < MOST_SWEEPS; sweep++) {
    turned = false;
    for (let p = 0; p < columns - 1; p++) {
      for (let q = p + 1; q < columns; q++) {
        if (rotate(u, v, rows, columns, p, q)) turned = true;
      }
    }
  }
  const lengths = Array.from({ length: columns }, (_, c) => Math.sqrt(product(u, rows, c, c)));
  const order = Array.from(lengths.keys()).sort((x, y) => lengths[y] - lengths[x] || x - y);
  const directions = new Float64Array(columns * columns);
  order.forEach((c, k) => {
    directions.set(v.subarray(c * columns, (c + 1) * columns), k * columns);
  });
  return { values: Float64Array.from(order, (c) => lengths[c]), directions };
}

/** Turns columns p, q in their plane until they are orthogonal. Returns false where they are. */
function rotate(
  u: Float64Array,
  v: Float64Array,
  rows: number,
  columns: number,
  p: number,
  q: number,
): boolean {
  const alpha = product(u, rows, p, p);
  const beta = product(u, rows, q, q);
  const gamma = product(u, rows, p, q);
  if (Math.abs(gamma) <= ORTHOGONAL * Math.sqrt(alpha * beta) || gamma === 0) return false;
  const zeta = (beta - alpha) / (2 * gamma);
  const t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
  const c = 1 / Math.sqrt(1 + t * t);
  mix(u, rows, p, q, c, c * t);
  mix(v, columns, p, q, c, c * t);
  return true;
}

function product(u: Float64Array, rows: number, p: number, q: number): number {
  let sum = 0;
  for (let r = 0; r < rows; r++) sum += u[p * rows + r] * u[q * rows + r];
  return sum;
}

function mix(u: Float64Array, rows: number, p: number, q: number, c: number, s: number): void {
  for (let r = 0; r < rows; r++) {
    const x = u[p * rows + r];
    const y = u[q * rows + r];
    u[p * rows + r] = c * x - s * y;
    u[q * rows + r] = s * x + c * y;
  }
}
