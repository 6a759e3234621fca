import { lowestCommonAncestorIn } from '../../../figure/basis.js';
import { boneIndex, type Figure } from '../../../figure/model/figure.js';
import type { FigureState } from '../../../figure/model/state.js';
import * as quat from '../../../math/geometry/quat.js';
import type { Numbers } from '../../../math/linear/types.js';
import { writeRightJacobianInverseAt } from '../../../rotation/rotation-vector/kernels.js';
import {
  addRotationConstraint,
  maskedOrientationHessian,
  maskedOrientationResidual,
} from '../residuals/masked-orientation.js';
import { addRotationRows } from '../residuals/point-jacobian.js';
import {
  checkOrientation,
  genericOrientation,
  type OrientationData,
  writeRotationJacobian,
  writeRotationVector,
} from '../residuals/rotation-residual.js';
import {
  addChainStiffness,
  addCrossStiffness,
  COUPLE_BY_ROTATION,
  writeBlock,
  writeTransposedBlock,
} from '../residuals/tree-hessian.js';
import { copyQuat, normalizeMask, requireTarget, toleranceOf } from '../types/checks.js';
import { type AxisMask, type BoneOrientation, isCarried, type OrientationGoal } from '../types/goal.js';
import {
  type CompiledComponent,
  componentOf,
  type GoalComponent,
  type GoalHessian,
  type GoalType,
  type ResidualFunction,
} from '../types/goal-type.js';

const boneQuat = /* @__PURE__ */ new Float64Array(4);
const vector = /* @__PURE__ */ new Float64Array(3);
const inverse = /* @__PURE__ */ new Float64Array(9);
const ONES: AxisMask = [1, 1, 1];
/** Any point: only the rotation matters. */
const ORIGIN = /* @__PURE__ */ new Float64Array(3);
const couple = /* @__PURE__ */ new Float64Array(6);
const stiffness = /* @__PURE__ */ new Float64Array(36);

/**
 * r = log(R_target^-1 R_bone), in the goal's frame on the bone. For an angular velocity w of the bone against the
 * target, in world axes, r' = J_r^-1(r) R_bone^T w, J_r the right Jacobian of SO(3).
 */
export const orientationResidual: ResidualFunction<OrientationData> = {
  evaluate(state, { bone, targetBone, data }, out, o) {
    writeRotationVector(state, bone, targetBone, data, vector);
    out[o] = vector[0];
    out[o + 1] = vector[1];
    out[o + 2] = vector[2];
    return Math.sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
  },
  jacobian(state, { bone, targetBone, data, rowScale, firstRow }, residual, out) {
    const top = lowestCommonAncestorIn(state.figure.parents, bone, targetBone);
    writeRotationJacobian(state, bone, data, residual, firstRow, inverse);
    addRotationRows(state, bone, inverse, 3, rowScale, firstRow, out, top);
    addRotationRows(state, targetBone, inverse, 3, -rowScale, firstRow, out, top);
  },
  check: checkOrientation,
  generic: genericOrientation,
};

/**
 * With rho = R r, the same rotation in world axes (R_bone = exp(rho) R_target): f_i = rho.a_i on the bone's chain, for
 * r^T J_r^-1(r) = r^T, and minus that on the target's. rho' = J_l^-1(rho) w_bone - J_r^-1(rho) w_target, so
 *
 *   f_ij = a_i.J_l^-1 a_j on the bone's chain, i before j (a_i does not depend on q_j),
 *   f_ij = a_i.J_r^-1 a_j on the target's, f_ij = -a_i.J_r^-1 a_j between them (i on the bone's).
 */
export const orientationHessian: GoalHessian<OrientationData> = {
  residualFunction: orientationResidual,
  add(state, component, residual, columns, out) {
    const { bone, targetBone } = component;
    const end = lowestCommonAncestorIn(state.figure.parents, bone, targetBone);
    writeWorldRotationVector(state, component, residual);
    // J_l = J_r^T
    writeTransposedBlock(stiffness, COUPLE_BY_ROTATION, inverse);
    addChainStiffness(state, columns, bone, end, ORIGIN, stiffness, couple, out);
    if (targetBone < 0) return;
    for (let k = 3; k < 6; k++) couple[k] = -couple[k];
    writeBlock(stiffness, COUPLE_BY_ROTATION, inverse, 1);
    addChainStiffness(state, columns, targetBone, end, ORIGIN, stiffness, couple, out);
    writeBlock(stiffness, COUPLE_BY_ROTATION, inverse, -1);
    addCrossStiffness(state, columns, bone, ORIGIN, targetBone, ORIGIN, end, stiffness, out);
  },
  addConstraint(state, component, multipliers, columns, out) {
    addRotationConstraint(state, component, ONES, multipliers, columns, out);
  },
};

/** The Hessians of orientation goals; with those of positions, of relative poses. */
export const orientationHessians: readonly GoalHessian[] = [orientationHessian, maskedOrientationHessian];

export const orientationGoal: GoalType<OrientationGoal> = {
  fields: { bone: true, offset: true, target: { bone: true, offset: true }, mask: true, tolerance: true },
  components: (figure, goal, path) => [
    orientationComponent(
      boneIndex(figure, goal.bone, `${path}.bone`),
      resolveOrientation(figure, goal, path),
      normalizeMask(goal.mask, `${path}.mask`),
      toleranceOf(goal.tolerance, path),
    ),
  ],
};

/** Offset and target of a goal, checked and copied; a world target is the caller's own array. */
export function resolveOrientation(
  figure: Figure,
  goal: Pick<OrientationGoal, 'offset' | 'target'>,
  path: string,
): OrientationData & { readonly targetBone: number } {
  const offset = copyQuat(goal.offset, `${path}.offset`);
  const own = offset === undefined ? {} : { offset };
  const { target } = goal;
  requireTarget(target, `${path}.target`, 4);
  if (!isCarried(target)) return { ...own, target, targetBone: -1 };
  const bone = boneIndex(figure, target.bone, `${path}.target.bone`);
  const carried = copyQuat((target as BoneOrientation).offset, `${path}.target.offset`);
  return {
    ...own,
    target: { bone, ...(carried === undefined ? {} : { offset: carried }) },
    targetBone: bone,
  };
}

/** An orientation component, masked or not. */
export function orientationComponent(
  bone: number,
  { targetBone, ...data }: OrientationData & { readonly targetBone: number },
  mask: AxisMask | undefined,
  tolerance: number,
): GoalComponent {
  const common = { rows: 3, unit: 'angle', bone, targetBone, tolerance } as const;
  return mask === undefined
    ? componentOf({ ...common, residualFunction: orientationResidual, data })
    : componentOf({ ...common, residualFunction: maskedOrientationResidual, data: { ...data, mask } });
}

/** rho to the angular half of `couple` and J_r^-1(rho) to `inverse`, with the row scale squared. */
function writeWorldRotationVector(
  { worldFromBone: m }: FigureState,
  { bone, rowScale, firstRow, data: { offset } }: CompiledComponent<OrientationData>,
  residual: Numbers,
): void {
  const o = 12 * bone;
  for (let k = 0; k < 3; k++) vector[k] = residual[firstRow + k];
  // r is in the frame of the goal on the bone: offset first, then the bone.
  if (offset !== undefined) quat.rotate(quat.normalize(offset, boneQuat), vector, vector);
  const x = vector[0];
  const y = vector[1];
  const z = vector[2];
  for (let k = 0; k < 3; k++) vector[k] = m[o + 3 * k] * x + m[o + 3 * k + 1] * y + m[o + 3 * k + 2] * z;
  writeRightJacobianInverseAt(vector, 0, inverse, 0);
  const square = rowScale * rowScale;
  for (let k = 0; k < 3; k++) couple[3 + k] = square * vector[k];
  for (let k = 0; k < 9; k++) inverse[k] *= square;
}
