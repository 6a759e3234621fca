/** A KKT system [H A^T; A 0] with its scratch. */
export interface KktSystem {
  /** Lower triangle, row by row, of size + rows columns; overwritten. */
  readonly matrix: Float64Array;
  /** The right-hand side, overwritten by the solution: the step, then the multipliers. */
  readonly solution: Float64Array;
  /** First nonzero column of each row. */
  readonly envelope: Int32Array;
}

/** @param order - Largest size + rows. */
export function createKktSystem(order: number): KktSystem {
  return {
    matrix: new Float64Array(order * order),
    solution: new Float64Array(order),
    envelope: new Int32Array(order),
  };
}

/**
 * Solves a KKT system by L D L^T within the envelope, in place, without pivoting: H must be nonsingular.
 *
 * @param size - Columns of H and A.
 * @param rows - Rows of A, linearly independent.
 * @returns whether H is positive definite on the null space of A: then exactly `rows` pivots are negative (Gould 1985).
 */
export function solveKkt(
  { matrix: a, solution: x, envelope }: KktSystem,
  size: number,
  rows: number,
): boolean {
  const order = size + rows;
  let negative = 0;
  for (let j = 0; j < order; j++) {
    const row = j * order;
    let first = 0;
    while (first < j && a[row + first] === 0) first++;
    envelope[j] = first;
    // Row j: a_jk holds l_jk d_k until the pivot is known, then l_jk. Two entries at once: one sum alone waits for each of its additions.
    for (let k = first; k < j; k += 2) {
      const p = k * order;
      const q = p + order;
      let sum = a[row + k];
      let next = a[row + k + 1];
      for (let m = Math.max(first, Math.min(envelope[k], envelope[k + 1])); m < k; m++) {
        const y = a[row + m];
        sum -= y * a[p + m];
        next -= y * a[q + m];
      }
      a[row + k] = sum;
      if (k + 1 < j) a[row + k + 1] = next - sum * a[q + k];
    }
    let pivot = a[row + j];
    let y = x[j];
    for (let k = first; k < j; k++) {
      const l = a[row + k] * a[k * (order + 1)];
      pivot -= l * a[row + k];
      y -= l * x[k];
      a[row + k] = l;
    }
    if (pivot < 0) negative++;
    if (negative > rows || !(pivot !== 0)) return false;
    // The diagonal keeps 1 / d_j.
    a[row + j] = 1 / pivot;
    x[j] = y;
  }
  for (let j = 0; j < order; j++) x[j] *= a[j * (order + 1)];
  for (let j = order - 1; j > 0; j--) {
    for (let k = envelope[j]; k < j; k++) x[k] -= a[j * order + k] * x[j];
  }
  return negative === rows;
}
