/** Joint coordinates from the frames of a BVH file. */
import type { Bone } from 'poise/figure';
import { rotationVectorFromQuat } from 'poise/rotation';
import type { BvhFrames } from './frames.js';
import type { BvhJoint } from './hierarchy.js';
import { isPosition } from './joints.js';
import type { BvhPositions } from './options.js';

const RADIANS = Math.PI / 180;
const TWO_PI = 2 * Math.PI;

/** Frames at a time: their numbers stay in the cache of the processor while one joint after the other takes its own. */
const BLOCK = 128;

/**
 * Coordinates of joints in every frame, `dof` numbers a frame, rad and m; none for a joint without channels. Rotations are the product of the channels in
 * file order, the rotation order of the joint, R = R_1 R_2 R_3, as rotation vectors of at most pi. The angle of a hinge is unwrapped from frame to frame.
 *
 * @param bones - Of each joint.
 * @param channelCount - Numbers in a frame.
 */
export function coordinatesOf(
  joints: readonly BvhJoint[],
  bones: readonly Bone[],
  { count, values }: BvhFrames,
  channelCount: number,
  scale: number,
  positions: BvhPositions,
): Float64Array[] {
  const out = joints.map(
    ({ channels }, j) => new Float64Array(channels.length > 0 ? count * bones[j].dof : 0),
  );
  const offsets = joints.map(({ offset }) => (positions === 'added' ? [0, 0, 0] : offset));
  for (let from = 0; from < count; from += BLOCK) {
    const to = Math.min(count, from + BLOCK);
    for (const [j, joint] of joints.entries()) {
      if (joint.channels.length > 0) {
        readBlock(joint, bones[j], offsets[j], values, channelCount, scale, from, to, out[j]);
      }
    }
  }
  return out;
}

const rotation = /* @__PURE__ */ new Float64Array(4);
const vector = /* @__PURE__ */ new Float64Array(3);

/** @param offset - What displacements are measured from, file units. */
function readBlock(
  { channels, firstChannel }: BvhJoint,
  { joint: { type }, dof }: Bone,
  offset: readonly number[],
  values: Float64Array,
  channelCount: number,
  scale: number,
  from: number,
  to: number,
  out: Float64Array,
): void {
  const axes = channels.map(({ axis }) => axis);
  const moves = channels.map(isPosition);
  const isHinge = type === 'hinge';
  const isSlider = type === 'slider';
  const hasVector = type === 'ball' || type === 'free';
  for (let frame = from; frame < to; frame++) {
    const first = frame * channelCount + firstChannel;
    const o = frame * dof;
    let x = 0;
    let y = 0;
    let z = 0;
    let w = 1;
    for (let k = 0; k < axes.length; k++) {
      const axis = axes[k];
      const value = values[first + k];
      if (moves[k]) {
        // Coordinates are relative to rest, which is the OFFSET.
        out[o + (isSlider ? 0 : axis)] = scale * (value - offset[axis]);
      } else if (isHinge) {
        const angle = RADIANS * value;
        out[o] = frame === 0 ? angle : angle - TWO_PI * Math.round((angle - out[o - 1]) / TWO_PI);
      } else {
        const half = 0.5 * RADIANS * value;
        const s = Math.sin(half);
        const c = Math.cos(half);
        // The Hamilton product with a rotation about one axis.
        const [px, py, pz, pw] = [x, y, z, w];
        x = axis === 0 ? pw * s + px * c : axis === 1 ? px * c - pz * s : px * c + py * s;
        y = axis === 0 ? py * c + pz * s : axis === 1 ? pw * s + py * c : py * c - px * s;
        z = axis === 0 ? pz * c - py * s : axis === 1 ? px * s + pz * c : pw * s + pz * c;
        w = pw * c - (axis === 0 ? px : axis === 1 ? py : pz) * s;
      }
    }
    if (hasVector) {
      rotation[0] = x;
      rotation[1] = y;
      rotation[2] = z;
      rotation[3] = w;
      rotationVectorFromQuat(rotation, undefined, vector);
      const at = o + dof - 3;
      out[at] = vector[0];
      out[at + 1] = vector[1];
      out[at + 2] = vector[2];
    }
  }
}
