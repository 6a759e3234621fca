import type { HumanBone } from 'poise/humanoid';
import type { Character } from '../character/character.js';
import { boneWords } from '../session/words.js';

/** What of a body falls: the bones from one on. */
export interface Limb {
  readonly bone: number;
  readonly label: string;
}

const HUMAN: readonly (readonly [HumanBone, string])[] = [
  ['leftUpperArm', 'Left arm'],
  ['rightUpperArm', 'Right arm'],
  ['leftLowerArm', 'Left forearm'],
  ['rightLowerArm', 'Right forearm'],
  ['leftUpperLeg', 'Left leg'],
  ['rightUpperLeg', 'Right leg'],
  ['leftLowerLeg', 'Left shin'],
  ['rightLowerLeg', 'Right shin'],
  ['spine', 'Upper body'],
  ['neck', 'Head and neck'],
  ['head', 'Head'],
];

/** What of a character can fall by itself. */
export function limbsOf({ figure, humanoid }: Character): readonly Limb[] {
  if (humanoid !== undefined) {
    return HUMAN.flatMap(([name, label]) => {
      const bone = humanoid.bones[name];
      return bone === undefined ? [] : [{ bone, label }];
    });
  }
  return figure.bones
    .filter(({ dof, joint, parent }) => dof > 0 && joint.type !== 'free' && parent >= 0)
    .map(({ index, name }) => ({ bone: index, label: boneWords(name.replace(/_/g, ' ')) }));
}
