/** All frames of a clip as poses of the target. */
import type { Clip } from './clip/clip.js';
import { easedLimits, easeExcess, moveInwards, recordExcess } from './displacement/eased-limits.js';
import type { FootPath } from './displacement/foot-paths.js';
import { moveHips } from './displacement/hips.js';
import { createFrameWriter, type FrameWriter, writeTargetFrame } from './pose/frame-writer.js';
import { createFootTarget, type FootTarget } from './pose/leg-solver.js';

/** Rounds in which the hips are moved for ankles at their limits. */
const MAX_ROUNDS = 2;
/** Time over which these displacements fade, s. */
const FADE_TIME = 0.065;
/** Displacement of the hips from which a frame is written anew, leg lengths. */
const UNCHANGED = 3e-5;
/** Displacement up to which the hips stay, leg lengths. */
const MIN_MISSING = 1e-3;
/** Pull of the hips back to their path in frames that need no displacement, over that of the others. */
const RETURN_WEIGHT = 0.005;

/**
 * Poses of all frames. Where limits of an ankle keep a foot in contact from the ground, the hips are moved, smoothly over the frames, until they do not.
 */
export function writePoses(clip: Clip, feet: readonly FootPath[], ground: number): Float64Array[] {
  const { alignment, count, hipCenters } = clip;
  const writer = createFrameWriter(alignment.target, alignment.plan, alignment.legs);
  const targets = feet.map(() => createFootTarget());
  const frame = new Float64Array(clip.row);
  const poses = Array.from({ length: count }, () => new Float64Array(alignment.target.figure.dof));
  const isChanged = new Uint8Array(count).fill(1);
  const missing = new Float64Array(3 * count);
  const weights = new Float64Array(count);
  const limits = easedLimits(writer, count);
  const unchanged = UNCHANGED * alignment.target.legLength;
  // Hips and ankles as the frames were last written.
  const written = [hipCenters, ...feet.map(({ ankles }) => ankles)].map((path) => path.slice());
  for (let round = 0; ; round++) {
    for (let f = 0; f < count; f++) {
      if (isChanged[f] === 0) continue;
      poses[f].set(round > 0 || f === 0 ? (round > 0 ? poses[f] : writer.joints.restPose) : poses[f - 1]);
      writeFrame(
        writer,
        clip,
        feet,
        targets,
        f,
        ground,
        frame,
        poses[f],
        round > 0 ? writer.legBones : writer.bones,
      );
      if (round === 0) recordExcess(limits, writer, f);
      weights[f] = 0;
      missing.fill(0, 3 * f, 3 * f + 3);
      for (const solver of writer.solvers) {
        const { missing: own } = solver;
        if (Math.hypot(own[0], own[1], own[2]) <= MIN_MISSING * alignment.target.legLength) continue;
        weights[f]++;
        for (let k = 0; k < 3; k++) missing[3 * f + k] += (own[k] - missing[3 * f + k]) / weights[f];
      }
    }
    if (round === MAX_ROUNDS || !weights.some((weight) => weight > 0)) break;
    moveHips(clip, feet, missing, weights, ground, FADE_TIME, RETURN_WEIGHT);
    const after = [hipCenters, ...feet.map(({ ankles }) => ankles)];
    for (let f = 0; f < count; f++) {
      isChanged[f] = 0;
      for (let n = 0; n < after.length; n++) {
        for (let i = 3 * f; i < 3 * f + 3; i++) {
          if (Math.abs(after[n][i] - written[n][i]) > unchanged) isChanged[f] = 1;
        }
      }
      if (isChanged[f] === 0) continue;
      for (let n = 0; n < after.length; n++) written[n].set(after[n].subarray(3 * f, 3 * f + 3), 3 * f);
    }
  }
  if (!easeExcess(limits, clip.step)) return poses;
  for (let f = 0; f < count; f++) {
    if (!moveInwards(limits, writer, f)) continue;
    writeFrame(writer, clip, feet, targets, f, ground, frame, poses[f], writer.upperBones);
  }
  return poses;
}

function writeFrame(
  writer: FrameWriter,
  { row, orientations, hipCenters }: Clip,
  feet: readonly FootPath[],
  targets: readonly FootTarget[],
  f: number,
  ground: number,
  frame: Float64Array,
  pose: Float64Array,
  bones: Int32Array,
): void {
  const isRewritten = bones !== writer.bones;
  for (let i = 0; i < row; i++) frame[i] = orientations[row * f + i];
  for (let l = 0; l < feet.length; l++) {
    const { leg, rotations, ankles, heel, ball, heelNear, ballNear, toesDown, heelPins, ballPins } = feet[l];
    const foot = targets[l];
    for (let k = 0; k < 9; k++) frame[9 * leg.footSegment + k] = rotations[9 * f + k];
    for (let k = 0; k < 3; k++) {
      foot.ankle[k] = ankles[3 * f + k];
      foot.heelPin[k] = heelPins[3 * f + k];
      foot.ballPin[k] = ballPins[3 * f + k];
    }
    foot.heel = heel[f];
    foot.ball = ball[f];
    foot.heelNear = heelNear[f];
    foot.ballNear = ballNear[f];
    foot.toesDown = toesDown[f];
    foot.swivel = feet[l].swivels[isRewritten ? f : Math.max(0, f - 1)];
  }
  writeTargetFrame(writer, frame, 0, hipCenters, 3 * f, targets, ground, pose, bones);
  for (let l = 0; l < feet.length; l++) feet[l].swivels[f] = targets[l].swivel;
}
