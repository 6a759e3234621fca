import type { Figure } from '../../figure/model/figure.js';
import { createPose } from '../../figure/model/pose.js';
import type { Numbers } from '../../math/linear/types.js';
import { distancesOf, noiseShare, spareOf } from '../markers/adaptive-prior.js';
import { descend } from '../markers/descent.js';
import { applyLengths, scaleFigure } from '../markers/length-groups.js';
import { evaluate, setTargets } from '../markers/marker-problem.js';
import { initializeMarkers } from '../markers/marker-tracker.js';
import type { MarkerResult } from '../markers/types.js';
import { fitFactors, type LengthFitResult } from './fit-lengths.js';
import { type MeasuredFrame, startingScale } from './initial-scale.js';
import {
  createLandmarkFit,
  type LandmarkFit,
  type LandmarkFitOptions,
  solveLandmarks,
} from './landmark-fit.js';
import { type LandmarkPositions, readFrame } from './read-frame.js';

const MOST_ROUNDS = 4;
/** A frame that is lower by more than this part of itself has left a worse end. */
const LOWER = 1e-6;
/** A frame this many times higher than the median of its clip has likely ended in a worse place. */
const STANDS_OUT = 25;
/** What stands for knowledge of joints and lengths is made smaller where it is this many times too large, and so often at most. */
const NEAR = 2;
const MOST_SHARES = 8;

/**
 * Fits the lengths to a clip: one factor a group, all frames together. The pose of each frame is eliminated (its least-squares pose for
 * the lengths at hand, Schur's complement of its Hessian), so a step costs one pass over the frames, however many there are. `hold`
 * keeps the joints near rest here, not near the frame before: the frames stand for themselves.
 *
 * @param frames - Positions of each frame; confidences likewise where given.
 * @param poses - Written: the pose of each frame.
 * @throws as {@link solveLandmarks}.
 */
export function fitLandmarkLengths(
  fit: LandmarkFit,
  frames: readonly LandmarkPositions[],
  confidences?: readonly Numbers[],
  poses: Float64Array[] = frames.map(() => createPose(fit.tracker.figure)),
): LengthFitResult {
  const { problem, work, figure, settings } = fit.tracker;
  const read = frames.map((frame, f) => readFrame(fit.names, frame, confidences?.[f]));
  // What an earlier clip came to is forgotten: the same input gives the same bits.
  problem.lengths.factors.fill(1);
  applyLengths(problem.lengths, problem.state);
  const center = startingScale(problem, read);
  problem.lengths.factors.fill(center);
  applyLengths(problem.lengths, problem.state);
  const rest = createPose(figure);
  const stiffness = (fit.noise / (problem.lengthScale * fit.lengthSpread)) ** 2 / problem.largestWeight;
  const solve = (at: Float64Array): number => descend(problem, work, at, settings.maxIterations).objective;
  let share = 1;
  let result: LengthFitResult | undefined;
  let iterations = 0;
  // Poses found with the wrong lengths may sit in a corner of their limits, or beyond a fold, that right lengths lead out of: tracked anew, or
  // sought from nothing where they stand out, they don't.
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const used = trackClip(fit, read, poses, round > 0);
    if (round > 0 && !used.better) break;
    const seen = used.frames.map((f) => ({
      pose: poses[f],
      prepare: () => {
        setTargets(problem, read[f].positions, read[f].confidences);
        problem.held.set(rest);
      },
    }));
    for (let n = 0; n < MOST_SHARES; n++) {
      problem.hold = share * problem.fullHold;
      result = fitFactors(problem, seen, { center, stiffness: share * stiffness, solve, work });
      iterations += result.iterations;
      const next = Math.min(share, clipShare(fit, seen));
      if (next > share / NEAR || share === 0) break;
      share = next;
    }
    if (result?.status === 'unobserved') break;
  }
  return { ...(result as LengthFitResult), iterations };
}

/** (s / noise)^2 of a whole clip at its poses, 1 at most. */
function clipShare(
  { tracker: { problem }, noise }: LandmarkFit,
  frames: readonly { readonly pose: Float64Array; readonly prepare: () => void }[],
): number {
  const distances: number[] = [];
  let [numbers, spare] = [0, -problem.lengths.factors.length];
  for (const { pose, prepare } of frames) {
    prepare();
    evaluate(problem, pose);
    distances.push(...distancesOf(problem));
    const own = spareOf(problem);
    numbers += own.numbers;
    spare += own.spare;
  }
  return noiseShare(distances, { numbers, spare }, noise);
}

/** Of each frame in which something is seen: f at its pose, without what holds it. NaN of the others. */
function heightsOf(
  { tracker: { problem } }: LandmarkFit,
  read: readonly MeasuredFrame[],
  poses: readonly Float64Array[],
): number[] {
  return read.map(({ positions, confidences }, f) => {
    if (setTargets(problem, positions, confidences) === 0) return Number.NaN;
    problem.held.set(poses[f]);
    return evaluate(problem, poses[f].slice());
  });
}

/**
 * Tracks the frames from nothing with the lengths at hand.
 *
 * @param keep - Poses that are lower already stay, and frames that stand out are sought from nothing too.
 * @returns the frames in which something is seen, and whether some pose became lower.
 */
function trackClip(
  fit: LandmarkFit,
  read: readonly MeasuredFrame[],
  poses: Float64Array[],
  keep: boolean,
): { readonly frames: number[]; readonly better: boolean } {
  const pose = createPose(fit.tracker.figure);
  const frames: number[] = [];
  let better = false;
  const heights = keep ? heightsOf(fit, read, poses) : [];
  const seen = heights.filter((height) => !Number.isNaN(height)).sort((a, b) => a - b);
  const outstanding = STANDS_OUT * (seen[seen.length >> 1] ?? 0);
  fit.started = false;
  read.forEach(({ positions, confidences }, f) => {
    const { status } = solveLandmarks(fit, positions, pose, confidences);
    if (status === 'unobserved') {
      poses[f].set(pose);
      return;
    }
    frames.push(f);
    if (heights[f] > outstanding + 1e-20) {
      const sought = poses[f].slice();
      initializeMarkers(fit.tracker, positions, sought, confidences);
      if (isLower(fit, read[f], sought, pose)) pose.set(sought);
    }
    if (keep && !isLower(fit, read[f], pose, poses[f])) return;
    if (keep) better = true;
    poses[f].set(pose);
  });
  return { frames, better };
}

/** Whether the markers lie clearly nearer at one pose than at another, without what holds a frame to the one before. */
function isLower(
  { tracker: { problem } }: LandmarkFit,
  { positions, confidences }: MeasuredFrame,
  pose: Float64Array,
  than: Float64Array,
): boolean {
  setTargets(problem, positions, confidences);
  problem.held.set(than);
  const old = evaluate(problem, than.slice());
  problem.held.set(pose);
  const found = evaluate(problem, pose.slice());
  return found < old * (1 - LOWER) - 1e-20;
}

/** A clip fitted. */
export interface LandmarkClip {
  /** The figure with the lengths found; the one given where they were kept. */
  readonly figure: Figure;
  /** One a frame, poses of `figure`. */
  readonly poses: readonly Float64Array[];
  readonly frames: readonly MarkerResult[];
  /** How the lengths were found; none where they were kept. */
  readonly lengths?: LengthFitResult;
}

/**
 * Fits a figure, and its lengths where asked, to a clip of named 3D points: lengths first, one set for all frames, then the poses,
 * each from the one before, or from the one found with the lengths where that lies nearer. One frame is a clip of one.
 *
 * @param confidences - One array a frame, one number a landmark.
 * @throws GoalError, FigureError as {@link createLandmarkFit} and {@link solveLandmarks}.
 */
export function fitLandmarks(
  figure: Figure,
  frames: readonly LandmarkPositions[],
  options: LandmarkFitOptions,
  confidences?: readonly Numbers[],
): LandmarkClip {
  const fit = createLandmarkFit(figure, options);
  const { problem } = fit.tracker;
  const early = frames.map(() => createPose(figure));
  const lengths =
    problem.lengths.factors.length > 0 ? fitLandmarkLengths(fit, frames, confidences, early) : undefined;
  fit.started = false;
  const pose = createPose(figure);
  const poses: Float64Array[] = [];
  const results = frames.map((frame, f) => {
    let result = solveLandmarks(fit, frame, pose, confidences?.[f]);
    if (lengths !== undefined && result.status !== 'unobserved') {
      const read = readFrame(fit.names, frame, confidences?.[f]);
      if (isLower(fit, read, early[f], pose)) {
        pose.set(early[f]);
        result = solveLandmarks(fit, frame, pose, confidences?.[f]);
      }
    }
    poses.push(pose.slice());
    return result;
  });
  return {
    figure: lengths === undefined ? figure : scaleFigure(figure, problem.lengths.factorOfBone),
    poses,
    frames: results,
    ...(lengths === undefined ? {} : { lengths }),
  };
}
