/** Helpers of the motion editing tests. */
import { createState, type Figure, forwardKinematics } from '../../src/figure/index.js';
import { createMotionSampler, type Motion, samplePose } from '../../src/motion/index.js';

/** Pose of a clip at a time. */
export function poseOf(figure: Figure, motion: Motion): (time: number) => Float64Array {
  const sampler = createMotionSampler(figure, motion);
  return (time) => samplePose(sampler, time, new Float64Array(figure.dof));
}

/** Position of a point of a bone in a clip, world, m. */
export function pointOf(
  figure: Figure,
  motion: Motion,
  bone: string,
  point: readonly number[] = [0, 0, 0],
): (time: number) => number[] {
  const pose = poseOf(figure, motion);
  const state = createState(figure);
  const index = figure.bones.findIndex(({ name }) => name === bone);
  return (time) => {
    forwardKinematics(state, pose(time));
    const w = state.worldFromBone.subarray(12 * index, 12 * index + 12);
    return [0, 1, 2].map(
      (r) => w[3 * r] * point[0] + w[3 * r + 1] * point[1] + w[3 * r + 2] * point[2] + w[9 + r],
    );
  };
}

export function distance(a: readonly number[], b: readonly number[]): number {
  return Math.hypot(...a.map((x, k) => x - b[k]));
}

/** Evenly spaced times, ends included. */
export function sampleTimes(from: number, to: number, count: number): number[] {
  return Array.from({ length: count }, (_, k) => from + ((to - from) * k) / (count - 1));
}
