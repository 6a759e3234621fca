/**
 * Symmetric matrices whose entry i, j is zero unless one of i and j is an ancestor of the other, as of a tree of joints: row k holds k's ancestors from the
 * root and k itself, so that rows of an ancestor and of a descendant run along the same path. H = L^T L keeps the pattern (Featherstone 2008,
 * section 6.5).
 */
export interface TreePattern {
  readonly size: number;
  /** Parent of each index, smaller than it; -1 at a root. i - 1 throughout makes the matrix dense. */
  readonly parents: Int32Array;
  /** Number of ancestors. */
  readonly depths: Int32Array;
  /** Where each row starts: entry k, i is at `starts[k] + depths[i]`. */
  readonly starts: Int32Array;
  /** Numbers of a matrix. */
  readonly length: number;
}

export function createPattern(parents: Int32Array): TreePattern {
  const size = parents.length;
  const depths = new Int32Array(size);
  const starts = new Int32Array(size);
  let length = 0;
  for (let k = 0; k < size; k++) {
    depths[k] = parents[k] < 0 ? 0 : depths[parents[k]] + 1;
    starts[k] = length;
    length += depths[k] + 1;
  }
  return { size, parents, depths, starts, length };
}

/**
 * Factors a matrix in place.
 *
 * @returns false, with `h` partly overwritten, when a pivot is not positive.
 */
export function factorTree(h: Float64Array, { size, parents, depths, starts }: TreePattern): boolean {
  for (let k = size - 1; k >= 0; k--) {
    const s = starts[k];
    const d = depths[k];
    const pivot = h[s + d];
    if (!(pivot > 0)) return false;
    const diagonal = Math.sqrt(pivot);
    const reciprocal = 1 / diagonal;
    h[s + d] = diagonal;
    for (let e = 0; e < d; e++) h[s + e] *= reciprocal;
    // H_ij -= L_ki L_kj
    for (let i = parents[k], e = d - 1; e >= 0; e--, i = parents[i]) {
      const x = h[s + e];
      if (x === 0) continue;
      const o = starts[i];
      for (let f = 0; f <= e; f++) h[o + f] -= x * h[s + f];
    }
  }
  return true;
}

/** b = H^-1 b with the L that {@link factorTree} left. */
export function solveTree(
  l: Float64Array,
  { size, parents, depths, starts }: TreePattern,
  b: Float64Array,
): void {
  // L^T y = b
  for (let k = size - 1; k >= 0; k--) {
    const s = starts[k];
    const d = depths[k];
    const x = b[k] / l[s + d];
    b[k] = x;
    for (let i = parents[k], e = d - 1; e >= 0; e--, i = parents[i]) b[i] -= l[s + e] * x;
  }
  // L x = y
  for (let k = 0; k < size; k++) {
    const s = starts[k];
    const d = depths[k];
    let sum = b[k];
    for (let i = parents[k], e = d - 1; e >= 0; e--, i = parents[i]) sum -= l[s + e] * b[i];
    b[k] = sum / l[s + d];
  }
}

/** out = H d. */
export function multiplyTree(
  h: Float64Array,
  { size, parents, depths, starts }: TreePattern,
  d: Float64Array,
  out: Float64Array,
): void {
  for (let k = 0; k < size; k++) {
    const s = starts[k];
    const x = d[k];
    let sum = h[s + depths[k]] * x;
    for (let i = parents[k], e = depths[k] - 1; e >= 0; e--, i = parents[i]) {
      sum += h[s + e] * d[i];
      out[i] += h[s + e] * x;
    }
    out[k] = sum;
  }
}
