/** Motions of robots as .npz, as programs that train controllers read them. */
import { type RobotMotion, robotMotionFromPoses, writeRobotMotion } from '@poise/formats';
import { createState, type Figure, forwardKinematics } from 'poise/figure';
import { quat } from 'poise/math';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';
import type { Source } from '../io/source.js';

/**
 * @param figure - Of the motion: that of the robot's file, or the same with a free root.
 * @param rate - Frames a second.
 * @throws FormatError `unsupported` for an MJCF whose first joint is not free.
 */
export function robotMotionBytes(source: Source, figure: Figure, motion: Motion, rate: number): Uint8Array {
  const frames = Math.max(1, Math.round((motion.end - motion.start) * rate) + 1);
  const sampler = createMotionSampler(figure, motion);
  const poses = Array.from({ length: frames }, (_, f) =>
    samplePose(sampler, Math.min(motion.end, motion.start + f / rate), new Float64Array(figure.dof)),
  );
  const { model } = source;
  const made = model ? robotMotionFromPoses(model, poses, rate) : urdfMotion(source, figure, poses, rate);
  return writeRobotMotion(made, { format: 'npz' });
}

/** Root: the topmost link that moves, in the world. Joints: those of one coordinate, in the order of the file. */
function urdfMotion(
  { robot }: Source,
  figure: Figure,
  poses: readonly Float64Array[],
  fps: number,
): RobotMotion {
  const joints = [...(robot?.joints.values() ?? [])].filter(({ dof }) => dof === 1);
  const root = Math.max(
    0,
    figure.bones.findIndex(({ joint }) => joint.type === 'free'),
  );
  const state = createState(figure);
  const rootPositions = new Float64Array(3 * poses.length);
  const rootRotations = new Float64Array(4 * poses.length);
  const values = new Float64Array(joints.length * poses.length);
  poses.forEach((pose, f) => {
    forwardKinematics(state, pose);
    const world = state.worldFromBone.subarray(12 * root, 12 * root + 12);
    rootPositions.set(world.subarray(9), 3 * f);
    rootRotations.set(quat.fromMatrix(world.subarray(0, 9)), 4 * f);
    for (const [k, { bone }] of joints.entries())
      values[joints.length * f + k] = pose[figure.bones[bone].coordinate];
  });
  return { fps, frames: poses.length, rootPositions, rootRotations, joints: joints.length, values };
}
