/** The path of the hips, displaced with the feet and lowered so that the legs reach. */
import { type Clip, writeHipJoints } from '../clip/clip.js';
import { followHips } from './displace-ankles.js';
import type { FootPath } from './foot-paths.js';
import { longestLeg, raiseHeels } from './raise-heels.js';
import { shortenLegs } from './shorten-legs.js';
import { fitDisplacement, raiseAbove } from './smooth.js';

/** Time over which the hips follow the displacement of the feet, and over which a lowering fades, s. */
const FOLLOW_TIME = 0.5;
const FADE_TIME = 0.15;

/**
 * Moves the hips along up as the feet are that stand, smoothly, so that knees stay as bent as they are.
 *
 * @param before - Ankles of each foot before they were displaced.
 */
export function followFeet(
  { count, step, hipCenters }: Clip,
  feet: readonly FootPath[],
  before: readonly Float64Array[],
  up: ArrayLike<number>,
): void {
  const weights = new Float64Array(count);
  const values = new Float64Array(count);
  feet.forEach(({ heel, ball, ankles }, l) => {
    for (let f = 0; f < count; f++) {
      if (heel[f] === 0 || ball[f] === 0) continue;
      let along = 0;
      for (let k = 0; k < 3; k++) along += (ankles[3 * f + k] - before[l][3 * f + k]) * up[k];
      values[f] = (values[f] * weights[f] + along) / (weights[f] + 1);
      weights[f]++;
    }
  });
  fitDisplacement(values, weights, step, FOLLOW_TIME);
  for (let f = 0; f < count; f++) for (let k = 0; k < 3; k++) hipCenters[3 * f + k] += values[f] * up[k];
}

/** Lowers the hips smoothly, as far as the legs need to reach. */
export function lowerHips(clip: Clip, feet: readonly FootPath[], up: ArrayLike<number>): void {
  const { count, step, hipCenters } = clip;
  const needed = new Float64Array(count);
  const hips = new Float64Array(3 * count);
  for (const path of feet) {
    const { leg, ankles } = path;
    writeHipJoints(clip, leg, hips);
    for (let f = 0; f < count; f++) {
      const x = hips[3 * f] - ankles[3 * f];
      const y = hips[3 * f + 1] - ankles[3 * f + 1];
      const z = hips[3 * f + 2] - ankles[3 * f + 2];
      const height = x * up[0] + y * up[1] + z * up[2];
      const square = x * x + y * y + z * z;
      const longest = longestLeg(path, f) ** 2;
      if (square <= longest || height <= 0) continue;
      const across = square - height * height;
      needed[f] = Math.max(needed[f], height - Math.sqrt(Math.max(0, longest - across)));
    }
  }
  const lowered = new Float64Array(count);
  raiseAbove(lowered, needed, new Uint8Array(count), step, FADE_TIME);
  for (let f = 0; f < count; f++) for (let k = 0; k < 3; k++) hipCenters[3 * f + k] -= lowered[f] * up[k];
}

/**
 * Moves the hips by the smooth displacement nearest to the one that is missing, and feet in the air with them.
 *
 * @param missing - Three numbers a frame, m, of frames with a weight.
 * @param time - Over which the displacement fades, s.
 * @param pull - Weight towards none of frames without one.
 */
export function moveHips(
  clip: Clip,
  feet: readonly FootPath[],
  missing: Float64Array,
  weights: Float64Array,
  ground: number,
  time: number,
  pull?: number,
): void {
  const { count, step, hipCenters, alignment } = clip;
  const { up } = alignment.target.figure;
  const change = new Float64Array(3 * count);
  const channel = new Float64Array(count);
  for (let k = 0; k < 3; k++) {
    for (let f = 0; f < count; f++) channel[f] = missing[3 * f + k];
    fitDisplacement(channel, weights, step, time, pull);
    for (let f = 0; f < count; f++) change[3 * f + k] = channel[f];
  }
  for (let i = 0; i < change.length; i++) hipCenters[i] += change[i];
  for (const foot of feet) {
    followHips(foot, change, up, ground, step);
    raiseHeels(clip, foot, up, change);
    shortenLegs(clip, foot);
  }
}
