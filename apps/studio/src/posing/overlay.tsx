import { GazeHandle } from './gaze-handle.js';
import { LimitRims } from './limit-rims.js';
import { SwivelHandles } from './swivel-handles.js';

/** What lies over the picture while a character is posed, beside its handles. */
export function PosingOverlay() {
  return (
    <>
      <LimitRims />
      <SwivelHandles />
      <GazeHandle />
    </>
  );
}
