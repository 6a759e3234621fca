import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import {
  FIXED,
  findTouchedLimits,
  projectOutNormals,
  projectStep,
} from '../../math/optimization/active-limits.js';
import { evaluateRows, type Problem } from '../problem/problem.js';
import { solveDamped } from '../solver/normal-equations.js';
import { differentiateUnfrozen, type PriorityLevel } from './level.js';
import { isInequalityActive, type NullSpace } from './null-space.js';

/** Largest deviation of a constraint row from its target, normalized. */
const RESTORE_TOLERANCE = 5e-13;
const MAX_ITERATIONS = 12;
/** Largest change of an angle in one step, rad: beyond it the restoration fails. */
const MAX_STEP = 1;

/**
 * Restores the equality rows to their targets and the inequality rows to their bounds, by least-norm Gauss-Newton steps in the
 * tangent space of the pinned limits (`level.pinned`), in place on a feasible pose. A limit that a step reaches is pinned from then on, a
 * violated inequality is an equality from then on; otherwise the pose ends slightly infeasible and is never detected as active. All
 * rows are left evaluated at the pose.
 *
 * @returns whether it converged.
 */
export function restoreConstraints(level: PriorityLevel, pose: Float64Array): boolean {
  const { stacked: problem, work, nullSpace, restoreTarget, pinned } = level;
  const { jacobian, coordinates, rowRanges, limits } = problem;
  const { width, values } = jacobian;
  const { normal, rowSolution, direction, step, fixed, activeSet } = work;
  const rows = nullSpace.equalityRows + nullSpace.inequalityRows;
  nullSpace.violated.fill(0);
  for (let n = 0; n < MAX_ITERATIONS; n++) {
    forwardKinematics(problem.state, pose);
    evaluateRows(problem, pose, 0, rows);
    if (writeConstraintErrors(problem, nullSpace, restoreTarget, rowSolution) <= RESTORE_TOLERANCE) {
      evaluateRows(problem, pose, rows, problem.rows);
      return true;
    }
    differentiateUnfrozen(level, pose, rows);
    // The normals are updated at each pose: a step along an outdated tangent would leave a curved limit by more than its tolerance.
    findTouchedLimits(activeSet, pose, nullSpace.trialTouched);
    for (let p = 0; p < limits.length; p++) {
      const touched = nullSpace.trialTouched[p];
      activeSet.active[p] = touched === FIXED || (touched === 1 && pinned[p] === 1) ? 1 : 0;
    }
    projectOutNormals(activeSet, values, rows, width);
    for (let r = nullSpace.equalityRows; r < rows; r++) {
      if (rowSolution[r] === 0) values.fill(0, r * width, (r + 1) * width);
    }
    solveDamped(normal, values, rows, width, rowRanges, 0, rowSolution, direction);
    for (let k = 0; k < width; k++) {
      if (!(Math.abs(direction[k]) < MAX_STEP)) return false;
      step[k] = -direction[k];
    }
    fixed.fill(0);
    projectStep(activeSet, pose, step, work.trial, fixed);
    pinReachedLimits(level);
    for (let k = 0; k < coordinates.length; k++) pose[coordinates[k]] = work.trial[coordinates[k]];
  }
  return false;
}

/** Pins the limits that the last step reached. */
export function pinReachedLimits({ stacked: { limits }, work: { fixed }, pinned }: PriorityLevel): void {
  for (let p = 0; p < limits.length; p++) if (fixed[limits[p].column] === 1) pinned[p] = 1;
}

/** Writes the errors of equality rows and of active or violated inequality rows, 0 for the others. @returns the largest. */
function writeConstraintErrors(
  { residual }: Problem,
  nullSpace: NullSpace,
  target: Float64Array,
  out: Float64Array,
): number {
  const { equalityRows, inequalityRows, inequalityBounds, violated } = nullSpace;
  let largest = 0;
  for (let r = 0; r < equalityRows + inequalityRows; r++) {
    if (r < equalityRows) out[r] = residual[r] - target[r];
    else {
      const row = r - equalityRows;
      const violation = residual[r] - inequalityBounds[row];
      if (violation < -RESTORE_TOLERANCE) violated[row] = 1;
      out[r] = violated[row] === 1 || isInequalityActive(nullSpace, row) ? violation : 0;
    }
    largest = Math.max(largest, Math.abs(out[r]));
  }
  return largest;
}
