import { lowestCommonAncestorIn } from '../../figure/basis.js';
import { regularizeCharts } from '../../figure/model/regularize.js';
import { copyNumbers } from '../../math/linear/vector.js';
import { projectStep } from '../../math/optimization/active-limits.js';
import type { GoalHessian } from '../goals/types/goal-type.js';
import { stackProblems } from '../problem/create-problem.js';
import { assignHessians } from '../problem/hessian.js';
import { evaluate, notFinite, type Problem } from '../problem/problem.js';
import { activeLimitsOf, GRADIENT_TOLERANCE } from '../problem/status.js';
import { createWorkspace, type IterateObserver } from '../problem/workspace.js';
import { escapeSaddle } from './escape-saddle.js';
import { differentiateUnfrozen, levelObjective, type PriorityLevel } from './level.js';
import { createNullSpace, isAwayFromLimits, updateNullSpace } from './null-space.js';
import { pinReachedLimits, restoreConstraints } from './restore-constraints.js';
import { writeGaussNewtonHessian, writeHessian, writeNewtonStep } from './step.js';

/** A Gauss-Newton step that leaves more than this fraction of f switches the descent to Newton steps. */
const MAX_GAUSS_NEWTON_RATIO = 0.5;
/** A descent ends after MAX_SMALL_DECREASES consecutive steps with a relative decrease of f below this and no halving of the gradient. */
const SMALL_DECREASE = 1e-8;
const MAX_SMALL_DECREASES = 6;
/** Relative change of f that is rounding: near the minimum the gradient still decreases where f no longer does. */
const ROUNDING = 1e-13;
const ROUNDING_RATE = 0.75;
/** Damping relative to the largest curvature: initial and least of a Gauss-Newton step, and the limit at which a descent ends. */
const INITIAL_DAMPING = 1e-4;
const MIN_DAMPING = 1e-12;
const MAX_DAMPING = 1e8;
/** Residual of a met goal that is restored, normalized. */
const RESTORED = 1e-12;
/** Least decrease of f, against that of a step of steepest descent as long. */
const MIN_DECREASE = 1e-3;

/** The priority levels after the first. */
export function createPriorityLevels(
  problems: readonly Problem[],
  hessians: readonly GoalHessian[],
  onIterate: IterateObserver | undefined,
): readonly PriorityLevel[] {
  return problems.slice(1).map((problem, n) => {
    const {
      problem: stacked,
      equalityRows,
      inequalityRows,
    } = stackProblems(problems.slice(0, n + 1), problem);
    const width = stacked.coordinates.length;
    const order = width + equalityRows + inequalityRows + stacked.limits.length;
    assignHessians(stacked, hessians);
    return {
      problem,
      stacked,
      firstRow: equalityRows + inequalityRows,
      work: createWorkspace(stacked, onIterate),
      nullSpace: createNullSpace(stacked, equalityRows, inequalityRows),
      restoreTarget: new Float64Array(equalityRows),
      factors: new Float64Array(stacked.rows),
      unscaledFactors: new Float64Array(stacked.rows),
      pinned: new Uint8Array(stacked.limits.length),
      previousPose: new Float64Array(problem.figure.dof),
      frozenColumns: new Uint8Array(width),
      hessian: new Float64Array(width * width),
      curvature: { largest: 0 },
      kkt: { matrix: new Float64Array(order * order), solution: new Float64Array(order) },
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
export function descendLevel(
  level: PriorityLevel,
  pose: Float64Array,
  start: Float64Array,
  maxIterations: number,
): number {
  const { stacked, work, nullSpace, restoreTarget, previousPose, curvature } = level;

  // Constraints of the higher levels: equality rows keep their residual, zero where satisfied; inequality rows stay above their bounds.
  readRowScales(level);
  evaluate(stacked, pose);
  const { equalityRows, inequalityRows, inequalityBounds } = nullSpace;
  for (let r = 0; r < equalityRows; r++) restoreTarget[r] = stacked.residual[r];
  for (let n = 0; n < inequalityRows; n++)
    inequalityBounds[n] = Math.min(0, stacked.residual[equalityRows + n]);
  freezeUnsatisfiedGoals(level);
  restoreSatisfiedGoals(level, pose);
  let f = levelObjective(level);
  if (!(f < Number.POSITIVE_INFINITY)) throw notFinite(f);
  // Gauss-Newton leads goals that can be met to zero from farther off; soft goals have a minimum from the start.
  let newton = level.problem.hasSoftGoals;
  let wasNewtonStep = newton;
  let damping = newton ? 0 : INITIAL_DAMPING;
  let iterations = 0;
  let gradientNorm = Number.POSITIVE_INFINITY;
  let isFirst = true;
  let decreaseIsRounding = false;
  let smallDecreases = 0;
  // Whether the last step was undamped: the reduced Hessian there was positive definite.
  let convex = false;
  work.onIterate?.(pose, f);
  for (;;) {
    // Linearization: r(q + d) = r + J d, g = J^T r, over the columns that are not frozen.
    differentiateUnfrozen(level, pose);
    writeLevelGradient(level);
    const previousNorm = gradientNorm;

    // Null space: Z g = g + A^T y + sum lambda n of least norm, lambda >= 0.
    // Where a pose is followed from frame to frame, the limits that the start touches are those of the answer.
    gradientNorm = updateNullSpace(nullSpace, pose, work.gradient, isFirst ? start : undefined);
    isFirst = false;

    // Where the change of f is rounding, a step must lower |Z g|.
    if (decreaseIsRounding && !(gradientNorm < ROUNDING_RATE * previousNorm)) {
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
    if (isLevelSolved(level) || iterations >= maxIterations) break;

    // Stationary, Z g = 0, or no progress: a saddle is left along negative curvature.
    const isStationary = gradientNorm <= GRADIENT_TOLERANCE && !isAwayFromLimits(nullSpace);
    if (isStationary || smallDecreases >= MAX_SMALL_DECREASES) {
      iterations++;
      const lower = f > 0 && !convex ? escapeSaddle(level, pose, f) : undefined;
      if (lower === undefined) break;
      accept(lower);
      newton = level.problem.hasSoftGoals;
      damping = newton ? 0 : INITIAL_DAMPING;
      decreaseIsRounding = false;
      smallDecreases = 0;
      continue;
    }

    // Step: minimize g.d + d.(H + damping) d / 2 in the null space, H of the Lagrangian (Newton) or J^T J of the level (Gauss-Newton); then
    // the constraint rows are restored. The smallest damping that lowers f.
    if (newton) writeHessian(level, pose);
    else writeGaussNewtonHessian(level);
    wasNewtonStep = newton;
    const next = searchDamping();
    if (next === undefined) {
      if (newton) smallDecreases = MAX_SMALL_DECREASES;
      decreaseIsRounding = false;
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

  /** Finds the smallest damping whose step lowers f by a fraction of what a step of steepest descent as long would; leaves its pose in `work.trial`, evaluated. */
  function searchDamping(): number | undefined {
    const rounding = ROUNDING * f;
    for (let tries = 0; damping <= MAX_DAMPING && iterations < maxIterations; tries++) {
      if (writeNewtonStep(level, pose, damping)) {
        const next = tryStep();
        // Damping shortens the step: against a longer one no short step would lower f enough.
        const expected = gradientNorm ** 2 / ((1 + damping) * curvature.largest);
        const enough = Math.max(rounding, MIN_DECREASE * expected);
        if (f - next >= enough || (enough === rounding && Math.abs(next - f) <= rounding)) {
          convex = newton && damping === 0;
          if (!newton) damping = Math.max(MIN_DAMPING, 0.1 * damping);
          else if (tries === 0) damping = damping <= 1e-6 ? 0 : damping / 100;
          return next;
        }
        // A rejected Gauss-Newton step needs the exact curvature, not more damping.
        if (!newton && next < Number.POSITIVE_INFINITY) break;
      }
      damping = Math.max(10 * damping, 1e-6);
    }
    return undefined;
  }

  /** f at the projected and restored pose of the step in `work.step`; infinite where it cannot be restored. */
  function tryStep(): number {
    work.activeSet.active.fill(0);
    work.fixed.fill(0);
    level.pinned.set(nullSpace.activeSet.active);
    projectStep(work.activeSet, pose, work.step, work.trial, work.fixed);
    pinReachedLimits(level);
    copyNumbers(work.trial, work.candidate, pose.length);
    iterations++;
    if (!restoreConstraints(level, work.candidate)) return Number.POSITIVE_INFINITY;
    copyNumbers(work.candidate, work.trial, pose.length);
    return levelObjective(level);
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

/** Freezes the joints that move missed goals of higher priority, and those that a posture or the shares of a look-at determine. */
function freezeUnsatisfiedGoals(level: PriorityLevel): void {
  const { stacked, firstRow: own, nullSpace, frozenColumns } = level;
  const { goals } = stacked;
  frozenColumns.fill(0);
  for (let n = 0; goals[n].firstRow < own; n++) {
    const { firstRow, rowScale, tolerance, unit, bone, targetBone } = goals[n];
    const isInequality = firstRow >= nullSpace.equalityRows;
    const isPosture =
      tolerance === Number.POSITIVE_INFINITY &&
      unit === 'angle' &&
      stacked.figure.parents[bone] === targetBone;
    if (rowScale > 0 && (isPosture || isUnsatisfied(stacked, n, isInequality))) freezeGoal(level, n);
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
 * Freezes the columns of all joints that move a component, whatever their derivative at the pose: at its least distance that is zero. And
 * those that share a limit with one of them.
 */
function freezeGoal({ stacked, frozenColumns }: PriorityLevel, n: number): void {
  const { figure, goals, jacobian, limits } = stacked;
  const { bone, targetBone, otherBones } = goals[n];
  const { parents, coordinateStart, mimicJoints } = figure;
  // A target on the figure moves with the common ancestors.
  const end = otherBones === undefined ? lowestCommonAncestorIn(parents, bone, targetBone) : -1;
  const freeze = (moving: number): void => {
    for (let i = coordinateStart[moving]; i < coordinateStart[moving + 1]; i++) {
      if (jacobian.columnOf[i] >= 0) frozenColumns[jacobian.columnOf[i]] = 1;
    }
  };
  for (const start of [bone, targetBone, ...(otherBones ?? [])]) {
    for (let b = start; b >= 0 && b !== end; b = parents[b]) {
      freeze(b);
      for (const mimic of mimicJoints) if (mimic.bone === b) freeze(mimic.source);
    }
  }
  for (let p = 0; p < limits.length; p++) {
    const { column, limit } = limits[p];
    const last = column + limit.size;
    for (let k = column; k < last; k++) if (frozenColumns[k] === 1) frozenColumns.fill(1, column, last);
  }
}

/**
 * Restores the met goals of higher priority to residual zero, and one-sided ones to the inside: only there do redundant rows (two points
 * of one bone, two edges of a support) stay consistent as the figure moves. Where not all can be, those that are off zero are at their least
 * distance, by limits or length, and are frozen as missed ones are.
 */
function restoreSatisfiedGoals(level: PriorityLevel, pose: Float64Array): void {
  const { stacked, nullSpace, restoreTarget, work, firstRow: own, pinned } = level;
  const { equalityRows, inequalityBounds } = nullSpace;
  const { goals, residual } = stacked;
  const eachMet = (visit: (n: number, row: number, isInequality: boolean) => void): void => {
    for (let n = 0; goals[n].firstRow < own; n++) {
      const { firstRow, rows, tolerance } = goals[n];
      const isInequality = firstRow >= equalityRows;
      if (tolerance === Number.POSITIVE_INFINITY || isUnsatisfied(stacked, n, isInequality)) continue;
      for (let r = firstRow; r < firstRow + rows; r++) visit(n, r, isInequality);
    }
  };
  eachMet((_n, r, isInequality) => {
    if (isInequality) inequalityBounds[r - equalityRows] = 0;
    else restoreTarget[r] = 0;
  });
  nullSpace.active.fill(0);
  pinned.fill(0);
  copyNumbers(pose, work.candidate, pose.length);
  if (restoreConstraints(level, work.candidate)) {
    copyNumbers(work.candidate, pose, pose.length);
    return;
  }
  evaluate(stacked, pose);
  eachMet((n, r, isInequality) => {
    const error = isInequality ? Math.min(0, residual[r]) : residual[r];
    if (isInequality) inequalityBounds[r - equalityRows] = error;
    else restoreTarget[r] = error;
    if (Math.abs(error) > RESTORED) freezeGoal(level, n);
  });
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
  const { residual, rows, rowRanges, jacobian } = stacked;
  const { values, width } = jacobian;
  gradient.fill(0);
  for (let r = firstRow; r < rows; r++) {
    const weight = residual[r];
    const triple = Math.floor(r / 3);
    const end = r * width + rowRanges[2 * triple + 1];
    for (let o = r * width + rowRanges[2 * triple], k = rowRanges[2 * triple]; o < end; o++, k++)
      gradient[k] += weight * values[o];
  }
}
