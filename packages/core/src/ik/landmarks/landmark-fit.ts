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
 * Settings of a landmark fit. Those of a tracker are the same but for three defaults: `loss` Geman-McClure at 10 cm, `hold` 1e-4 meant for
 * a `noise` of 1 cm.
 */
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
   * spread leaves it out. Like `hold` it counts less where the landmarks fit better than such noise.
   */
  readonly lengthSpread?: number;
  /**
   * A frame with half of its landmarks farther off than this, m, is sought from nothing. Where that finds nothing much better, the
   * next is only after 1, 2, 4, ... 32 such frames. Default 0.1 length scales.
   */
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
  /** Lost frames that are left as they are before one is sought again, and how many are next time. */
  rest: number;
  pause: number;
}

/** Longest pause between two searches that find nothing better, frames. */
const LONGEST_PAUSE = 32;
/** A search has found something better where f is less than this part of it. */
const BETTER = 0.5;

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
  const { loss = { type: 'geman-mcclure', scale: 0.1 }, hold = 1e-4 } = options ?? {};
  const tracker = createTracker(
    figure,
    landmarks,
    { ...options, loss, hold, noise },
    createLengthGroups(figure, groups),
    OPTIONS,
  );
  const lost = lostAbove ?? 0.1 * tracker.problem.lengthScale;
  for (const [name, value] of Object.entries({ lengthSpread, lostAbove: lost })) {
    if (value > 0) continue;
    throw new GoalError('out-of-range', `is ${value}.`, {
      path: `options.${name}`,
      remedy: 'Give a number above zero.',
    });
  }
  return {
    tracker,
    names: tracker.names,
    lengthSpread,
    noise,
    lostAbove: lost,
    started: false,
    rest: 0,
    pause: 1,
  };
}

/**
 * Lays the figure on one frame, in place: the first frame (and one that is lost) from nothing, the others from the pose given. Lengths
 * are those of the last `fitLandmarkLengths`, at first the figure's own. No landmark seen: the pose stays, within its limits.
 *
 * @throws GoalError, FigureError for names that are none of the fit's, arrays of the wrong size, a pose that is not finite.
 */
export function solveLandmarks(
  fit: LandmarkFit,
  frame: LandmarkPositions,
  pose: Float64Array,
  confidences?: Numbers,
): MarkerResult {
  const { positions, confidences: given } = readFrame(fit.names, frame, confidences);
  if (fit.started) return follow(fit, positions, pose, given);
  fit.rest = 0;
  fit.pause = 1;
  const result = initializeMarkers(fit.tracker, positions, pose, given);
  if (result.status !== 'unobserved') fit.started = true;
  return result;
}

/** Tracks a frame, and seeks it from nothing where it is lost. */
function follow(
  fit: LandmarkFit,
  positions: Numbers,
  pose: Float64Array,
  confidences: Numbers | undefined,
): MarkerResult {
  const start = pose.slice();
  const result = solveMarkers(fit.tracker, positions, pose, confidences);
  if (!(residualQuantile(fit.tracker.problem, 0.5) > fit.lostAbove)) {
    fit.rest = 0;
    fit.pause = 1;
    return result;
  }
  if (fit.rest > 0) {
    fit.rest--;
    return result;
  }
  const tracked = pose.slice();
  pose.set(start);
  const found = initializeMarkers(fit.tracker, positions, pose, confidences);
  if (found.objective < BETTER * result.objective) {
    fit.pause = 1;
  } else {
    // A figure of other proportions, or much noise: seeking each frame would find the same again.
    fit.rest = fit.pause;
    fit.pause = Math.min(LONGEST_PAUSE, 2 * fit.pause);
  }
  if (found.objective < result.objective) return found;
  pose.set(tracked);
  return result;
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
