import { CLIP_RATES } from '../animate/clip/bounds.js';
import type { Clip } from '../animate/clip/clip.js';
import { clipFromPoses } from '../animate/clip/clip-from-poses.js';
import type { Character } from '../character/character.js';
import { type Fall, RECORDED_RATE } from './fall.js';

/** What was simulated as keys, as few as keep its poses within 0.6 degrees a joint; undefined where nothing was. */
export function fallClip({ recorded, ground: { id: ground } }: Fall, character: Character): Clip | undefined {
  if (recorded.length < 2) return undefined;
  return { ...clipFromPoses(character, RECORDED_RATE, recorded, false, { rate: CLIP_RATES.usual }), ground };
}
