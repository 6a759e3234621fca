import { GroundBlocks } from '../scene/ground-blocks.js';
import { type Clip, hasKeys } from './clip/clip.js';

/** What a clip was recorded on, if that is no flat floor. */
export function ClipGround({ clip }: { clip: Clip }) {
  return hasKeys(clip) && <GroundBlocks id={clip.ground} />;
}
