import type { Figure } from 'poise/figure';
import type { HumanBoneMap } from 'poise/humanoid';
import type { Motion } from 'poise/motion';
import { createRetargeter, type RetargetReport, retargetMotion } from 'poise/retarget';

/** A motion of one human to put on another. Plain data. */
export interface RetargetRequest {
  readonly source: Figure;
  readonly sourceBones: HumanBoneMap<string | number>;
  readonly target: Figure;
  readonly targetBones: HumanBoneMap<number>;
  /** Height of the target's ground, m. */
  readonly ground: number;
  readonly motion: Motion;
  /** Frames a second. */
  readonly rate: number;
  /** Whether feet are put on the ground: not where the motion is the target's own. */
  readonly keepsContacts: boolean;
}

export interface RetargetAnswer {
  /** The target, or the same with a free joint at its hips. */
  readonly figure: Figure;
  readonly motion: Motion;
  readonly report: RetargetReport;
  /** Bones that it moves, by index. */
  readonly bones: readonly number[];
}

/** @throws PoiseError for figures that are no humans. */
export function putOn(request: RetargetRequest): RetargetAnswer {
  const { source, sourceBones, target, targetBones, ground, motion, rate, keepsContacts } = request;
  const named = Object.keys(sourceBones).length > 0 ? { sourceBones } : {};
  const retargeter = createRetargeter(source, target, { ...named, targetBones, ground });
  const options = keepsContacts ? { rate } : { rate, contacts: [] };
  const result = retargetMotion(retargeter, motion, options);
  return { figure: retargeter.target, ...result, bones: retargeter.bones.map((bone) => bone.target) };
}
