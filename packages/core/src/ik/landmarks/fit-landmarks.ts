import type { Figure } from '../../figure/model/figure.js';
import { createPose } from '../../figure/model/pose.js';
import type { Numbers } from '../../math/linear/types.js';
import { degreesOfFreedomOf, noiseRatio, weightedDistances } from '../markers/adaptive-prior.js';
import { descend } from '../markers/descent.js';
import { applyLengths, scaleFigure } from '../markers/length-groups.js';
import { evaluate, setTargets } from '../markers/marker-problem.js';
import { initializeMarkers } from '../markers/marker-tracker.js';
import { fitFactors, type LengthFitResult } from './fit-lengths.js';
import { initialScale, type MeasuredFrame } from './initial-scale.js';
import {
  createLandmarkFit,
  type LandmarkFit,
  type LandmarkFitOptions,
  type LandmarkResult,
  solveLandmarks,
  trackLandmarks,
} from './landmark-fit.js';
import { type LandmarkPositions, readFrame } from './read-frame.js';

const MAX_ROUNDS = 4;
/** Relative decrease of f from which a frame counts as lower. */
const MIN_DECREASE = 1e-6;
/** Ratio to the clip's median f above which a frame has likely ended in a local minimum. */
const OUTLIER_RATIO = 25;
/** Priors on joints and lengths are reduced while they are this many times too large, at most this often. */
const MIN_CHANGE = 2;
const MAX_ADAPTATIONS = 8;
/** Frames that lengths are fitted to, at most: more change them by less than their error. */
const MAX_LENGTH_FRAMES = 64;

/**
 * Fits the lengths to a clip: one factor per group for all frames. The pose of each frame is eliminated (its least-squares pose for the
 * current lengths, Schur complement of its Hessian), so a step costs one pass over the frames. Here `prior` is towards rest, not towards the
 * previous frame: frames are independent.
 *
 * Of a clip of more than 64 frames, 64 with a landmark decide the lengths, evenly spread: the time is bounded (`frames` of the result).
 *
 * @param frames - Positions of each frame; confidences likewise where given.
 * @param poses - Written: the pose of each frame that is used.
 * @throws as {@link solveLandmarks}.
 */
export function fitLandmarkLengths(
  fit: LandmarkFit,
  frames: readonly LandmarkPositions[],
  confidences?: readonly Numbers[],
  poses: Float64Array[] = frames.map(() => createPose(fit.tracker.figure)),
): LengthFitResult {
  const { problem, workspace, figure, settings } = fit.tracker;
  const all = frames.map((frame, f) => readFrame(fit.names, frame, confidences?.[f]));
  const used = lengthFrames(all);
  const read = used.map((f) => all[f]);
  const found = used.map((f) => poses[f]);
  // Starts without the factors of an earlier clip: the same input gives the same bits.
  problem.lengths.factors.fill(1);
  applyLengths(problem.lengths, problem.state);
  const center = initialScale(problem, all);
  problem.lengths.factors.fill(center);
  applyLengths(problem.lengths, problem.state);
  const rest = createPose(figure);
  const stiffness = (fit.noise / (problem.lengthScale * fit.lengthSpread)) ** 2 / problem.largestWeight;
  const solve = (at: Float64Array): number =>
    descend(problem, workspace, at, settings.maxIterations).objective;
  let ratio = 1;
  let result: LengthFitResult | undefined;
  let iterations = 0;
  // Poses found with wrong lengths may be local minima at limits or beyond a fold. With better lengths, frames are tracked again, and
  // outliers are searched globally.
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const tracked = trackClip(fit, read, found, round > 0);
    if (round > 0 && !tracked.better) break;
    const observedFrames = tracked.frames.map((f) => ({
      pose: found[f],
      prepare: () => {
        setTargets(problem, read[f].positions, read[f].confidences);
        problem.priorPose.set(rest);
      },
    }));
    for (let n = 0; n < MAX_ADAPTATIONS; n++) {
      problem.priorWeight = ratio * problem.fullPriorWeight;
      result = fitFactors(problem, observedFrames, {
        center,
        stiffness: ratio * stiffness,
        solve,
        workspace,
      });
      iterations += result.iterations;
      const next = Math.min(ratio, clipNoiseRatio(fit, observedFrames));
      if (next > ratio / MIN_CHANGE || ratio === 0) break;
      ratio = next;
    }
    if (result?.status === 'unobserved') break;
  }
  return { ...(result as LengthFitResult), frames: used.length, iterations };
}

/** The frames that lengths are fitted to: all, or an even sample of those with a landmark. */
function lengthFrames(read: readonly MeasuredFrame[]): number[] {
  const every = Array.from(read.keys());
  if (every.length <= MAX_LENGTH_FRAMES) return every;
  const observed = every.filter((f) =>
    Array.from(read[f].positions).some((x) => x !== null && !Number.isNaN(x)),
  );
  const step = Math.max(1, observed.length / MAX_LENGTH_FRAMES);
  return Array.from(
    { length: Math.min(observed.length, MAX_LENGTH_FRAMES) },
    (_, k) => observed[Math.floor(k * step)],
  );
}

/** (s / noise)^2 of the whole clip at its poses, at most 1. */
function clipNoiseRatio(
  { tracker: { problem }, noise }: LandmarkFit,
  frames: readonly { readonly pose: Float64Array; readonly prepare: () => void }[],
): number {
  const distances: number[] = [];
  let [measurements, residual] = [0, -problem.lengths.factors.length];
  for (const { pose, prepare } of frames) {
    prepare();
    evaluate(problem, pose);
    distances.push(...weightedDistances(problem));
    const own = degreesOfFreedomOf(problem);
    measurements += own.measurements;
    residual += own.residual;
  }
  return noiseRatio(distances, { measurements, residual }, noise);
}

/** f of each observed frame at its pose, without the prior; NaN for the others. */
function objectivesOf(
  { tracker: { problem } }: LandmarkFit,
  read: readonly MeasuredFrame[],
  poses: readonly Float64Array[],
): number[] {
  return read.map(({ positions, confidences }, f) => {
    if (setTargets(problem, positions, confidences) === 0) return Number.NaN;
    problem.priorPose.set(poses[f]);
    return evaluate(problem, poses[f].slice());
  });
}

/**
 * Tracks the frames for the current lengths, without a previous pose.
 *
 * @param keep - Whether to keep poses that are lower already, and to search outlier frames globally.
 * @returns the observed frames, and whether some pose became lower.
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
  const objectives = keep ? objectivesOf(fit, read, poses) : [];
  const sorted = objectives.filter((objective) => !Number.isNaN(objective)).sort((a, b) => a - b);
  const outlierLimit = OUTLIER_RATIO * (sorted[sorted.length >> 1] ?? 0);
  fit.started = false;
  read.forEach(({ positions, confidences }, f) => {
    const { status } = trackLandmarks(fit, positions, pose, confidences);
    if (status === 'unobserved') {
      poses[f].set(pose);
      return;
    }
    frames.push(f);
    if (objectives[f] > outlierLimit + 1e-20) {
      const found = poses[f].slice();
      initializeMarkers(fit.tracker, positions, found, confidences);
      if (isLower(fit, read[f], found, pose)) pose.set(found);
    }
    if (keep && !isLower(fit, read[f], pose, poses[f])) return;
    if (keep) better = true;
    poses[f].set(pose);
  });
  return { frames, better };
}

/** Whether f is clearly lower at one pose than at another, without the prior. */
function isLower(
  { tracker: { problem } }: LandmarkFit,
  { positions, confidences }: MeasuredFrame,
  pose: Float64Array,
  than: Float64Array,
): boolean {
  setTargets(problem, positions, confidences);
  problem.priorPose.set(than);
  const old = evaluate(problem, than.slice());
  problem.priorPose.set(pose);
  const found = evaluate(problem, pose.slice());
  return found < old * (1 - MIN_DECREASE) - 1e-20;
}

/** A fitted clip. */
export interface LandmarkClip {
  /** The figure with the fitted lengths; the given one if they were kept. */
  readonly figure: Figure;
  /** One per frame, poses of `figure`. */
  readonly poses: readonly Float64Array[];
  readonly frames: readonly LandmarkResult[];
  /** Result of the length fit; undefined if lengths were kept. */
  readonly lengths?: LengthFitResult;
}

/**
 * Fits a figure, and optionally its lengths, to a clip of named 3D points: first the lengths, common to all frames, then the poses, each from
 * the previous one, or from that of the length fit where f is lower. A single frame is a clip of one.
 *
 * @param confidences - One array per frame, one number per landmark.
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
  const lengthFitPoses = frames.map(() => createPose(figure));
  const lengths =
    problem.lengths.factors.length > 0
      ? fitLandmarkLengths(fit, frames, confidences, lengthFitPoses)
      : undefined;
  fit.started = false;
  const pose = createPose(figure);
  const poses: Float64Array[] = [];
  const results = frames.map((frame, f) => {
    let result = solveLandmarks(fit, frame, pose, confidences?.[f]);
    if (lengths !== undefined && result.status !== 'unobserved') {
      const read = readFrame(fit.names, frame, confidences?.[f]);
      if (isLower(fit, read, lengthFitPoses[f], pose)) {
        pose.set(lengthFitPoses[f]);
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
