import * as ldl from '../../math/linear/ldl.js';
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
  reduceSymmetric,
  removeReachedConstraints,
  writeParticularStep,
} from './null-space.js';

/** Largest change of an angle in one step, rad. */
const MAX_STEP = 1;
/** Rounds in which a step gets the limits that it would leave. */
const MAX_ROUNDS = 8;
/** Damping relative to the largest curvature that makes the Hessian positive definite in the range of the constraints. */
const RANGE_DAMPING = 1e-10;

/**
 * Writes the Newton step within the constraints: d = p - Z (Z H Z + damping)^-1 Z (g + H p), p the least-norm step onto those that it
 * reaches. Rounds: a step is computed again with the limits that it would leave, until it leaves none.
 *
 * @returns false where Z H Z + damping is not positive definite.
 */
export function writeNewtonStep(level: PriorityLevel, pose: Float64Array, damping: number): boolean {
  const { stacked, nullSpace, work, hessian, particular } = level;
  const { hessian: reduced, factor, direction } = newtonOf(stacked, work);
  const width = direction.length;
  const { largest } = level.curvature;
  if (removeReachedConstraints(nullSpace)) reduceHessian(level);
  for (let round = 0; ; round++) {
    direction.set(nullSpace.gradient);
    if (writeParticularStep(nullSpace, particular)) {
      for (let k = 0; k < width; k++) {
        for (let l = 0; l < width; l++) direction[k] += hessian[k * width + l] * particular[l];
      }
    }
    projectOntoNullSpace(nullSpace, direction, 1);
    factor.set(reduced);
    for (let k = 0; k < width; k++) factor[k * (width + 1)] += (RANGE_DAMPING + damping) * largest;
    if (!ldl.solve(factor, width, direction)) return false;
    // The range directions have next to no curvature, so rounding errors grow there.
    projectOntoNullSpace(nullSpace, direction, 1);
    for (let k = 0; k < width; k++) direction[k] -= particular[k];
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
    reduceHessian(level);
  }
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

/** Writes H = J^T J of the level, without the curvature of its residual and of the constraints, and Z H Z. */
export function writeGaussNewtonHessian(level: PriorityLevel): void {
  const { stacked, firstRow, hessian, curvature } = level;
  const { values, width } = stacked.jacobian;
  formColumnNormal(hessian, values.subarray(firstRow * width), stacked.rows - firstRow, width);
  for (let k = 0; k < width; k++) for (let l = 0; l < k; l++) hessian[l * width + k] = hessian[k * width + l];
  curvature.largest = largestDiagonal(hessian, width);
  reduceHessian(level);
}

/** Z H Z. */
export function reduceHessian({ stacked, nullSpace, work, hessian }: PriorityLevel): void {
  const { hessian: reduced } = newtonOf(stacked, work);
  reduced.set(hessian);
  reduceSymmetric(nullSpace, reduced);
}
