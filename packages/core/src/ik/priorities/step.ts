import * as ldl from '../../math/linear/ldl.js';
import { addLimitCurvature, stepLength } from '../../math/optimization/active-limits.js';
import { writeLagrangianHessian } from '../problem/hessian.js';
import type { Problem } from '../problem/problem.js';
import { newtonOf } from '../solver/newton.js';
import {
  dampAndSolve,
  formColumnNormal,
  formRowNormal,
  multiplyTransposed,
} from '../solver/normal-equations.js';
import type { PriorityLevel } from './level.js';
import { projectOntoNullSpace } from './null-space.js';

/** Largest change of an angle in one step, rad. */
const MAX_STEP = 1;
/** Damping relative to the largest curvature that makes the Hessian positive definite in the range of the constraints. */
const RANGE_DAMPING = 1e-10;

/**
 * Writes the Gauss-Newton step d = -B^T (B B^T + damping)^-1 r, B the Jacobian of the level projected onto the null space.
 *
 * @param damping - Relative to the largest diagonal entry of the normal matrix.
 */
export function writeGaussNewtonStep(level: PriorityLevel, damping: number): void {
  const { stacked, reducedJacobian, work, rowRanges, firstRow } = level;
  const { width } = stacked.jacobian;
  const rows = stacked.rows - firstRow;
  const { normal, rowSolution, direction } = work;
  for (let r = 0; r < rows; r++) rowSolution[r] = work.acceptedResidual[firstRow + r];
  const size = Math.min(rows, width);
  if (rows <= width) formRowNormal(normal, reducedJacobian, rows, width, rowRanges);
  else formColumnNormal(normal, reducedJacobian, rows, width);
  let largest = 0;
  for (let k = 0; k < size; k++) largest = Math.max(largest, normal[k * (size + 1)]);
  if (rows <= width) {
    dampAndSolve(normal, rows, damping * largest, rowSolution);
    multiplyTransposed(reducedJacobian, rows, width, rowSolution, direction);
  } else {
    multiplyTransposed(reducedJacobian, rows, width, rowSolution, direction);
    dampAndSolve(normal, width, damping * largest, direction);
  }
  projectOntoNullSpace(level.nullSpace, direction, 1);
  writeLimitedStep(stacked, direction, work.step);
}

/** Writes the Newton step d = -(H + damping)^-1 g in the null space; false where H + damping is not positive definite. */
export function writeNewtonStep(level: PriorityLevel, damping: number): boolean {
  const { stacked, nullSpace, work } = level;
  const { hessian, factor, direction } = newtonOf(stacked, work);
  const width = direction.length;
  const { largest } = level.curvature;
  factor.set(hessian);
  for (let k = 0; k < width; k++) {
    factor[k * (width + 1)] += (RANGE_DAMPING + damping) * largest;
    direction[k] = nullSpace.projectedGradient[k];
  }
  if (!ldl.solve(factor, width, direction)) return false;
  // The range directions have next to no curvature, so rounding errors grow there.
  projectOntoNullSpace(nullSpace, direction, 1);
  writeLimitedStep(stacked, direction, work.step);
  return true;
}

/** step = -direction, shortened so that no angle changes by more than MAX_STEP. */
function writeLimitedStep({ translates }: Problem, direction: Float64Array, step: Float64Array): void {
  const factor = -stepLength(direction, translates, MAX_STEP);
  for (let k = 0; k < step.length; k++) step[k] = factor * direction[k];
}

/**
 * Writes H, the Hessian of the Lagrangian f + y.c + sum lambda g, c the constraint rows, from the second derivatives of goals and
 * limits, and Z H Z. Called where the pose was differentiated and the null space updated.
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
  reduceHessian(level);
}

/** Z H Z. */
export function reduceHessian({ stacked, nullSpace, work, hessian }: PriorityLevel): void {
  const { hessian: reduced } = newtonOf(stacked, work);
  const { width } = stacked.jacobian;
  reduced.set(hessian);
  projectOntoNullSpace(nullSpace, reduced, width);
  transpose(reduced, width);
  projectOntoNullSpace(nullSpace, reduced, width);
}

/** J Z of the rows of this level. */
export function reduceJacobian({ stacked, nullSpace, firstRow, reducedJacobian }: PriorityLevel): void {
  const { values, width } = stacked.jacobian;
  reducedJacobian.set(values.subarray(firstRow * width, stacked.rows * width));
  projectOntoNullSpace(nullSpace, reducedJacobian, stacked.rows - firstRow);
}

/** Transposes a square matrix in place. */
function transpose(m: Float64Array, n: number): void {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      const x = m[i * n + j];
      m[i * n + j] = m[j * n + i];
      m[j * n + i] = x;
    }
  }
}
