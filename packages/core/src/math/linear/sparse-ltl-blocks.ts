/**
 * X <- (L^T L)^-1 X for many right-hand sides, L the factor of `sparse-ltl.ts`. Chains of coordinates are cut into blocks of three, the
 * last of a chain padded: a 3 x 3 block of L times three rows of X takes 9 products for 6 rows read, where row by row each product reads two.
 */
export interface RowBlocks {
  readonly size: number;
  /** Coordinates of each block, three numbers; the padding is row `size`, which stays zero. */
  readonly rows: Int32Array;
  /** Ancestors of block b: `ancestors` from `start[b]` to `start[b + 1]`. */
  readonly start: Int32Array;
  readonly ancestors: Int32Array;
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
    if (own !== undefined && own.length < 3 && children[parent] === 1) {
      own.push(k);
      blockOf[k] = blockOf[parent];
    } else blockOf[k] = blocks.push([k]) - 1;
  });
  const start = new Int32Array(blocks.length + 1);
  const ancestors: number[] = [];
  blocks.forEach(([first], b) => {
    for (let p = parents[first]; p >= 0; p = parents[blocks[blockOf[p]][0]]) ancestors.push(blockOf[p]);
    start[b + 1] = ancestors.length;
  });
  return {
    size,
    rows: Int32Array.from(blocks.flatMap((block) => [0, 1, 2].map((i) => block[i] ?? size))),
    start,
    ancestors: Int32Array.from(ancestors),
    diagonal: new Float64Array(6 * blocks.length),
    below: new Float64Array(9 * ancestors.length),
  };
}

/** Copies the factor `l`, an n x n matrix, into the blocks. */
export function setRowBlocks(
  { size: n, rows, start, ancestors, diagonal, below }: RowBlocks,
  l: Float64Array,
): void {
  for (let b = 0; b + 1 < start.length; b++) {
    const r0 = rows[3 * b];
    const r1 = rows[3 * b + 1];
    const r2 = rows[3 * b + 2];
    diagonal[6 * b] = 1 / l[r0 * n + r0];
    diagonal[6 * b + 1] = r1 < n ? 1 / l[r1 * n + r1] : 1;
    diagonal[6 * b + 2] = r2 < n ? 1 / l[r2 * n + r2] : 1;
    diagonal[6 * b + 3] = r1 < n ? l[r1 * n + r0] : 0;
    diagonal[6 * b + 4] = r2 < n ? l[r2 * n + r0] : 0;
    diagonal[6 * b + 5] = r2 < n ? l[r2 * n + r1] : 0;
    for (let s = start[b]; s < start[b + 1]; s++) {
      for (let i = 0; i < 3; i++) {
        const row = rows[3 * b + i];
        for (let j = 0; j < 3; j++) {
          const column = rows[3 * ancestors[s] + j];
          below[9 * s + 3 * i + j] = row < n && column < n ? l[row * n + column] : 0;
        }
      }
    }
  }
}

/** Solves for the `width` columns of `x`, which has `size` + 1 rows, the last one for the padding. */
export function solveRowBlocks(blocks: RowBlocks, x: Float64Array, width: number): void {
  const { size, rows, start, ancestors, diagonal, below } = blocks;
  x.fill(0, size * width);
  // L^T Y = X, leaves first: a block, then its part of the rows of all its ancestors.
  for (let b = start.length - 2; b >= 0; b--) {
    const a0 = rows[3 * b] * width;
    const a1 = rows[3 * b + 1] * width;
    const a2 = rows[3 * b + 2] * width;
    const d0 = diagonal[6 * b];
    const d1 = diagonal[6 * b + 1];
    const d2 = diagonal[6 * b + 2];
    const l10 = diagonal[6 * b + 3];
    const l20 = diagonal[6 * b + 4];
    const l21 = diagonal[6 * b + 5];
    for (let c = 0; c < width; c++) {
      const y2 = x[a2 + c] * d2;
      const y1 = (x[a1 + c] - l21 * y2) * d1;
      x[a2 + c] = y2;
      x[a1 + c] = y1;
      x[a0 + c] = (x[a0 + c] - l20 * y2 - l10 * y1) * d0;
    }
    for (let s = start[b]; s < start[b + 1]; s++) {
      const block = 3 * ancestors[s];
      const j0 = rows[block] * width;
      const j1 = rows[block + 1] * width;
      const j2 = rows[block + 2] * width;
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
      for (let c = 0; c < width; c++) {
        const y0 = x[a0 + c];
        const y1 = x[a1 + c];
        const y2 = x[a2 + c];
        x[j0 + c] -= m00 * y0 + m10 * y1 + m20 * y2;
        x[j1 + c] -= m01 * y0 + m11 * y1 + m21 * y2;
        x[j2 + c] -= m02 * y0 + m12 * y1 + m22 * y2;
      }
    }
  }
  // L X = Y, roots first.
  for (let b = 0; b + 1 < start.length; b++) {
    const a0 = rows[3 * b] * width;
    const a1 = rows[3 * b + 1] * width;
    const a2 = rows[3 * b + 2] * width;
    for (let s = start[b]; s < start[b + 1]; s++) {
      const block = 3 * ancestors[s];
      const j0 = rows[block] * width;
      const j1 = rows[block + 1] * width;
      const j2 = rows[block + 2] * width;
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
      for (let c = 0; c < width; c++) {
        const z0 = x[j0 + c];
        const z1 = x[j1 + c];
        const z2 = x[j2 + c];
        x[a0 + c] -= m00 * z0 + m01 * z1 + m02 * z2;
        x[a1 + c] -= m10 * z0 + m11 * z1 + m12 * z2;
        x[a2 + c] -= m20 * z0 + m21 * z1 + m22 * z2;
      }
    }
    const d0 = diagonal[6 * b];
    const d1 = diagonal[6 * b + 1];
    const d2 = diagonal[6 * b + 2];
    const l10 = diagonal[6 * b + 3];
    const l20 = diagonal[6 * b + 4];
    const l21 = diagonal[6 * b + 5];
    for (let c = 0; c < width; c++) {
      const y0 = x[a0 + c] * d0;
      const y1 = (x[a1 + c] - l10 * y0) * d1;
      x[a0 + c] = y0;
      x[a1 + c] = y1;
      x[a2 + c] = (x[a2 + c] - l20 * y0 - l21 * y1) * d2;
    }
  }
}
