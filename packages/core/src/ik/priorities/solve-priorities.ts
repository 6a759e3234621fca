import { regularizeCharts } from '../../figure/model/regularize.js';
import { copyNumbers } from '../../math/linear/vector.js';
import { projectStep } from '../../math/optimization/active-limits.js';
import { stackProblems } from '../problem/create-problem.js';
import { differentiate, evaluate, notFinite, type Problem } from '../problem/problem.js';
import { activeLimitsOf, GRADIENT_TOLERANCE } from '../problem/status.js';
import { createWorkspace, type IterateObserver } from '../problem/workspace.js';
import { escapeSaddle } from './escape-saddle.js';
import { differentiateUnfrozen, levelObjective, type PriorityLevel } from './level.js';
import { createNullSpace, projectOntoNullSpace, updateNullSpace } from './null-space.js';
import { restoreConstraints } from './restore-constraints.js';
import { writeGaussNewtonStep, writeLagrangianHessian, writeNewtonStep } from './step.js';

/** A Gauss-Newton step that leaves more than this fraction of f switches the descent to Newton steps. */
const MAX_GAUSS_NEWTON_RATIO = 0.5;
/** A descent ends after MAX_SMALL_DECREASES consecutive steps with a relative decrease of f below this and no halving of the gradient. */
const SMALL_DECREASE = 2e-3;
const MAX_SMALL_DECREASES = 6;
/** Relative change of f that is rounding: near the minimum the gradient still decreases where f no longer does. */
const ROUNDING = 1e-13;
/** Damping relative to the largest diagonal entry: initial and least of a Gauss-Newton step, and the limit at which a descent ends. */
const INITIAL_DAMPING = 1e-4;
const MIN_DAMPING = 1e-12;
const MAX_DAMPING = 1e8;

/** The priority levels after the first. */
export function createPriorityLevels(
  problems: readonly Problem[],
  onIterate: IterateObserver | undefined,
): readonly PriorityLevel[] {
  return problems.slice(1).map((problem, n) => {
    const {
      problem: stacked,
      equalityRows,
      inequalityRows,
    } = stackProblems(problems.slice(0, n + 1), problem);
    const width = stacked.coordinates.length;
    return {
      problem,
      stacked,
      firstRow: equalityRows + inequalityRows,
      work: createWorkspace(stacked, onIterate),
      nullSpace: createNullSpace(stacked, equalityRows, inequalityRows),
      restoreTarget: new Float64Array(equalityRows),
      reducedJacobian: new Float64Array(problem.rows * width),
      rowRanges: Int32Array.from({ length: 2 * Math.ceil(problem.rows / 3) }, (_, k) => (k % 2) * width),
      previousPose: new Float64Array(problem.figure.dof),
      frozenColumns: new Uint8Array(width),
      curvature: { largest: 0 },
      outcome: { objective: 0, stationarity: 0, stopped: false, activeLimits: [] },
    };
  });
}

/**
 * Minimizes f of a level in the null space of the higher levels' rows (Siciliano and Slotine 1991) within the limits, in place on
 * a feasible pose. Each step is followed by a restoration of those rows. Steps are Gauss-Newton as long as they converge well,
 * then Newton steps on the Lagrangian, because the constraint rows have curvature too. Every accepted pose is feasible, keeps the
 * constraint rows at their values to rounding, and lowers f.
 *
 * A missed goal of higher priority is at its least distance, where any motion increases the distance at least to second order;
 * so the columns that move it are frozen.
 *
 * @returns poses evaluated.
 */
export function descendLevel(level: PriorityLevel, pose: Float64Array, maxIterations: number): number {
  const { stacked, work, nullSpace, restoreTarget, previousPose } = level;

  // Constraints of the higher levels: equality rows keep their residual, zero where satisfied; inequality rows stay above their bounds.
  readRowScales(level);
  evaluate(stacked, pose);
  const { equalityRows, inequalityRows, inequalityBounds } = nullSpace;
  for (let r = 0; r < equalityRows; r++) restoreTarget[r] = stacked.residual[r];
  for (let n = 0; n < inequalityRows; n++)
    inequalityBounds[n] = Math.min(0, stacked.residual[equalityRows + n]);
  freezeUnsatisfiedGoals(level, pose);
  restoreSatisfiedGoals(level, pose);
  let f = levelObjective(level);
  if (!(f < Number.POSITIVE_INFINITY)) throw notFinite(f);
  let newton = false;
  let damping = INITIAL_DAMPING;
  let iterations = 0;
  let gradientNorm = Number.POSITIVE_INFINITY;
  let decreaseIsRounding = false;
  let wasNewtonStep = false;
  let smallDecreases = 0;
  // Whether the last step was an undamped Newton step: the reduced Hessian there was positive definite.
  let convex = false;
  work.onIterate?.(pose, f);
  for (;;) {
    // Linearization: r(q + d) = r + J d, g = J^T r, over the columns that are not frozen.
    differentiateUnfrozen(level, pose);
    writeLevelGradient(level);
    copyNumbers(stacked.residual, work.acceptedResidual, stacked.rows);
    const previousNorm = gradientNorm;

    // Null space: Z g = g + A^T y + sum lambda n of least norm, lambda >= 0.
    gradientNorm = updateNullSpace(nullSpace, pose, work.gradient);

    // Where the change of f is rounding, a step must halve |Z g|.
    if (decreaseIsRounding && !(gradientNorm < 0.5 * previousNorm)) {
      copyNumbers(previousPose, pose, pose.length);
      gradientNorm = previousNorm;
      if (wasNewtonStep) break;
      // Gauss-Newton leaves out the residual's curvature, which may be all of the remaining Hessian.
      newton = true;
      damping = 0;
      decreaseIsRounding = false;
      evaluate(stacked, pose);
      continue;
    }
    if (isLevelSolved(level) || smallDecreases >= MAX_SMALL_DECREASES || iterations >= maxIterations) break;

    // Stationary, Z g = 0: a saddle is left along negative curvature.
    if (gradientNorm <= GRADIENT_TOLERANCE) {
      iterations++;
      const lower = f > 0 && !convex ? escapeSaddle(level, pose, f) : undefined;
      if (lower === undefined) break;
      accept(lower);
      newton = false;
      damping = INITIAL_DAMPING;
      decreaseIsRounding = false;
      smallDecreases = 0;
      continue;
    }

    // Step: min |r + J Z d|^2 + damping |d|^2 (Gauss-Newton), or (Z H Z + damping) d = -Z g with H of the Lagrangian (Newton);
    // then the constraint rows are restored. The smallest damping that lowers f.
    if (newton) writeLagrangianHessian(level, pose);
    else writeReducedJacobian(level);
    wasNewtonStep = newton;
    const next = searchDamping();
    if (next === undefined) {
      if (newton) break;
      newton = true;
      damping = 0;
      evaluate(stacked, pose);
      continue;
    }
    if (!newton && next > MAX_GAUSS_NEWTON_RATIO * f) {
      newton = true;
      damping = 0;
    }
    decreaseIsRounding = Math.abs(f - next) <= ROUNDING * f;
    smallDecreases =
      f - next < SMALL_DECREASE * f && !(gradientNorm < 0.5 * previousNorm) ? smallDecreases + 1 : 0;
    accept(next);
  }
  level.outcome = {
    objective: f,
    stationarity: gradientNorm,
    stopped: iterations >= maxIterations,
    activeLimits: activeLimitsOf(stacked.figure, nullSpace.activeSet),
  };
  return iterations;

  /** Accepts the trial pose. */
  function accept(next: number): void {
    copyNumbers(pose, previousPose, pose.length);
    f = next;
    copyNumbers(work.trial, pose, pose.length);
    regularizeCharts(stacked.charts, pose);
    work.onIterate?.(pose, f);
  }

  /** Finds the smallest damping whose step lowers f; leaves the evaluated pose in `work.trial`. */
  function searchDamping(): number | undefined {
    for (; damping <= MAX_DAMPING && iterations < maxIterations; damping = Math.max(10 * damping, 1e-6)) {
      if (newton && !writeNewtonStep(level, damping)) continue;
      if (!newton) writeGaussNewtonStep(level, damping);
      work.activeSet.active.fill(0);
      work.fixed.fill(0);
      projectStep(work.activeSet, pose, work.step, work.trial, work.fixed);
      copyNumbers(work.trial, work.candidate, pose.length);
      iterations++;
      if (!restoreConstraints(level, work.candidate)) continue;
      copyNumbers(work.candidate, work.trial, pose.length);
      const next = levelObjective(level);
      if (next < f || Math.abs(next - f) <= ROUNDING * f) {
        convex = newton && damping === 0;
        damping = newton ? (damping <= 1e-6 ? 0 : damping / 100) : Math.max(MIN_DAMPING, 0.1 * damping);
        return next;
      }
      // A rejected Gauss-Newton step needs the exact curvature, not more damping.
      if (!newton) return undefined;
    }
    return undefined;
  }
}

/** Reads the row scales: 1 for constraint rows whatever their weight, 0 for goals of weight 0; this level's own as in its problem. */
function readRowScales({ problem, stacked }: PriorityLevel): void {
  const firstGoal = stacked.goals.length - problem.goals.length;
  for (let n = 0; n < stacked.goals.length; n++) {
    const component = stacked.goals[n];
    if (n >= firstGoal) component.rowScale = problem.goals[n - firstGoal].rowScale;
    else if (component.goal.weight === 0) component.rowScale = 0;
    else component.rowScale = component.unit === 'length' ? 1 / stacked.lengthScale : 1;
  }
}

/** Freezes the columns that move missed goals of higher priority. */
function freezeUnsatisfiedGoals(
  { stacked, firstRow: own, nullSpace, frozenColumns }: PriorityLevel,
  pose: Float64Array,
): void {
  frozenColumns.fill(0);
  differentiate(stacked, pose);
  const { values, width } = stacked.jacobian;
  for (let n = 0; n < stacked.goals.length && stacked.goals[n].firstRow < own; n++) {
    const { firstRow, rows, rowScale } = stacked.goals[n];
    if (rowScale === 0 || !isUnsatisfied(stacked, n, firstRow >= nullSpace.equalityRows)) continue;
    for (let r = firstRow; r < firstRow + rows; r++) {
      for (let k = 0; k < width; k++) if (values[r * width + k] !== 0) frozenColumns[k] = 1;
    }
  }
}

/** Whether a component exceeds its tolerance; an inequality exceeds it where a row is below -tolerance. */
function isUnsatisfied(
  { goals, norms, unscaledResidual }: Problem,
  n: number,
  isInequality: boolean,
): boolean {
  const { firstRow, rows, tolerance } = goals[n];
  if (!isInequality) return !(norms[n] <= tolerance);
  for (let r = firstRow; r < firstRow + rows; r++) if (unscaledResidual[r] < -tolerance) return true;
  return false;
}

/**
 * Restores the goals of higher priority that are within their tolerance to residual zero, if all of them can reach it: only there
 * do redundant rows (two points of one bone) stay consistent as the figure moves.
 */
function restoreSatisfiedGoals(level: PriorityLevel, pose: Float64Array): void {
  const { stacked, nullSpace, restoreTarget, work } = level;
  const { equalityRows } = nullSpace;
  const satisfied = (n: number): boolean =>
    stacked.goals[n].tolerance < Number.POSITIVE_INFINITY && stacked.norms[n] <= stacked.goals[n].tolerance;
  for (let n = 0; n < stacked.goals.length && stacked.goals[n].firstRow < equalityRows; n++) {
    const { firstRow, rows } = stacked.goals[n];
    if (satisfied(n)) restoreTarget.fill(0, firstRow, firstRow + rows);
  }
  copyNumbers(pose, work.candidate, pose.length);
  nullSpace.active.fill(0);
  nullSpace.activeSet.active.fill(0);
  if (restoreConstraints(level, work.candidate)) {
    copyNumbers(work.candidate, pose, pose.length);
    return;
  }
  evaluate(stacked, pose);
  for (let r = 0; r < equalityRows; r++) restoreTarget[r] = stacked.residual[r];
}

/** Whether every goal of this level is within its tolerance, and none is soft. */
function isLevelSolved({ problem, stacked }: PriorityLevel): boolean {
  if (problem.hasSoftGoals) return false;
  for (let n = stacked.goals.length - problem.goals.length; n < stacked.goals.length; n++) {
    if (!(stacked.norms[n] <= stacked.goals[n].tolerance) && stacked.goals[n].rowScale > 0) return false;
  }
  return true;
}

function writeLevelGradient({ stacked, firstRow, work: { gradient } }: PriorityLevel): void {
  const { residual, rows, jacobian } = stacked;
  const { values, width } = jacobian;
  gradient.fill(0);
  for (let r = firstRow; r < rows; r++) {
    const weight = residual[r];
    const o = r * width;
    for (let k = 0; k < width; k++) gradient[k] += weight * values[o + k];
  }
}

function writeReducedJacobian({ stacked, nullSpace, firstRow, reducedJacobian }: PriorityLevel): void {
  const { values, width } = stacked.jacobian;
  reducedJacobian.set(values.subarray(firstRow * width, stacked.rows * width));
  projectOntoNullSpace(nullSpace, reducedJacobian, stacked.rows - firstRow);
}
