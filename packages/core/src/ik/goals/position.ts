import type { PositionGoal } from '../goal.js';
import { addPointRows, targetPoint, worldPoint } from './points.js';
import type { GoalType } from './rows.js';

const point = /* @__PURE__ */ new Float64Array(3);
const target = /* @__PURE__ */ new Float64Array(3);

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
};
