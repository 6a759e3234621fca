import { GoalError } from '../../../errors.js';
import { jointTypes } from '../../../figure/joints/joint-types.js';
import { boneIndex } from '../../../figure/model/figure.js';
import { coordinateResidual } from '../residuals/coordinate-residual.js';
import { requireCoordinate, toleranceOf } from '../types/checks.js';
import type { JointValueGoal } from '../types/goal.js';
import { componentOf, type GoalType } from '../types/goal-type.js';

export const jointValueGoal: GoalType<JointValueGoal> = {
  fields: { bone: true, coordinate: true, value: true, tolerance: true },
  components(figure, goal, path) {
    const index = boneIndex(figure, goal.bone, `${path}.bone`);
    const { name, joint, dof, coordinate: first, mimic } = figure.bones[index];
    const { coordinate = 0 } = goal;
    if (!Number.isInteger(coordinate) || coordinate < 0 || coordinate >= dof) {
      throw new GoalError('out-of-range', `is ${coordinate}.`, {
        path: `${path}.coordinate`,
        remedy: mimic
          ? `The joint of '${name}' mimics '${mimic.bone}': put the goal there.`
          : dof === 0
            ? `The joint of '${name}' is ${joint.type} and has no coordinate.`
            : `The joint of '${name}' is ${joint.type} and has coordinates 0 to ${dof - 1}.`,
      });
    }
    const check = (goalPath: string): void => requireCoordinate(goal.value, `${goalPath}.value`);
    check(path);
    return [
      componentOf({
        residualFunction: coordinateResidual,
        data: { coordinate: first + coordinate, target: () => goal.value, check },
        rows: 1,
        unit: coordinate < jointTypes[joint.type].translations ? 'length' : 'angle',
        bone: index,
        scalarCoordinate: first + coordinate,
        targetBone: -1,
        tolerance: toleranceOf(goal.tolerance, path),
      }),
    ];
  },
};
