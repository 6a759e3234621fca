import { GoalError } from '../../errors.js';
import type { Figure } from '../../figure/figure.js';
import { createPose } from '../../figure/pose.js';
import type { Numbers } from '../../math/types.js';
import { residualQuantile } from './acquire.js';
import { descend } from './descent.js';
import { fitFactors, type LengthFitResult, startingScale } from './fit-lengths.js';
import { applyLengths, createLengthGroups, scaleFigure } from './length-groups.js';
import { evaluate, setTargets } from './marker-problem.js';
import { type LandmarkPositions, readFrame } from './read-frame.js';
import { acquirePose, createTracker, type MarkerTracker, TRACKER_OPTIONS, trackMarkers } from './tracker.js';
import type { Marker, MarkerTrackerOptions, TrackResult } from './types.js';

/** Settings of a landmark fit. Those of a tracker are the same but for two defaults: `loss` Geman-McClure at 10 cm, `hold` 1e-4. */
export interface LandmarkFitOptions extends MarkerTrackerOptions {
  /** Where the landmarks are: `bodyLandmarks(figure)`, `handLandmarks(figure)`, or your own. */
  readonly landmarks: readonly Marker[];
  /**
   * Which lengths may change: `keep` none (default), `scale` all together, `bones` each bone for itself but left as right, or groups of bones.
   */
  readonly lengths?: 'keep' | 'scale' | 'bones' | readonly (readonly (string | number)[])[];
  /**
   * How much a bone's factor is expected to differ from the mean of all, a standard deviation, with landmarks `noise` m off along each
   * axis. It decides where the landmarks say nothing of a length, and hardly where they do. Default 0.1 and 0.01; an infinite
   * spread leaves it out.
   */
  readonly lengthSpread?: number;
  readonly noise?: number;
  /** A frame with half of its landmarks farther off than this, m, is sought from nothing. Default 0.1 length scales. */
  readonly lostAbove?: number;
}

/** A figure to be laid on landmarks, frame by frame, with all memory made. */
export interface LandmarkFit {
  readonly tracker: MarkerTracker;
  /** In the order of the positions. */
  readonly names: readonly string[];
  readonly lengthSpread: number;
  readonly noise: number;
  readonly lostAbove: number;
  /** Whether a frame has been fitted: the first is sought from nothing. */
  started: boolean;
}

const OPTIONS: readonly string[] = /* @__PURE__ */ TRACKER_OPTIONS.concat([
  'landmarks',
  'lengths',
  'lengthSpread',
  'noise',
  'lostAbove',
]);

/** @throws GoalError, FigureError for landmarks or options that make no sense on the figure. */
export function createLandmarkFit(figure: Figure, options: LandmarkFitOptions): LandmarkFit {
  const { landmarks, lengths = 'keep', lengthSpread = 0.1, noise = 0.01, lostAbove } = options ?? {};
  const groups = groupsOf(figure, lengths);
  const tracker = createTracker(
    figure,
    landmarks,
    { loss: { type: 'geman-mcclure', scale: 0.1 }, hold: 1e-4, ...options },
    createLengthGroups(figure, groups),
    OPTIONS,
  );
  const lost = lostAbove ?? 0.1 * tracker.problem.lengthScale;
  for (const [name, value] of Object.entries({ lengthSpread, noise, lostAbove: lost })) {
    if (value > 0) continue;
    throw new GoalError('out-of-range', `is ${value}.`, {
      path: `options.${name}`,
      remedy: 'Give a number above zero.',
    });
  }
  return { tracker, names: tracker.names, lengthSpread, noise, lostAbove: lost, started: false };
}

/**
 * Lays the figure on one frame, in place: the first frame (and one that is lost) from nothing, the others from the pose given. Lengths
 * are those of the last {@link fitLandmarkLengths}, at first the figure's own. No landmark seen: the pose stays, within its limits.
 *
 * @throws GoalError, FigureError for names that are none of the fit's, arrays of the wrong size, a pose that is not finite.
 */
export function solveLandmarks(
  fit: LandmarkFit,
  frame: LandmarkPositions,
  pose: Float64Array,
  confidences?: Numbers,
): TrackResult {
  const { positions, confidences: given } = readFrame(fit.names, frame, confidences);
  if (fit.started) {
    const start = pose.slice();
    const result = trackMarkers(fit.tracker, positions, pose, given);
    if (!(residualQuantile(fit.tracker.problem, 0.5) > fit.lostAbove)) return result;
    const tracked = pose.slice();
    pose.set(start);
    const found = acquirePose(fit.tracker, positions, pose, given);
    if (found.objective < result.objective) return found;
    pose.set(tracked);
    return result;
  }
  const result = acquirePose(fit.tracker, positions, pose, given);
  if (result.status !== 'unobserved') fit.started = true;
  return result;
}

/**
 * Fits the lengths to a clip: one factor a group, all frames together. The pose of each frame is eliminated (its least-squares pose for
 * the lengths at hand, Schur's complement of its Hessian), so a step costs one pass over the frames, however many there are.
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
  const { tracker } = fit;
  const { problem, work, figure } = tracker;
  const read = frames.map((frame, f) => readFrame(fit.names, frame, confidences?.[f]));
  const scale = startingScale(
    problem,
    read.map(({ positions }) => positions),
  );
  problem.lengths.factors.fill(scale);
  applyLengths(problem.lengths, problem.state);
  const rest = createPose(figure);
  const settings = {
    center: scale,
    stiffness: (fit.noise / (problem.lengthScale * fit.lengthSpread)) ** 2 / problem.largestWeight,
    solve: (at: Float64Array) => descend(problem, work, at, tracker.settings.maxIterations).objective,
    work,
  };
  let result: LengthFitResult | undefined;
  let iterations = 0;
  // Poses found with the wrong lengths may sit in a corner of their limits that right lengths lead out of: tracked anew they don't.
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const used = trackClip(fit, read, poses, round > 0);
    if (round > 0 && !used.better) break;
    result = fitFactors(
      problem,
      used.frames.map((f) => ({
        pose: poses[f],
        prepare: () => {
          setTargets(problem, read[f].positions, read[f].confidences);
          problem.held.set(rest);
        },
      })),
      settings,
    );
    iterations += result.iterations;
    if (result.status === 'unobserved') break;
  }
  return { ...(result as LengthFitResult), iterations };
}

const MOST_ROUNDS = 4;
/** A frame that is lower by more than this part of itself has left a worse end. */
const LOWER = 1e-6;

/**
 * Tracks the frames from nothing with the lengths at hand.
 *
 * @param keep - Poses that are lower already stay.
 * @returns the frames in which something is seen, and whether some pose became lower.
 */
function trackClip(
  fit: LandmarkFit,
  read: readonly ReturnType<typeof readFrame>[],
  poses: Float64Array[],
  keep: boolean,
): { readonly frames: number[]; readonly better: boolean } {
  const { problem } = fit.tracker;
  const pose = createPose(fit.tracker.figure);
  const frames: number[] = [];
  let better = false;
  fit.started = false;
  read.forEach(({ positions, confidences }, f) => {
    const { status } = solveLandmarks(fit, positions, pose, confidences);
    if (status === 'unobserved') {
      poses[f].set(pose);
      return;
    }
    frames.push(f);
    if (keep) {
      // Both without what holds a frame to the one before.
      setTargets(problem, positions, confidences);
      problem.held.set(poses[f]);
      const old = evaluate(problem, poses[f]);
      problem.held.set(pose);
      const found = evaluate(problem, pose.slice());
      if (!(found < old * (1 - LOWER) - 1e-20)) return;
      better = true;
    }
    poses[f].set(pose);
  });
  return { frames, better };
}

/** A clip fitted. */
export interface LandmarkClip {
  /** The figure with the lengths found; the one given where they were kept. */
  readonly figure: Figure;
  /** One a frame, poses of `figure`. */
  readonly poses: readonly Float64Array[];
  readonly frames: readonly TrackResult[];
  /** How the lengths were found; none where they were kept. */
  readonly lengths?: LengthFitResult;
}

/**
 * Fits a figure, and its lengths where asked, to a clip of named 3D points: lengths first, one set for all frames, then the poses,
 * each from the one before. One frame is a clip of one.
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
  const lengths =
    problem.lengths.factors.length > 0 ? fitLandmarkLengths(fit, frames, confidences) : undefined;
  fit.started = false;
  const pose = createPose(figure);
  const poses: Float64Array[] = [];
  const results = frames.map((frame, f) => {
    const result = solveLandmarks(fit, frame, pose, confidences?.[f]);
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

/** The figure with the lengths that a fit has found so far. */
export function fittedFigure({ tracker: { figure, problem } }: LandmarkFit): Figure {
  return scaleFigure(figure, problem.lengths.factorOfBone);
}

/** Groups of bones by the word for it. */
function groupsOf(
  figure: Figure,
  lengths: NonNullable<LandmarkFitOptions['lengths']>,
): readonly (readonly (string | number)[])[] {
  if (lengths === 'keep') return [];
  if (lengths === 'scale') return [figure.bones.map(({ index }) => index)];
  if (lengths === 'bones') return mirroredPairs(figure);
  if (Array.isArray(lengths)) return lengths;
  throw new GoalError('unsupported', `is '${String(lengths)}'.`, {
    path: 'options.lengths',
    remedy: `Use 'keep', 'scale', 'bones' or a list of groups of bones.`,
  });
}

/** Each bone with its mirror image by name (left and right, Left and Right), one group for both. */
function mirroredPairs(figure: Figure): number[][] {
  const swap = (name: string): string =>
    name.replace(/left|right/gi, (side) => {
      const other = side.toLowerCase() === 'left' ? 'right' : 'left';
      return side[0] === side[0].toUpperCase() ? other[0].toUpperCase() + other.slice(1) : other;
    });
  const groups: number[][] = [];
  for (const { index, name } of figure.bones) {
    const twin = figure.bones.findIndex((bone) => bone.name === swap(name));
    if (twin >= 0 && twin < index) continue;
    groups.push(twin > index ? [index, twin] : [index]);
  }
  return groups;
}
