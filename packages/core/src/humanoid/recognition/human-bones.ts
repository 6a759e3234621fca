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

/** The VRM 1.0 names of eyes, jaw and fingers, which the built-in human does not have; the thumb's bones are metacarpal, proximal, distal. */
export const DETAIL_BONES = [
  'leftEye',
  'rightEye',
  'jaw',
  'leftThumbMetacarpal',
  'leftThumbProximal',
  'leftThumbDistal',
  'leftIndexProximal',
  'leftIndexIntermediate',
  'leftIndexDistal',
  'leftMiddleProximal',
  'leftMiddleIntermediate',
  'leftMiddleDistal',
  'leftRingProximal',
  'leftRingIntermediate',
  'leftRingDistal',
  'leftLittleProximal',
  'leftLittleIntermediate',
  'leftLittleDistal',
  'rightThumbMetacarpal',
  'rightThumbProximal',
  'rightThumbDistal',
  'rightIndexProximal',
  'rightIndexIntermediate',
  'rightIndexDistal',
  'rightMiddleProximal',
  'rightMiddleIntermediate',
  'rightMiddleDistal',
  'rightRingProximal',
  'rightRingIntermediate',
  'rightRingDistal',
  'rightLittleProximal',
  'rightLittleIntermediate',
  'rightLittleDistal',
] as const;

/** An eye, the jaw or a finger bone by its VRM name. */
export type DetailBone = (typeof DETAIL_BONES)[number];

/** A value for each human bone present. */
export type HumanBoneMap<T> = { [bone in HumanBone | DetailBone]?: T };

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
