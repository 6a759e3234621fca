/** The bones that affect goals. */

import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { updateMotionSubspaceQ } from '../../figure/kinematics/jacobians.js';
import type { Figure } from '../../figure/model/figure.js';
import { createState } from '../../figure/model/state.js';
import { goalTypes } from '../../ik/goals/goal-types.js';
import type { Goal } from '../../ik/goals/types/goal.js';
import type { JacobianTarget } from '../../ik/goals/types/goal-type.js';
import { compileGoals } from '../../ik/problem/compile-goals.js';
import { applyMimicJacobian, createMimicColumns } from '../../ik/problem/mimic-joints.js';
import type { Numbers } from '../../math/linear/types.js';

/**
 * Indices of the bones whose joints affect a goal's residual: nonzero columns of its Jacobian at a perturbed pose, since at the pose itself
 * a joint may have no lever arm, as in a straight limb.
 *
 * @throws GoalError for a goal that does not fit the figure.
 */
export function affectedBones(figure: Figure, goals: readonly Goal[], pose: Numbers): Set<number> {
  const { dof } = figure;
  const components = compileGoals(figure, goals, goalTypes);
  const rows = components.reduce((sum, component) => sum + component.rows, 0);
  const unscaled = new Float64Array(rows);
  const jacobian: JacobianTarget = {
    values: new Float64Array(rows * dof),
    width: dof,
    columnOf: Int32Array.from({ length: dof }, (_, i) => i),
    columnScale: new Float64Array(dof).fill(1),
  };
  const mimicColumns = createMimicColumns(figure, rows, jacobian);
  const perturbed = Float64Array.from(pose, (x, i) => x + 0.1 * Math.sin(1 + 12.9898 * i));
  const state = createState(figure);
  forwardKinematics(state, perturbed);
  updateMotionSubspaceQ(state, perturbed);
  const target = mimicColumns === undefined ? jacobian : mimicColumns.extended;
  for (const component of components) {
    component.residualFunction.evaluate(state, component, unscaled, component.firstRow, perturbed);
    component.residualFunction.jacobian(state, component, unscaled, target, perturbed);
  }
  if (mimicColumns !== undefined) applyMimicJacobian(mimicColumns, state, rows, jacobian);
  const affected = new Set<number>();
  for (let k = 0; k < rows * dof; k++) {
    if (jacobian.values[k] !== 0) affected.add(figure.boneOfCoordinate[k % dof]);
  }
  return affected;
}
