import { type FieldsOf, requireFields, requireNotNegative, requireWhole } from '../../checks.js';
import { GoalError } from '../../errors.js';
import type { Figure } from '../../figure/model/figure.js';
import { checkWritablePose, clampToLimits } from '../../figure/model/pose.js';
import type { Numbers } from '../../math/linear/types.js';
import { createActiveSet, stationarityOf, updateActiveSet } from '../../math/optimization/active-limits.js';
import { requireBones } from '../problem/option-checks.js';
import { activeLimitsOf, statusOf } from '../problem/status.js';
import { adaptPrior } from './adaptive-prior.js';
import { createDerivatives } from './derivative-arrays.js';
import { differentiate } from './derivatives.js';
import { type Descent, descend } from './descent.js';
import { searchGlobally } from './global-search.js';
import { createLengthGroups, type LengthGroups } from './length-groups.js';
import { createMarkerProblem, evaluate, type MarkerProblem, setTargets } from './marker-problem.js';
import {
  collapsePose,
  type ExpandedFigure,
  expandMimicJoints,
  expandOptions,
  expandPose,
  mimicUnsupported,
} from './mimic-joints.js';
import type { DescentWorkspace } from './newton-step.js';
import type { Marker, MarkerPositions, MarkerResult, MarkerTrackerOptions } from './types.js';

/** Markers on a figure, checked, with the memory to solve any number of frames. */
export interface MarkerTracker {
  readonly figure: Figure;
  /** Marker names, in the order of the positions. */
  readonly names: readonly string[];
  /** Over the expanded figure, where there is one. */
  readonly problem: MarkerProblem;
  /** The figure with coordinates of their own for its mimic joints; absent where it has none. */
  readonly expanded?: ExpandedFigure;
  readonly workspace: DescentWorkspace;
  readonly settings: {
    readonly maxIterations: number;
    readonly restarts: number;
    readonly seed: number;
    readonly tolerance: number;
  };
}

export const TRACKER_OPTIONS: FieldsOf<MarkerTrackerOptions> = {
  loss: true,
  tasks: true,
  couplings: true,
  prior: true,
  noise: true,
  locked: true,
  tolerance: true,
  maxIterations: true,
  restarts: true,
  seed: true,
};

/**
 * Prepares marker tracking as in human-motion laboratories (OpenSim's inverse kinematics): weighted least squares of measured points
 * fixed on bones over the joint coordinates, within the figure's limits.
 *
 * @throws GoalError, FigureError for invalid markers or options.
 */
export function createMarkerTracker(
  figure: Figure,
  markers: readonly Marker[],
  options: MarkerTrackerOptions = {},
): MarkerTracker {
  if (figure.mimicJoints.length === 0) {
    return createTracker(figure, markers, options, createLengthGroups(figure));
  }
  requireFields(options, TRACKER_OPTIONS, 'options', GoalError);
  requireBones(options.locked, 'options.locked');
  const expanded = expandMimicJoints(figure);
  const lengths = createLengthGroups(expanded.figure);
  const tracker = createTracker(expanded.figure, markers, expandOptions(figure, expanded, options), lengths);
  return { ...tracker, figure, expanded };
}

/** The same, with groups of bones of variable length. */
export function createTracker(
  figure: Figure,
  markers: readonly Marker[],
  options: MarkerTrackerOptions,
  lengths: LengthGroups,
  known: object = TRACKER_OPTIONS,
): MarkerTracker {
  requireFields(options, known, 'options', GoalError);
  requireBones(options.locked, 'options.locked');
  const { maxIterations = 400, restarts = 16, seed = 1, tolerance = 1e-4 } = options;
  for (const [name, value] of Object.entries({ maxIterations, restarts, seed })) {
    requireWhole(value, `options.${name}`, GoalError);
  }
  requireNotNegative(tolerance, 'options.tolerance', GoalError, 'm', true);
  if (figure.mimicJoints.length > 0) throw mimicUnsupported('figure');
  const problem = createMarkerProblem(figure, markers, options, lengths);
  const derivatives = createDerivatives(problem);
  const n = figure.dof;
  return {
    figure,
    names: problem.names,
    problem,
    workspace: {
      derivatives,
      activeSet: createActiveSet(problem.limits, Int32Array.from(problem.free.keys()), problem.columnScale),
      trial: new Float64Array(n),
      damping: 0,
      floor: 0,
      normalStiffness: 0,
      projectedGradient: new Float64Array(n),
      factor: new Float64Array(n * n),
      direction: new Float64Array(n),
      trialDerivatives: createDerivatives(problem),
      uncorrectedStep: new Float64Array(n),
      step: new Float64Array(n),
      scratch: new Float64Array(n),
      blocking: new Uint8Array(problem.limits.length),
    },
    settings: { maxIterations, restarts, seed, tolerance },
  };
}

/**
 * Moves `pose`, in place, to the least-squares pose of one frame, from the given pose: that of the previous frame, or the result of
 * {@link initializeMarkers}. Unobserved coordinates are unchanged. Every iterate is feasible, and f never ends above its initial value. Same
 * input, same bits.
 *
 * @param positions - Three numbers per marker, m, world axes; NaN for an unobserved marker.
 * @param confidences - One number per marker, 0 (unobserved) and up; a factor of its weight.
 * @throws FigureError, GoalError for arrays of the wrong size, a pose that is not finite, positions out of range.
 */
export function solveMarkers(
  tracker: MarkerTracker,
  positions: MarkerPositions,
  pose: Float64Array,
  confidences?: Numbers,
): MarkerResult {
  return trackFrame(tracker, positions, pose, confidences, descendFromPose, true);
}

/**
 * {@link solveMarkers} from a start that is not the pose of the last frame, which the prior knows.
 *
 * @param last - The pose of the last frame, within its limits.
 */
export function solveMarkersFrom(
  tracker: MarkerTracker,
  positions: MarkerPositions,
  pose: Float64Array,
  last: Float64Array,
  confidences?: Numbers,
): MarkerResult {
  return trackFrame(tracker, positions, pose, confidences, descendFromPose, true, last);
}

/**
 * The same without a previous frame, for the first frame or after a gap: the figure may be anywhere and face anywhere. Fits the trunk to its
 * markers (Horn's closed form, outliers reweighted), then descends from several starts: the given pose, rest, and random feasible poses
 * (seeded); the lowest f counts.
 */
export function initializeMarkers(
  tracker: MarkerTracker,
  positions: MarkerPositions,
  pose: Float64Array,
  confidences?: Numbers,
): MarkerResult {
  return trackFrame(tracker, positions, pose, confidences, searchGlobally, false);
}

/** Finds a pose of low f, in place. */
type Minimize = (
  problem: MarkerProblem,
  work: DescentWorkspace,
  pose: Float64Array,
  settings: MarkerTracker['settings'],
) => Descent;

const descendFromPose: Minimize = (problem, work, pose, { maxIterations }) =>
  descend(problem, work, pose, maxIterations);

/**
 * Tracks one frame: minimizes f(q) = 1/2 sum omega_m rho(|x_m(q) - p_m|^2) + tasks + prior over the feasible poses.
 *
 * @param tasksSuffice - Whether a frame without an observed marker is solved where there are tasks.
 * @param last - The pose that the prior draws to. Default: the start.
 */
function trackFrame(
  tracker: MarkerTracker,
  positions: MarkerPositions,
  pose: Float64Array,
  confidences: Numbers | undefined,
  minimize: Minimize,
  tasksSuffice: boolean,
  last?: Float64Array,
): MarkerResult {
  const { figure, expanded } = tracker;
  checkWritablePose(figure, pose);
  if (expanded === undefined) {
    return trackPose(tracker, positions, pose, confidences, minimize, tasksSuffice, last);
  }
  const full = expandPose(expanded, pose);
  const start = last && expandPose(expanded, last);
  const result = trackPose(tracker, positions, full, confidences, minimize, tasksSuffice, start);
  collapsePose(expanded, full, pose);
  const activeLimits = result.activeLimits.map((limit) => ({
    ...limit,
    coordinate: expanded.indices.indexOf(limit.coordinate),
  }));
  return { ...result, activeLimits };
}

/** @param pose - Of the problem's figure. */
function trackPose(
  tracker: MarkerTracker,
  positions: MarkerPositions,
  pose: Float64Array,
  confidences: Numbers | undefined,
  minimize: Minimize,
  tasksSuffice: boolean,
  last?: Float64Array,
): MarkerResult {
  const { problem, workspace, settings } = tracker;

  // Measurements: p_m, and omega_m = weight confidence / (largest weight L^2).
  const observed = setTargets(problem, positions, confidences);

  // Feasible start: q = P(q), P the projection onto the limits.
  clampToLimits(problem.figure, pose);

  // Prior: 1/2 w |y(q) - y(last)|^2, the last pose being the prediction of constant pose; w in full.
  problem.priorPose.set(last ?? pose);
  problem.priorWeight = problem.fullPriorWeight;
  if (observed === 0 && !(tasksSuffice && problem.tasks.length > 0)) return unobserved(tracker, pose);

  // Minimum: Z (H + damping) Z d = -Z grad f by trust-region Newton, from this start or from several.
  let found = minimize(problem, workspace, pose, settings);

  // Adaptive prior: w times (s / noise)^2, s the noise estimated from the residuals; then the descent again.
  if (observed > 0) found = adaptPrior(problem, workspace, pose, settings.maxIterations, found);

  // Residuals |x_m - p_m|, stationarity |P(q - grad f) - q|, multipliers of the active limits.
  return resultOf(tracker, pose, found, observed);
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
    prior: priorOf(problem),
    lengthScale: problem.lengthScale,
    stationarity: 0,
    iterations: 0,
  };
}

/** Weight of the prior as in the options, m^2 per rad^2. */
function priorOf({ priorWeight, largestWeight, lengthScale }: MarkerProblem): number {
  return priorWeight * largestWeight * lengthScale * lengthScale;
}

function resultOf(
  { problem, workspace, names, settings }: MarkerTracker,
  pose: Float64Array,
  { termination, objective, iterations }: Descent,
  observed: number,
): MarkerResult {
  evaluate(problem, pose);
  const { derivatives, activeSet, trial } = workspace;
  differentiate(problem, pose, true, false, derivatives);
  updateActiveSet(activeSet, pose, derivatives.gradient);
  const stationarity = stationarityOf(activeSet, pose, derivatives.gradient, trial);
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
  const activeLimits = activeLimitsOf(problem.figure, activeSet);
  const converged = worst >= 0 && max <= settings.tolerance;
  return {
    status: converged
      ? 'converged'
      : statusOf(stationarity, activeLimits.length, termination === 'iteration-limit'),
    residuals,
    observed,
    rms: weight > 0 ? Math.sqrt(sum / weight) : 0,
    max,
    ...(worst < 0 ? {} : { worst: names[worst] }),
    activeLimits: converged ? [] : activeLimits,
    objective,
    prior: priorOf(problem),
    lengthScale: problem.lengthScale,
    stationarity,
    iterations,
  };
}
