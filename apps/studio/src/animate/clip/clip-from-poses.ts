import {
  clampToLimits,
  createState,
  type Figure,
  forwardKinematics,
  poseFromLocalTransforms,
} from 'poise/figure';
import { vec3 } from 'poise/math';
import { createMotion, createMotionSampler, type Motion, samplePose } from 'poise/motion';
import { nearestRotationVector } from 'poise/rotation';
import type { Character } from '../../character/character.js';
import { type Clip, type ClipKey, emptyClip } from './clip.js';
import { groupTracks, poseAt } from './clip-motion.js';
import { type JointGroup, jointGroups } from './joint-groups.js';

/** Largest rotation of a joint, rad, and way of the root, over the size, from an imported frame where keys are left out. */
const ANGLE = 0.01;
const WAY = 0.001;

/** Which keys are made of frames. */
export interface KeyOptions {
  /** Frames a second of the ruler, if there are more poses: between its frames keys stand only where it takes them. */
  readonly rate?: number;
}

/**
 * Poses at a rate as a clip.
 *
 * @param everyFrame - A key a pose; else as few as keep the poses within 0.6 degrees a joint.
 */
export function clipFromPoses(
  character: Character,
  rate: number,
  poses: readonly Float64Array[],
  everyFrame: boolean,
  { rate: ruler = rate }: KeyOptions = {},
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
      const frames = everyFrame
        ? allowed.map((_, k) => k)
        : keyFrames(character, group, rate, allowed, Math.round(rate / ruler));
      return [group.id, frames.map((frame) => keyOf(group, rate, allowed, frame))];
    }),
  );
  return { ...clip, rate: ruler, duration: Math.max(1, poses.length - 1) / rate, keys };
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

/**
 * Frames of keys: the first and last, then between each two the worst, until none is too far from its pose. @param step - Between frames that are
 * chosen as long as one of them is too far.
 */
function keyFrames(
  { figure, size }: Character,
  group: JointGroup,
  rate: number,
  poses: readonly Float64Array[],
  step: number,
): number[] {
  const last = poses.length - 1;
  let frames = last > 0 ? [0, last] : [0];
  const pose = new Float64Array(figure.dof);
  for (;;) {
    const keys = frames.map((frame) => keyOf(group, rate, poses, frame));
    const tracks = groupTracks(figure, group, keys, Math.max(1, last) / rate);
    const sampler = createMotionSampler(figure, createMotion(figure, { tracks }));
    /** The worst frame between two keys among every so many, if it is too far. */
    const worstBetween = (from: number, to: number, every: number): number | undefined => {
      let worst = 1;
      let at: number | undefined;
      for (let frame = from + 1; frame < to; frame++) {
        if (frame % every !== 0) continue;
        const error = errorOf(figure, group, samplePose(sampler, frame / rate, pose), poses[frame], size);
        if (error > worst) [worst, at] = [error, frame];
      }
      return at;
    };
    const added = frames
      .slice(1)
      .map(
        (to, k) =>
          worstBetween(frames[k], to, step) ?? (step > 1 ? worstBetween(frames[k], to, 1) : undefined),
      )
      .filter((frame) => frame !== undefined);
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

/** Largest distance of an origin of a bone from where poses at frames have it, mm. @param timeOf - Of a frame, s. */
export function deviationOf(
  clip: Clip,
  character: Character,
  poses: readonly Float64Array[],
  timeOf: (frame: number) => number = (frame) => frame / clip.rate,
): number {
  const { figure } = character;
  const [a, b] = [createState(figure), createState(figure)];
  const allowed = new Float64Array(figure.dof);
  let most = 0;
  poses.forEach((pose, frame) => {
    allowed.set(pose);
    clampToLimits(figure, allowed);
    forwardKinematics(a, allowed);
    forwardKinematics(b, poseAt(clip, character, timeOf(frame)));
    for (const { index } of figure.bones) {
      const [p, q] = [a, b].map(({ worldFromBone }) =>
        worldFromBone.subarray(12 * index + 9, 12 * index + 12),
      );
      most = Math.max(most, vec3.distance(p, q));
    }
  });
  return 1000 * most;
}

/** Whether two figures have the same bones, in order. */
export function isSameSkeleton(a: Figure, b: Figure): boolean {
  return (
    a.bones.length === b.bones.length &&
    a.bones.every(({ name, parent }, n) => name === b.bones[n].name && parent === b.bones[n].parent)
  );
}
