/**
 * The sparse factorization H = L^T L of a joint-space inertia matrix (Featherstone 2008, section 6.5): H_ij is zero unless one of
 * i and j is an ancestor of the other. Eliminating from the leaves keeps the pattern without fill-in; the cost is the sum of
 * squared depths, not n^3.
 *
 * `parents[i]` is the parent of coordinate i, -1 at a root; i - 1 throughout makes H dense. Nothing is allocated.
 */

/**
 * Factors the lower triangle of the n x n matrix `h`, row by row, in place.
 *
 * @returns false, with `h` partly overwritten, when a pivot is not positive.
 */
export function factorTree(h: Float64Array, n: number, parents: Int32Array): boolean {
  for (let k = n - 1; k >= 0; k--) {
    const row = k * n;
    const pivot = h[row + k];
    if (!(pivot > 0)) return false;
    const diagonal = Math.sqrt(pivot);
    const reciprocal = 1 / diagonal;
    h[row + k] = diagonal;
    for (let i = parents[k]; i >= 0; i = parents[i]) h[row + i] *= reciprocal;
    // H_ij -= L_ki L_kj
    for (let i = parents[k]; i >= 0; i = parents[i]) {
      const x = h[row + i];
      if (x === 0) continue;
      const o = i * n;
      for (let j = i; j >= 0; j = parents[j]) h[o + j] -= x * h[row + j];
    }
  }
  return true;
}

/** b = L^-T b. */
export function solveUpper(l: Float64Array, n: number, parents: Int32Array, b: Float64Array): void {
  for (let k = n - 1; k >= 0; k--) {
    const row = k * n;
    const x = b[k] / l[row + k];
    b[k] = x;
    for (let j = parents[k]; j >= 0; j = parents[j]) b[j] -= l[row + j] * x;
  }
}

/** b = L^-1 b. */
export function solveLower(l: Float64Array, n: number, parents: Int32Array, b: Float64Array): void {
  for (let k = 0; k < n; k++) {
    const row = k * n;
    let sum = b[k];
    for (let j = parents[k]; j >= 0; j = parents[j]) sum -= l[row + j] * b[j];
    b[k] = sum / l[row + k];
  }
}
