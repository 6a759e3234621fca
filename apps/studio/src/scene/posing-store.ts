import { create } from 'zustand';

/** What is selected for posing; never undone, never saved. */
interface Posing {
  /** The handle whose bone the rings turn. */
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
  /** @param handle - On the same bone. */
  selectJoint(bone: string, handle: string | undefined, asksWhy: boolean): void;
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
  selectJoint: (joint, selected, asksWhy) => set({ joint, selected, turning: false, asksWhy }),
  setTurning: (turning) => set({ turning }),
}));
