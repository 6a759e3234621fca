import { deepestShared } from '../../figure/basis.js';
import type { FigureState } from '../../figure/state.js';
import * as quat from '../../math/quat.js';
import type { MutableNumbers, Numbers, Quat } from '../../math/types.js';
import { writeRightJacobianInverse, writeRightJacobianInverseAt } from '../../rotation/kernels.js';
import { rotationVectorFromQuat } from '../../rotation/log.js';
import type { BoneOrientation, OrientationGoal } from '../goal.js';
import { addTurningRows } from './points.js';
import type { CompiledGoal, GoalType } from './rows.js';
import {
  addChainStiffness,
  addCrossStiffness,
  COUPLE_BY_TURNING,
  writeBlock,
  writeTransposedBlock,
} from './stiffness.js';

const boneQuat = /* @__PURE__ */ new Float64Array(4);
const targetQuat = /* @__PURE__ */ new Float64Array(4);
const vector = /* @__PURE__ */ new Float64Array(3);
const inverse = /* @__PURE__ */ new Float64Array(9);
const matrix = /* @__PURE__ */ new Float64Array(9);
/** Any point: only turning counts. */
const nowhere = /* @__PURE__ */ new Float64Array(3);
const couple = /* @__PURE__ */ new Float64Array(6);
const stiffness = /* @__PURE__ */ new Float64Array(36);

/**
 * r = log(R_target^-1 R_bone), in the goal's frame on the bone. For an angular velocity w of the bone against the
 * target, in world axes, r' = J_r^-1(r) R_bone^T w (MATH.md).
 */
export const orientationGoal: GoalType<OrientationGoal> = {
  rows: 3,
  residual(state, { bone, targetBone }, goal, out, o) {
    worldQuat(state, bone, goal.offset, boneQuat);
    readTarget(state, targetBone, goal.target, targetQuat);
    quat.conjugate(targetQuat, targetQuat);
    quat.multiply(targetQuat, boneQuat, targetQuat);
    rotationVectorFromQuat(targetQuat, undefined, vector);
    out[o] = vector[0];
    out[o + 1] = vector[1];
    out[o + 2] = vector[2];
    return Math.hypot(vector[0], vector[1], vector[2]);
  },
  jacobian(state, { bone, targetBone, scale, firstRow }, goal, residual, out) {
    worldQuat(state, bone, goal.offset, boneQuat);
    quat.toMatrix(boneQuat, matrix);
    writeRightJacobianInverse(residual[firstRow], residual[firstRow + 1], residual[firstRow + 2], inverse, 0);
    multiplyByTranspose(inverse, matrix);
    addTurningRows(state, bone, inverse, scale, firstRow, out);
    if (targetBone >= 0) addTurningRows(state, targetBone, inverse, -scale, firstRow, out);
  },
  /**
   * With rho = R r, the same rotation in world axes (R_bone = exp(rho) R_target): f_i = rho.a_i on the bone's chain, for
   * r^T J_r^-1(r) = r^T, and minus that on the target's. rho' = J_l^-1(rho) w_bone - J_r^-1(rho) w_target, so
   *
   *   f_ij = a_i.J_l^-1 a_j on the bone's chain, i before j (a_i stays as j turns),
   *   f_ij = a_i.J_r^-1 a_j on the target's, f_ij = -a_i.J_r^-1 a_j between them (i on the bone's).
   */
  hessian(state, compiled, goal, residual, columns, out) {
    const { bone, targetBone } = compiled;
    const end = deepestShared(state.figure.parents, bone, targetBone);
    writeTurning(state, compiled, goal, residual);
    // J_l = J_r^T
    writeTransposedBlock(stiffness, COUPLE_BY_TURNING, inverse);
    addChainStiffness(state, columns, bone, end, nowhere, stiffness, couple, out);
    if (targetBone < 0) return;
    for (let k = 3; k < 6; k++) couple[k] = -couple[k];
    writeBlock(stiffness, COUPLE_BY_TURNING, inverse, 1);
    addChainStiffness(state, columns, targetBone, end, nowhere, stiffness, couple, out);
    writeBlock(stiffness, COUPLE_BY_TURNING, inverse, -1);
    addCrossStiffness(state, columns, bone, nowhere, targetBone, nowhere, end, stiffness, out);
  },
};

/** rho to the turning part of `couple` and J_r^-1(rho) to `inverse`, with the goal's scale squared. */
function writeTurning(
  { worldFromBone: m }: FigureState,
  { bone, scale, firstRow }: CompiledGoal,
  { offset }: OrientationGoal,
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
  const square = scale * scale;
  for (let k = 0; k < 3; k++) couple[3 + k] = square * vector[k];
  for (let k = 0; k < 9; k++) inverse[k] *= square;
}

/** World orientation of the goal frame on a bone. */
function worldQuat(state: FigureState, bone: number, offset: Quat | undefined, out: MutableNumbers): void {
  const m = state.worldFromBone;
  for (let k = 0; k < 9; k++) matrix[k] = m[12 * bone + k];
  quat.fromMatrix(matrix, out);
  if (offset !== undefined) quat.multiply(out, offset, out);
  quat.normalize(out, out);
}

function readTarget(
  state: FigureState,
  targetBone: number,
  target: Quat | BoneOrientation,
  out: MutableNumbers,
): void {
  if (targetBone >= 0) worldQuat(state, targetBone, (target as BoneOrientation).offset, out);
  else quat.normalize(target as Quat, out);
}

/** a = a b^T, 3x3 row by row. */
function multiplyByTranspose(a: Float64Array, b: Float64Array): void {
  for (let r = 0; r < 9; r += 3) {
    const x = a[r];
    const y = a[r + 1];
    const z = a[r + 2];
    a[r] = x * b[0] + y * b[1] + z * b[2];
    a[r + 1] = x * b[3] + y * b[4] + z * b[5];
    a[r + 2] = x * b[6] + y * b[7] + z * b[8];
  }
}
