import { GoalError } from '../../errors.js';
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { updateMotionSubspaceQ } from '../../figure/kinematics/jacobians.js';
import type { LimitPart, LimitShape } from '../../figure/limits/limit.js';
import type { Figure } from '../../figure/model/figure.js';
import type { FigureState } from '../../figure/model/state.js';
import { zeroNumbers } from '../../math/linear/vector.js';
import type { CompiledPart, JacobianTarget } from '../goals/types/goal-type.js';
import { type Followers, gatherRows } from './mimic-joints.js';

/**
 * Goals on a figure as one bounded least-squares problem: minimize f(q) = 1/2 |r(q)|^2 over the poses that the limits
 * allow. Only the coordinates that a goal can feel and that are not locked take part: the columns.
 *
 * Steps are taken in scaled coordinates y = q / columnScale, so that a metre of translation and a radian weigh alike:
 * the metric of damping and of the least change (DESIGN.md, "Metric").
 */
export interface Problem {
  readonly figure: Figure;
  readonly state: FigureState;
  readonly goals: readonly CompiledPart[];
  readonly rows: number;
  /** First and end column that each three rows touch, two numbers for every three rows. */
  readonly rowRanges: Int32Array;
  /** Coordinate of each column. */
  readonly coordinates: Int32Array;
  /** 1 for a column that is a translation, 0 for an angle. */
  readonly translates: Uint8Array;
  /** Limit parts over free coordinates; `column` is the first of `size` consecutive columns. */
  readonly parts: readonly ProblemLimit[];
  /** The columns of each joint, in bone order. */
  readonly blocks: readonly { readonly first: number; readonly end: number }[];
  /** First coordinate of each free rotation vector without a limit: those that may change chart. */
  readonly charts: Int32Array;
  /** A quarter of the longest path from a root to a tip at rest, m: lengths are divided by it in f. */
  readonly lengthScale: number;
  /** Whether some part is a wish without a tolerance: then goals reached do not end a descent. */
  readonly wishes: boolean;
  readonly jacobian: JacobianTarget;
  /** The joints that follow free ones; undefined where there are none. */
  readonly followers: Followers | undefined;
  /** Residuals of the goals in natural units (m, rad), and their norms. */
  readonly natural: Float64Array;
  readonly norms: Float64Array;
  /** Normalized residual r. */
  readonly residual: Float64Array;
}

export interface ProblemLimit {
  readonly part: LimitPart;
  readonly shape: LimitShape;
  readonly column: number;
}

/**
 * Evaluates r and f at a pose (forward kinematics included).
 *
 * @returns f = 1/2 |r|^2.
 */
export function evaluate(problem: Problem, pose: Float64Array): number {
  const { state, goals, natural, norms, residual } = problem;
  forwardKinematics(state, pose);
  let sum = 0;
  for (let n = 0; n < goals.length; n++) {
    const compiled = goals[n];
    norms[n] = compiled.math.residual(state, compiled, natural, compiled.firstRow, pose);
    for (let k = compiled.firstRow; k < compiled.firstRow + compiled.rows; k++) {
      const r = compiled.scale * natural[k];
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

/** Whether every goal that is switched on is within its tolerance at the pose last evaluated. */
export function reached({ goals, norms }: Problem): boolean {
  for (let n = 0; n < goals.length; n++) {
    if (!(norms[n] <= goals[n].tolerance) && goals[n].scale > 0) return false;
  }
  return true;
}

/** Whether nothing is left to gain: every goal is within its tolerance and there are no wishes. */
export function satisfied(problem: Problem): boolean {
  return !problem.wishes && reached(problem);
}

/** Fills the Jacobian of r against the scaled coordinates at the pose last evaluated. */
export function differentiate(problem: Problem, pose: Float64Array): void {
  const { state, goals, natural, jacobian, followers } = problem;
  const target = followers === undefined ? jacobian : followers.all;
  updateMotionSubspaceQ(state, pose);
  zeroNumbers(target.values, target.values.length);
  for (let n = 0; n < goals.length; n++) {
    const compiled = goals[n];
    compiled.math.jacobian(state, compiled, natural, target, pose);
  }
  if (followers !== undefined) gatherRows(followers, state, problem.rows, jacobian);
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
