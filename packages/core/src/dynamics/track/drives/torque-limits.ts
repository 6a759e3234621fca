import type { HumanBone } from '../../../humanoid/recognition/human-bones.js';

/** A human bone with an actuated joint; the hips are the root. */
export type ActuatedBone = Exclude<HumanBone, 'hips'>;
/** Paired bones, without left or right. */
type Sided = 'Shoulder' | 'UpperArm' | 'LowerArm' | 'Hand' | 'UpperLeg' | 'LowerLeg' | 'Foot' | 'Toes';
type TorqueJoint = Exclude<ActuatedBone, `left${Sided}` | `right${Sided}`> | Sided;

/**
 * Torque limit of the joint of each human bone, N m per kg of body mass. Trunk, neck, hips, knees, ankles, shoulders and elbows: the torque
 * bounds of the DeepMimic humanoid (Peng and others 2018, ACM Trans. Graph. 37: 200, 50, 200, 150, 90, 100 and 60 N m) over its 45 kg. For knees, men
 * reach 2.9 to 3.5 N m/kg (Sarabon and others 2021, Front. Physiol. 12, 411 studies). Hands and toes are estimates.
 */
const TORQUE_LIMITS: Readonly<Record<TorqueJoint, number>> = {
  spine: 4.4,
  chest: 4.4,
  upperChest: 4.4,
  neck: 1.1,
  head: 1.1,
  Shoulder: 2.2,
  UpperArm: 2.2,
  LowerArm: 1.3,
  Hand: 0.3,
  UpperLeg: 4.4,
  LowerLeg: 3.3,
  Foot: 2,
  Toes: 0.5,
};

/** Torque limit of the joint of a human bone, N m/kg. */
export function torqueLimitOf(bone: ActuatedBone): number {
  return TORQUE_LIMITS[bone.replace(/^(left|right)/, '') as TorqueJoint];
}
