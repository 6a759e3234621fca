import { useEffect } from 'react';
import type { Document } from '../document/document.js';
import { forgetHint, HINTS, type Hint, useHints } from '../preferences/hints.js';
import { useStudio } from '../session/store.js';

const NAMES = Object.keys(HINTS) as Hint[];

/** The first hint that is news, over the picture. */
export function Hints() {
  const known = useHints((hints) => hints.known);
  const isAnimate = useStudio(({ mode }) => mode === 'animate');
  const hint = NAMES.find((name) => !known.includes(name) && (name === 'key') === isAnimate);
  useEffect(
    () =>
      useStudio.subscribe((now, before) => {
        if (before.dragging !== undefined && now.dragging === undefined) forgetHint('drag');
        if (now.document !== before.document && keyTimeCount(now.document.clip) > 1) forgetHint('key');
        if (now.steps.undo !== before.steps.undo && /^Pin the /.test(now.steps.undo ?? '')) forgetHint('pin');
      }),
    [],
  );
  if (hint === undefined) return null;
  return (
    <div className="hint" role="note">
      <p>{pressed(HINTS[hint])}</p>
      <button type="button" className="icon" aria-label="Put the hint away" onClick={() => forgetHint(hint)}>
        <svg viewBox="0 0 20 20" aria-hidden="true">
          <path d="m6 6 8 8M14 6l-8 8" />
        </svg>
      </button>
    </div>
  );
}

/** A finger taps. */
function pressed(words: string): string {
  return matchMedia('(pointer: coarse)').matches
    ? words.replace('Click', 'Tap').replace('click', 'tap')
    : words;
}

function keyTimeCount(clip: Document['clip']): number {
  return new Set(Object.values(clip?.keys ?? {}).flatMap((keys) => keys.map(({ time }) => time))).size;
}
