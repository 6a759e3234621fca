import { lazy, Suspense } from 'react';
import { usePosing } from '../scene/posing-store.js';
import { useStudio } from '../session/store.js';
import { shownJoint } from './joints.js';

const LimitRims = lazy(() => import('./limit-rims.js').then((module) => ({ default: module.LimitRims })));
const SwivelHandles = lazy(() =>
  import('./swivel-handles.js').then((module) => ({ default: module.SwivelHandles })),
);
const GazeHandle = lazy(() => import('./gaze-handle.js').then((module) => ({ default: module.GazeHandle })));

/** What lies over the picture while a character is posed, beside its handles: each is loaded when there is something to show. */
export function PosingOverlay() {
  const character = useStudio((studio) => studio.character);
  const looks = useStudio((studio) => studio.view.looks);
  const posing = usePosing();
  const bone = posing.lit ?? shownJoint(character, posing);
  return (
    <>
      <Suspense fallback={null}>{bone !== undefined && <LimitRims bone={bone} />}</Suspense>
      <Suspense fallback={null}>
        {posing.selected !== undefined && <SwivelHandles selected={posing.selected} />}
      </Suspense>
      <Suspense fallback={null}>{looks && <GazeHandle />}</Suspense>
    </>
  );
}
