import { clampToLimits, createState, type Figure, forwardKinematics } from 'poise/figure';
import { rigid, vec3 } from 'poise/math';
import { createMotionSampler, type MotionSampler, samplePose } from 'poise/motion';
import type { Character } from '../../character/character.js';
import { type Clip, hasKeys } from '../clip/clip.js';
import { playedMotion, poseAt } from '../clip/clip-motion.js';

/** Difference of joints at both ends, rad, and of the height of the root, over the size, up to which a clip repeats. */
const ALIKE = 0.02;
const LEVEL = 2e-3;

const cycles = new WeakMap<Clip, { readonly figure: Figure; readonly sampler: MotionSampler | undefined }>();

/**
 * The pose of a clip after some cycles: one that ends as it begins continues from where it has come to, as a walk does.
 * Another begins anew.
 */
export function cyclePose(clip: Clip, character: Character, time: number, count: number): Float64Array {
  const { figure } = character;
  let known = cycles.get(clip);
  if (known?.figure !== figure) {
    const isCycle = hasKeys(clip) && endsAsItBegins(clip, character);
    const motion = isCycle && {
      ...playedMotion(clip, character),
      outside: { before: 'clamp', after: 'offset' } as const,
    };
    known = { figure, sampler: motion ? createMotionSampler(figure, motion) : undefined };
    cycles.set(clip, known);
  }
  if (known.sampler === undefined || count === 0) return poseAt(clip, character, time);
  const pose = samplePose(known.sampler, count * clip.duration + time, new Float64Array(figure.dof));
  clampToLimits(figure, pose);
  return pose;
}

/** Whether the last pose is the first but for where the body is on the floor and where it heads. */
export function endsAsItBegins(clip: Clip, character: Character): boolean {
  const { figure, size } = character;
  const [first, last] = [0, clip.duration].map((time) => poseAt(clip, character, time));
  const [a, b] = [first, last].map((pose) => {
    const state = createState(figure);
    forwardKinematics(state, pose);
    return state;
  });
  return figure.bones.every(({ index, joint, coordinate, dof }) => {
    if (joint.type !== 'free') {
      for (let n = coordinate; n < coordinate + dof; n++)
        if (Math.abs(first[n] - last[n]) > ALIKE) return false;
      return true;
    }
    const [from, to] = [a, b].map(({ worldFromBone }) => worldFromBone.subarray(12 * index, 12 * index + 12));
    const rise = vec3.dot(vec3.subtract(to.subarray(9), from.subarray(9)), figure.up);
    const [upBefore, upAfter] = [from, to].map((frame) =>
      rigid.transformVector(rigid.inverse(frame), figure.up),
    );
    return Math.abs(rise) <= LEVEL * size && vec3.distance(upBefore, upAfter) <= ALIKE;
  });
}
