/** How much of the clips of a rig lies outside the limits of its joints. */
import { createState, type Figure, forwardKinematics, poseFromLocalTransforms } from 'poise/figure';
import { rigid } from 'poise/math';
import { createMotionSampler, samplePose } from 'poise/motion';
import type { AllClips } from './all-clips.js';
import { angleBetween, evenTimes } from './sampling.js';

/** What clips do with the joint of a bone. */
export interface OutsideOfLimit {
  readonly bone: string;
  /** Share of the samples in which the joint is outside, 0 to 1. */
  readonly share: number;
  /** By how much at most, degrees, in which clip and when, s. */
  readonly excess: number;
  readonly clip: string;
  readonly time: number;
}

export interface ClipsOutside {
  readonly samples: number;
  readonly clips: number;
  /** By index of the bone; those that are limited alone. */
  readonly bones: ReadonlyMap<number, OutsideOfLimit>;
  /** Coordinates of all samples, `dof` a sample, of joints that turn as the clip does as far as they can. */
  readonly poses: readonly Float64Array[];
}

/** Samples of a clip a second, and of all clips at most. */
const RATE = 30;
const MAX_SAMPLES = 4000;
/** Within rounding and the play of a hinge that a clip has by its keys, degrees. */
const PLAY = 0.5;
const DEGREES = 180 / Math.PI;

/** @param figure - With limits; the clips are of one whose bones have the same names. @returns undefined without clips. */
export function clipsOutside(figure: Figure, { figure: own, motions }: AllClips): ClipsOutside | undefined {
  if (motions.length === 0) return undefined;
  const [state, free, clamped] = [createState(own), createState(figure), createState(figure)];
  const index = new Map(own.bones.map(({ name, index: at }) => [name, at]));
  const bones = figure.bones.map(({ name }) => index.get(name) ?? -1);
  const limited = [...new Set(figure.limitComponents.map(({ bone }) => bone))];
  const counts = new Map(limited.map((bone) => [bone, { outside: 0, excess: 0, clip: '', time: 0 }]));
  const most = Math.max(2, Math.floor(MAX_SAMPLES / motions.length));
  const parentFromBone = new Float64Array(12 * figure.bones.length);
  const pose = new Float64Array(own.dof);
  const poses: Float64Array[] = [];
  const [near, allowed] = [new Float64Array(figure.dof), new Float64Array(figure.dof)];
  for (const motion of motions) {
    const sampler = createMotionSampler(own, motion);
    near.fill(0);
    allowed.fill(0);
    for (const time of evenTimes(motion.start, motion.end, RATE, most)) {
      forwardKinematics(state, samplePose(sampler, time, pose));
      const frame = (b: number) => state.worldFromBone.subarray(12 * b, 12 * b + 12);
      for (const { index: b, parent } of figure.bones) {
        const out = parentFromBone.subarray(12 * b, 12 * b + 12);
        const above = parent < 0 ? -1 : bones[parent];
        if (bones[b] < 0) out.set(free.parentFromBone.subarray(12 * b, 12 * b + 12));
        else if (above < 0) out.set(frame(bones[b]));
        else rigid.relative(frame(above), frame(bones[b]), out);
      }
      poseFromLocalTransforms(free, parentFromBone, near);
      poseFromLocalTransforms(clamped, parentFromBone, allowed, { clamp: true });
      forwardKinematics(clamped, allowed);
      poses.push(Float64Array.from(near));
      for (const [bone, seen] of counts) {
        const off = DEGREES * angleBetween(parentFromBone, clamped.parentFromBone, 12 * bone);
        if (off <= PLAY) continue;
        seen.outside++;
        if (off > seen.excess) counts.set(bone, { ...seen, excess: off, clip: motion.name, time });
      }
    }
  }
  const said = [...counts].map(([bone, { outside, excess, clip, time }]) => {
    const share = outside / poses.length;
    return [bone, { bone: figure.bones[bone].name, share, excess, clip, time }] as const;
  });
  return { samples: poses.length, clips: motions.length, bones: new Map(said), poses };
}
