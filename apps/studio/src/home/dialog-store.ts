import { create } from 'zustand';

/** Which dialog of exports is open. */
export const useDialog = create<{ readonly open: 'picture' | 'video' | undefined }>(() => ({
  open: undefined,
}));
