import { usePosing } from '../scene/posing-store.js';
import { lazyPart } from '../session/lazy-component.js';
import { useStudio } from '../session/store.js';
import { shownJoint } from './joints.js';

const LimitRims = lazyPart(
  () => import('./limit-rims.js').then((module) => module.LimitRims),
  'The rims of the limits',
);
const SwivelHandles = lazyPart(
  () => import('./swivel-handles.js').then((module) => module.SwivelHandles),
  'The handles of elbows and knees',
);
const GazeHandle = lazyPart(
  () => import('./gaze-handle.js').then((module) => module.GazeHandle),
  'The handle of the gaze',
);

/** What lies over the picture while a character is posed, beside its handles: each is loaded when there is something to show. */
export function PosingOverlay() {
  const character = useStudio((studio) => studio.character);
  const looks = useStudio((studio) => studio.view.looks);
  const posing = usePosing();
  const bone = posing.lit ?? shownJoint(character, posing);
  return (
    <>
      {bone !== undefined && <LimitRims bone={bone} />}
      {posing.selected !== undefined && <SwivelHandles selected={posing.selected} />}
      {looks && <GazeHandle />}
    </>
  );
}
