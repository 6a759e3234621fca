import type { Numbers } from '../../math/linear/types.js';
import {
  cosHalfSeries,
  SERIES_LIMIT,
  s0Series,
  s1Series,
} from '../../rotation/rotation-vector/coefficients.js';

/**
 * The three angular columns of a rotation vector v = q[i..] with respect to v', world axes: the columns of W = R_world J_r(v), to
 * out[o], out[o + 6], out[o + 12] (three numbers each).
 *
 * Row r of W is r (I - B [v] + C [v]^2) = r - B (r x v) + C (r x v) x v: two cross products instead of a 3x3 product.
 * B = 2 s0^2, C = s0^2 + 2 c s1 (docs/rotation.md).
 */
export function writeRotationVectorColumns(
  q: Numbers,
  i: number,
  world: Float64Array,
  w: number,
  out: Float64Array,
  o: number,
): void {
  const x = q[i];
  const y = q[i + 1];
  const z = q[i + 2];
  const t = x * x + y * y + z * z;
  let b: number;
  let c: number;
  if (t <= SERIES_LIMIT) {
    const s = s0Series(t);
    b = 2 * s * s;
    c = s * s + 2 * cosHalfSeries(t) * s1Series(t);
  } else {
    const theta = Math.sqrt(t);
    const s = Math.sin(0.5 * theta) / theta;
    b = 2 * s * s;
    c = (1 - 2 * s * Math.cos(0.5 * theta)) / t;
  }
  for (let row = 0; row < 3; row++) {
    const rx = world[w + 3 * row];
    const ry = world[w + 3 * row + 1];
    const rz = world[w + 3 * row + 2];
    const px = ry * z - rz * y;
    const py = rz * x - rx * z;
    const pz = rx * y - ry * x;
    out[o + row] = rx - b * px + c * (py * z - pz * y);
    out[o + 6 + row] = ry - b * py + c * (pz * x - px * z);
    out[o + 12 + row] = rz - b * pz + c * (px * y - py * x);
  }
}

/** The three angular columns with respect to the angular velocity in the bone frame: the columns of R_world. */
export function writeBodyAxes(world: Float64Array, w: number, out: Float64Array, o: number): void {
  out[o] = world[w];
  out[o + 1] = world[w + 3];
  out[o + 2] = world[w + 6];
  out[o + 6] = world[w + 1];
  out[o + 7] = world[w + 4];
  out[o + 8] = world[w + 7];
  out[o + 12] = world[w + 2];
  out[o + 13] = world[w + 5];
  out[o + 14] = world[w + 8];
}
