/** Shapes as packed numbers, in world axes. */

/** Numbers of a shape. */
export const SHAPE_SIZE = 16;

/** Capsule: centre, half axis [3..5], radius [6], half length [7]. A sphere is a capsule of length 0. */
export const CAPSULE = 0;
/** Centre, rotation row by row [3..11] (world from box), half sizes [12..14]. */
export const BOX = 1;
/** Unit normal, offset [3]. */
export const PLANE = 2;
export const HEIGHTFIELD = 3;

/** Writes the axis-aligned bounds of shape s, min and max x, y, z, to `bounds`; infinite for a plane or heightfield. */
export function writeShapeBounds(kind: number, shapes: Float64Array, s: number, bounds: Float64Array): void {
  const o = SHAPE_SIZE * s;
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
        ? shapes[o + 12] * Math.abs(shapes[r]) +
          shapes[o + 13] * Math.abs(shapes[r + 1]) +
          shapes[o + 14] * Math.abs(shapes[r + 2])
        : Math.abs(shapes[o + 3 + k]) + shapes[o + 6];
    bounds[b + k] = shapes[o + k] - extent;
    bounds[b + 3 + k] = shapes[o + k] + extent;
  }
}
