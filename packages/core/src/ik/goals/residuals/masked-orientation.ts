import { deepestShared } from '../../../figure/basis.js';
import * as quat from '../../../math/geometry/quat.js';
import { leftJacobianInverseProductDerivative } from '../../../rotation/rotation-vector/jacobian.js';
import {
  writeLeftJacobianInverse,
  writeRightJacobianInverse,
} from '../../../rotation/rotation-vector/kernels.js';
import type { AxisMask } from '../types/goal.js';
import type { PartMath } from '../types/goal-type.js';
import { addTurningRows } from './point-jacobian.js';
import {
  checkOrientation,
  generalOrientation,
  multiplyByTranspose,
  type OrientationData,
  worldQuat,
  writeTurn,
  writeTurnRows,
} from './rotation-residual.js';
import {
  addChainStiffness,
  addCrossStiffness,
  COUPLE_BY_TURNING,
  writeBlock,
  writeCrossBlock,
} from './tree-hessian.js';

interface MaskedOrientationData extends OrientationData {
  readonly mask: AxisMask;
}

const turn = /* @__PURE__ */ new Float64Array(3);
const weighed = /* @__PURE__ */ new Float64Array(3);
const rows = /* @__PURE__ */ new Float64Array(9);
const rotation = /* @__PURE__ */ new Float64Array(9);
const bend = /* @__PURE__ */ new Float64Array(9);
const inverse = /* @__PURE__ */ new Float64Array(9);
const turning = /* @__PURE__ */ new Float64Array(9);
const facing = /* @__PURE__ */ new Float64Array(4);
/** Any point: only turning counts. */
const nowhere = /* @__PURE__ */ new Float64Array(3);
const force = /* @__PURE__ */ new Float64Array(3);
const couple = /* @__PURE__ */ new Float64Array(6);
const stiffness = /* @__PURE__ */ new Float64Array(36);

/**
 * r = M log(R_target^-1 R_bone), M diagonal. With the whole turn v, W = M^2 and y = W v, f = 1/2 v.y changes with the bone's angular
 * velocity by n = R u, u = J_l^-1(v) y (J_r^-T = J_l^-1). As the bone turns u changes by U J_r^-1 R^T a_j, U = d(J_l^-1 y)/dv +
 * J_l^-1 W, and n turns along; so with B = R U J_r^-1 R^T
 *
 *   f_ij = a_i.(B a_j + a_j x n) on the bone's chain, i before j,
 *   f_ij = a_i.B a_j on the target's, f_ij = -a_i.B a_j between them (i on the bone's).
 */
export const maskedOrientationMath: PartMath<MaskedOrientationData> = {
  residual(state, { bone, targetBone, data }, out, o) {
    writeTurn(state, bone, targetBone, data, turn);
    let square = 0;
    for (let k = 0; k < 3; k++) {
      const r = data.mask[k] * turn[k];
      out[o + k] = r;
      square += r * r;
    }
    return Math.sqrt(square);
  },
  jacobian(state, { bone, targetBone, data, scale, firstRow }, _residual, out) {
    const top = deepestShared(state.figure.parents, bone, targetBone);
    writeTurn(state, bone, targetBone, data, turn);
    writeTurnRows(state, bone, data, turn, 0, rows);
    for (let k = 0; k < 9; k++) rows[k] *= data.mask[Math.floor(k / 3)];
    addTurningRows(state, bone, rows, 3, scale, firstRow, out, top);
    addTurningRows(state, targetBone, rows, 3, -scale, firstRow, out, top);
  },
  hessian(state, { bone, targetBone, data, scale }, _residual, columns, out) {
    const { mask } = data;
    const end = deepestShared(state.figure.parents, bone, targetBone);
    const square = scale * scale;
    writeTurn(state, bone, targetBone, data, turn);
    worldQuat(state, bone, data.offset, facing);
    quat.toMatrix(facing, rotation);
    for (let k = 0; k < 3; k++) weighed[k] = square * mask[k] * mask[k] * turn[k];
    // U and u, in the goal's frame.
    leftJacobianInverseProductDerivative(turn, weighed, bend);
    writeLeftJacobianInverse(turn[0], turn[1], turn[2], inverse, 0);
    for (let k = 0; k < 3; k++) {
      const o = 3 * k;
      const u = inverse[o] * weighed[0] + inverse[o + 1] * weighed[1] + inverse[o + 2] * weighed[2];
      turning[k] = u;
      for (let j = 0; j < 3; j++) bend[o + j] += square * mask[j] * mask[j] * inverse[o + j];
    }
    for (let k = 0; k < 3; k++) {
      const o = 3 * k;
      couple[3 + k] = rotation[o] * turning[0] + rotation[o + 1] * turning[1] + rotation[o + 2] * turning[2];
    }
    // B = R U (R J_l^-1)^T, for J_r^-1 = (J_l^-1)^T.
    writeRightJacobianInverse(turn[0], turn[1], turn[2], turning, 0);
    inverse.set(rotation);
    multiplyByTranspose(inverse, turning);
    multiplyByTranspose(bend, inverse);
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) {
        turning[3 * i + j] =
          rotation[3 * i] * bend[j] + rotation[3 * i + 1] * bend[3 + j] + rotation[3 * i + 2] * bend[6 + j];
      }
    }
    stiffness.fill(0);
    for (let k = 0; k < 3; k++) force[k] = couple[3 + k];
    writeCrossBlock(stiffness, COUPLE_BY_TURNING, force, -1);
    addBlock(turning);
    addChainStiffness(state, columns, bone, end, nowhere, stiffness, couple, out);
    if (targetBone < 0) return;
    for (let k = 3; k < 6; k++) couple[k] = -couple[k];
    writeBlock(stiffness, COUPLE_BY_TURNING, turning, 1);
    addChainStiffness(state, columns, targetBone, end, nowhere, stiffness, couple, out);
    writeBlock(stiffness, COUPLE_BY_TURNING, turning, -1);
    addCrossStiffness(state, columns, bone, nowhere, targetBone, nowhere, end, stiffness, out);
  },
  check: checkOrientation,
  general: generalOrientation,
};

/** Adds a 3x3 matrix to the turning block of K. */
function addBlock(m: Float64Array): void {
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) stiffness[COUPLE_BY_TURNING + 6 * i + j] += m[3 * i + j];
  }
}
