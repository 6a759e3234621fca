/** Which bones move what goals look at. */

import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { updateMotionSubspaceQ } from '../../figure/kinematics/jacobians.js';
import type { Figure } from '../../figure/model/figure.js';
import { createState } from '../../figure/model/state.js';
import { goalTypes } from '../../ik/goals/goal-types.js';
import type { Goal } from '../../ik/goals/types/goal.js';
import type { JacobianTarget } from '../../ik/goals/types/goal-type.js';
import { compileGoals } from '../../ik/problem/compile-goals.js';
import { createMimicColumns, reduceJacobian } from '../../ik/problem/mimic-joints.js';
import type { Numbers } from '../../math/linear/types.js';

/**
 * Indices of the bones whose joints change a goal's residual: where its Jacobian is not zero at a pose beside the one given. Beside it, so that no
 * bone is left out because its joint happens to have no lever there, as that of a straight limb.
 *
 * @throws GoalError for a goal that makes no sense for the figure.
 */
export function feltBones(figure: Figure, goals: readonly Goal[], pose: Numbers): Set<number> {
  const { dof } = figure;
  const parts = compileGoals(figure, goals, goalTypes);
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const natural = new Float64Array(rows);
  const jacobian: JacobianTarget = {
    values: new Float64Array(rows * dof),
    width: dof,
    columnOf: Int32Array.from({ length: dof }, (_, i) => i),
    columnScale: new Float64Array(dof).fill(1),
  };
  const followers = createMimicColumns(figure, rows, jacobian);
  const beside = Float64Array.from(pose, (x, i) => x + 0.1 * Math.sin(1 + 12.9898 * i));
  const state = createState(figure);
  forwardKinematics(state, beside);
  updateMotionSubspaceQ(state, beside);
  const target = followers === undefined ? jacobian : followers.extended;
  for (const part of parts) {
    part.residualFunction.evaluate(state, part, natural, part.firstRow, beside);
    part.residualFunction.jacobian(state, part, natural, target, beside);
  }
  if (followers !== undefined) reduceJacobian(followers, state, rows, jacobian);
  const felt = new Set<number>();
  for (let k = 0; k < rows * dof; k++) {
    if (jacobian.values[k] !== 0) felt.add(figure.boneOfCoordinate[k % dof]);
  }
  return felt;
}
