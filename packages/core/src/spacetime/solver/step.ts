/** The step of one linearization: active set search on the model, with an interior point fallback. */

import { isTimeStepLimited } from './active-sets.js';
import { type Inequalities, updateActiveInequalities } from './inequality-constraints.js';
import { followCentralPath } from './interior-point.js';
import { lineSearchModel } from './line-search.js';
import { augmentedLagrangian, predictRows } from './normal-equations.js';
import { assembleModel, linearizeConstraints, solveModel } from './quadratic-model.js';
import { clipToSets, updateActiveSets } from './set-constraints.js';
import type { Solver } from './solver-state.js';

const MAX_ACTIVE_SET_ITERATIONS = 10;
/** Step length of the line search below which the active set search is abandoned. */
const MIN_STEP_LENGTH = 0.1;
/** Number of interior point solves per step. */
const MAX_CENTRAL_PATHS = 2;
/**
 * Fraction of the unclipped decrease that has to remain after clipping to the sets, for their active set to be final; and the tolerance of
 * that, relative to `decreaseTolerance`.
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
/** Relative decrease of L with which a step is taken although the active set has not settled. */
const SUFFICIENT_DECREASE = 1e-3;

/**
 * Computes the step of the last linearization: the constrained minimum of its model, or a point near it.
 *
 * Active limits, friction and inequalities are found by iteration (a primal-dual active set method: Hintermueller, Ito, Kunisch 2003),
 * which takes a few factorizations where it converges. A line search prevents cycling of inequalities; where it stops short, the interior
 * point method finds the active ones.
 *
 * @returns false where no step is found: more damping is needed.
 */
export function computeStep(solver: Solver): boolean {
  const { system, rows, step, bestStep, predictedRows, multipliers } = solver;
  assembleModel(solver);
  linearizeConstraints(solver);
  const isFound = findActiveSet(solver);
  solver.timeStepLimited = isTimeStepLimited(solver);
  if (!isFound) return false;
  predictRows(rows, bestStep, predictedRows);
  solver.predictedDecrease = solver.merit - augmentedLagrangian(system.kinds, predictedRows, multipliers);
  step.set(bestStep);
  return true;
}

/** Writes the best step found to `bestStep`. @returns false where it is not good enough, or the factorization fails. */
function findActiveSet(solver: Solver): boolean {
  const {
    system,
    constrainedSets,
    setConstraints,
    inequalities,
    step,
    lastModelStep,
    bestStep,
    trial,
    unknowns,
    merit,
  } = solver;
  bestStep.fill(0);
  lastModelStep.fill(0);
  let bestValue = merit;
  let interiorPointSolves = 0;
  for (let iteration = 0; iteration < MAX_ACTIVE_SET_ITERATIONS; iteration++) {
    if (!solveModel(solver)) return false;
    let alpha = 1;
    let usedInteriorPoint = false;
    if (inequalities.active.length > 0) {
      const maxDecrease = -0.5 * dot(step, solver.gradient);
      alpha = lineSearchModel(solver);
      if (alpha < MIN_STEP_LENGTH && interiorPointSolves < MAX_CENTRAL_PATHS) {
        interiorPointSolves++;
        alpha = followCentralPath(solver, maxDecrease) ? 1 : 0;
        usedInteriorPoint = true;
      }
    }
    const inequalityChanges = updateActiveInequalities(inequalities);
    const setChanges = updateActiveSets(constrainedSets, unknowns, setConstraints, step);
    const unclippedValue = modelAt(solver) + boundPenaltyEnergy(solver.inequalities);
    // The feasible step: clipped to the sets.
    for (let i = 0; i < step.length; i++) trial[i] = unknowns[i] + step[i];
    clipToSets(system.sets, unknowns, solver.timeTrustRadius, trial);
    for (let i = 0; i < step.length; i++) step[i] = trial[i] - unknowns[i];
    const value = modelAt(solver);
    const improvement = bestValue - value;
    solver.isFactorOfStep = improvement > -ROUNDING * merit;
    if (solver.isFactorOfStep) {
      bestValue = value;
      bestStep.set(step);
    }
    const isClippedWell =
      merit - value >=
      MIN_CLIPPED_DECREASE * (merit - unclippedValue) - CLIPPING_TOLERANCE * solver.decreaseTolerance * merit;
    const isStationary =
      inequalityChanges === 0 ||
      usedInteriorPoint ||
      (iteration > 0 && improvement <= NEGLIGIBLE_IMPROVEMENT * (merit - bestValue) + ROUNDING * merit);
    solver.isModelMinimum =
      solver.isFactorOfStep &&
      isClippedWell &&
      isStationary &&
      alpha > FULL_STEP &&
      (setChanges === 0 || iteration > 0);
    if (solver.isModelMinimum) return true;
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

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** Model value at `step`, with damping. */
function modelAt({ system, rows, step, predictedRows, multipliers, damping }: Solver): number {
  predictRows(rows, step, predictedRows);
  return augmentedLagrangian(system.kinds, predictedRows, multipliers) + 0.5 * damping * dot(step, step);
}

/** Decrease of the model due to the penalties of interval ends: twice their energy, which decreases linearly along a line. */
function boundPenaltyEnergy({ rows, penalty, value }: Inequalities): number {
  let sum = 0;
  for (let c = rows.length; c < value.length; c++) sum += penalty[c] * Math.max(0, value[c]) ** 2;
  return sum;
}
