import type { Document } from '../document/document.js';
import { useStudio } from './store.js';

/** Presses of keys on one thing within this time are one step of undo, ms. */
const RUN = 1000;

interface Press {
  readonly currentTarget: unknown;
  readonly timeStamp: number;
  readonly repeat: boolean;
}

let last: Press | undefined;
/** What the presses so far have made. */
let made: Document | undefined;

/**
 * Ends what a key has done: as a step of undo, or in the step of the presses before it, where the key is held, or was pressed soon after them on the same
 * thing, and nothing else was done meanwhile.
 */
export function endKeyPress(
  { currentTarget, timeStamp, repeat }: Press,
  end: (replaces: boolean) => void,
): void {
  const before = useStudio.getState().document;
  const continues =
    last !== undefined &&
    last.currentTarget === currentTarget &&
    (repeat || timeStamp - last.timeStamp < RUN) &&
    before === made;
  last = { currentTarget, timeStamp, repeat };
  end(continues);
  const { document } = useStudio.getState();
  if (document !== before || !continues) made = document === before ? undefined : document;
}

/** Another key was pressed: what follows is a step of its own. */
export function endKeyRun(): void {
  last = undefined;
}
