import { Suspense } from 'react';
import { useStudio } from '../session/store.js';
import { MODES } from './modes.js';

/** What the mode shows beside the character. */
export function ModeScene() {
  const Scene = useStudio(({ mode }) => MODES.find(({ id }) => id === mode)?.Scene);
  return Scene === undefined ? null : (
    <Suspense fallback={null}>
      <Scene />
    </Suspense>
  );
}
