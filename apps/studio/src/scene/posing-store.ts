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
  light(bone: number | undefined): void;
  select(id: string | undefined): void;
  /** @param handle - On the same bone. */
  selectJoint(bone: string, handle: string | undefined): void;
  setTurning(turning: boolean): void;
}

export const usePosing = create<Posing>((set) => ({
  selected: undefined,
  turning: false,
  joint: undefined,
  lit: undefined,
  light: (lit) => set({ lit }),
  select: (selected) =>
    set((posing) =>
      posing.selected === selected && posing.joint === undefined
        ? posing
        : { selected, joint: undefined, turning: false },
    ),
  selectJoint: (joint, selected) => set({ joint, selected, turning: false }),
  setTurning: (turning) => set({ turning }),
}));
