/** Joint coordinates from the frames of a BVH file. */
import type { Bone } from 'poise/figure';
import { quat } from 'poise/math';
import { rotationVectorFromQuat } from 'poise/rotation';
import type { BvhFrames } from './frames.js';
import type { BvhJoint } from './hierarchy.js';
import { isPosition } from './joints.js';
import type { BvhPositions } from './options.js';

const RADIANS = Math.PI / 180;
const TWO_PI = 2 * Math.PI;

/**
 * Coordinates of a joint in every frame, `bone.dof` numbers a frame, rad and m. Rotations are the product of the channels in file order, the
 * rotation order of the joint, R = R_1 R_2 R_3, as rotation vectors of at most pi. The angle of a hinge is unwrapped from frame to frame.
 *
 * @param channelCount - Numbers in a frame.
 */
export function coordinatesOf(
  { channels, firstChannel, offset }: BvhJoint,
  { joint: { type }, dof }: Bone,
  { count, values }: BvhFrames,
  channelCount: number,
  scale: number,
  positions: BvhPositions,
): Float64Array {
  const out = new Float64Array(count * dof);
  const rotation = [0, 0, 0, 1];
  const channelRotation = [0, 0, 0, 1];
  for (let frame = 0; frame < count; frame++) {
    const first = frame * channelCount + firstChannel;
    const o = frame * dof;
    rotation.fill(0);
    rotation[3] = 1;
    for (const [k, channel] of channels.entries()) {
      const { axis } = channel;
      if (isPosition(channel)) {
        // Coordinates are relative to rest, which is the OFFSET.
        const displacement = positions === 'added' ? values[first + k] : values[first + k] - offset[axis];
        out[o + (type === 'slider' ? 0 : axis)] = scale * displacement;
      } else if (type === 'hinge') {
        const angle = RADIANS * values[first + k];
        out[o] = frame === 0 ? angle : angle - TWO_PI * Math.round((angle - out[o - 1]) / TWO_PI);
      } else {
        const half = 0.5 * RADIANS * values[first + k];
        channelRotation.fill(0);
        channelRotation[axis] = Math.sin(half);
        channelRotation[3] = Math.cos(half);
        quat.multiply(rotation, channelRotation, rotation);
      }
    }
    if (type === 'ball' || type === 'free') {
      rotationVectorFromQuat(rotation, undefined, out.subarray(o + dof - 3, o + dof));
    }
  }
  return out;
}
