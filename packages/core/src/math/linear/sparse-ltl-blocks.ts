/**
 * The inverse of H = L^T L, and its product with matrices of the same pattern, L the factor of `sparse-ltl.ts`. Chains of consecutive
 * coordinates are cut into blocks of three, the last of a chain padded: a 3 x 3 block of L times three rows of X takes 9 products for 6 rows
 * read, where row by row each product reads two.
 */
export interface RowBlocks {
  readonly size: number;
  /** Coordinates of each block, three numbers; the padding is the first one again, with zeros for L and ones on its diagonal. */
  readonly rows: Int32Array;
  /** Number of coordinates of each block. */
  readonly counts: Int32Array;
  /** Ancestors of block b: `ancestors` from `start[b]` to `start[b + 1]`. */
  readonly start: Int32Array;
  readonly ancestors: Int32Array;
  /**
   * Columns of block b's rows in the pattern, ancestors and descendants: from `runs[2 r]` to `runs[2 r + 1]`, `runStart[b]` <= r <
   * `runStart[b + 1]`.
   */
  readonly runStart: Int32Array;
  readonly runs: Int32Array;
  /** 1/L_00, 1/L_11, 1/L_22, L_10, L_20, L_21 of each block. */
  readonly diagonal: Float64Array;
  /** L of a block (rows) and each of its ancestors (columns), 9 numbers, row by row. */
  readonly below: Float64Array;
}

/** Cuts the tree of coordinates into blocks; `parents` as `factorTree` takes them. */
export function createRowBlocks(parents: Int32Array): RowBlocks {
  const size = parents.length;
  const children = new Int32Array(size);
  for (const parent of parents) if (parent >= 0) children[parent]++;
  const blocks: number[][] = [];
  const blockOf = new Int32Array(size);
  parents.forEach((parent, k) => {
    const own = parent < 0 ? undefined : blocks[blockOf[parent]];
    // A chain forks between blocks only, so that a block descends from all coordinates of another or from none.
    if (own !== undefined && own.length < 3 && parent === k - 1 && children[parent] === 1) {
      own.push(k);
      blockOf[k] = blockOf[parent];
    } else blockOf[k] = blocks.push([k]) - 1;
  });
  const start = new Int32Array(blocks.length + 1);
  const ancestors: number[] = [];
  const related = blocks.map((block) => new Set(block));
  blocks.forEach((block, b) => {
    for (let p = parents[block[0]]; p >= 0; p = parents[blocks[blockOf[p]][0]]) {
      ancestors.push(blockOf[p]);
      for (const k of block) related[blockOf[p]].add(k);
      for (const k of blocks[blockOf[p]]) related[b].add(k);
    }
    start[b + 1] = ancestors.length;
  });
  const runStart = new Int32Array(blocks.length + 1);
  const runs: number[] = [];
  related.forEach((columns, b) => {
    for (let k = 0; k <= size; k++) if (columns.has(k) !== columns.has(k - 1)) runs.push(k);
    runStart[b + 1] = runs.length / 2;
  });
  return {
    size,
    rows: Int32Array.from(blocks.flatMap((block) => [0, 1, 2].map((i) => block[i] ?? block[0]))),
    counts: Int32Array.from(blocks, (block) => block.length),
    start,
    ancestors: Int32Array.from(ancestors),
    runStart,
    runs: Int32Array.from(runs),
    diagonal: new Float64Array(6 * blocks.length),
    below: new Float64Array(9 * ancestors.length),
  };
}

/** Copies the factor `l`, an n x n matrix, into the blocks. */
export function setRowBlocks(
  { size: n, rows, counts, start, ancestors, diagonal, below }: RowBlocks,
  l: Float64Array,
): void {
  for (let b = 0; b < counts.length; b++) {
    const count = counts[b];
    const r0 = rows[3 * b] * n;
    const r1 = rows[3 * b + 1] * n;
    const r2 = rows[3 * b + 2] * n;
    const c0 = rows[3 * b];
    diagonal[6 * b] = 1 / l[r0 + c0];
    diagonal[6 * b + 1] = count > 1 ? 1 / l[r1 + c0 + 1] : 1;
    diagonal[6 * b + 2] = count > 2 ? 1 / l[r2 + c0 + 2] : 1;
    diagonal[6 * b + 3] = count > 1 ? l[r1 + c0] : 0;
    diagonal[6 * b + 4] = count > 2 ? l[r2 + c0] : 0;
    diagonal[6 * b + 5] = count > 2 ? l[r2 + c0 + 1] : 0;
    for (let s = start[b]; s < start[b + 1]; s++) {
      const width = counts[ancestors[s]];
      const column = rows[3 * ancestors[s]];
      for (let i = 0, m = 9 * s; i < count; i++, m += 3) {
        const at = rows[3 * b + i] * n + column;
        below[m] = l[at];
        if (width > 1) below[m + 1] = l[at + 1];
        if (width > 2) below[m + 2] = l[at + 2];
      }
    }
  }
}

/**
 * X <- H^-1 X for an n x n matrix X with the pattern of H: X_ij is zero unless one of i and j is an ancestor of the other. L^-T keeps the
 * pattern.
 */
export function solvePattern(blocks: RowBlocks, x: Float64Array): void {
  const { size, rows, counts, start, ancestors, runStart, runs, diagonal, below } = blocks;
  // L^T Y = X, leaves first: a block, then its part of the rows of all its ancestors.
  for (let b = counts.length - 1; b >= 0; b--) {
    const a0 = rows[3 * b] * size;
    const a1 = rows[3 * b + 1] * size;
    const a2 = rows[3 * b + 2] * size;
    const d0 = diagonal[6 * b];
    const d1 = diagonal[6 * b + 1];
    const d2 = diagonal[6 * b + 2];
    const l10 = diagonal[6 * b + 3];
    const l20 = diagonal[6 * b + 4];
    const l21 = diagonal[6 * b + 5];
    for (let r = runStart[b]; r < runStart[b + 1]; r++) {
      const end = runs[2 * r + 1];
      for (let c = runs[2 * r]; c < end; c++) {
        const y2 = x[a2 + c] * d2;
        const y1 = (x[a1 + c] - l21 * y2) * d1;
        x[a2 + c] = y2;
        x[a1 + c] = y1;
        x[a0 + c] = (x[a0 + c] - l20 * y2 - l10 * y1) * d0;
      }
    }
    for (let s = start[b]; s < start[b + 1]; s++) {
      const block = 3 * ancestors[s];
      const j0 = rows[block] * size;
      const j1 = rows[block + 1] * size;
      const j2 = rows[block + 2] * size;
      const m = 9 * s;
      const m00 = below[m];
      const m01 = below[m + 1];
      const m02 = below[m + 2];
      const m10 = below[m + 3];
      const m11 = below[m + 4];
      const m12 = below[m + 5];
      const m20 = below[m + 6];
      const m21 = below[m + 7];
      const m22 = below[m + 8];
      for (let r = runStart[b]; r < runStart[b + 1]; r++) {
        const end = runs[2 * r + 1];
        for (let c = runs[2 * r]; c < end; c++) {
          const y0 = x[a0 + c];
          const y1 = x[a1 + c];
          const y2 = x[a2 + c];
          x[j0 + c] -= m00 * y0 + m10 * y1 + m20 * y2;
          x[j1 + c] -= m01 * y0 + m11 * y1 + m21 * y2;
          x[j2 + c] -= m02 * y0 + m12 * y1 + m22 * y2;
        }
      }
    }
  }
  // L X = Y, roots first.
  for (let b = 0; b < counts.length; b++) {
    subtractAncestors(blocks, b, x, 0, size);
    const a0 = rows[3 * b] * size;
    const a1 = rows[3 * b + 1] * size;
    const a2 = rows[3 * b + 2] * size;
    const d0 = diagonal[6 * b];
    const d1 = diagonal[6 * b + 1];
    const d2 = diagonal[6 * b + 2];
    const l10 = diagonal[6 * b + 3];
    const l20 = diagonal[6 * b + 4];
    const l21 = diagonal[6 * b + 5];
    for (let c = 0; c < size; c++) {
      const y0 = x[a0 + c] * d0;
      const y1 = (x[a1 + c] - l10 * y0) * d1;
      // The first row last: the padding writes to it too.
      x[a2 + c] = (x[a2 + c] - l20 * y0 - l21 * y1) * d2;
      x[a1 + c] = y1;
      x[a0 + c] = y0;
    }
  }
}

/** Rows of block b -= L times the rows of its ancestors, in columns `from` to `to`. */
function subtractAncestors(
  { size, rows, start, ancestors, below }: RowBlocks,
  b: number,
  x: Float64Array,
  from: number,
  to: number,
): void {
  const a0 = rows[3 * b] * size;
  const a1 = rows[3 * b + 1] * size;
  const a2 = rows[3 * b + 2] * size;
  for (let s = start[b]; s < start[b + 1]; s++) {
    const block = 3 * ancestors[s];
    const j0 = rows[block] * size;
    const j1 = rows[block + 1] * size;
    const j2 = rows[block + 2] * size;
    const m = 9 * s;
    const m00 = below[m];
    const m01 = below[m + 1];
    const m02 = below[m + 2];
    const m10 = below[m + 3];
    const m11 = below[m + 4];
    const m12 = below[m + 5];
    const m20 = below[m + 6];
    const m21 = below[m + 7];
    const m22 = below[m + 8];
    for (let c = from; c < to; c++) {
      const z0 = x[j0 + c];
      const z1 = x[j1 + c];
      const z2 = x[j2 + c];
      x[a0 + c] -= m00 * z0 + m01 * z1 + m02 * z2;
      x[a1 + c] -= m10 * z0 + m11 * z1 + m12 * z2;
      x[a2 + c] -= m20 * z0 + m21 * z1 + m22 * z2;
    }
  }
}

/**
 * x = H^-1, n x n, exactly symmetric. L H^-1 = L^-T is zero below its diagonal, so that a row of H^-1 left of its diagonal follows from the
 * rows of ancestors alone.
 */
export function invertRowBlocks(blocks: RowBlocks, x: Float64Array): void {
  const { size: n, rows, counts, diagonal } = blocks;
  x.fill(0);
  for (let b = 0; b < counts.length; b++) {
    const count = counts[b];
    const first = rows[3 * b];
    const a0 = first * n;
    const a1 = rows[3 * b + 1] * n;
    const a2 = rows[3 * b + 2] * n;
    const d0 = diagonal[6 * b];
    const d1 = diagonal[6 * b + 1];
    const d2 = diagonal[6 * b + 2];
    const l10 = diagonal[6 * b + 3];
    const l20 = diagonal[6 * b + 4];
    const l21 = diagonal[6 * b + 5];
    subtractAncestors(blocks, b, x, 0, first);
    for (let c = 0; c < first; c++) {
      const y0 = x[a0 + c] * d0;
      const y1 = (x[a1 + c] - l10 * y0) * d1;
      const y2 = (x[a2 + c] - l20 * y0 - l21 * y1) * d2;
      const mirror = c * n + first;
      x[a0 + c] = y0;
      x[mirror] = y0;
      if (count > 1) {
        x[a1 + c] = y1;
        x[mirror + 1] = y1;
      }
      if (count > 2) {
        x[a2 + c] = y2;
        x[mirror + 2] = y2;
      }
    }
    // The diagonal block, from the same of the ancestors' columns and 1/L on the diagonal of L^-T.
    subtractAncestors(blocks, b, x, first, first + count);
    const x00 = (x[a0 + first] + d0) * d0;
    x[a0 + first] = x00;
    if (count === 1) continue;
    const x10 = (x[a1 + first] - l10 * x00) * d1;
    const x11 = (x[a1 + first + 1] + d1 - l10 * x10) * d1;
    x[a1 + first] = x10;
    x[a0 + first + 1] = x10;
    x[a1 + first + 1] = x11;
    if (count === 2) continue;
    const x20 = (x[a2 + first] - l20 * x00 - l21 * x10) * d2;
    const x21 = (x[a2 + first + 1] - l20 * x10 - l21 * x11) * d2;
    x[a2 + first] = x20;
    x[a0 + first + 2] = x20;
    x[a2 + first + 1] = x21;
    x[a1 + first + 2] = x21;
    x[a2 + first + 2] = (x[a2 + first + 2] + d2 - l20 * x20 - l21 * x21) * d2;
  }
}
