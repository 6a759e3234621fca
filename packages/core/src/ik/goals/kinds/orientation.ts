import { lowestCommonAncestorIn } from '../../../figure/basis.js';
import { boneIndex, type Figure } from '../../../figure/model/figure.js';
import type { FigureState } from '../../../figure/model/state.js';
import type { Numbers } from '../../../math/linear/types.js';
import {
  writeLeftJacobianInverse,
  writeLeftJacobianInverseDerivative,
  writeRightJacobianInverseAt,
} from '../../../rotation/rotation-vector/kernels.js';
import { rotateMatrix, rotateRows } from '../residuals/observed-point.js';
import { addRotationRows } from '../residuals/point-jacobian.js';
import {
  checkOrientation,
  genericOrientation,
  type OrientationData,
  writeGoalAxes,
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
  type ColumnMap,
  type CompiledComponent,
  componentOf,
  type GoalComponent,
  type GoalHessian,
  type GoalType,
  type ResidualFunction,
} from '../types/goal-type.js';

/** v = log(R_target^-1 R_bone), in the goal's frame. */
const vector = /* @__PURE__ */ new Float64Array(3);
const weighted = /* @__PURE__ */ new Float64Array(3);
/** World axes of the goal's frame. */
const axes = /* @__PURE__ */ new Float64Array(9);
const inverse = /* @__PURE__ */ new Float64Array(9);
/** Rows of the Jacobian, or B. */
const block = /* @__PURE__ */ new Float64Array(9);
const ONES: AxisMask = [1, 1, 1];
/** Any point: only the rotation matters. */
const ORIGIN = /* @__PURE__ */ new Float64Array(3);
const couple = /* @__PURE__ */ new Float64Array(6);
const stiffness = /* @__PURE__ */ new Float64Array(36);

/**
 * r = M v, v = log(R_target^-1 R_bone) in the goal's frame on the bone and M the mask, diagonal. For an angular velocity w of the bone
 * against the target, in world axes, v' = J_r^-1(v) R^T w, R the goal's frame and J_r the right Jacobian of SO(3).
 */
export const orientationResidual: ResidualFunction<OrientationData> = {
  evaluate(state, { bone, targetBone, data }, out, o) {
    const { mask = ONES } = data;
    writeRotationVector(state, bone, targetBone, data, vector);
    let square = 0;
    for (let k = 0; k < 3; k++) {
      const r = mask[k] * vector[k];
      out[o + k] = r;
      square += r * r;
    }
    return Math.sqrt(square);
  },
  jacobian(state, component, residual, out) {
    const { bone, targetBone, data, rowScale, firstRow } = component;
    const { mask } = data;
    const top = lowestCommonAncestorIn(state.figure.parents, bone, targetBone);
    readRotationVector(state, component, residual);
    writeRightJacobianInverseAt(vector, 0, block, 0);
    writeGoalAxes(state, bone, data.offset, axes);
    rotateRows(axes, 0, block, 3);
    if (mask !== undefined) for (let k = 0; k < 9; k++) block[k] *= mask[Math.floor(k / 3)];
    addRotationRows(state, bone, block, 3, rowScale, firstRow, out, top);
    addRotationRows(state, targetBone, block, 3, -rowScale, firstRow, out, top);
  },
  check: checkOrientation,
  generic: genericOrientation,
};

/**
 * With W = M^2 and y = W v the gradient of f = 1/2 v.y by the bone's angular velocity is n = R u, u = J_l^-1(v) y (J_r^-T = J_l^-1). As
 * coordinate j rotates the bone, u changes by U J_r^-1 R^T a_j, U = d(J_l^-1 y)/dv + J_l^-1 W, and n rotates with the bone. So with
 * B = R U J_r^-1 R^T
 *
 *   f_ij = a_i.(B a_j + a_j x n) = a_i.B^T a_j on the bone's chain, i before j (B - B^T = [n]),
 *   f_ij = a_i.B a_j on the target's, f_ij = -a_i.B a_j between them (i on the bone's).
 *
 * Without a mask u = y = v and U = I, so that B = J_r^-1(R v).
 */
export const orientationHessian: GoalHessian<OrientationData> = {
  residualFunction: orientationResidual,
  add(state, component, residual, columns, out) {
    const { bone, data, rowScale } = component;
    const { offset, mask } = data;
    const square = rowScale * rowScale;
    readRotationVector(state, component, residual);
    if (mask !== undefined) {
      for (let k = 0; k < 3; k++) weighted[k] = square * mask[k] * mask[k] * vector[k];
      addProductHessian(state, component, square, columns, out);
      return;
    }
    writeGoalAxes(state, bone, offset, axes);
    rotateRows(axes, 0, vector, 1);
    writeRightJacobianInverseAt(vector, 0, block, 0);
    for (let k = 0; k < 3; k++) weighted[k] = square * vector[k];
    for (let k = 0; k < 9; k++) block[k] *= square;
    addRotationHessian(state, component, columns, out);
  },
  /** Of y.M v: y stands for W v, and W is left out. */
  addConstraint(state, component, multipliers, columns, out) {
    const { bone, targetBone, data, rowScale, firstRow } = component;
    const { mask = ONES } = data;
    writeRotationVector(state, bone, targetBone, data, vector);
    for (let k = 0; k < 3; k++) weighted[k] = rowScale * rowScale * mask[k] * multipliers[firstRow + k];
    addProductHessian(state, component, 0, columns, out);
  },
};

/** The same with y in `weighted` and W times `square`. */
function addProductHessian(
  state: FigureState,
  component: CompiledComponent<OrientationData>,
  square: number,
  columns: ColumnMap,
  out: Float64Array,
): void {
  const { bone, data } = component;
  const { offset, mask = ONES } = data;
  writeGoalAxes(state, bone, offset, axes);
  writeLeftJacobianInverseDerivative(vector, weighted, block);
  writeLeftJacobianInverse(vector[0], vector[1], vector[2], inverse, 0);
  for (let k = 0; k < 9; k++) block[k] += square * mask[k % 3] * mask[k % 3] * inverse[k];
  rotateRows(inverse, 0, block, 3);
  rotateMatrix(axes, 0, block);
  rotateRows(inverse, 0, weighted, 1);
  rotateRows(axes, 0, weighted, 1);
  addRotationHessian(state, component, columns, out);
}

/** Adds the second derivative of a function of the bone's orientation against the target's: n is in `weighted`, B in `block`. */
function addRotationHessian(
  state: FigureState,
  { bone, targetBone }: CompiledComponent<OrientationData>,
  columns: ColumnMap,
  out: Float64Array,
): void {
  const end = lowestCommonAncestorIn(state.figure.parents, bone, targetBone);
  for (let k = 0; k < 3; k++) couple[3 + k] = weighted[k];
  writeTransposedBlock(stiffness, COUPLE_BY_ROTATION, block);
  addChainStiffness(state, columns, bone, end, ORIGIN, stiffness, couple, out);
  if (targetBone < 0) return;
  for (let k = 3; k < 6; k++) couple[k] = -couple[k];
  writeBlock(stiffness, COUPLE_BY_ROTATION, block, 1);
  addChainStiffness(state, columns, targetBone, end, ORIGIN, stiffness, couple, out);
  writeBlock(stiffness, COUPLE_BY_ROTATION, block, -1);
  addCrossStiffness(state, columns, bone, ORIGIN, targetBone, ORIGIN, end, stiffness, out);
}

/** v to `vector`: the residual, where no mask has scaled it. */
function readRotationVector(
  state: FigureState,
  { bone, targetBone, data, firstRow }: CompiledComponent<OrientationData>,
  residual: Numbers,
): void {
  if (data.mask !== undefined) writeRotationVector(state, bone, targetBone, data, vector);
  else for (let k = 0; k < 3; k++) vector[k] = residual[firstRow + k];
}

/** The Hessians of orientation goals; with those of positions, of relative poses. */
export const orientationHessians: readonly GoalHessian[] = [orientationHessian];

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
  return componentOf({
    residualFunction: orientationResidual,
    data: { ...data, mask },
    rows: 3,
    unit: 'angle',
    bone,
    targetBone,
    tolerance,
  });
}
