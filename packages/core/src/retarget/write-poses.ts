/** All frames of a clip as poses of the target. */
import type { Clip } from './clip/clip.js';
import { easedLimits, easeExcess, moveInwards, recordExcess } from './displacement/eased-limits.js';
import type { FootPath } from './displacement/foot-paths.js';
import { moveHips } from './displacement/hips.js';
import { type FrameWriter, probeLegs, writeTargetFrame } from './pose/frame-writer.js';
import { createFootTarget, type FootTarget } from './pose/leg-solver.js';

/** Rounds in which the hips are moved for ankles at their limits. */
const MAX_ROUNDS = 2;
/** Time over which these displacements fade, s. */
const FADE_TIME = 0.065;
/** Displacement up to which the hips stay, leg lengths. */
const MIN_MISSING = 1e-3;
/** Pull of the hips back to their path in frames that need no displacement, over that of the others. */
const RETURN_WEIGHT = 0.005;

/**
 * Poses of all frames. Where limits of an ankle keep a foot in contact from the ground, the hips are moved, smoothly over the frames, until they do not.
 */
export function writePoses(
  clip: Clip,
  feet: readonly FootPath[],
  writer: FrameWriter,
  ground: number,
): Float64Array[] {
  const { alignment, count, hipCenters } = clip;
  const targets = feet.map(() => createFootTarget());
  const frame = new Float64Array(clip.row);
  followAnkles(clip, feet, writer, targets, ground);
  const poses = Array.from({ length: count }, () => new Float64Array(alignment.target.figure.dof));
  const limits = easedLimits(writer, count);
  for (let f = 0; f < count; f++) {
    readFrame(clip, feet, f, Math.max(0, f - 1), frame, targets);
    poses[f].set(f === 0 ? writer.joints.restPose : poses[f - 1]);
    writeTargetFrame(writer, frame, 0, hipCenters, 3 * f, targets, ground, poses[f]);
    for (let l = 0; l < feet.length; l++) feet[l].swivels[f] = targets[l].swivel;
    recordExcess(limits, writer, f);
  }
  if (!easeExcess(limits, clip.step)) return poses;
  for (let f = 0; f < count; f++) {
    const bones = moveInwards(limits, writer, f, poses[f]);
    if (bones.length === 0) continue;
    readFrame(clip, feet, f, f, frame, targets);
    writeTargetFrame(writer, frame, 0, hipCenters, 3 * f, targets, ground, poses[f], bones);
  }
  writer.joints.inwards.fill(0);
  return poses;
}

/** Moves the hips for feet in contact that limits of their ankles keep from their places. */
function followAnkles(
  clip: Clip,
  feet: readonly FootPath[],
  writer: FrameWriter,
  targets: readonly FootTarget[],
  ground: number,
): void {
  const { alignment, count, hipCenters } = clip;
  if (alignment.legs.every(({ isFree }) => isFree)) return;
  const frame = new Float64Array(clip.row);
  const pose = writer.joints.restPose.slice();
  const missing = new Float64Array(3 * count);
  const weights = new Float64Array(count);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    missing.fill(0);
    weights.fill(0);
    for (let f = 0; f < count; f++) {
      readFrame(clip, feet, f, round === 0 ? Math.max(0, f - 1) : f, frame, targets);
      probeLegs(writer, frame, hipCenters, 3 * f, targets, ground, pose);
      writer.solvers.forEach(({ missing: own }, l) => {
        feet[l].swivels[f] = targets[l].swivel;
        if (Math.hypot(own[0], own[1], own[2]) <= MIN_MISSING * alignment.target.legLength) return;
        weights[f]++;
        for (let k = 0; k < 3; k++) missing[3 * f + k] += (own[k] - missing[3 * f + k]) / weights[f];
      });
    }
    if (!weights.some((weight) => weight > 0)) return;
    moveHips(clip, feet, missing, weights, ground, FADE_TIME, RETURN_WEIGHT);
  }
}

/** Orientations and feet of a frame; knees begin as in another one. */
function readFrame(
  { row, orientations }: Clip,
  feet: readonly FootPath[],
  f: number,
  before: number,
  frame: Float64Array,
  targets: readonly FootTarget[],
): void {
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
    foot.swivel = feet[l].swivels[before];
  }
}
