import { create } from 'zustand';

/** What is selected for posing; never undone, never saved. */
interface Posing {
  /** The handle whose bone the rings turn. */
  readonly selected: string | undefined;
  /** Whether the arrow keys turn it. */
  readonly turning: boolean;
  /** Bone of the joint whose limits are drawn in full. */
  readonly lit: number | undefined;
  light(bone: number | undefined): void;
  select(id: string | undefined): void;
  setTurning(turning: boolean): void;
}

export const usePosing = create<Posing>((set) => ({
  selected: undefined,
  turning: false,
  lit: undefined,
  light: (lit) => set({ lit }),
  select: (selected) =>
    set((posing) => (posing.selected === selected ? posing : { selected, turning: false })),
  setTurning: (turning) => set({ turning }),
}));
