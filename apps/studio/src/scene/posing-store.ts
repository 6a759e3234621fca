import { create } from 'zustand';
import type { Character } from '../character/character.js';
import { session, useStudio } from '../session/store.js';

/** What is selected for posing; never undone, never saved. */
interface Posing {
  /** The handle whose rings are shown. */
  readonly selected: string | undefined;
  /** Whether the arrow keys turn it. */
  readonly turning: boolean;
  /** Bone, by name, of the joint whose numbers and limits are shown, where that is not the handle's. */
  readonly joint: string | undefined;
  /** Bone of the joint whose limits are drawn in full while it is pointed at. */
  readonly lit: number | undefined;
  /** Whether it was asked why the joint goes no further: its limits, which say so, open once they are there. */
  readonly asksWhy: boolean;
  light(bone: number | undefined): void;
  select(id: string | undefined): void;
  /** Selects the joint above a bone, by index, and the handle whose rings turn it. */
  selectJoint(bone: number, asksWhy?: boolean): void;
  setTurning(turning: boolean): void;
}

export const usePosing = create<Posing>((set) => ({
  selected: undefined,
  turning: false,
  joint: undefined,
  lit: undefined,
  asksWhy: false,
  light: (lit) => set({ lit }),
  select: (selected) =>
    set((posing) =>
      posing.selected === selected && posing.joint === undefined
        ? posing
        : { selected, joint: undefined, turning: false, asksWhy: false },
    ),
  selectJoint: (bone, asksWhy = false) => {
    const { figure, handles } = session.character;
    const selected = handles.find(({ bone: own, turns = own }) => turns === bone)?.id;
    set({ joint: figure.bones[bone].name, selected, turning: false, asksWhy });
  },
  setTurning: (turning) => set({ turning }),
}));

/** Whether a character is the other with other limits, bones or height. */
function isSame(a: Character, b: Character): boolean {
  return a.source.name === b.source.name && a.files[0] === b.files[0];
}

// What was selected is of the character that was there.
useStudio.subscribe(({ character }, before) => {
  if (!isSame(character, before.character))
    usePosing.setState({
      selected: undefined,
      joint: undefined,
      lit: undefined,
      turning: false,
      asksWhy: false,
    });
});
