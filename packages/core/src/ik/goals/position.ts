import { deepestShared } from '../../figure/basis.js';
import type { PositionGoal } from '../goal.js';
import { addPointRows, targetPoint, worldPoint } from './points.js';
import type { GoalType } from './rows.js';
import {
  addChainStiffness,
  addCrossStiffness,
  COUPLE_BY_MOTION,
  FORCE_BY_MOTION,
  writeBlock,
  writeCrossBlock,
} from './stiffness.js';

const point = /* @__PURE__ */ new Float64Array(3);
const target = /* @__PURE__ */ new Float64Array(3);
/** s^2 I: what resists the motion of the point. */
const spring = /* @__PURE__ */ new Float64Array(9);
const force = /* @__PURE__ */ new Float64Array(6);
const stiffness = /* @__PURE__ */ new Float64Array(36);

/** r = x_bone - x_target; dr = J_bone - J_target. */
export const positionGoal: GoalType<PositionGoal> = {
  rows: 3,
  residual(state, { bone, targetBone }, goal, out, o) {
    worldPoint(state, bone, goal.point, point);
    targetPoint(state, targetBone, goal.target, target);
    const x = point[0] - target[0];
    const y = point[1] - target[1];
    const z = point[2] - target[2];
    out[o] = x;
    out[o + 1] = y;
    out[o + 2] = z;
    return Math.sqrt(x * x + y * y + z * z);
  },
  jacobian(state, { bone, targetBone, scale, firstRow }, goal, _residual, out) {
    worldPoint(state, bone, goal.point, point);
    addPointRows(state, bone, point, scale, firstRow, out);
    if (targetBone < 0) return;
    targetPoint(state, targetBone, goal.target, target);
    addPointRows(state, targetBone, target, -scale, firstRow, out);
  },
  /**
   * f = 1/2 |r|^2: f_i = r.x_i and f_ij = x_i.x_j + r.x_ij on the bone's chain, with x_ij = a_i x x_j, so that
   * r.x_ij = a_i.(x_j x r); on the target's, t_i.t_j - a_i.(t_j x r); between them -x_i.t_j.
   */
  hessian(state, { bone, targetBone, scale, firstRow }, goal, residual, columns, out) {
    const end = deepestShared(state.figure.parents, bone, targetBone);
    const square = scale * scale;
    worldPoint(state, bone, goal.point, point);
    for (let k = 0; k < 3; k++) force[k] = square * residual[firstRow + k];
    spring[0] = spring[4] = spring[8] = square;
    writeBlock(stiffness, FORCE_BY_MOTION, spring, 1);
    writeCrossBlock(stiffness, COUPLE_BY_MOTION, force, -1);
    addChainStiffness(state, columns, bone, end, point, stiffness, force, out);
    if (targetBone < 0) return;
    targetPoint(state, targetBone, goal.target, target);
    for (let k = 0; k < 3; k++) force[k] = -force[k];
    writeCrossBlock(stiffness, COUPLE_BY_MOTION, force, -1);
    addChainStiffness(state, columns, targetBone, end, target, stiffness, force, out);
    stiffness.fill(0);
    writeBlock(stiffness, FORCE_BY_MOTION, spring, -1);
    addCrossStiffness(state, columns, bone, point, targetBone, target, end, stiffness, out);
  },
};
