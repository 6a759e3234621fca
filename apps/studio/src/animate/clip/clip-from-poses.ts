import {
  clampToLimits,
  createState,
  type Figure,
  forwardKinematics,
  poseFromLocalTransforms,
} from 'poise/figure';
import { createMotion, createMotionSampler, type Motion, samplePose } from 'poise/motion';
import { nearestRotationVector } from 'poise/rotation';
import type { Character } from '../../character/character.js';
import { type Clip, type ClipKey, emptyClip } from './clip.js';
import { groupTracks } from './clip-motion.js';
import { type JointGroup, jointGroups } from './joint-groups.js';

/** Largest rotation of a joint, rad, and way of the root, over the size, from an imported frame where keys are left out. */
const ANGLE = 0.01;
const WAY = 0.001;

/** Poses at frames as a clip. @param everyFrame - A key a frame; else as few as keep the frames within 0.6 degrees a joint. */
export function clipFromPoses(
  character: Character,
  rate: number,
  poses: readonly Float64Array[],
  everyFrame: boolean,
): Clip {
  const { figure } = character;
  const allowed = poses.map((pose) => {
    const clamped = Float64Array.from(pose);
    clampToLimits(figure, clamped);
    return clamped;
  });
  const clip = emptyClip(character, allowed[0]);
  const keys = Object.fromEntries(
    jointGroups(character).map((group) => {
      const frames = everyFrame ? allowed.map((_, k) => k) : keyFrames(character, group, rate, allowed);
      return [group.id, frames.map((frame) => keyOf(group, rate, allowed, frame))];
    }),
  );
  return { ...clip, rate, duration: Math.max(1, poses.length - 1) / rate, keys };
}

function keyOf(
  { coordinates }: JointGroup,
  rate: number,
  poses: readonly Float64Array[],
  frame: number,
): ClipKey {
  return {
    time: frame / rate,
    values: coordinates.map((n) => poses[frame][n]),
    interpolation: 'smooth',
  };
}

/** Frames of keys: the first and last, then between each two the worst, until none is too far from its pose. */
function keyFrames(
  { figure, size }: Character,
  group: JointGroup,
  rate: number,
  poses: readonly Float64Array[],
): number[] {
  const last = poses.length - 1;
  let frames = last > 0 ? [0, last] : [0];
  const pose = new Float64Array(figure.dof);
  for (;;) {
    const keys = frames.map((frame) => keyOf(group, rate, poses, frame));
    const tracks = groupTracks(figure, group, keys, Math.max(1, last) / rate);
    const sampler = createMotionSampler(figure, createMotion(figure, { tracks }));
    const added: number[] = [];
    for (let k = 0; k + 1 < frames.length; k++) {
      let worst = 1;
      let at = -1;
      for (let frame = frames[k] + 1; frame < frames[k + 1]; frame++) {
        const error = errorOf(figure, group, samplePose(sampler, frame / rate, pose), poses[frame], size);
        if (error > worst) [worst, at] = [error, frame];
      }
      if (at >= 0) added.push(at);
    }
    if (added.length === 0) return frames;
    frames = [...frames, ...added].sort((a, b) => a - b);
  }
}

/** How far a group is off a pose that is given, over what is allowed where keys are left out. */
export function errorOf(
  { bones }: Figure,
  group: JointGroup,
  pose: Float64Array,
  given: Float64Array,
  size: number,
): number {
  let worst = 0;
  for (const bone of group.bones) {
    const { joint, coordinate, dof } = bones[bone];
    const way = joint.type === 'free' ? 3 : 0;
    const own = given.slice(coordinate, coordinate + dof);
    if (joint.type === 'free' || joint.type === 'ball') {
      const at = coordinate + dof - 3;
      own.set(nearestRotationVector(own.subarray(dof - 3), pose.subarray(at, at + 3)), dof - 3);
    }
    for (let n = 0; n < dof; n++) {
      const allowed = n < way || joint.type === 'slider' ? WAY * size : ANGLE;
      worst = Math.max(worst, Math.abs(pose[coordinate + n] - own[n]) / allowed);
    }
  }
  return worst;
}

/** Poses of a motion at frames, on a figure of the same bones whose joints may be others: a clip of its own skeleton. */
export function posesOf(source: Figure, motion: Motion, figure: Figure, rate: number): Float64Array[] {
  const sampler = createMotionSampler(source, motion);
  const from = createState(source);
  const to = createState(figure);
  const given = new Float64Array(source.dof);
  const pose = new Float64Array(figure.dof);
  const count = Math.max(1, Math.round((motion.end - motion.start) * rate));
  return Array.from({ length: count + 1 }, (_, frame) => {
    samplePose(sampler, motion.start + frame / rate, given);
    if (source === figure) return given.slice();
    forwardKinematics(from, given);
    return poseFromLocalTransforms(to, from.parentFromBone, pose).slice();
  });
}

/** Whether two figures have the same bones, in order. */
export function isSameSkeleton(a: Figure, b: Figure): boolean {
  return (
    a.bones.length === b.bones.length &&
    a.bones.every(({ name, parent }, n) => name === b.bones[n].name && parent === b.bones[n].parent)
  );
}
