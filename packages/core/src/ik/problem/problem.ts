import { GoalError } from '../../errors.js';
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { updateMotionSubspaceQ } from '../../figure/kinematics/jacobians.js';
import type { LimitComponent } from '../../figure/limits/limit.js';
import type { Figure } from '../../figure/model/figure.js';
import type { FigureState } from '../../figure/model/state.js';
import { zeroNumbers } from '../../math/linear/vector.js';
import type { ColumnLimit } from '../../math/optimization/active-limits.js';
import type { CompiledComponent, JacobianTarget } from '../goals/types/goal-type.js';
import { applyMimicJacobian, type MimicColumns } from './mimic-joints.js';

/**
 * Goals on a figure as a constrained least-squares problem: minimize f(q) = 1/2 |r(q)|^2 over the poses within the limits. Its
 * columns are the coordinates that are not locked and on which some goal depends.
 *
 * Steps are taken in scaled coordinates y = q / columnScale: the metric of damping and of least-norm steps, in which a length
 * scale of translation equals a radian.
 */
export interface Problem {
  readonly figure: Figure;
  readonly state: FigureState;
  readonly goals: readonly CompiledComponent[];
  readonly rows: number;
  /** Column range [first, end) of the nonzero entries of each triple of rows, two numbers a triple. */
  readonly rowRanges: Int32Array;
  /** Coordinate of each column. */
  readonly coordinates: Int32Array;
  /** 1 for a column that is a translation, 0 for an angle. */
  readonly translates: Uint8Array;
  /** The limit components of free coordinates. */
  readonly limits: readonly ColumnLimit<LimitComponent>[];
  /** The columns of each joint, in bone order. */
  readonly jointColumns: readonly { readonly first: number; readonly end: number }[];
  /** First coordinate of each free rotation vector without a limit: those that may change chart. */
  readonly charts: Int32Array;
  /** 1 for a column that stays while goals with `keptBones` join; undefined where there are no such goals. */
  readonly keptColumns: Uint8Array | undefined;
  /** A quarter of the longest path from a root to a tip at rest, m: lengths are divided by it in f. */
  readonly lengthScale: number;
  /** Whether some goal is soft (infinite tolerance): then a descent runs on to the minimum of f. */
  readonly hasSoftGoals: boolean;
  readonly jacobian: JacobianTarget;
  /** The mimic joints whose sources are free; undefined where there are none. */
  readonly mimicColumns: MimicColumns | undefined;
  /** Residuals of the goals before row scaling (m, rad), and their norms. */
  readonly unscaledResidual: Float64Array;
  readonly norms: Float64Array;
  /** Normalized residual r. */
  readonly residual: Float64Array;
}

/**
 * Evaluates r and f at a pose (forward kinematics included).
 *
 * @returns f = 1/2 |r|^2.
 */
export function evaluate(problem: Problem, pose: Float64Array): number {
  forwardKinematics(problem.state, pose);
  return evaluateRows(problem, pose, 0, problem.rows);
}

/** The same for the goals with rows from `first` to `end`, at the pose of the last forward kinematics. */
export function evaluateRows(problem: Problem, pose: Float64Array, first: number, end: number): number {
  const { state, goals, unscaledResidual, norms, residual } = problem;
  let sum = 0;
  for (let n = 0; n < goals.length; n++) {
    const compiled = goals[n];
    if (compiled.firstRow < first || compiled.firstRow >= end) continue;
    norms[n] = compiled.residualFunction.evaluate(state, compiled, unscaledResidual, compiled.firstRow, pose);
    for (let k = compiled.firstRow; k < compiled.firstRow + compiled.rows; k++) {
      const r = compiled.rowScale * unscaledResidual[k];
      residual[k] = r;
      sum += r * r;
    }
  }
  return 0.5 * sum;
}

/** The error for an f that is infinite or NaN. */
export function notFinite(f: number, path = 'objective'): GoalError {
  return new GoalError('not-finite', `comes to ${f}.`, {
    path,
    remedy: 'Bring figure, pose, points and targets to metres and radians of ordinary size.',
  });
}

/** Whether every goal of nonzero weight is within its tolerance at the pose last evaluated. */
export function isSatisfied({ goals, norms }: Problem): boolean {
  for (let n = 0; n < goals.length; n++) {
    if (!(norms[n] <= goals[n].tolerance) && goals[n].rowScale > 0) return false;
  }
  return true;
}

/** Whether every goal is within its tolerance, and none is soft. */
export function isSolved(problem: Problem): boolean {
  return !problem.hasSoftGoals && isSatisfied(problem);
}

/**
 * Fills the Jacobian of r against the scaled coordinates at the pose last evaluated.
 *
 * @param rows - The goals with rows before this one only.
 */
export function differentiate(problem: Problem, pose: Float64Array, rows = problem.rows): void {
  const { state, goals, unscaledResidual, jacobian, mimicColumns } = problem;
  const target = mimicColumns === undefined ? jacobian : mimicColumns.extended;
  updateMotionSubspaceQ(state, pose);
  zeroNumbers(target.values, rows * target.width);
  for (let n = 0; n < goals.length; n++) {
    const compiled = goals[n];
    if (compiled.firstRow >= rows) break;
    compiled.residualFunction.jacobian(state, compiled, unscaledResidual, target, pose);
  }
  if (mimicColumns !== undefined) applyMimicJacobian(mimicColumns, state, rows, jacobian);
}

/** g = J^T r, the gradient of f against the scaled coordinates. */
export function writeGradient({ jacobian, residual, rows }: Problem, out: Float64Array): void {
  const { values, width } = jacobian;
  for (let i = 0; i < width; i++) out[i] = 0;
  for (let r = 0; r < rows; r++) {
    const weight = residual[r];
    const o = r * width;
    for (let i = 0; i < width; i++) out[i] += weight * values[o + i];
  }
}
