import * as ldl from '../../math/linear/ldl.js';
import { copyNumbers } from '../../math/linear/vector.js';
import { addLimitCurvature, stepLength } from '../../math/optimization/active-limits.js';
import { evaluate, type Problem } from '../problem/problem.js';
import { newtonOf } from '../solver/newton.js';
import {
  dampAndSolve,
  formColumnNormal,
  formRowNormal,
  multiplyTransposed,
} from '../solver/normal-equations.js';
import { differentiateUnfrozen, type PriorityLevel } from './level.js';
import { projectOntoNullSpace } from './null-space.js';

/** Largest change of an angle in one step, rad. */
const MAX_STEP = 1;
/** Finite-difference step of a scaled coordinate. */
const DIFFERENCE = 1e-6;
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
 * Writes the Hessian of the Lagrangian f + y.c + sum lambda g in the null space, c the constraint rows: by finite differences of
 * the exact gradient for goals (only f has an analytic second derivative, single rows have none), analytically for limits.
 */
export function writeLagrangianHessian(level: PriorityLevel, pose: Float64Array): void {
  const { stacked, nullSpace, work, curvature } = level;
  const {
    hessian,
    reducedGradient: base,
    direction: perturbed,
    trial: scratchPose,
  } = newtonOf(stacked, work);
  const { coordinates, jacobian } = stacked;
  const width = coordinates.length;
  evaluate(stacked, pose);
  differentiateUnfrozen(level, pose);
  writeLagrangianGradient(level, base);
  copyNumbers(pose, scratchPose, pose.length);
  for (let j = 0; j < width; j++) {
    if (level.frozenColumns[j] === 1) {
      hessian.fill(0, j * width, (j + 1) * width);
      continue;
    }
    const i = coordinates[j];
    scratchPose[i] = pose[i] + DIFFERENCE * jacobian.columnScale[j];
    evaluate(stacked, scratchPose);
    differentiateUnfrozen(level, scratchPose);
    writeLagrangianGradient(level, perturbed);
    scratchPose[i] = pose[i];
    for (let k = 0; k < width; k++) hessian[j * width + k] = (perturbed[k] - base[k]) / DIFFERENCE;
  }
  for (let j = 0; j < width; j++) {
    for (let k = 0; k < j; k++) {
      const mean = 0.5 * (hessian[j * width + k] + hessian[k * width + j]);
      hessian[j * width + k] = mean;
      hessian[k * width + j] = mean;
    }
  }
  curvature.largest = 0;
  for (let k = 0; k < width; k++) {
    curvature.largest = Math.max(curvature.largest, Math.abs(hessian[k * (width + 1)]));
  }
  addLimitCurvature(nullSpace.activeSet, pose, hessian, width);
  projectOntoNullSpace(nullSpace, hessian, width);
  transpose(hessian, width);
  projectOntoNullSpace(nullSpace, hessian, width);
  evaluate(stacked, pose);
}

/** The gradient of f + y.c at the pose last differentiated. */
function writeLagrangianGradient({ stacked, nullSpace, firstRow }: PriorityLevel, out: Float64Array): void {
  const { residual, rows, jacobian } = stacked;
  const { values, width } = jacobian;
  out.fill(0);
  for (let r = 0; r < rows; r++) {
    const weight = r < firstRow ? nullSpace.rowMultipliers[r] : residual[r];
    const o = r * width;
    for (let k = 0; k < width; k++) out[k] += weight * values[o + k];
  }
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
