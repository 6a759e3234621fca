import { type BvhClip, type ReadBvhOptions, readBvh } from '@poise/formats';
import { FormatError } from 'poise';
import { createState, forwardKinematics } from 'poise/figure';
import { createMotionSampler, samplePose } from 'poise/motion';
import { expect } from 'vitest';

/** A root with an arm, six channels and three, frames given. */
export function twoJoints(...frames: string[]): string {
  return `HIERARCHY
ROOT hip
{
  OFFSET 0 1 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT arm
  {
    OFFSET 0.5 0 0
    CHANNELS 3 Yrotation Zrotation Xrotation
    End Site
    {
      OFFSET 0 0 0.25
    }
  }
}
MOTION
Frames: ${frames.length}
Frame Time: 0.04
${frames.join('\n')}
`;
}

/** Poses of a clip, one after the other with one sampler: 12 numbers a bone, world from bone. */
export function worldsOf({ figure, motion }: BvhClip): (time: number) => Float64Array {
  const state = createState(figure);
  const sampler = createMotionSampler(figure, motion);
  const pose = new Float64Array(figure.dof);
  return (time) => {
    forwardKinematics(state, samplePose(sampler, time, pose));
    return state.worldFromBone;
  };
}

/** Origin of a bone, or a point of it, in the world. */
export function positionOf(
  worlds: Float64Array,
  bone: number,
  [x, y, z]: readonly number[] = [0, 0, 0],
): number[] {
  const o = 12 * bone;
  return [0, 1, 2].map(
    (row) =>
      worlds[o + 9 + row] +
      worlds[o + 3 * row] * x +
      worlds[o + 3 * row + 1] * y +
      worlds[o + 3 * row + 2] * z,
  );
}

export function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Math.hypot(...Array.from(a, (x, k) => x - b[k]));
}

/** The error that a text gives. */
export function refusal(text: string | Uint8Array, options: ReadBvhOptions = {}): FormatError {
  try {
    readBvh(text, options);
  } catch (error) {
    if (error instanceof FormatError) return error;
    throw error;
  }
  return expect.fail('was read');
}
