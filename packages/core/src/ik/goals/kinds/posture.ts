import { requireList, requirePositive, requireSize } from '../../../checks.js';
import { GoalError } from '../../../errors.js';
import { jointTypes } from '../../../figure/joints/joint-types.js';
import { forwardKinematics } from '../../../figure/kinematics/forward-kinematics.js';
import { boneIndex, type Figure } from '../../../figure/model/figure.js';
import { checkPose } from '../../../figure/model/pose.js';
import { createState } from '../../../figure/model/state.js';
import * as quat from '../../../math/geometry/quat.js';
import type { Numbers } from '../../../math/linear/types.js';
import { coordinateHessian, coordinateResidual } from '../residuals/coordinate-residual.js';
import type { PostureGoal } from '../types/goal.js';
import { componentOf, type GoalComponent, type GoalHessian, type GoalType } from '../types/goal-type.js';
import { orientationHessian, orientationResidual } from './orientation.js';

/** The Hessians of posture and joint-value goals; with those of points-at goals, of look-at goals. */
export const postureHessians: readonly GoalHessian[] = [orientationHessian, coordinateHessian];

export const postureGoal: GoalType<PostureGoal> = {
  fields: { bones: true, stiffness: true, reference: true },
  components(figure, goal, path) {
    for (const name of ['bones', 'stiffness'] as const) {
      if (goal[name] === undefined) continue;
      requireList(goal[name], `${path}.${name}`, GoalError, 'Give an array, or leave it out.');
    }
    const bones =
      goal.bones === undefined
        ? figure.bones.flatMap(({ index, dof }) => (dof > 0 ? [index] : []))
        : goal.bones.map((bone, n) => boneIndex(figure, bone, `${path}.bones[${n}]`));
    const { stiffness } = goal;
    if (stiffness !== undefined) requireSize(stiffness, bones.length, `${path}.stiffness`, GoalError);
    stiffness?.forEach((x, n) => {
      requirePositive(x, `${path}.stiffness[${n}]`, GoalError);
    });
    if (goal.reference !== undefined) checkPose(figure, goal.reference, `${path}.reference`);
    return postureComponents(figure, bones, stiffness, goal.reference);
  },
};

/**
 * Components that attract joints to a reference pose. A joint with two or three rotations: the orientation of the bone relative to
 * its parent, r = log(R_ref^-1 R). A hinge and a translation: the difference of coordinates.
 */
export function postureComponents(
  figure: Figure,
  bones: readonly number[],
  stiffness: readonly number[] | undefined,
  given: Numbers | undefined,
): GoalComponent[] {
  const reference = Float64Array.from(given ?? new Float64Array(figure.dof));
  const state = createState(figure);
  forwardKinematics(state, reference);
  return bones.flatMap((index, n) => {
    const { joint, dof, coordinate, parent } = figure.bones[index];
    const { translations, rotates } = jointTypes[joint.type];
    const common = { bone: index, tolerance: Number.POSITIVE_INFINITY, weightFactor: stiffness?.[n] ?? 1 };
    const coordinates = (first: number, rows: number, unit: 'length' | 'angle'): GoalComponent =>
      componentOf({
        ...common,
        residualFunction: coordinateResidual,
        data: { coordinate: first, target: (k) => reference[first + k] },
        rows,
        unit,
        targetBone: -1,
      });
    if (dof === 0) return [];
    const components: GoalComponent[] = [];
    if (translations > 0) components.push(coordinates(coordinate, translations, 'length'));
    if (rotates && dof === 1) components.push(coordinates(coordinate, 1, 'angle'));
    else if (rotates) {
      const rotation = quat.fromMatrix(state.parentFromBone.subarray(12 * index, 12 * index + 9));
      components.push(
        componentOf({
          ...common,
          residualFunction: orientationResidual,
          data: { target: parent < 0 ? rotation : { bone: parent, offset: rotation } },
          rows: 3,
          unit: 'angle',
          targetBone: parent,
        }),
      );
    }
    return components;
  });
}
