import { clampToLimits, createState, type Figure, findRootJoints, forwardKinematics } from 'poise/figure';
import { vec3 } from 'poise/math';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';
import type { Character } from '../../character/character.js';
import { shiftPose } from '../../character/shift-pose.js';

/** Poses at the frames of a clip, and how far bones are from where its file has them, mm: most, and on average. */
export interface OwnPoses {
  readonly poses: readonly Float64Array[];
  readonly lost: { readonly most: number; readonly mean: number };
}

/**
 * Poses of a clip of the character's own skeleton, within the limits and with the trunk where the file has it: the root goes there, since files move hips
 * below a root bone, and of the character the root alone moves freely.
 */
export function ownPoses(
  character: Character,
  source: Figure,
  motion: Motion,
  rate: number,
): (poses: readonly Float64Array[]) => OwnPoses {
  const { figure, humanoid } = character;
  const trunk = humanoid?.bones.hips ?? middleOf(figure);
  const root = findRootJoints(figure).find((bone) => isAbove(figure, bone, trunk));
  const bones = humanoid
    ? Object.values(humanoid.bones)
    : figure.bones.flatMap(({ index }) => (isAbove(figure, trunk, index) ? [index] : []));
  const sampler = createMotionSampler(source, motion);
  const [given, own] = [createState(source), createState(figure)];
  const sample = new Float64Array(source.dof);
  const between = (bone: number) =>
    vec3.subtract(
      given.worldFromBone.subarray(12 * bone + 9, 12 * bone + 12),
      own.worldFromBone.subarray(12 * bone + 9, 12 * bone + 12),
    );
  return (all) => {
    let [most, sum] = [0, 0];
    const poses = all.map((each, frame) => {
      const pose = each.slice();
      clampToLimits(figure, pose);
      forwardKinematics(given, samplePose(sampler, motion.start + frame / rate, sample));
      forwardKinematics(own, pose);
      if (root !== undefined && root !== trunk) {
        shiftPose(figure, pose, between(trunk), [root]);
        forwardKinematics(own, pose);
      }
      for (const bone of bones) {
        const distance = vec3.norm(between(bone));
        most = Math.max(most, distance);
        sum += distance;
      }
      return pose;
    });
    return { poses, lost: { most: 1000 * most, mean: (1000 * sum) / (bones.length * poses.length) } };
  };
}

/** The last bone below which there is more than half of the figure: the hips of an animal. */
function middleOf({ bones, parents }: Figure): number {
  const below = new Int32Array(bones.length).fill(1);
  for (let bone = bones.length - 1; bone > 0; bone--)
    if (parents[bone] >= 0) below[parents[bone]] += below[bone];
  return below.reduce((last, count, bone) => (2 * count > bones.length ? bone : last), 0);
}

function isAbove({ parents }: Figure, above: number, bone: number): boolean {
  let b = bone;
  while (b > above) b = parents[b];
  return b === above;
}
