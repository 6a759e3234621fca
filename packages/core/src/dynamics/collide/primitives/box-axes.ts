/*
 * Two boxes in the axes of one, and how far apart they are along the axes that can part them (Gottschalk, Lin, Manocha 1996): the normals of the
 * faces, and what is normal to an edge of each. The greatest is the depth where they overlap, which is exact, and a bound where they do not.
 */

/** Share of an axis below which two edges are parallel. */
const PARALLEL = 1e-6;
/** Axes of B in those of A, row i and column j: A_i . B_j. */
export const turn: Float64Array = /* @__PURE__ */ new Float64Array(9);
const absolute = /* @__PURE__ */ new Float64Array(9);
/** Centre of B in the axes of A; of A in those of B. */
export const center: Float64Array = /* @__PURE__ */ new Float64Array(3);
export const back: Float64Array = /* @__PURE__ */ new Float64Array(3);
/** What turns one box into the axes of the other. */
export function relateBoxes(placed: Float64Array, a: number, b: number): void {
  const x = placed[b] - placed[a];
  const y = placed[b + 1] - placed[a + 1];
  const z = placed[b + 2] - placed[a + 2];
  for (let i = 0; i < 3; i++) {
    const a0 = placed[a + 3 + i];
    const a1 = placed[a + 6 + i];
    const a2 = placed[a + 9 + i];
    center[i] = a0 * x + a1 * y + a2 * z;
    back[i] = -(placed[b + 3 + i] * x + placed[b + 6 + i] * y + placed[b + 9 + i] * z);
    for (let j = 0; j < 3; j++) {
      const dot = a0 * placed[b + 3 + j] + a1 * placed[b + 6 + j] + a2 * placed[b + 9 + j];
      turn[3 * i + j] = dot;
      absolute[3 * i + j] = Math.abs(dot);
    }
  }
}

/** Distance along the normal of a face: 0 to 2 of A, 3 to 5 of B. */
export function faceGap(placed: Float64Array, a: number, b: number, i: number): number {
  if (i < 3) {
    const j = 3 * i;
    return (
      Math.abs(center[i]) -
      placed[a + 12 + i] -
      placed[b + 12] * absolute[j] -
      placed[b + 13] * absolute[j + 1] -
      placed[b + 14] * absolute[j + 2]
    );
  }
  const j = i - 3;
  return (
    Math.abs(back[j]) -
    placed[b + 12 + j] -
    placed[a + 12] * absolute[j] -
    placed[a + 13] * absolute[j + 3] -
    placed[a + 14] * absolute[j + 6]
  );
}

/** Distance along A_i x B_j, n = 3 i + j; minus infinity where the two are parallel. */
export function edgeGap(placed: Float64Array, a: number, b: number, n: number): number {
  const i = (n / 3) | 0;
  const j = n % 3;
  const i1 = (i + 1) % 3;
  const i2 = (i + 2) % 3;
  const j1 = (j + 1) % 3;
  const j2 = (j + 2) % 3;
  // A_i x B_j = turn[i1][j] A_i2 - turn[i2][j] A_i1.
  const u = turn[3 * i1 + j];
  const v = turn[3 * i2 + j];
  const length = Math.sqrt(u * u + v * v);
  if (length < PARALLEL) return Number.NEGATIVE_INFINITY;
  return (
    (Math.abs(center[i2] * u - center[i1] * v) -
      placed[a + 12 + i1] * absolute[3 * i2 + j] -
      placed[a + 12 + i2] * absolute[3 * i1 + j] -
      placed[b + 12 + j1] * absolute[3 * i + j2] -
      placed[b + 12 + j2] * absolute[3 * i + j1]) /
    length
  );
}
