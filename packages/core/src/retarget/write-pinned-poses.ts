/** All frames of a clip as poses of the target with hands where they are held; hips follow hands that the arms do not bring there. */
import type { Clip } from './clip/clip.js';
import type { FootPath } from './displacement/foot-paths.js';
import { moveHips } from './displacement/hips.js';
import { type PinnedHands, pinHands } from './hands/pinned-hands.js';
import type { FrameWriter } from './pose/frame-writer.js';
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
  writer: FrameWriter,
  ground: number,
  level: number,
): Float64Array[] {
  for (let round = 0; ; round++) {
    const poses = writePoses(clip, feet, writer, level);
    if (!pinHands(hands, clip, poses, ground) || round === MAX_ROUNDS) return poses;
    moveHips(clip, feet, hands.missing, hands.weights, level, FADE_TIME);
  }
}
