import { regularizeCharts } from '../../figure/model/regularize.js';
import { copyNumbers, zeroNumbers } from '../../math/linear/vector.js';
import {
  projectOutNormals,
  projectStep,
  stepLength,
  updateActiveSet,
} from '../../math/optimization/active-limits.js';
import { MIN_GAIN } from '../../math/optimization/gain-ratio.js';
import {
  differentiate,
  evaluate,
  isSolved,
  notFinite,
  type Problem,
  writeGradient,
} from '../problem/problem.js';
import type { Workspace } from '../problem/workspace.js';
import { solveDamped } from './normal-equations.js';

/** Damping relative to the squared residual: lambda = damping |r|^2 (Sugihara 2011), adapted by the gain ratio. */
const INITIAL_DAMPING = 0.3;
/** Gain ratios above which a step is good and below which it is poor: with those of the other solvers it takes 0.15 % more steps. */
const GOOD_GAIN = 0.7;
const POOR_GAIN = 0.3;
/**
 * Factors of the damping after a good, a poor and a rejected step: of 0.1 to 0.5 and 4 to 10 the first and the last took the fewest steps on
 * arms, chains and bodies.
 */
const DAMPING_DECREASE = 0.4;
const POOR_GAIN_INCREASE = 3;
const DAMPING_INCREASE = 10;
const MIN_DAMPING = 1e-6;
const MAX_DAMPING = 1e14;
/** Largest change of an angle in one step, rad: beyond it the linear model is invalid. Translations are linear. */
const MAX_STEP = 1.5;
/** Rounds of projection onto the limits that a step reaches. */
const MAX_PROJECTION_ROUNDS = 4;
/** A descent ends as slow after MAX_SMALL_DECREASES consecutive steps with a relative decrease of f below this. */
const SMALL_DECREASE = 0.02;
const MAX_SMALL_DECREASES = 4;

export interface DescentResult {
  readonly outcome: 'converged' | 'slow' | 'iteration-limit';
  /** f at the pose reached. */
  readonly objective: number;
  readonly iterations: number;
}

/** Restrictions of a descent. */
export interface DescentOptions {
  /** 1 for a column that does not move; none by default. */
  readonly kept?: Uint8Array | undefined;
  /**
   * Smallest predicted decrease of a step by the linear model within the limits, as a fraction of f; a step that predicts less ends
   * the descent as slow. Near a solution the model predicts all of f, so this detects a local minimum many steps before the steps
   * get small. Default 0.
   */
  readonly minPredictedDecrease?: number;
}

/**
 * Levenberg-Marquardt in the tangent space of the active limits, in place on a feasible pose: the step d minimizes
 *
 *   |r + J d|^2 + lambda |d|^2,   lambda = damping |r|^2,   J Z in place of J, Z = 1 - n n^T for each active limit.
 *
 * A step that leaves a limit is projected onto it and solved again with the limit's columns fixed, so every accepted pose is
 * feasible. Every accepted step lowers f. Ends when the goals are satisfied, or slow when actual or predicted decreases are small.
 */
export function levenbergMarquardt(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  maxIterations: number,
  { kept, minPredictedDecrease = 0 }: DescentOptions = {},
): DescentResult {
  const { rows, residual, limits, jacobian } = problem;
  const { trial, gradient, activeSet, acceptedResidual } = work;
  let f = evaluate(problem, pose);
  if (!(f < Number.POSITIVE_INFINITY)) throw notFinite(f);
  work.onIterate?.(pose, f);
  let damping = INITIAL_DAMPING;
  let smallDecreases = 0;
  let iterations = 0;
  while (!isSolved(problem)) {
    // Linearization: r(q + d) = r + J d.
    differentiate(problem, pose);
    // Active set: limits with g = 0 and a multiplier lambda_n = -grad f . n > 0. J <- J Z.
    if (limits.length > 0) {
      writeGradient(problem, gradient);
      updateActiveSet(activeSet, pose, gradient);
      projectOutNormals(activeSet, jacobian.values, rows, jacobian.width);
    }
    if (kept !== undefined) zeroColumns(problem, kept);
    copyNumbers(residual, acceptedResidual, rows);
    const before = f;
    for (let rejected = false; f === before; rejected = true) {
      // After a rejected step the Jacobian is still that of the pose; only the residual was overwritten.
      if (rejected) copyNumbers(acceptedResidual, residual, rows);
      // Damped step, projected: q' = P(q + d), d = -J^T (J J^T + lambda)^-1 r.
      const spent = iterations >= maxIterations;
      const predictedDecrease =
        spent || damping > MAX_DAMPING ? 0 : writeTrialStep(problem, work, pose, damping * 2 * f);
      if (predictedDecrease === 0 || predictedDecrease < minPredictedDecrease * f) {
        evaluate(problem, pose);
        return { outcome: spent ? 'iteration-limit' : 'slow', objective: f, iterations };
      }
      // Gain ratio: (f(q) - f(q')) / (|r|^2 / 2 - |r + J d|^2 / 2).
      const next = evaluate(problem, trial);
      iterations++;
      const actualDecrease = f - next;
      const gainRatio = actualDecrease / predictedDecrease;
      // Damping: less after a good prediction, more after a bad one.
      if (next < f && gainRatio > MIN_GAIN) {
        if (gainRatio > GOOD_GAIN) damping = Math.max(MIN_DAMPING, damping * DAMPING_DECREASE);
        else if (gainRatio < POOR_GAIN) damping *= POOR_GAIN_INCREASE;
        f = next;
      } else {
        damping *= DAMPING_INCREASE;
      }
    }
    // Accepted.
    copyNumbers(trial, pose, pose.length);
    regularizeCharts(problem.charts, pose);
    work.onIterate?.(pose, f);
    smallDecreases = f > before * (1 - SMALL_DECREASE) ? smallDecreases + 1 : 0;
    if (smallDecreases >= MAX_SMALL_DECREASES)
      return { outcome: isSolved(problem) ? 'converged' : 'slow', objective: f, iterations };
  }
  return { outcome: 'converged', objective: f, iterations };
}

function zeroColumns({ jacobian, rows }: Problem, kept: Uint8Array): void {
  const { values, width } = jacobian;
  for (let k = 0; k < width; k++) {
    if (kept[k] === 1) for (let r = 0; r < rows; r++) values[r * width + k] = 0;
  }
}

/**
 * Writes the trial pose for the damping lambda: minimizes |r + J d|^2 + lambda |d|^2 in the tangent space, and again in each round
 * with the columns of reached limits fixed. Returns the predicted decrease of f for the projected step.
 */
function writeTrialStep(problem: Problem, work: Workspace, pose: Float64Array, lambda: number): number {
  const { jacobian, rows, residual } = problem;
  const { width, values } = jacobian;
  const { activeSet, freeJacobian, fixed, step, remainingResidual } = work;
  zeroNumbers(fixed, width);
  copyNumbers(residual, remainingResidual, rows);
  writeDampedStep(problem, work, values, lambda);
  let hit = projectStep(activeSet, pose, step, work.trial, fixed);
  for (let round = 0; hit > 0 && round < MAX_PROJECTION_ROUNDS; round++) {
    // The fixed columns keep their step; the others are solved for against the remaining residual.
    copyNumbers(values, freeJacobian, rows * width);
    copyNumbers(residual, remainingResidual, rows);
    for (let k = 0; k < width; k++) {
      if (fixed[k] === 0) continue;
      for (let r = 0; r < rows; r++) {
        remainingResidual[r] += values[r * width + k] * step[k];
        freeJacobian[r * width + k] = 0;
      }
    }
    writeDampedStep(problem, work, freeJacobian, lambda);
    hit = projectStep(activeSet, pose, step, work.trial, fixed);
  }
  return Math.max(predictedDecrease(problem, work), Number.MIN_VALUE);
}

/** |r|^2/2 - |r + J d|^2/2 for the projected step. */
function predictedDecrease({ jacobian, rows, residual }: Problem, { step }: Workspace): number {
  const { values, width } = jacobian;
  let decrease = 0;
  for (let r = 0; r < rows; r++) {
    let change = 0;
    for (let k = 0, o = r * width; k < width; k++) change += values[o + k] * step[k];
    decrease -= change * (residual[r] + 0.5 * change);
  }
  return decrease;
}

/**
 * d = -J^T (J J^T + lambda I)^-1 r, cut to MAX_STEP and written to `step` where the column is not fixed.
 */
function writeDampedStep(problem: Problem, work: Workspace, j: Float64Array, lambda: number): void {
  const { rows, rowRanges, jacobian, translates } = problem;
  const { width } = jacobian;
  const { normal, remainingResidual, rowSolution, direction, fixed, step } = work;
  copyNumbers(remainingResidual, rowSolution, rows);
  solveDamped(normal, j, rows, width, rowRanges, lambda, rowSolution, direction);
  const factor = -stepLength(direction, translates, MAX_STEP);
  for (let k = 0; k < width; k++) if (fixed[k] === 0) step[k] = factor * direction[k];
}
