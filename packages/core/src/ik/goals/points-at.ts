import type { FigureState } from '../../figure/state.js';
import type { Numbers } from '../../math/types.js';
import type { PointsAtGoal } from '../goal.js';
import { addMappedPointRows, targetPoint, worldPoint } from './points.js';
import type { GoalType } from './rows.js';

/** Sine of the angle below which the target counts as exactly ahead or exactly behind. */
const ALIGNED = 1e-7;

const origin = /* @__PURE__ */ new Float64Array(3);
const target = /* @__PURE__ */ new Float64Array(3);
/** The unit axis d, then two unit vectors across it: the tangent plane that the residual lives in. Bone frame. */
const basis = /* @__PURE__ */ new Float64Array(9);
/** Direction u of the target on that basis (along d, e1, e2), then its distance. */
const sight = /* @__PURE__ */ new Float64Array(4);
const response = /* @__PURE__ */ new Float64Array(6);

/**
 * The angle from an axis d of the bone to the direction u of the target, both in the bone frame, as a tangent vector:
 * r = F [e1.u, e2.u], F = theta / sin theta, cos theta = c = d.u (the logarithm of the unit sphere at d; |r| = theta).
 * The target in the bone's own coordinates is the notes' option 2.
 *
 *   dr/du = F [e1, e2]^T + F' [e1, e2]^T u d^T,  F' = dF/dc = (c F - 1) / sin^2 theta   (-1/3 ahead)
 *   du = (I - u u^T) / distance  R^T (v_target - v_carried)
 *
 * v_carried is the velocity that the target's place would have if the bone carried it: l + a x (target - origin of the
 * joint), for the motion of the bone's origin and its turning come to just that.
 */
export const pointsAtGoal: GoalType<PointsAtGoal> = {
  rows: 2,
  residual(state, { bone, targetBone }, goal, out, o) {
    writeBasis(goal.axis);
    writeSight(state, bone, targetBone, goal);
    const sine = Math.hypot(sight[1], sight[2]);
    const angle = Math.atan2(sine, sight[0]);
    if (sine < ALIGNED && sight[0] < 0) {
      // Straight behind: every direction across is as good; take e1.
      out[o] = angle;
      out[o + 1] = 0;
      return angle;
    }
    const factor = sine < ALIGNED ? 1 : angle / sine;
    out[o] = factor * sight[1];
    out[o + 1] = factor * sight[2];
    return angle;
  },
  jacobian(state, { bone, targetBone, scale, firstRow }, goal, _residual, out) {
    writeBasis(goal.axis);
    writeSight(state, bone, targetBone, goal);
    if (!(sight[3] > 0)) return;
    writeResponse(state.worldFromBone, 12 * bone);
    addMappedPointRows(state, bone, target, response, 2, -scale, firstRow, out);
    if (targetBone >= 0) addMappedPointRows(state, targetBone, target, response, 2, scale, firstRow, out);
  },
};

/** d, e1, e2: right-handed, e1 from the coordinate axis least along d. */
function writeBasis(axis: Numbers): void {
  const length = Math.hypot(axis[0], axis[1], axis[2]);
  const dx = axis[0] / length;
  const dy = axis[1] / length;
  const dz = axis[2] / length;
  const ax = Math.abs(dx);
  const ay = Math.abs(dy);
  const az = Math.abs(dz);
  const k = ax <= ay && ax <= az ? 0 : ay <= az ? 1 : 2;
  const d = k === 0 ? dx : k === 1 ? dy : dz;
  const x = (k === 0 ? 1 : 0) - d * dx;
  const y = (k === 1 ? 1 : 0) - d * dy;
  const z = (k === 2 ? 1 : 0) - d * dz;
  const norm = Math.hypot(x, y, z);
  basis[0] = dx;
  basis[1] = dy;
  basis[2] = dz;
  basis[3] = x / norm;
  basis[4] = y / norm;
  basis[5] = z / norm;
  basis[6] = dy * basis[5] - dz * basis[4];
  basis[7] = dz * basis[3] - dx * basis[5];
  basis[8] = dx * basis[4] - dy * basis[3];
}

/** The target seen from the bone; distance 0 (and direction 0) where it coincides with the origin of the sight. */
function writeSight(state: FigureState, bone: number, targetBone: number, goal: PointsAtGoal): void {
  worldPoint(state, bone, goal.origin, origin);
  targetPoint(state, targetBone, goal.target, target);
  const x = target[0] - origin[0];
  const y = target[1] - origin[1];
  const z = target[2] - origin[2];
  const distance = Math.hypot(x, y, z);
  const inverse = distance > 0 ? 1 / distance : 0;
  const m = state.worldFromBone;
  const w = 12 * bone;
  const ux = (m[w] * x + m[w + 3] * y + m[w + 6] * z) * inverse;
  const uy = (m[w + 1] * x + m[w + 4] * y + m[w + 7] * z) * inverse;
  const uz = (m[w + 2] * x + m[w + 5] * y + m[w + 8] * z) * inverse;
  for (let k = 0; k < 3; k++) sight[k] = basis[3 * k] * ux + basis[3 * k + 1] * uy + basis[3 * k + 2] * uz;
  sight[3] = distance;
}

/** What the residual does when the world vector from origin to target changes: dr/du (I - u u^T) R^T / distance, 2x3. */
function writeResponse(world: Float64Array, w: number): void {
  const c = sight[0];
  const sine = Math.hypot(sight[1], sight[2]);
  const behind = sine < ALIGNED && c < 0;
  const factor = sine < ALIGNED ? 1 : Math.atan2(sine, c) / sine;
  const slope = sine < 1e-4 && c > 0 ? -1 / 3 : (c * factor - 1) / (sine * sine);
  for (let r = 0; r < 2; r++) {
    // Row r of dr/du on the basis (d, e1, e2). Straight behind only a turn along e1 is taken: it lowers the angle.
    let d = behind ? 0 : slope * sight[1 + r];
    let e1 = behind ? (r === 0 ? -1 : 0) : r === 0 ? factor : 0;
    let e2 = behind || r === 0 ? 0 : factor;
    const u = d * c + e1 * sight[1] + e2 * sight[2];
    d -= u * c;
    e1 -= u * sight[1];
    e2 -= u * sight[2];
    const x = (d * basis[0] + e1 * basis[3] + e2 * basis[6]) / sight[3];
    const y = (d * basis[1] + e1 * basis[4] + e2 * basis[7]) / sight[3];
    const z = (d * basis[2] + e1 * basis[5] + e2 * basis[8]) / sight[3];
    response[3 * r] = world[w] * x + world[w + 1] * y + world[w + 2] * z;
    response[3 * r + 1] = world[w + 3] * x + world[w + 4] * y + world[w + 5] * z;
    response[3 * r + 2] = world[w + 6] * x + world[w + 7] * y + world[w + 8] * z;
  }
}
