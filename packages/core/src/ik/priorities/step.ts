import * as cholesky from '../../math/linear/cholesky.js';
import { copyNumbers } from '../../math/linear/vector.js';
import { evaluate, type Problem } from '../problem/problem.js';
import { addLimitCurvature, transpose } from '../solver/newton.js';
import {
  dampAndSolve,
  formColumnNormal,
  formRowNormal,
  multiplyTransposed,
} from '../solver/normal-equations.js';
import { differentiateOpen } from './free-columns.js';
import type { Later } from './level.js';
import { keepOpenWays } from './null-space.js';

/** Largest change of an angle in one step, rad. */
const STEP_LIMIT = 1;
/** Change of a scaled coordinate over which the gradient is differenced. */
const DIFFERENCE = 1e-6;
/** Damping that keeps the directions that are closed out of the factor, against the largest curvature. */
const CLOSED = 1e-10;

/**
 * Writes the Gauss-Newton step d = -B^T (B B^T + damping)^-1 r, B the rows of the priority along the open ways.
 *
 * @param damping - Against the largest diagonal of the normal matrix.
 */
export function writeGaussNewtonStep(later: Later, damping: number): void {
  const { all, open, work, ranges, firstRow } = later;
  const { width } = all.jacobian;
  const rows = all.rows - firstRow;
  const { normal, rowSolution, direction } = work;
  for (let r = 0; r < rows; r++) rowSolution[r] = work.accepted[firstRow + r];
  const size = Math.min(rows, width);
  if (rows <= width) formRowNormal(normal, open, rows, width, ranges);
  else formColumnNormal(normal, open, rows, width);
  let largest = 0;
  for (let k = 0; k < size; k++) largest = Math.max(largest, normal[k * (size + 1)]);
  if (rows <= width) {
    dampAndSolve(normal, rows, damping * largest, rowSolution);
    multiplyTransposed(open, rows, width, rowSolution, direction);
  } else {
    multiplyTransposed(open, rows, width, rowSolution, direction);
    dampAndSolve(normal, width, damping * largest, direction);
  }
  keepOpenWays(later.face, all, direction, 1);
  limitStep(all, direction, work.step);
}

/** Writes the Newton step d = -(H + damping)^-1 slope along the open ways; false where H + damping is not positive definite. */
export function writeNewtonStep(later: Later, damping: number): boolean {
  const { all, face, work } = later;
  const { hessian, factor, direction } = work.secondOrder();
  const width = direction.length;
  const { largest } = later.curvature;
  factor.set(hessian);
  for (let k = 0; k < width; k++) {
    factor[k * (width + 1)] += (CLOSED + damping) * largest;
    direction[k] = face.slope[k];
  }
  if (!cholesky.factor(factor, width)) return false;
  cholesky.solve(factor, width, direction);
  // The closed directions have next to no curvature, so rounding grows there.
  keepOpenWays(face, all, direction, 1);
  limitStep(all, direction, work.step);
  return true;
}

/** step = -direction, shortened to the step limit. */
function limitStep({ translates }: Problem, direction: Float64Array, step: Float64Array): void {
  let longest = 0;
  for (let k = 0; k < step.length; k++) {
    if (translates[k] === 0) longest = Math.max(longest, Math.abs(direction[k]));
  }
  const factor = longest > STEP_LIMIT ? -STEP_LIMIT / longest : -1;
  for (let k = 0; k < step.length; k++) step[k] = factor * direction[k];
}

/**
 * Hessian of the Lagrangian f + mu.r_held + sum lambda g along the open ways, to the second-order arrays: by differences of its exact
 * gradient for goals (rows have no second derivative of their own, only f has), exactly for limits.
 */
export function writeLagrangianHessian(later: Later, pose: Float64Array): void {
  const { all, face, work, curvature } = later;
  const { hessian, face: base, direction: moved, reached, small } = work.secondOrder();
  const { coordinates, jacobian } = all;
  const width = coordinates.length;
  evaluate(all, pose);
  differentiateOpen(later, pose);
  writeLagrangianGradient(later, base);
  copyNumbers(pose, reached, pose.length);
  for (let j = 0; j < width; j++) {
    if (later.frozen[j] === 1) {
      hessian.fill(0, j * width, (j + 1) * width);
      continue;
    }
    const i = coordinates[j];
    reached[i] = pose[i] + DIFFERENCE * jacobian.columnScale[j];
    evaluate(all, reached);
    differentiateOpen(later, reached);
    writeLagrangianGradient(later, moved);
    reached[i] = pose[i];
    for (let k = 0; k < width; k++) hessian[j * width + k] = (moved[k] - base[k]) / DIFFERENCE;
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
  addLimitCurvature(all, face.activeSet, pose, hessian, small);
  keepOpenWays(face, all, hessian, width);
  transpose(hessian, width);
  keepOpenWays(face, all, hessian, width);
  evaluate(all, pose);
}

/** The gradient of f + mu.r_held at the pose last differentiated. */
function writeLagrangianGradient({ all, face, firstRow }: Later, out: Float64Array): void {
  const { residual, rows, jacobian } = all;
  const { values, width } = jacobian;
  out.fill(0);
  for (let r = 0; r < rows; r++) {
    const weight = r < firstRow ? face.multipliers[r] : residual[r];
    const o = r * width;
    for (let k = 0; k < width; k++) out[k] += weight * values[o + k];
  }
}
