/** Feet in the air brought as near to the hips as the legs reach. */
import { type Clip, writeHipJoints } from '../clip/clip.js';
import type { FootPath } from './foot-paths.js';
import { longestLeg } from './raise-heels.js';
import { raiseAbove } from './smooth.js';

/** Moves the ankles of feet in the air along their legs, smoothly and as little as can be, so that no leg is longer than it reaches. */
export function shortenLegs(clip: Clip, path: FootPath): void {
  const { leg, ankles, heel, ball } = path;
  const { count, step } = clip;
  const hips = new Float64Array(3 * count);
  writeHipJoints(clip, leg, hips);
  const isContact = Uint8Array.from(heel, (down, f) => down | ball[f]);
  const needed = new Float64Array(count);
  const distances = new Float64Array(count);
  let isNeeded = false;
  for (let f = 0; f < count; f++) {
    const i = 3 * f;
    distances[f] = Math.hypot(hips[i] - ankles[i], hips[i + 1] - ankles[i + 1], hips[i + 2] - ankles[i + 2]);
    if (isContact[f] === 1) continue;
    needed[f] = distances[f] - longestLeg(path, f);
    if (needed[f] > 0) isNeeded = true;
  }
  if (!isNeeded) return;
  const shortening = new Float64Array(count);
  raiseAbove(shortening, needed, isContact, step);
  for (let f = 0; f < count; f++) {
    if (shortening[f] === 0) continue;
    const share = shortening[f] / distances[f];
    for (let i = 3 * f; i < 3 * f + 3; i++) ankles[i] += share * (hips[i] - ankles[i]);
  }
}
