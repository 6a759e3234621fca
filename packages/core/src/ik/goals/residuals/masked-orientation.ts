import { lowestCommonAncestorIn } from '../../../figure/basis.js';
import type { FigureState } from '../../../figure/model/state.js';
import * as quat from '../../../math/geometry/quat.js';
import type { Numbers } from '../../../math/linear/types.js';
import {
  writeLeftJacobianInverse,
  writeLeftJacobianInverseDerivative,
  writeRightJacobianInverse,
} from '../../../rotation/rotation-vector/kernels.js';
import type { AxisMask } from '../types/goal.js';
import type { CompiledComponent, GoalHessian, JacobianTarget, ResidualFunction } from '../types/goal-type.js';
import { addRotationRows } from './point-jacobian.js';
import {
  checkOrientation,
  genericOrientation,
  multiplyByTranspose,
  type OrientationData,
  worldQuat,
  writeRotationJacobian,
  writeRotationVector,
} from './rotation-residual.js';
import {
  addChainStiffness,
  addCrossStiffness,
  COUPLE_BY_ROTATION,
  writeBlock,
  writeCrossBlock,
} from './tree-hessian.js';

interface MaskedOrientationData extends OrientationData {
  readonly mask: AxisMask;
}

const rotationVector = /* @__PURE__ */ new Float64Array(3);
const weighted = /* @__PURE__ */ new Float64Array(3);
const rows = /* @__PURE__ */ new Float64Array(9);
const rotation = /* @__PURE__ */ new Float64Array(9);
const curvature = /* @__PURE__ */ new Float64Array(9);
const inverse = /* @__PURE__ */ new Float64Array(9);
const angularBlock = /* @__PURE__ */ new Float64Array(9);
const goalQuat = /* @__PURE__ */ new Float64Array(4);
/** Any point: only the rotation matters. */
const ORIGIN = /* @__PURE__ */ new Float64Array(3);
const force = /* @__PURE__ */ new Float64Array(3);
const couple = /* @__PURE__ */ new Float64Array(6);
const stiffness = /* @__PURE__ */ new Float64Array(36);

/**
 * r = M log(R_target^-1 R_bone), M diagonal. With v the unmasked rotation vector, W = M^2 and y = W v, the gradient of f = 1/2 v.y by
 * the bone's angular velocity is n = R u, u = J_l^-1(v) y (J_r^-T = J_l^-1). As coordinate j rotates the bone, u changes by
 * U J_r^-1 R^T a_j, U = d(J_l^-1 y)/dv + J_l^-1 W, and n rotates with the bone; so with B = R U J_r^-1 R^T
 *
 *   f_ij = a_i.(B a_j + a_j x n) on the bone's chain, i before j,
 *   f_ij = a_i.B a_j on the target's, f_ij = -a_i.B a_j between them (i on the bone's).
 */
export const maskedOrientationResidual: ResidualFunction<MaskedOrientationData> = {
  evaluate(state, { bone, targetBone, data }, out, o) {
    writeRotationVector(state, bone, targetBone, data, rotationVector);
    let square = 0;
    for (let k = 0; k < 3; k++) {
      const r = data.mask[k] * rotationVector[k];
      out[o + k] = r;
      square += r * r;
    }
    return Math.sqrt(square);
  },
  jacobian(state, { bone, targetBone, data, rowScale, firstRow }, _residual, out) {
    const top = lowestCommonAncestorIn(state.figure.parents, bone, targetBone);
    writeRotationVector(state, bone, targetBone, data, rotationVector);
    writeRotationJacobian(state, bone, data, rotationVector, 0, rows);
    for (let k = 0; k < 9; k++) rows[k] *= data.mask[Math.floor(k / 3)];
    addRotationRows(state, bone, rows, 3, rowScale, firstRow, out, top);
    addRotationRows(state, targetBone, rows, 3, -rowScale, firstRow, out, top);
  },
  check: checkOrientation,
  generic: genericOrientation,
};

export const maskedOrientationHessian: GoalHessian<MaskedOrientationData> = {
  residualFunction: maskedOrientationResidual,
  add(state, { bone, targetBone, data, rowScale }, _residual, columns, out) {
    const { mask } = data;
    const end = lowestCommonAncestorIn(state.figure.parents, bone, targetBone);
    const square = rowScale * rowScale;
    writeRotationVector(state, bone, targetBone, data, rotationVector);
    worldQuat(state, bone, data.offset, goalQuat);
    quat.toMatrix(goalQuat, rotation);
    for (let k = 0; k < 3; k++) weighted[k] = square * mask[k] * mask[k] * rotationVector[k];
    // U and u, in the goal's frame.
    writeLeftJacobianInverseDerivative(rotationVector, weighted, curvature);
    writeLeftJacobianInverse(rotationVector[0], rotationVector[1], rotationVector[2], inverse, 0);
    for (let k = 0; k < 3; k++) {
      const o = 3 * k;
      const u = inverse[o] * weighted[0] + inverse[o + 1] * weighted[1] + inverse[o + 2] * weighted[2];
      angularBlock[k] = u;
      for (let j = 0; j < 3; j++) curvature[o + j] += square * mask[j] * mask[j] * inverse[o + j];
    }
    for (let k = 0; k < 3; k++) {
      const o = 3 * k;
      couple[3 + k] =
        rotation[o] * angularBlock[0] + rotation[o + 1] * angularBlock[1] + rotation[o + 2] * angularBlock[2];
    }
    // B = R U (R J_l^-1)^T, for J_r^-1 = (J_l^-1)^T.
    writeRightJacobianInverse(rotationVector[0], rotationVector[1], rotationVector[2], angularBlock, 0);
    inverse.set(rotation);
    multiplyByTranspose(inverse, angularBlock);
    multiplyByTranspose(curvature, inverse);
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) {
        angularBlock[3 * i + j] =
          rotation[3 * i] * curvature[j] +
          rotation[3 * i + 1] * curvature[3 + j] +
          rotation[3 * i + 2] * curvature[6 + j];
      }
    }
    stiffness.fill(0);
    for (let k = 0; k < 3; k++) force[k] = couple[3 + k];
    writeCrossBlock(stiffness, COUPLE_BY_ROTATION, force, -1);
    addBlock(angularBlock);
    addChainStiffness(state, columns, bone, end, ORIGIN, stiffness, couple, out);
    if (targetBone < 0) return;
    for (let k = 3; k < 6; k++) couple[k] = -couple[k];
    writeBlock(stiffness, COUPLE_BY_ROTATION, angularBlock, 1);
    addChainStiffness(state, columns, targetBone, end, ORIGIN, stiffness, couple, out);
    writeBlock(stiffness, COUPLE_BY_ROTATION, angularBlock, -1);
    addCrossStiffness(state, columns, bone, ORIGIN, targetBone, ORIGIN, end, stiffness, out);
  },
  addConstraint(state, component, multipliers, columns, out) {
    addRotationConstraint(state, component, component.data.mask, multipliers, columns, out);
  },
};

/**
 * The second derivative of y.M v where the goal is met, v = 0. There J_l^-1(v) y = y - v x y / 2, so that with n = R M y
 * f_ij = a_i.(a_j x n) / 2 on the bone's chain, and minus that on the target's and between them.
 */
export function addRotationConstraint(
  state: FigureState,
  { bone, targetBone, data: { offset }, rowScale, firstRow }: CompiledComponent<OrientationData>,
  mask: AxisMask,
  multipliers: Numbers,
  columns: JacobianTarget,
  out: Float64Array,
): void {
  const end = lowestCommonAncestorIn(state.figure.parents, bone, targetBone);
  for (let k = 0; k < 3; k++) weighted[k] = rowScale * rowScale * mask[k] * multipliers[firstRow + k];
  worldQuat(state, bone, offset, goalQuat);
  quat.rotate(goalQuat, weighted, force);
  for (let k = 0; k < 3; k++) {
    couple[3 + k] = force[k];
    force[k] *= 0.5;
  }
  stiffness.fill(0);
  writeCrossBlock(stiffness, COUPLE_BY_ROTATION, force, -1);
  addChainStiffness(state, columns, bone, end, ORIGIN, stiffness, couple, out);
  if (targetBone < 0) return;
  addCrossStiffness(state, columns, bone, ORIGIN, targetBone, ORIGIN, end, stiffness, out);
  for (let k = 3; k < 6; k++) couple[k] = -couple[k];
  writeCrossBlock(stiffness, COUPLE_BY_ROTATION, force, 1);
  addChainStiffness(state, columns, targetBone, end, ORIGIN, stiffness, couple, out);
}

/** Adds a 3x3 matrix to the angular block of K. */
function addBlock(m: Float64Array): void {
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) stiffness[COUPLE_BY_ROTATION + 6 * i + j] += m[3 * i + j];
  }
}
