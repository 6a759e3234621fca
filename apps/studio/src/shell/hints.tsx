import { useEffect } from 'react';
import { create } from 'zustand';
import { useStudio } from '../session/store.js';
import { recall, remember } from './memory.js';

/** What somebody who is here for the first time does not know, in the order in which it is said. */
const HINTS = {
  drag: 'Drag a hand: the body follows.',
  pin: 'Double-click a handle to pin it in place.',
  look: 'Drag beside the figure to look at it from elsewhere.',
} as const;

type Hint = keyof typeof HINTS;
const NAMES = Object.keys(HINTS) as Hint[];

const useHints = create<{ readonly known: readonly string[] }>(() => ({
  known: recall('hints')?.split(' ') ?? [],
}));

/** A hint is not shown again: what it says was done, or it was put away. */
export function forgetHint(hint: Hint): void {
  const { known } = useHints.getState();
  if (known.includes(hint)) return;
  useHints.setState({ known: [...known, hint] });
  remember('hints', useHints.getState().known.join(' '));
}

/** The first hint that is news, over the picture. */
export function Hints() {
  const known = useHints((hints) => hints.known);
  const hint = NAMES.find((name) => !known.includes(name));
  useEffect(
    () =>
      useStudio.subscribe((now, before) => {
        if (before.dragging !== undefined && now.dragging === undefined) forgetHint('drag');
        if (now.steps.undo !== before.steps.undo && /^Pin the /.test(now.steps.undo ?? '')) forgetHint('pin');
      }),
    [],
  );
  if (hint === undefined) return null;
  return (
    <div className="hint" role="note">
      <p>{HINTS[hint]}</p>
      <button type="button" className="icon" aria-label="Put the hint away" onClick={() => forgetHint(hint)}>
        <svg viewBox="0 0 20 20" aria-hidden="true">
          <path d="m6 6 8 8M14 6l-8 8" />
        </svg>
      </button>
    </div>
  );
}
