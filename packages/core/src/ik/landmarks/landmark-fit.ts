import { type FieldsOf, requireFields, requirePositive } from '../../checks.js';
import { GoalError } from '../../errors.js';
import { mirrorBone, parseBoneName } from '../../figure/model/bone-name.js';
import type { Figure } from '../../figure/model/figure.js';
import type { Numbers } from '../../math/linear/types.js';
import { degreesOfFreedomOf, noiseOf } from '../markers/adaptive-prior.js';
import { searchFromMiddle } from '../markers/global-search.js';
import { createLengthGroups, scaleFigure } from '../markers/length-groups.js';
import { evaluate } from '../markers/marker-problem.js';
import {
  createTracker,
  initializeMarkers,
  type MarkerTracker,
  solveMarkers,
  solveMarkersFrom,
  TRACKER_OPTIONS,
} from '../markers/marker-tracker.js';
import type { Marker, MarkerResult, MarkerStatus, MarkerTrackerOptions } from '../markers/types.js';
import { addFrame, createFrameHistory, type FrameHistory, medianOf } from './frame-history.js';
import { type LandmarkPositions, readFrame } from './read-frame.js';

/**
 * Options of a landmark fit: those of a tracker with three other defaults, `loss` Geman-McClure at 10 cm and `prior` 1e-4 for a `noise` of
 * 1 cm.
 */
export interface LandmarkFitOptions extends MarkerTrackerOptions {
  /** Landmarks on the figure: `bodyLandmarks(figure)`, `handLandmarks(figure)`, or custom ones. */
  readonly landmarks: readonly Marker[];
  /**
   * Lengths to fit: `keep` none (default), `scale` a common factor, `bones` one factor per bone with left equal to right, or groups of bones.
   */
  readonly lengths?: 'keep' | 'scale' | 'bones' | readonly (readonly (string | number)[])[];
  /**
   * Standard deviation of a bone's factor from the mean of all, for landmarks with `noise` m along each axis: a prior that decides lengths
   * which the landmarks do not determine. Default 0.1 and 0.01; Infinity for no prior. Like `prior` it is reduced where the landmarks fit
   * better than that noise.
   */
  readonly lengthSpread?: number;
  /**
   * Median distance of the landmarks, m, above which a frame is searched globally. If that finds no much lower f, the next search follows
   * after 1, 2, 4, ... 32 such frames. Default 0.1 length scales.
   */
  readonly lostAbove?: number;
}

/** A landmark that its bone does not reach, by more than the noise of the landmarks explains. */
export interface MissedLandmark {
  readonly name: string;
  /** From the landmark to the point on its bone, m. */
  readonly distance: number;
}

/**
 * How the fit of a frame ended: `fitted`, as near as possible with residuals that the noise of the landmarks explains; otherwise as for
 * markers, `out-of-reach` and `limit-blocked` with the landmarks in `missed`.
 */
export type LandmarkStatus = MarkerStatus | 'fitted';

/** Result of one frame of landmarks. */
export interface LandmarkResult extends Omit<MarkerResult, 'status'> {
  readonly status: LandmarkStatus;
  /**
   * Estimated noise of the landmarks: standard deviation along each axis, m, the median over the last 31 frames; NaN while no frame had more
   * measurements than coordinates. A figure of other proportions than the person's counts as noise.
   */
  readonly noise: number;
  /**
   * Landmarks farther from their points than `tolerance` and six times the noise (over the root of weight and confidence), the farthest
   * first. In a lost frame those farther than `lostAbove` too.
   */
  readonly missed: readonly MissedLandmark[];
}

interface Cooldown {
  /** Remaining frames before the next search, and after it if it fails. */
  frames: number;
  next: number;
}

/** A landmark fit, with the memory to solve any number of frames. */
export interface LandmarkFit {
  readonly tracker: MarkerTracker;
  /** In the order of the positions. */
  readonly names: readonly string[];
  readonly lengthSpread: number;
  readonly noise: number;
  readonly lostAbove: number;
  /** Whether a frame has been fitted: the first is searched globally. */
  started: boolean;
  /** Costs and estimated noise of the last frames, m. */
  readonly costs: FrameHistory;
  readonly noises: FrameHistory;
  /** Of global searches in lost frames, and of searches from the middle of the limits. */
  readonly lostFrames: Cooldown;
  readonly suspectFrames: Cooldown;
}

/** Longest cooldown between failed global searches, frames. */
const MAX_COOLDOWN = 32;
/** Ratio of f below which a global search has succeeded, and a search from the middle of the limits. */
const SUFFICIENT_DECREASE = 0.5;
const CLEAR_DECREASE = 0.8;
/** Cost over that of the last second above which a frame may be at a local minimum; cost within rounding, length scales. */
const MAX_COST_RISE = 2;
const EXACT_COST = 1e-7;
/** Distance of a landmark over the noise, standard deviation along each axis, beyond which noise does not explain it. */
const MAX_NOISE_RATIO = 6;

const OPTIONS: FieldsOf<Omit<LandmarkFitOptions, keyof MarkerTrackerOptions>> = {
  landmarks: true,
  lengths: true,
  lengthSpread: true,
  lostAbove: true,
};

/** @throws GoalError, FigureError for invalid landmarks or options. */
export function createLandmarkFit(figure: Figure, options: LandmarkFitOptions): LandmarkFit {
  const known = { ...TRACKER_OPTIONS, ...OPTIONS };
  requireFields(options, known, 'options', GoalError);
  const { landmarks, lengths = 'keep', lengthSpread = 0.1, noise = 0.01, lostAbove } = options;
  const groups = groupsOf(figure, lengths);
  const { loss = { type: 'geman-mcclure', scale: 0.1 }, prior = 1e-4 } = options;
  const tracker = createTracker(
    figure,
    landmarks,
    { ...options, loss, prior, noise },
    createLengthGroups(figure, groups),
    known,
  );
  const lostDistance = lostAbove ?? 0.1 * tracker.problem.lengthScale;
  for (const [name, value] of Object.entries({ lengthSpread, lostAbove: lostDistance })) {
    requirePositive(value, `options.${name}`, GoalError, undefined, true);
  }
  return {
    tracker,
    names: tracker.names,
    lengthSpread,
    noise,
    lostAbove: lostDistance,
    started: false,
    costs: createFrameHistory(),
    noises: createFrameHistory(),
    lostFrames: { frames: 0, next: 1 },
    suspectFrames: { frames: 0, next: 1 },
  };
}

/**
 * Fits one frame, in place: the first frame (and a lost one) by a global search, the others from the given pose. Where the residuals rise
 * above those of the last second, the pose may be a local minimum at limits: the frame is solved again from the middle of the limits, and
 * the lower f counts. Lengths are those of the last `fitLandmarkLengths`, initially the figure's. Without an observed landmark the pose is
 * only clamped to its limits.
 *
 * @throws GoalError, FigureError for unknown landmark names, arrays of the wrong size, a pose that is not finite.
 */
export function solveLandmarks(
  fit: LandmarkFit,
  frame: LandmarkPositions,
  pose: Float64Array,
  confidences?: Numbers,
): LandmarkResult {
  const { positions, confidences: given } = readFrame(fit.names, frame, confidences);
  const isFirst = !fit.started;
  if (isFirst) {
    reset(fit.suspectFrames);
    fit.costs.count = 0;
    fit.noises.count = 0;
  }
  // Tracking; the first frame, and a lost one, by a global search.
  let result = trackMeasured(fit, positions, pose, given);
  if (result.status === 'unobserved') return { ...result, noise: medianOf(fit.noises), missed: [] };

  // From the middle of the limits, where residuals rise or a landmark is missed.
  const isSuspect =
    !isLost(fit, result) &&
    (costOf(fit, result) > enoughCost(fit) || (fit.noises.count > 0 && missedOf(fit, result).length > 0));
  if (!isSuspect) reset(fit.suspectFrames);
  else if (isDue(fit.suspectFrames)) result = solveFromMiddle(fit, result, positions, pose, given, isFirst);

  // Noise of the last second, the landmarks that it does not explain, status.
  return judged(fit, result);
}

/** Tracks a frame without a search from the middle of the limits, for lengths that are not known yet. */
export function trackLandmarks(
  fit: LandmarkFit,
  frame: LandmarkPositions,
  pose: Float64Array,
  confidences?: Numbers,
): MarkerResult {
  const { positions, confidences: given } = readFrame(fit.names, frame, confidences);
  return trackMeasured(fit, positions, pose, given);
}

/** From the previous pose, with a global search if the frame is lost; the first frame by a global search. */
function trackMeasured(
  fit: LandmarkFit,
  positions: Numbers,
  pose: Float64Array,
  confidences: Numbers | undefined,
): MarkerResult {
  if (!fit.started) {
    reset(fit.lostFrames);
    const result = initializeMarkers(fit.tracker, positions, pose, confidences);
    if (result.status !== 'unobserved') fit.started = true;
    return result;
  }
  const start = pose.slice();
  const result = solveMarkers(fit.tracker, positions, pose, confidences);
  if (!isLost(fit, result)) {
    reset(fit.lostFrames);
    return result;
  }
  if (!isDue(fit.lostFrames)) return result;
  const tracked = pose.slice();
  pose.set(start);
  const found = initializeMarkers(fit.tracker, positions, pose, confidences);
  endSearch(fit.lostFrames, found.objective < SUFFICIENT_DECREASE * result.objective);
  if (found.objective < result.objective) return found;
  pose.set(tracked);
  return result;
}

/** Solves a frame again, from the middle of the limits and with the prior of the last frame, and takes the result if f is lower: clearly so, except in the first frame. */
function solveFromMiddle(
  fit: LandmarkFit,
  result: MarkerResult,
  positions: Numbers,
  pose: Float64Array,
  confidences: Numbers | undefined,
  isFirst: boolean,
): MarkerResult {
  const { problem, workspace, settings } = fit.tracker;
  const tracked = pose.slice();
  const last = problem.priorPose.slice();
  const usual = 0.5 * weightOf(problem) * enoughCost(fit) ** 2;
  const enough = Math.min(usual, CLEAR_DECREASE * result.objective);
  const poses = searchFromMiddle(problem, workspace, pose, settings, enough);
  const start = pose.slice();
  let found = solveMarkersFrom(fit.tracker, positions, pose, last, confidences);
  let { iterations } = found;
  if (costOf(fit, found) > enoughCost(fit)) {
    // The prior may draw the pose back to the limits that the search has left: then the frame is taken as a first one.
    const drawn = pose.slice();
    pose.set(start);
    const free = solveMarkers(fit.tracker, positions, pose, confidences);
    iterations += free.iterations;
    if (free.objective < CLEAR_DECREASE * found.objective) found = free;
    else pose.set(drawn);
  }
  const isLower = found.objective < CLEAR_DECREASE * result.objective;
  endSearch(fit.suspectFrames, isLower);
  iterations += result.iterations + poses;
  if (isLower || (isFirst && found.objective < result.objective)) {
    evaluate(problem, pose);
    return { ...found, iterations };
  }
  pose.set(tracked);
  // The problem's residuals are those of the result again.
  evaluate(problem, pose);
  return { ...result, iterations };
}

function reset(cooldown: Cooldown): void {
  cooldown.frames = 0;
  cooldown.next = 1;
}

/** Whether a search is due in this frame. */
function isDue(cooldown: Cooldown): boolean {
  return cooldown.frames === 0 || cooldown.frames-- < 0;
}

/** After a search that found no much lower f the next follows later: other proportions than the figure's, or much noise, stay. */
function endSearch(cooldown: Cooldown, succeeded: boolean): void {
  if (succeeded) cooldown.next = 1;
  else {
    cooldown.frames = cooldown.next;
    cooldown.next = Math.min(MAX_COOLDOWN, 2 * cooldown.next);
  }
}

/** Root of the loss of a frame over its weights, m: the root mean square distance with bounded outliers. */
function costOf({ tracker: { problem } }: LandmarkFit, { objective }: MarkerResult): number {
  return Math.sqrt((2 * objective) / weightOf(problem));
}

function weightOf({ omega }: LandmarkFit['tracker']['problem']): number {
  return omega.reduce((sum, w) => sum + w, 0);
}

/** The cost that a frame may have, from those of the last second; for the first frame that of rounding. */
function enoughCost({ costs, tracker: { problem } }: LandmarkFit): number {
  const usual = medianOf(costs);
  return Math.max(EXACT_COST * problem.lengthScale, Number.isNaN(usual) ? 0 : MAX_COST_RISE * usual);
}

/** The result with the noise, the landmarks that it does not explain, and the status of a fit. */
function judged(fit: LandmarkFit, result: MarkerResult): LandmarkResult {
  const distances = Array.from(result.residuals).filter((d) => !Number.isNaN(d));
  const own = noiseOf(distances, degreesOfFreedomOf(fit.tracker.problem));
  addFrame(fit.costs, costOf(fit, result));
  if (own !== undefined && !isLost(fit, result)) addFrame(fit.noises, own);
  const missed = missedOf(fit, result);
  const { status } = result;
  const isFitted = missed.length === 0 && (status === 'out-of-reach' || status === 'limit-blocked');
  return { ...result, status: isFitted ? 'fitted' : status, noise: medianOf(fit.noises), missed };
}

/** Whether half of the landmarks are farther off than `lostAbove`. */
function isLost({ lostAbove }: LandmarkFit, { residuals }: MarkerResult): boolean {
  const distances = residuals.filter((d) => !Number.isNaN(d)).sort();
  return distances[distances.length >> 1] > lostAbove;
}

/** Landmarks at a distance that the noise of the last second does not explain, the farthest first. */
function missedOf(fit: LandmarkFit, result: MarkerResult): MissedLandmark[] {
  const { tracker, names, lostAbove } = fit;
  const { omega, lengthScale } = tracker.problem;
  const noise = medianOf(fit.noises);
  const explained = Number.isNaN(noise) ? 0 : MAX_NOISE_RATIO * noise;
  const bound = isLost(fit, result) ? Math.min(explained, lostAbove) : explained;
  const missed: MissedLandmark[] = [];
  result.residuals.forEach((distance, m) => {
    const weighted = distance * Math.sqrt(omega[m]) * lengthScale;
    if (distance > tracker.settings.tolerance && weighted > bound) missed.push({ name: names[m], distance });
  });
  return missed.sort((a, b) => b.distance - a.distance);
}

/** The figure with the lengths fitted so far. */
export function fittedFigure({ tracker: { figure, problem } }: LandmarkFit): Figure {
  return scaleFigure(figure, problem.lengths.factorOfBone);
}

/** Groups of bones of the option `lengths`. */
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

/** Each bone grouped with its mirror image by name: `leftHand` and `rightHand`, `hand.l` and `hand.r`. */
function mirroredPairs({ bones }: Figure): number[][] {
  const names = bones.map(({ name }) => parseBoneName(name));
  const groups: number[][] = [];
  for (const { index } of bones) {
    const twin = mirrorBone(names, index);
    if (twin >= 0 && mirrorBone(names, twin) === index) {
      if (index < twin) groups.push([index, twin]);
    } else groups.push([index]);
  }
  return groups;
}
