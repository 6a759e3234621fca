/** The bones of a humanoid as VRM names them, trunk first, parents before children: those of the built-in human. */
export const HUMAN_BONES = [
  'hips',
  'spine',
  'chest',
  'upperChest',
  'neck',
  'head',
  'leftShoulder',
  'leftUpperArm',
  'leftLowerArm',
  'leftHand',
  'leftUpperLeg',
  'leftLowerLeg',
  'leftFoot',
  'leftToes',
  'rightShoulder',
  'rightUpperArm',
  'rightLowerArm',
  'rightHand',
  'rightUpperLeg',
  'rightLowerLeg',
  'rightFoot',
  'rightToes',
] as const;

/** A bone of a humanoid by its VRM name. */
export type HumanBone = (typeof HUMAN_BONES)[number];

/** A value for each human bone that there is. */
export type HumanBoneMap<T> = { [bone in HumanBone]?: T };

/** Without these nothing is called a humanoid. */
export const ESSENTIAL_BONES = [
  'hips',
  'spine',
  'leftUpperArm',
  'rightUpperArm',
  'leftUpperLeg',
  'leftLowerLeg',
  'rightUpperLeg',
  'rightLowerLeg',
] as const satisfies readonly HumanBone[];

/** The bone next nearer to the hips, where a figure has them all. */
export function humanParent(bone: HumanBone): HumanBone | undefined {
  if (bone === 'hips') return undefined;
  if (bone.endsWith('Shoulder')) return 'upperChest';
  if (bone.endsWith('UpperLeg')) return 'hips';
  return HUMAN_BONES[HUMAN_BONES.indexOf(bone) - 1];
}
