/** All frames of a clip as poses of the target with hands where they are held; hips follow hands that the arms do not bring there. */
import type { Clip } from './clip/clip.js';
import { followHips } from './displacement/displace-ankles.js';
import type { FootPath } from './displacement/foot-paths.js';
import { raiseHeels } from './displacement/raise-heels.js';
import { fitDisplacement } from './displacement/smooth.js';
import { type PinnedHands, pinHands } from './hands/pinned-hands.js';
import { writePoses } from './write-poses.js';

/** Rounds in which the hips are moved for hands that do not reach. */
const MAX_ROUNDS = 4;
/** Time over which these displacements fade, s. */
const FADE_TIME = 0.5;

/** @param level - Height that nothing of the feet is below, along up; `ground`: that of hands in contact. */
export function writePinnedPoses(
  clip: Clip,
  feet: readonly FootPath[],
  hands: PinnedHands,
  ground: number,
  level: number,
): Float64Array[] {
  const { count, step, hipCenters, alignment } = clip;
  const { up } = alignment.target.figure;
  const channel = new Float64Array(count);
  for (let round = 0; ; round++) {
    const poses = writePoses(clip, feet, level);
    if (!pinHands(hands, clip, poses, ground) || round === MAX_ROUNDS) return poses;
    const before = hipCenters.slice();
    for (let k = 0; k < 3; k++) {
      for (let f = 0; f < count; f++) channel[f] = hands.missing[3 * f + k];
      fitDisplacement(channel, hands.weights, step, FADE_TIME);
      for (let f = 0; f < count; f++) hipCenters[3 * f + k] += channel[f];
    }
    const change = hipCenters.map((x, i) => x - before[i]);
    for (const foot of feet) {
      followHips(foot, change, up, level, step);
      raiseHeels(clip, foot, up);
    }
  }
}
