import { GroundBlocks } from '../scene/ground-blocks.js';
import { hasKeys } from './clip/clip.js';
import { useClip } from './store.js';

/** What the clip was recorded on, if that is no flat floor. */
export function ClipGround() {
  const clip = useClip();
  return hasKeys(clip) && <GroundBlocks id={clip.ground} />;
}
