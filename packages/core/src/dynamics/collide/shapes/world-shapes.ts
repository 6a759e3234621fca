/** Shapes as numbers, in world axes. */

/** Numbers of a placed shape. */
export const PLACED = 16;

/** Sphere or capsule: centre, half of its axis [3..5], radius [6]. */
export const ROUND = 0;
/** Centre, rotation row by row [3..11] (world from box), half sizes [12..14]. */
export const BOX = 1;
/** Unit normal, offset [3]. */
export const PLANE = 2;
export const FIELD = 3;

/** Writes the bounds of shape s, least and greatest x, y, z, to `bounds`; a plane or heightfield has none. */
export function boundShape(kind: number, placed: Float64Array, s: number, bounds: Float64Array): void {
  const o = PLACED * s;
  const b = 6 * s;
  for (let k = 0; k < 3; k++) {
    if (kind >= PLANE) {
      bounds[b + k] = Number.NEGATIVE_INFINITY;
      bounds[b + 3 + k] = Number.POSITIVE_INFINITY;
      continue;
    }
    const r = o + 3 + 3 * k;
    const extent =
      kind === BOX
        ? placed[o + 12] * Math.abs(placed[r]) +
          placed[o + 13] * Math.abs(placed[r + 1]) +
          placed[o + 14] * Math.abs(placed[r + 2])
        : Math.abs(placed[o + 3 + k]) + placed[o + 6];
    bounds[b + k] = placed[o + k] - extent;
    bounds[b + 3 + k] = placed[o + k] + extent;
  }
}
