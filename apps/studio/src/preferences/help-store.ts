import { create } from 'zustand';
import { recall, remember } from './memory.js';

/** The sheet of keys, and whether keys without Ctrl do anything. */
export const useHelp = create<{
  readonly isOpen: boolean;
  readonly hasSingleKeys: boolean;
  show(isOpen: boolean): void;
  setSingleKeys(on: boolean): void;
}>((set) => ({
  isOpen: false,
  hasSingleKeys: recall('single-keys') !== 'off',
  show: (isOpen) => set({ isOpen }),
  setSingleKeys: (hasSingleKeys) => {
    remember('single-keys', hasSingleKeys ? undefined : 'off');
    set({ hasSingleKeys });
  },
}));
