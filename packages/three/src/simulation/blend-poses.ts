import type { Figure } from 'poise/figure';
import type { Numbers } from 'poise/math';
import { quatFromRotationVector, rotationVectorFromQuat } from 'poise/rotation';
import { slerp } from '../binding/slerp.js';

const a: number[] = [0, 0, 0, 1];
const b: number[] = [0, 0, 0, 1];
const vector: number[] = [0, 0, 0];
const near: number[] = [0, 0, 0];

/** First coordinate of each rotation vector of a figure. */
export function rotationVectorOffsets(figure: Figure): Int32Array {
  return Int32Array.from(
    figure.bones.flatMap(({ joint, coordinate }) =>
      joint.type === 'ball' ? [coordinate] : joint.type === 'free' ? [coordinate + 3] : [],
    ),
  );
}

/**
 * Interpolates between two poses: rotation vectors by slerp along the shortest arc, other coordinates linearly. `out` may be
 * either.
 *
 * @param rotations - {@link rotationVectorOffsets} of the figure.
 */
export function blendPoses(
  rotations: Int32Array,
  from: Numbers,
  to: Numbers,
  fraction: number,
  out: Float64Array,
): void {
  if (fraction >= 1) {
    for (let i = 0; i < out.length; i++) out[i] = to[i];
    return;
  }
  let next = 0;
  for (let n = 0; n <= rotations.length; n++) {
    const end = n < rotations.length ? rotations[n] : out.length;
    for (let i = next; i < end; i++) out[i] = from[i] + fraction * (to[i] - from[i]);
    if (end === out.length) break;
    for (let k = 0; k < 3; k++) vector[k] = from[end + k];
    for (let k = 0; k < 3; k++) near[k] = to[end + k];
    quatFromRotationVector(vector, a);
    quatFromRotationVector(near, b);
    slerp(a, b, fraction, a);
    rotationVectorFromQuat(a, near, vector);
    for (let k = 0; k < 3; k++) out[end + k] = vector[k];
    next = end + 3;
  }
}
