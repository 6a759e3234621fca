import { tabHas, tabKeeps } from '../preferences/memory.js';
import { useStudio } from '../session/store.js';
import { MODES } from './modes.js';

const KEY = 'poise-mode';

/** Begins in the mode in which this tab was when its page was loaded again. */
export function keepMode(): void {
  const kept = MODES.find(({ id }) => id === tabHas(KEY));
  if (kept !== undefined) useStudio.getState().setMode(kept.id);
  useStudio.subscribe(({ mode }, before) => {
    if (mode !== before.mode) tabKeeps(KEY, mode);
  });
}
