import { updateAxisDerivatives } from '../../figure/kinematics/jacobians.js';
import { gatherHessian } from './mimic-joints.js';
import type { Problem } from './problem.js';

/**
 * The exact Hessian of f = 1/2 |r|^2 against the scaled coordinates, full symmetric storage row by row, columns x columns.
 * Second derivatives of r are in it, unlike in J^T J. How it comes about over the tree: `goals/stiffness.ts`.
 *
 * Call it right after `evaluate` and `differentiate` at the same pose. Allocates nothing.
 */
export function writeHessian(problem: Problem, pose: Float64Array, out: Float64Array): void {
  const { state, goals, natural, jacobian, followers } = problem;
  const { width } = jacobian;
  const target = followers === undefined ? jacobian : followers.all;
  const sum = followers === undefined ? out : followers.hessian;
  updateAxisDerivatives(state, pose);
  sum.fill(0, 0, target.width * target.width);
  for (let n = 0; n < goals.length; n++) {
    const compiled = goals[n];
    compiled.math.hessian(state, compiled, natural, target, sum, pose);
  }
  if (followers !== undefined) gatherHessian(followers, problem.rows, problem.residual, width, out);
  for (let row = 1; row < width; row++) {
    for (let k = 0; k < row; k++) out[k * width + row] = out[row * width + k];
  }
}
