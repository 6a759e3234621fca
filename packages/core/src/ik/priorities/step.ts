import { solveKkt } from '../../math/linear/ldl.js';
import { largestDiagonal } from '../../math/linear/vector.js';
import { addLimitCurvature, stepLength } from '../../math/optimization/active-limits.js';
import { writeLagrangianHessian } from '../problem/hessian.js';
import type { Problem } from '../problem/problem.js';
import { newtonOf } from '../solver/newton.js';
import { formColumnNormal } from '../solver/normal-equations.js';
import type { PriorityLevel } from './level.js';
import {
  addReachedConstraints,
  dropConstraint,
  isAwayFromLimits,
  projectOntoNullSpace,
  removeReachedConstraints,
} from './null-space.js';

/** Damping of H relative to the largest curvature, so that it is nonsingular. */
const REGULARIZATION = 1e-12;
/** Largest change of an angle in one step, rad. */
const MAX_STEP = 1;
/** Rounds in which a step gets the limits that it would leave. */
const MAX_ROUNDS = 8;

/**
 * Writes the Newton step within the constraints: the minimizer d of g.d + d.(H + damping) d / 2 with A d = 0 and n.d = s for the active
 * limits. Rounds: a step is computed again with the limits that it would leave, until it leaves none.
 *
 * @returns false where H + damping is not positive definite on the null space.
 */
export function writeNewtonStep(level: PriorityLevel, pose: Float64Array, damping: number): boolean {
  const { stacked, nullSpace, work, hessian } = level;
  const { direction } = newtonOf(stacked, work);
  const width = direction.length;
  removeReachedConstraints(nullSpace);
  for (let round = 0; ; round++) {
    if (!solveStep(level, damping)) return false;
    writeLimitedStep(stacked, direction, work.step);
    if (round >= MAX_ROUNDS) return true;
    if (!addReachedConstraints(nullSpace, pose, work.step, work.candidate)) {
      // Multipliers of the smallest projected gradient are not negative.
      if (round === 0 && !isAwayFromLimits(nullSpace)) return true;
      direction.set(nullSpace.gradient);
      for (let k = 0; k < width; k++) {
        for (let l = 0; l < width; l++) direction[k] += hessian[k * width + l] * work.step[l];
      }
      if (!dropConstraint(nullSpace, direction)) return true;
    }
  }
}

/**
 * Solves [H + damping, A^T; A, 0] [d; y] = [-g; s] for the active set, columns from the tips to the roots: there H fills in along the
 * tree only.
 *
 * @returns false where H + damping is not positive definite on the null space.
 */
function solveStep(
  { stacked, nullSpace, work, hessian, curvature, kkt }: PriorityLevel,
  damping: number,
): boolean {
  const { activeSet, active, slack, lower, rows: values, rowMultipliers, equalityRows } = nullSpace;
  const { limits, normals } = activeSet;
  const { matrix, solution } = kkt;
  const { direction } = newtonOf(stacked, work);
  const last = direction.length - 1;
  // Near the minimum g is nearly all of the constraints, and its rounding would be that of d.
  const hasDropped = active.some((one, n) => one < nullSpace.minimizerActive[n]);
  const gradient = hasDropped ? nullSpace.gradient : nullSpace.projectedGradient;
  const isIndependent = (r: number): boolean => lower[r * (rowMultipliers.length + 1)] > 0;
  let order = direction.length;
  for (let r = 0; r < rowMultipliers.length; r++) if (isIndependent(r)) order++;
  for (let n = 0; n < limits.length; n++) order += active[n];
  matrix.fill(0, direction.length * order, order * order);
  for (let k = 0; k <= last; k++) {
    const o = (last - k) * direction.length + last;
    for (let l = 0; l <= k; l++) matrix[k * order + l] = hessian[o - l];
    matrix[k * (order + 1)] += (REGULARIZATION + damping) * curvature.largest;
    solution[k] = -gradient[last - k];
  }
  let row = direction.length;
  let homogeneous = true;
  for (let r = 0; r < rowMultipliers.length; r++) {
    if (!isIndependent(r)) continue;
    const o = r * direction.length + last;
    for (let k = 0; k <= last; k++) matrix[row * order + k] = values[o - k];
    solution[row] = r < equalityRows ? 0 : slack[limits.length + r - equalityRows];
    if (solution[row++] !== 0) homogeneous = false;
  }
  for (let n = 0; n < limits.length; n++) {
    if (active[n] === 0) continue;
    const { column, limit } = limits[n];
    for (let k = column; k < column + limit.size; k++) matrix[row * order + last - k] = normals[k];
    solution[row] = slack[n];
    if (solution[row++] !== 0) homogeneous = false;
  }
  if (!solveKkt(matrix, order, order - direction.length, solution)) return false;
  for (let k = 0; k <= last; k++) direction[k] = solution[last - k];
  // Where H has next to no curvature rounding errors grow.
  if (homogeneous) projectOntoNullSpace(nullSpace, direction);
  return true;
}

/** step = direction, shortened so that no angle changes by more than MAX_STEP. */
function writeLimitedStep({ translates }: Problem, direction: Float64Array, step: Float64Array): void {
  const factor = stepLength(direction, translates, MAX_STEP);
  for (let k = 0; k < step.length; k++) step[k] = factor * direction[k];
}

/**
 * Writes H, the Hessian of the Lagrangian f + y.c + sum lambda g, c the constraint rows, from the second derivatives of goals and
 * limits. Called where the pose was differentiated and the null space updated.
 */
export function writeHessian(level: PriorityLevel, pose: Float64Array): void {
  const { stacked, nullSpace, curvature, firstRow, factors, unscaledFactors, frozenColumns, hessian } = level;
  const { goals, residual, unscaledResidual } = stacked;
  const { width } = stacked.jacobian;
  factors.set(residual);
  unscaledFactors.set(unscaledResidual);
  for (let n = 0; n < goals.length && goals[n].firstRow < firstRow; n++) {
    const { firstRow: first, rows, rowScale } = goals[n];
    for (let r = first; r < first + rows; r++) {
      factors[r] = nullSpace.rowMultipliers[r];
      unscaledFactors[r] = rowScale > 0 ? factors[r] / rowScale : 0;
    }
  }
  writeLagrangianHessian(stacked, pose, firstRow, factors, unscaledFactors, hessian);
  for (let k = 0; k < width; k++) {
    if (frozenColumns[k] === 0) continue;
    for (let l = 0; l < width; l++) hessian[k * width + l] = hessian[l * width + k] = 0;
  }
  curvature.largest = 0;
  for (let k = 0; k < width; k++) {
    curvature.largest = Math.max(curvature.largest, Math.abs(hessian[k * (width + 1)]));
  }
  addLimitCurvature(nullSpace.activeSet, pose, hessian, width);
}

/** Writes H = J^T J of the level, without the curvature of its residual and of the constraints. */
export function writeGaussNewtonHessian(level: PriorityLevel): void {
  const { stacked, firstRow, hessian, curvature } = level;
  const { values, width } = stacked.jacobian;
  formColumnNormal(hessian, values.subarray(firstRow * width), stacked.rows - firstRow, width);
  for (let k = 0; k < width; k++) for (let l = 0; l < k; l++) hessian[l * width + k] = hessian[k * width + l];
  curvature.largest = largestDiagonal(hessian, width);
}
