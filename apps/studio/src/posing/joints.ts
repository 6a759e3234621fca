import type { Character } from '../character/character.js';
import { jointWords } from '../session/words.js';

/** A joint that moves, with its name. */
export interface NamedJoint {
  /** Index of the bone below it. */
  readonly bone: number;
  readonly label: string;
  /** VRM name of that bone, where it is one of a human. */
  readonly human: string | undefined;
}

/** The joints of a character that turn or slide within it: those of a human first, then the others. */
export function jointsOf({ figure, bones }: Character): NamedJoint[] {
  const humans = new Map(Object.entries(bones).map(([name, bone]) => [bone, name]));
  const joints = figure.bones
    .filter(({ dof, joint }) => dof > 0 && joint.type !== 'free')
    .map(({ index, name }) => {
      const human = humans.get(index);
      return { bone: index, human, label: human === undefined ? name : jointWords(human) };
    });
  return [
    ...joints.filter(({ human }) => human !== undefined),
    ...joints.filter(({ human }) => human === undefined),
  ];
}

/** The bone whose joint is shown: the one chosen, or the handle's. */
export function shownJoint(
  { figure, handles }: Character,
  { joint, selected }: { readonly joint: string | undefined; readonly selected: string | undefined },
): number | undefined {
  const handle = handles.find(({ id }) => id === selected);
  const bone =
    joint === undefined
      ? (handle?.turns ?? handle?.bone)
      : figure.bones.find(({ name }) => name === joint)?.index;
  return bone === undefined || bone < 0 ? undefined : bone;
}
