import { FigureError, GoalError, nearestName } from '../../errors.js';
import type { Figure } from '../../figure/model/figure.js';
import { checkPose, clampToLimits } from '../../figure/model/pose.js';
import type { Numbers } from '../../math/linear/types.js';
import { createFaces } from './active-face.js';
import { settleHold } from './adaptive-prior.js';
import { createDerivatives } from './derivative-arrays.js';
import { type Descent, descend, stationarityOf } from './descent.js';
import { acquire } from './global-search.js';
import { createLengthGroups, type LengthGroups } from './length-groups.js';
import { createMarkerProblem, evaluate, type MarkerProblem, setTargets } from './marker-problem.js';
import type { DescentWork } from './newton-step.js';
import type { Marker, MarkerPositions, MarkerResult, MarkerStatus, MarkerTrackerOptions } from './types.js';

/** Markers on a figure, checked and with all memory made: track as many frames as there are. */
export interface MarkerTracker {
  readonly figure: Figure;
  /** In the order of the positions. */
  readonly names: readonly string[];
  readonly problem: MarkerProblem;
  readonly work: DescentWork;
  readonly settings: {
    readonly maxIterations: number;
    readonly restarts: number;
    readonly seed: number;
    readonly tolerance: number;
  };
}

export const TRACKER_OPTIONS = [
  'loss',
  'tasks',
  'couplings',
  'hold',
  'noise',
  'locked',
  'tolerance',
  'maxIterations',
  'restarts',
  'seed',
];

/**
 * Prepares marker tracking as human-motion laboratories do it (OpenSim's inverse kinematics): weighted points fixed on bones,
 * joint coordinates out by weighted least squares, within the figure's limits.
 *
 * @throws GoalError, FigureError for markers or options that make no sense on the figure.
 */
export function createMarkerTracker(
  figure: Figure,
  markers: readonly Marker[],
  options: MarkerTrackerOptions = {},
): MarkerTracker {
  return createTracker(figure, markers, options, createLengthGroups(figure));
}

/** The same, with groups of bones whose lengths may be changed. */
export function createTracker(
  figure: Figure,
  markers: readonly Marker[],
  options: MarkerTrackerOptions,
  lengths: LengthGroups,
  known: readonly string[] = TRACKER_OPTIONS,
): MarkerTracker {
  checkOptionNames(options, known);
  const { maxIterations = 400, restarts = 16, seed = 1, tolerance = 1e-4 } = options;
  for (const [name, value] of Object.entries({ maxIterations, restarts, seed })) {
    if (Number.isInteger(value) && value >= 0) continue;
    throw new GoalError('out-of-range', `is ${value}.`, {
      path: `options.${name}`,
      remedy: 'Give a whole number, zero or more.',
    });
  }
  if (!(tolerance >= 0)) {
    throw new GoalError('out-of-range', `is ${tolerance}.`, {
      path: 'options.tolerance',
      remedy: 'Give a distance in metres, zero or more.',
    });
  }
  if (figure.mimicJoints.length > 0) {
    throw new FigureError('unsupported', 'has joints that follow others.', {
      path: 'figure',
      remedy: 'Give those joints coordinates of their own and tie them with options.couplings.',
    });
  }
  const problem = createMarkerProblem(figure, markers, options, lengths);
  const derivatives = createDerivatives(problem);
  const n = figure.dof;
  return {
    figure,
    names: problem.names,
    problem,
    work: {
      derivatives,
      faces: createFaces(problem),
      trial: new Float64Array(n),
      damping: 0,
      floor: 0,
      pin: 0,
      face: new Float64Array(n),
      factor: new Float64Array(n * n),
      direction: new Float64Array(n),
      beyond: createDerivatives(problem),
      straight: new Float64Array(n),
      step: new Float64Array(n),
      small: new Float64Array(n),
      met: new Uint8Array(problem.limits.length),
    },
    settings: { maxIterations, restarts, seed, tolerance },
  };
}

function checkOptionNames(options: object, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    throw new GoalError('unsupported', `is ${options}.`, {
      path: 'options',
      remedy: 'Give an object, or leave it out.',
    });
  }
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const near = nearestName(name, known);
    throw new GoalError('unsupported', 'is no option.', {
      path: `options.${name}`,
      remedy: near === undefined ? `There are ${known.join(', ')}.` : `Did you mean '${near}'?`,
    });
  }
}

/**
 * Moves `pose`, in place, to the least-squares pose for one frame, from the pose given: the frame before, or what
 * {@link initializeMarkers} found. Coordinates that no marker sees stay as they are. No pose on the way leaves a limit, and f never
 * ends above its value at the start. Same input, same bits.
 *
 * @param positions - Three numbers a marker, m, world axes; NaN for a marker not seen.
 * @param confidences - One number a marker, 0 (not seen) and up; its weight is multiplied by it.
 * @throws FigureError, GoalError for arrays of the wrong size, a pose that is not finite, places beyond all measure.
 */
export function solveMarkers(
  tracker: MarkerTracker,
  positions: MarkerPositions,
  pose: Float64Array,
  confidences?: Numbers,
): MarkerResult {
  const { problem, work, settings } = tracker;
  const observed = beginFrame(tracker, positions, pose, confidences);
  if (observed === 0 && problem.tasks.length === 0) return unobserved(tracker, pose);
  return finish(tracker, pose, descend(problem, work, pose, settings.maxIterations), observed);
}

/**
 * The same from nothing, for a first frame or one after a gap: the figure may stand anywhere and face anywhere. The trunk is
 * laid on its markers first (Horn's closed form, outliers reweighted), then several descents run, from the pose given, from
 * rest, and from poses drawn within the limits (seeded); the lowest counts.
 */
export function initializeMarkers(
  tracker: MarkerTracker,
  positions: MarkerPositions,
  pose: Float64Array,
  confidences?: Numbers,
): MarkerResult {
  const { problem, work, settings } = tracker;
  const observed = beginFrame(tracker, positions, pose, confidences);
  if (observed === 0) return unobserved(tracker, pose);
  return finish(tracker, pose, acquire(problem, work, pose, settings), observed);
}

/** Takes the markers of a frame in and puts the pose within its limits, where it is held from. Returns how many are seen. */
function beginFrame(
  { figure, problem }: MarkerTracker,
  positions: MarkerPositions,
  pose: Float64Array,
  confidences: Numbers | undefined,
): number {
  requirePose(figure, pose);
  const observed = setTargets(problem, positions, confidences);
  clampToLimits(figure, pose);
  problem.held.set(pose);
  problem.hold = problem.fullHold;
  return observed;
}

/** Lets the hold count by the noise that the descent left, and says how it all ended. */
function finish(tracker: MarkerTracker, pose: Float64Array, found: Descent, observed: number): MarkerResult {
  const { problem, work, settings } = tracker;
  const { outcome, objective, iterations } =
    observed === 0 ? found : settleHold(problem, work, pose, settings.maxIterations, found);
  return resultOf(tracker, pose, objective, iterations, outcome === 'iteration-limit', observed);
}

function requirePose(figure: Figure, pose: Float64Array): void {
  if (!(pose instanceof Float64Array)) {
    throw new FigureError('wrong-size', 'is not a Float64Array.', {
      path: 'pose',
      remedy: 'Make it with createPose(figure).',
    });
  }
  checkPose(figure, pose);
}

function unobserved({ problem, names }: MarkerTracker, pose: Float64Array): MarkerResult {
  return {
    status: 'unobserved',
    residuals: new Float64Array(names.length).fill(Number.NaN),
    observed: 0,
    rms: 0,
    max: 0,
    activeLimits: [],
    objective: evaluate(problem, pose),
    hold: holdOf(problem),
    lengthScale: problem.lengthScale,
    stationarity: 0,
    iterations: 0,
  };
}

/** As in the options, m^2 per rad^2. */
function holdOf({ hold, largestWeight, lengthScale }: MarkerProblem): number {
  return hold * largestWeight * lengthScale * lengthScale;
}

/** DESIGN.md's bound on the stationarity of what is called stationary. */
const STATIONARY = 1e-8;

function resultOf(
  { problem, work, names, settings, figure }: MarkerTracker,
  pose: Float64Array,
  objective: number,
  iterations: number,
  stopped: boolean,
  observed: number,
): MarkerResult {
  evaluate(problem, pose);
  const stationarity = stationarityOf(problem, work, pose);
  const residuals = new Float64Array(names.length).fill(Number.NaN);
  let sum = 0;
  let weight = 0;
  let worst = -1;
  for (let m = 0; m < names.length; m++) {
    const omega = problem.omega[m];
    if (omega === 0) continue;
    const { residual: r } = problem;
    const d = Math.sqrt(r[3 * m] ** 2 + r[3 * m + 1] ** 2 + r[3 * m + 2] ** 2);
    residuals[m] = d;
    sum += omega * d * d;
    weight += omega;
    if (worst < 0 || d > residuals[worst]) worst = m;
  }
  const max = worst < 0 ? 0 : residuals[worst];
  const activeLimits = problem.limits.flatMap(({ part: { bone, role, coordinate } }, n) => {
    const multiplier = work.faces.multipliers[n];
    return multiplier > STATIONARY ? [{ bone: figure.bones[bone].name, role, coordinate, multiplier }] : [];
  });
  let status: MarkerStatus;
  if (worst >= 0 && max <= settings.tolerance) status = 'converged';
  else if (stationarity <= STATIONARY) status = activeLimits.length > 0 ? 'limit-blocked' : 'out-of-reach';
  else status = stopped ? 'iteration-limit' : 'stalled';
  return {
    status,
    residuals,
    observed,
    rms: weight > 0 ? Math.sqrt(sum / weight) : 0,
    max,
    ...(worst < 0 ? {} : { worst: names[worst] }),
    activeLimits: status === 'converged' ? [] : activeLimits,
    objective,
    hold: holdOf(problem),
    lengthScale: problem.lengthScale,
    stationarity,
    iterations,
  };
}
