/** The nodes of a normalized humanoid over a motion of its figure. */
import { type Bone, createState, type Figure, forwardKinematics } from 'poise/figure';
import { mat3, quat, rigid } from 'poise/math';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';
import type { NodeValues } from '../animation/animation-keys.js';
import { type SmoothInterval, smoothIntervals } from '../animation/animation-knots.js';
import { JointSampler } from '../animation/animation-nodes.js';
import type { NormalizedNode, NormalizedTree } from './normalized-tree.js';

/** A node that moves. Its translation is of the hips alone, from the parent node. */
export interface MovingNode extends NodeValues {
  /** Joints that it depends on. */
  readonly joints: readonly Bone[];
  /** On which the motion is smooth. */
  readonly intervals: readonly SmoothInterval[];
}

/**
 * With R the world rotation of a bone, C that in T-pose and A the file axes from the world axes, the normalized world rotation is A R C^T A^T, so that a node
 * rotates in its parent p by A C_p (R_p^T R) C^T A^T.
 */
export function movingNode(
  figure: Figure,
  motion: Motion,
  { nodes, fileFromWorld, tPose }: NormalizedTree,
  { bone, parent }: NormalizedNode,
): MovingNode {
  const above = parent < 0 ? -1 : nodes[parent].bone;
  const chain: number[] = [];
  for (let b = bone; b !== above; b = figure.parents[b]) chain.unshift(b);
  const bones = chain.map((b) => figure.bones[b]);
  const hasMimic = bones.some(({ mimic }) => mimic !== undefined);
  const joints = hasMimic ? figure.bones : bones;
  const relativeAt = hasMimic
    ? wholeSampler(figure, motion, above, bone)
    : chainSampler(figure, motion, chain);
  const own = mat3.transpose(mat3.multiply(fileFromWorld, rotationOf(tPose, bone)));
  const ahead = above < 0 ? fileFromWorld : mat3.multiply(fileFromWorld, rotationOf(tPose, above));
  return {
    joints,
    intervals: smoothIntervals(motion, joints),
    valueAt: (time, path, out) => {
      const relative = relativeAt(time);
      if (path === 'translation') mat3.multiplyVector(ahead, rigid.toPosition(relative), out);
      else out.set(quat.normalize(quat.fromMatrix(mat3.multiply(mat3.multiply(ahead, relative), own))));
    },
  };
}

/** The transforms of the joints of a chain, composed. */
function chainSampler(
  figure: Figure,
  motion: Motion,
  chain: readonly number[],
): (time: number) => Float64Array {
  const samplers = chain.map((bone) => new JointSampler(figure, motion, figure.bones[bone]));
  const out = new Float64Array(12);
  return (time) => {
    rigid.identity(out);
    for (const joint of samplers) rigid.compose(out, joint.at(time), out);
    return out;
  };
}

/** A mimic joint moves by a joint that may lie anywhere: the whole figure is sampled. */
function wholeSampler(
  figure: Figure,
  motion: Motion,
  above: number,
  bone: number,
): (time: number) => Float64Array {
  const sampler = createMotionSampler(figure, motion);
  const state = createState(figure);
  const pose = new Float64Array(figure.dof);
  const frameOf = (b: number): Float64Array => state.worldFromBone.subarray(12 * b, 12 * b + 12);
  return (time) => {
    forwardKinematics(state, samplePose(sampler, time, pose));
    return above < 0 ? frameOf(bone) : rigid.relative(frameOf(above), frameOf(bone), new Float64Array(12));
  };
}

function rotationOf(frames: ArrayLike<number>, bone: number): number[] {
  return Array.from({ length: 9 }, (_, k) => frames[12 * bone + k]);
}
