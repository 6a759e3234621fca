/** Motions of robots as GMR saves them, and poses. */
import { FormatError } from 'poise';
import type { Numbers } from 'poise/math';
import type { MjcfJoint } from '../mjcf/model.js';
import { poseFromQpos, type QposLayout, qposFromPose } from '../mjcf/qpos.js';

/** A motion of a robot: root and joints, frame by frame. */
export interface RobotMotion {
  /** Frames a second. */
  readonly fps: number;
  readonly frames: number;
  /** Position of the root, 3 numbers a frame, m. */
  readonly rootPositions: Float64Array;
  /** Rotation of the root, quaternion `x y z w`, 4 numbers a frame. */
  readonly rootRotations: Float64Array;
  /** Joints a frame. */
  readonly joints: number;
  /** Values of the joints, `joints` numbers a frame, rad or m. */
  readonly values: Float64Array;
  /** Names of the joints, where the file has them: CSV with a header. */
  readonly jointNames?: readonly string[];
}

/**
 * The motion of poses of a robot: what `writeRobotMotion` writes.
 *
 * @param model - Read with `readMjcf`: its first joint is free, the others are hinges and slides.
 * @throws FormatError `unsupported` for another robot, `wrong-size` for a pose.
 */
export function robotMotionFromPoses(model: QposLayout, poses: readonly Numbers[], fps: number): RobotMotion {
  const joints = valuedJoints(model);
  const frames = poses.length;
  const rootPositions = new Float64Array(3 * frames);
  const rootRotations = new Float64Array(4 * frames);
  const values = new Float64Array(joints.length * frames);
  const qpos = new Float64Array(model.nq);
  poses.forEach((pose, f) => {
    qposFromPose(model, pose, qpos);
    const [x, y, z, qw, qx, qy, qz] = qpos;
    rootPositions.set([x, y, z], 3 * f);
    rootRotations.set([qx, qy, qz, qw], 4 * f);
    values.set(qpos.subarray(7), joints.length * f);
  });
  return {
    fps,
    frames,
    rootPositions,
    rootRotations,
    joints: joints.length,
    values,
    jointNames: joints.map(({ name }) => name),
  };
}

/**
 * Poses of a robot, a frame each. Joints are found by their names where the motion has them, by their order elsewhere.
 *
 * @throws FormatError `unsupported` as {@link robotMotionFromPoses}, `wrong-size` for another number of joints, `unknown-name`.
 */
export function posesFromRobotMotion(model: QposLayout, motion: RobotMotion): Float64Array[] {
  const joints = valuedJoints(model);
  const { frames, rootPositions, rootRotations, values, jointNames } = motion;
  if (motion.joints !== joints.length) {
    throw new FormatError('wrong-size', `has ${motion.joints} joints; the robot has ${joints.length}.`, {
      path: 'motion.joints',
      remedy: 'Give the motion of this robot.',
    });
  }
  const columns = joints.map(({ name }, k) => {
    const column = jointNames === undefined ? k : jointNames.indexOf(name);
    if (column >= 0) return column;
    throw new FormatError('unknown-name', `lacks the joint '${name}'.`, {
      path: 'motion.jointNames',
      remedy: 'Give the motion of this robot, or leave the names out.',
    });
  });
  const qpos = new Float64Array(model.nq);
  return Array.from({ length: frames }, (_, f) => {
    const [qx, qy, qz, qw] = rootRotations.subarray(4 * f, 4 * f + 4);
    qpos.set(rootPositions.subarray(3 * f, 3 * f + 3));
    qpos.set([qw, qx, qy, qz], 3);
    for (const [k, column] of columns.entries()) qpos[7 + k] = values[joints.length * f + column];
    return poseFromQpos(model, qpos);
  });
}

/** The joints after the free one. */
function valuedJoints({ joints }: QposLayout): MjcfJoint[] {
  const [root, ...others] = joints.values();
  if (root?.type === 'free' && others.every(({ type }) => type === 'hinge' || type === 'slide'))
    return others;
  throw new FormatError('unsupported', 'is no free root with hinges and slides.', {
    path: 'model.joints',
    remedy: 'Give a robot whose first joint is free.',
  });
}
