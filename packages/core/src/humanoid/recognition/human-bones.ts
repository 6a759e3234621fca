/** The VRM names of the bones of a humanoid, in topological order, trunk first: those of the built-in human. */
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

/** A value for each human bone present. */
export type HumanBoneMap<T> = { [bone in HumanBone]?: T };

/** The bones that a humanoid must have. */
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

/** The parent of a human bone in a figure that has all of them. */
export function humanParent(bone: HumanBone): HumanBone | undefined {
  if (bone === 'hips') return undefined;
  if (bone.endsWith('Shoulder')) return 'upperChest';
  if (bone.endsWith('UpperLeg')) return 'hips';
  return HUMAN_BONES[HUMAN_BONES.indexOf(bone) - 1];
}
