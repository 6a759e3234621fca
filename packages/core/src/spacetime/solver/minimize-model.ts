/**
 * The minimum of the step's model over the convex sets: active set iterations, each with an exact line search, and an interior point method
 * where the line search stops short.
 */
import { multiplyEnvelope } from '../../math/linear/envelope-cholesky.js';
import { dot } from '../../math/linear/vector.js';
import { isTimeStepLimited } from './active-set.js';
import { addCurvature, curvatureEnergy } from './curvature.js';
import {
  advanceValues,
  type Inequalities,
  linearizeDirection,
  updateActiveInequalities,
} from './inequality-constraints.js';
import { type CentralPath, createCentralPath, followCentralPath } from './interior-point.js';
import { augmentedLagrangian, predictRows } from './lagrangian.js';
import { linearizeConstraints, type Subproblem, solveModel } from './quadratic-model.js';
import { clipToSets, updateActiveSets } from './set-constraints.js';

/** The search for the minimum, and its result. */
export interface ModelSearch {
  /** Step of the current iteration; last minimizer of the model, before clipping to the sets; best step so far. */
  readonly step: Float64Array;
  readonly modelStep: Float64Array;
  readonly bestStep: Float64Array;
  /** r + J p of the best step. */
  readonly predictedRows: Float64Array;
  /** L(r) - L(r + J p) - 1/2 p^T B p of the best step. */
  predictedDecrease: number;
  /** Whether the step is the minimum of its model: only then a small predicted decrease means convergence. */
  isModelMinimum: boolean;
  /** Whether the factor of the model is that of the best step: required for a correction. */
  isFactorOfStep: boolean;
  /** Whether the trust region of the time scaling limited the last step. */
  isTimeStepLimited: boolean;
  /** End of a step, and H p. */
  readonly end: Float64Array;
  readonly product: Float64Array;
  readonly centralPath: CentralPath;
}

const MAX_ACTIVE_SET_ITERATIONS = 10;
/** Step length of the line search below which the active set search is abandoned. */
const MIN_STEP_LENGTH = 0.1;
/** Number of interior point solves per step. */
const MAX_CENTRAL_PATHS = 2;
/**
 * Fraction of the unclipped decrease that has to remain after clipping to the sets, for their active set to be final; and the tolerance of
 * that, relative to `gain`.
 */
const MIN_CLIPPED_DECREASE = 0.95;
const CLIPPING_TOLERANCE = 0.1;
/** A step length that is full up to rounding. */
const FULL_STEP = 1 - 1e-4;
/** Improvement relative to the model's total decrease below which the search stops. */
const SMALL_IMPROVEMENT = 0.1;
/** The same, below which inequalities count as found although some changed. */
const NEGLIGIBLE_IMPROVEMENT = 1e-3;
/** Rounding error of L, relative. */
const ROUNDING = 1e-13;
/** Relative decrease of L with which a step is taken although the active set still changes. */
const SUFFICIENT_DECREASE = 1e-3;
const BISECTIONS = 40;

/** @param inequalities - Number of one-sided penalties. */
export function createModelSearch(size: number, rows: number, inequalities: number): ModelSearch {
  const vector = (): Float64Array => new Float64Array(size);
  return {
    step: vector(),
    modelStep: vector(),
    bestStep: vector(),
    predictedRows: new Float64Array(rows),
    predictedDecrease: 0,
    isModelMinimum: false,
    isFactorOfStep: false,
    isTimeStepLimited: false,
    end: vector(),
    product: vector(),
    centralPath: createCentralPath(size, inequalities),
  };
}

/**
 * Writes the constrained minimum of the model, or a point near it, to `search.bestStep`.
 *
 * Active limits, friction and inequalities are found by iteration (a primal-dual active set method: Hintermueller, Ito, Kunisch 2003),
 * which takes a few factorizations where it converges. A line search prevents cycling of inequalities; where it stops short, the interior
 * point method finds the active ones.
 *
 * @param gain - Relative decrease that counts as none.
 * @returns false where no step is found: more damping is needed.
 */
export function minimizeModel(subproblem: Subproblem, search: ModelSearch, gain: number): boolean {
  const { system, iterate, activeSet } = subproblem;
  const { bestStep, predictedRows } = search;
  linearizeConstraints(subproblem);
  const isFound = findActiveSet(subproblem, search, gain);
  search.isTimeStepLimited = isTimeStepLimited(activeSet);
  if (!isFound) return false;
  predictRows(iterate.rows, bestStep, predictedRows);
  search.predictedDecrease =
    iterate.merit -
    augmentedLagrangian(system.kinds, predictedRows, iterate.multipliers) -
    curvatureEnergy(subproblem.model.curvature, bestStep);
  return true;
}

/** Writes the best step found to `bestStep`. @returns false where it is not good enough, or the factorization fails. */
function findActiveSet(subproblem: Subproblem, search: ModelSearch, gain: number): boolean {
  const { system, iterate, model, activeSet } = subproblem;
  const { unknowns, merit } = iterate;
  const { sets, setConstraints, inequalities } = activeSet;
  const { step, modelStep, bestStep, end, centralPath } = search;
  bestStep.fill(0);
  modelStep.fill(0);
  let bestValue = merit;
  let interiorPointSolves = 0;
  for (let iteration = 0; iteration < MAX_ACTIVE_SET_ITERATIONS; iteration++) {
    // Newton step of the current active set.
    if (!solveModel(subproblem, step)) return false;
    let alpha = 1;
    let usedInteriorPoint = false;
    if (inequalities.active.length > 0) {
      const maxDecrease = -0.5 * dot(step, model.gradient);
      // Line search: inequalities change state along the step.
      alpha = lineSearchModel(subproblem, search);
      if (alpha < MIN_STEP_LENGTH && interiorPointSolves < MAX_CENTRAL_PATHS) {
        interiorPointSolves++;
        alpha = followCentralPath(subproblem, centralPath, maxDecrease, step) ? 1 : 0;
        modelStep.set(step);
        usedInteriorPoint = true;
      }
    }
    // The next active set.
    const inequalityChanges = updateActiveInequalities(inequalities);
    const setChanges = updateActiveSets(sets, unknowns, setConstraints, step);
    const unclippedValue = modelAt(subproblem, search) + boundPenaltyEnergy(inequalities);
    // The feasible step: clipped to the sets.
    for (let i = 0; i < step.length; i++) end[i] = unknowns[i] + step[i];
    clipToSets(system.sets, unknowns, iterate.timeTrustRadius, end);
    for (let i = 0; i < step.length; i++) step[i] = end[i] - unknowns[i];
    const value = modelAt(subproblem, search);
    const improvement = bestValue - value;
    search.isFactorOfStep = improvement >= -ROUNDING * merit;
    if (search.isFactorOfStep) {
      bestValue = value;
      bestStep.set(step);
    }
    const isClippedWell =
      merit - value >= MIN_CLIPPED_DECREASE * (merit - unclippedValue) - CLIPPING_TOLERANCE * gain * merit;
    const isStationary =
      inequalityChanges === 0 ||
      usedInteriorPoint ||
      (iteration > 0 && improvement <= NEGLIGIBLE_IMPROVEMENT * (merit - bestValue) + ROUNDING * merit);
    search.isModelMinimum =
      search.isFactorOfStep &&
      isClippedWell &&
      isStationary &&
      alpha > FULL_STEP &&
      (setChanges === 0 || iteration > 0);
    if (search.isModelMinimum) return true;
    if (
      iteration > 1 &&
      alpha > FULL_STEP &&
      improvement > 0 &&
      improvement < SMALL_IMPROVEMENT * (merit - bestValue)
    )
      return true;
  }
  return bestValue < (1 - SUFFICIENT_DECREASE) * merit;
}

/** m(p) = L(r + J p) + 1/2 p^T B p + damping/2 |p|^2 at `step`. */
function modelAt({ system, iterate, model }: Subproblem, { step, predictedRows }: ModelSearch): number {
  predictRows(iterate.rows, step, predictedRows);
  return (
    augmentedLagrangian(system.kinds, predictedRows, iterate.multipliers) +
    0.5 * iterate.damping * dot(step, step) +
    curvatureEnergy(model.curvature, step)
  );
}

/**
 * Increase of the model, to first order, when its minimum is clipped to the interval ends: the violation y times the penalty's gradient k y,
 * twice the penalty energy.
 */
function boundPenaltyEnergy({ rows, penalty, value }: Inequalities): number {
  let sum = 0;
  for (let c = rows.length; c < value.length; c++) sum += penalty[c] * Math.max(0, value[c]) ** 2;
  return sum;
}

/**
 * Exact line search on the model, which is convex with a piecewise linear derivative: its minimum on the segment from `modelStep` to `step`,
 * with the set constraints as factored. Both become the minimizer, and the values of the inequalities are updated.
 *
 * @returns the step length alpha.
 */
function lineSearchModel(
  { iterate, model, activeSet: { inequalities } }: Subproblem,
  { step, modelStep, product }: ModelSearch,
): number {
  const { damped, dampedGradient } = model;
  for (let i = 0; i < step.length; i++) step[i] -= modelStep[i];
  multiplyEnvelope(damped, step, product);
  addCurvature(model.curvature, step, product);
  let slope = 0;
  let curvature = 0;
  for (let i = 0; i < step.length; i++) {
    slope += step[i] * dampedGradient[i] + modelStep[i] * product[i];
    curvature += step[i] * product[i];
  }
  linearizeDirection(inequalities, iterate.rows, step);
  const alpha = minimizerOf(inequalities, slope, curvature);
  for (let i = 0; i < step.length; i++) {
    step[i] = modelStep[i] + alpha * step[i];
    modelStep[i] = step[i];
  }
  advanceValues(inequalities, alpha);
  return alpha;
}

/** Root of the derivative by bisection; 1 where there is none. */
function minimizerOf(inequalities: Inequalities, slope: number, curvature: number): number {
  if (slopeAt(inequalities, slope, curvature, 1) <= 0) return 1;
  let low = 0;
  let high = 1;
  for (let k = 0; k < BISECTIONS; k++) {
    const middle = 0.5 * (low + high);
    if (slopeAt(inequalities, slope, curvature, middle) > 0) high = middle;
    else low = middle;
  }
  // Just past the root, so that the penalty that becomes active there counts.
  return high;
}

function slopeAt(
  { penalty, value, change }: Inequalities,
  slope: number,
  curvature: number,
  alpha: number,
): number {
  let sum = slope + alpha * curvature;
  for (let c = 0; c < value.length; c++) {
    const y = value[c] + alpha * change[c];
    if (y > 0) sum += penalty[c] * y * change[c];
  }
  return sum;
}
