import { type FieldsOf, requireFields, requirePositive } from '../../checks.js';
import { GoalError } from '../../errors.js';
import type { Figure } from '../../figure/model/figure.js';
import type { Numbers } from '../../math/linear/types.js';
import { residualQuantile } from '../markers/global-search.js';
import { createLengthGroups, scaleFigure } from '../markers/length-groups.js';
import {
  createTracker,
  initializeMarkers,
  type MarkerTracker,
  solveMarkers,
  TRACKER_OPTIONS,
} from '../markers/marker-tracker.js';
import type { Marker, MarkerResult, MarkerTrackerOptions } from '../markers/types.js';
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
  /** Remaining lost frames before the next global search, and the cooldown after it if it fails. */
  cooldown: number;
  nextCooldown: number;
}

/** Longest cooldown between failed global searches, frames. */
const MAX_COOLDOWN = 32;
/** Ratio of f below which a global search has succeeded. */
const SUFFICIENT_DECREASE = 0.5;

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
    cooldown: 0,
    nextCooldown: 1,
  };
}

/**
 * Fits one frame, in place: the first frame (and a lost one) by a global search, the others from the given pose. Lengths are those of the last
 * `fitLandmarkLengths`, initially the figure's. Without an observed landmark the pose is only clamped to its limits.
 *
 * @throws GoalError, FigureError for unknown landmark names, arrays of the wrong size, a pose that is not finite.
 */
export function solveLandmarks(
  fit: LandmarkFit,
  frame: LandmarkPositions,
  pose: Float64Array,
  confidences?: Numbers,
): MarkerResult {
  const { positions, confidences: given } = readFrame(fit.names, frame, confidences);
  if (fit.started) return trackFrame(fit, positions, pose, given);
  fit.cooldown = 0;
  fit.nextCooldown = 1;
  const result = initializeMarkers(fit.tracker, positions, pose, given);
  if (result.status !== 'unobserved') fit.started = true;
  return result;
}

/** Tracks a frame, with a global search if it is lost. */
function trackFrame(
  fit: LandmarkFit,
  positions: Numbers,
  pose: Float64Array,
  confidences: Numbers | undefined,
): MarkerResult {
  const start = pose.slice();
  const result = solveMarkers(fit.tracker, positions, pose, confidences);
  if (!(residualQuantile(fit.tracker.problem, 0.5) > fit.lostAbove)) {
    fit.cooldown = 0;
    fit.nextCooldown = 1;
    return result;
  }
  if (fit.cooldown > 0) {
    fit.cooldown--;
    return result;
  }
  const tracked = pose.slice();
  pose.set(start);
  const found = initializeMarkers(fit.tracker, positions, pose, confidences);
  if (found.objective < SUFFICIENT_DECREASE * result.objective) {
    fit.nextCooldown = 1;
  } else {
    // Other proportions than the figure's, or much noise: a search in each frame would find the same pose.
    fit.cooldown = fit.nextCooldown;
    fit.nextCooldown = Math.min(MAX_COOLDOWN, 2 * fit.nextCooldown);
  }
  if (found.objective < result.objective) return found;
  pose.set(tracked);
  return result;
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

/** Each bone grouped with its mirror image by name (left and right, Left and Right). */
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
