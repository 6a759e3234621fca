/** From the frames of a BVH file to the coordinates of a joint. */
import type { Bone } from 'poise/figure';
import { quat } from 'poise/math';
import { rotationVectorFromQuat } from 'poise/rotation';
import type { BvhFrames } from './frames.js';
import type { BvhJoint } from './hierarchy.js';
import { isPosition } from './joints.js';
import type { BvhPositions } from './options.js';

const RADIANS = Math.PI / 180;
const TURN = 2 * Math.PI;

/**
 * Coordinates of a joint over the frames, `bone.dof` numbers each, rad and m. Rotations are those of the file's angles one after the other in the order
 * of its channels, R = R_1 R_2 R_3, as the shortest rotation vectors; the angle of a hinge is the one nearest to the frame before.
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
  const turn = [0, 0, 0, 1];
  const next = [0, 0, 0, 1];
  for (let frame = 0; frame < count; frame++) {
    const at = frame * channelCount + firstChannel;
    const o = frame * dof;
    turn.fill(0);
    turn[3] = 1;
    for (const [k, channel] of channels.entries()) {
      const { axis } = channel;
      if (isPosition(channel)) {
        // Coordinates are relative to rest, which is the OFFSET.
        const moved = positions === 'added' ? values[at + k] : values[at + k] - offset[axis];
        out[o + (type === 'slider' ? 0 : axis)] = scale * moved;
      } else if (type === 'hinge') {
        const angle = RADIANS * values[at + k];
        out[o] = frame === 0 ? angle : angle - TURN * Math.round((angle - out[o - 1]) / TURN);
      } else {
        const half = 0.5 * RADIANS * values[at + k];
        next.fill(0);
        next[axis] = Math.sin(half);
        next[3] = Math.cos(half);
        quat.multiply(turn, next, turn);
      }
    }
    if (type === 'ball' || type === 'free') {
      rotationVectorFromQuat(turn, undefined, out.subarray(o + dof - 3, o + dof));
    }
  }
  return out;
}
