import { create } from 'zustand';
import { recall, remember } from './memory.js';

/** What somebody who is here for the first time does not know, in the order in which it is said. */
export const HINTS = {
  drag: 'Drag a hand: the body follows.',
  pin: 'Double-click a handle to pin it in place.',
  key: 'Drag a hand to set a key. Click a time, drag again.',
  look: 'Drag beside the figure to look at it from elsewhere.',
} as const;

export type Hint = keyof typeof HINTS;

/** The hints that are not given any more. */
export const useHints = create<{ readonly known: readonly string[] }>(() => ({
  known: recall('hints')?.split(' ') ?? [],
}));

/** A hint is not given again: what it says was done, or it was put away. */
export function forgetHint(hint: Hint): void {
  const { known } = useHints.getState();
  if (known.includes(hint)) return;
  useHints.setState({ known: [...known, hint] });
  remember('hints', useHints.getState().known.join(' '));
}
