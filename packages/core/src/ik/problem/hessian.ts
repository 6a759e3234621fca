import { GoalError } from '../../errors.js';
import { updateAxisDerivatives } from '../../figure/kinematics/jacobians.js';
import type { CompiledComponent, GoalHessian } from '../goals/types/goal-type.js';
import { applyMimicHessian } from './mimic-joints.js';
import type { Problem } from './problem.js';

/** Finds the Hessian of each component. @throws GoalError for a component that has none among those given. */
export function assignHessians(problem: Problem, hessians: readonly GoalHessian[]): void {
  for (const component of problem.goals) {
    component.hessian = hessians.find((one) => one.residualFunction === component.residualFunction);
    if (component.hessian !== undefined) continue;
    throw new GoalError('unsupported', `has no Hessian for the Newton stage ('${component.goal.type}').`, {
      path: `goals[${component.index}].type`,
      remedy:
        'Give its Hessians to the stage, as in newtonStage([positionHessians]), or leave the stage out.',
    });
  }
}

/**
 * The exact Hessian of f = 1/2 |r|^2 against the scaled coordinates, full symmetric storage row by row, columns x columns.
 * It includes the second derivatives of r, unlike J^T J. Its sum over the tree: `goals/residuals/tree-hessian.ts`.
 *
 * Call it right after `evaluate` and `differentiate` at the same pose, on a problem of {@link assignHessians}. Allocates nothing.
 */
export function writeHessian(problem: Problem, pose: Float64Array, out: Float64Array): void {
  writeLagrangianHessian(problem, pose, 0, problem.residual, problem.unscaledResidual, out);
}

/**
 * The exact Hessian of f + y.c, c the first `constraintRows` rows and f that of the others, up to products of gradients of c, which vanish
 * on the null space of the rows.
 *
 * @param factors - y for the rows of c, then the residual.
 * @param unscaled - The same over the row scales.
 */
export function writeLagrangianHessian(
  { state, goals, jacobian, mimicColumns, rows }: Problem,
  pose: Float64Array,
  constraintRows: number,
  factors: Float64Array,
  unscaled: Float64Array,
  out: Float64Array,
): void {
  const { width } = jacobian;
  const target = mimicColumns === undefined ? jacobian : mimicColumns.extended;
  const sum = mimicColumns === undefined ? out : mimicColumns.hessian;
  updateAxisDerivatives(state, pose);
  sum.fill(0, 0, target.width * target.width);
  for (let n = 0; n < goals.length; n++) {
    const compiled = goals[n];
    const hessian = compiled.hessian as GoalHessian;
    if (compiled.firstRow >= constraintRows) hessian.add(state, compiled, unscaled, target, sum, pose);
    else if (hasMultiplier(compiled, factors))
      (hessian.addConstraint ?? hessian.add)(state, compiled, unscaled, target, sum, pose);
  }
  if (mimicColumns !== undefined) applyMimicHessian(mimicColumns, rows, factors, width, out);
  for (let row = 1; row < width; row++) {
    for (let k = 0; k < row; k++) out[k * width + row] = out[row * width + k];
  }
}

function hasMultiplier({ firstRow, rows }: CompiledComponent, factors: Float64Array): boolean {
  for (let r = firstRow; r < firstRow + rows; r++) if (factors[r] !== 0) return true;
  return false;
}
