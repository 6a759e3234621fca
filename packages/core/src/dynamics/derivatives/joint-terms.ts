import { addCross } from '../../figure/joints/axes.js';
import type { Numbers } from '../../math/linear/types.js';
import type { Dynamics } from '../model/dynamics.js';
import { addScaled, clear } from '../model/vectors.js';
import type { DerivativeWorkspace } from './workspace.js';

const still = /* @__PURE__ */ new Float64Array(3);
/** The joint's own turning and its part of the acceleration, against nu and nu'. */
const turn = /* @__PURE__ */ new Float64Array(3);
const turnRate = /* @__PURE__ */ new Float64Array(3);
/** Acceleration of what passes the origin, for the acceleration of the origin itself. */
const passing = /* @__PURE__ */ new Float64Array(3);
const byTurn = /* @__PURE__ */ new Float64Array(3);
const byTurnRate = /* @__PURE__ */ new Float64Array(3);
const byOthers = /* @__PURE__ */ new Float64Array(3);
const sliding = /* @__PURE__ */ new Float64Array(3);
const slidingRate = /* @__PURE__ */ new Float64Array(3);
const linear = /* @__PURE__ */ new Float64Array(3);
const axis = /* @__PURE__ */ new Float64Array(3);

/**
 * What coordinate i of a joint does to the motion of all that the joint carries, apart from carrying it along. With j = (alpha, l) its column,
 * v and a the spatial velocity and acceleration of a bone d behind it,
 *
 *   dv_d/dq_i = j x v_d + eta,   da_d/dq_i = j x a_d + zeta + eta x v_d,
 *
 * and eta, zeta are the same for all d. With v_p of the parent, u = d(S nu)/dq_i, w = d(S nu')/dq_i and y = dc/dq_i, the parent held,
 *
 *   eta = u - j x v_b,   zeta = w + v_p x u + y - j x a_b - eta x v_b.
 *
 * Against nu_i likewise, s its column and nothing carried along: eta = s, zeta = v_p x s + v_b x s + dc/dnu_i. (Carpentier and Mansard 2018, with
 * joints whose axes turn among themselves.) All about the origin of the joint's bone.
 */
export function writeTerms(workspace: DerivativeWorkspace, nu: Numbers, accelerations: Numbers): void {
  const { dynamics, columns } = workspace;
  const { figure, state, acceleration: vd, angularVelocity: w, velocity: v } = dynamics;
  const { columnStart, columnEnd } = state;
  for (let b = 0; b < figure.parents.length; b++) {
    const first = columnStart[b];
    const end = columnEnd[b];
    if (first === end) continue;
    writeColumnsOf(workspace, b);
    clear(turn);
    clear(turnRate);
    for (let i = first; i < end; i++) {
      addScaled(columns, 6 * i, nu[i], turn, 0);
      addScaled(columns, 6 * i, accelerations[i], turnRate, 0);
    }
    for (let k = 0; k < 3; k++) passing[k] = vd[3 * b + k];
    addCross(v, 3 * b, w, 3 * b, 1, passing, 0);
    for (let i = first; i < end; i++) writeTerm(workspace, b, i, nu, accelerations);
  }
}

/** The motion columns of a bone's joint against nu, to `workspace.columns`. */
export function writeColumnsOf({ dynamics, columns }: DerivativeWorkspace, b: number): void {
  const { columnStart, columnEnd, columnsNu, worldFromBone: m, bodyTurn } = dynamics.state;
  const first = columnStart[b];
  if (bodyTurn[b] === 0) {
    for (let k = 6 * first; k < 6 * columnEnd[b]; k++) columns[k] = columnsNu[k];
    return;
  }
  for (let k = 0; k < 3; k++) {
    const c = 6 * (first + k);
    for (let n = 0; n < 3; n++) {
      columns[c + n] = m[12 * b + 3 * n + k];
      columns[c + 3 + n] = 0;
    }
  }
}

function writeTerm(
  workspace: DerivativeWorkspace,
  b: number,
  i: number,
  nu: Numbers,
  accelerations: Numbers,
): void {
  const {
    dynamics,
    columns,
    directions,
    velocityByPose,
    accelerationByPose,
    accelerationByVelocity,
    turning,
  } = workspace;
  const { state, figure, turnsItself } = dynamics;
  const { angularVelocity: w, velocity: v, angularAcceleration: wd } = dynamics;
  const o = 3 * b;
  const c = 6 * i;
  const parent = figure.parents[b];
  const wp = parent < 0 ? still : w;
  const p = parent < 0 ? 0 : 3 * parent;
  clear(byTurn);
  clear(byTurnRate);
  clear(byOthers);
  if (turnsItself[b] === 1) {
    for (let k = state.columnStart[b]; k < state.columnEnd[b]; k++) {
      writeAxisRate(dynamics, k, i, axis);
      addScaled(axis, 0, nu[k], byTurn, 0);
      addScaled(axis, 0, accelerations[k], byTurnRate, 0);
      writeAxisRate(dynamics, i, k, axis);
      addScaled(axis, 0, nu[k], byOthers, 0);
    }
    addScaled(byTurn, 0, 1, byOthers, 0);
  } else {
    // Axes that the bone carries along, or that lie before the joint and do not turn.
    addCross(directions, c, turn, 0, 1, byTurn, 0);
    addCross(directions, c, turnRate, 0, 1, byTurnRate, 0);
  }
  // Where the joint slides, its turning is about another point.
  clear(sliding);
  clear(slidingRate);
  if (state.slides[b] === 1) {
    addCross(directions, c + 3, turn, 0, 1, sliding, 0);
    addCross(directions, c + 3, turnRate, 0, 1, slidingRate, 0);
  }
  const e = 3 * i;
  for (let k = 0; k < 3; k++) velocityByPose[e + k] = byTurn[k];
  addCross(directions, c, w, o, -1, velocityByPose, e);
  clear(linear);
  addCross(directions, c, v, o, -1, linear, 0);
  addCross(directions, c + 3, wp, p, -1, linear, 0);

  const z = accelerationByPose;
  for (let k = 0; k < 3; k++) {
    z[c + k] = byTurnRate[k] + turning[e + k];
    z[c + 3 + k] = slidingRate[k];
  }
  addCross(wp, p, byTurn, 0, 1, z, c);
  addCross(directions, c, wd, o, -1, z, c);
  addCross(velocityByPose, e, w, o, -1, z, c);
  addCross(wp, p, sliding, 0, 1, z, c + 3);
  addCross(v, o, byTurn, 0, 1, z, c + 3);
  addCross(directions, c, passing, 0, -1, z, c + 3);
  addCross(directions, c + 3, wd, o, -1, z, c + 3);
  addCross(velocityByPose, e, v, o, -1, z, c + 3);
  addCross(linear, 0, w, o, -1, z, c + 3);

  const y = accelerationByVelocity;
  for (let k = 0; k < 3; k++) {
    y[c + k] = byOthers[k];
    y[c + 3 + k] = 0;
  }
  addCross(wp, p, columns, c, 1, y, c);
  addCross(w, o, columns, c, 1, y, c);
  addCross(wp, p, columns, c + 3, 2, y, c + 3);
  addCross(v, o, columns, c, 2, y, c + 3);
}

/** da_k/dq_i of two angles of one joint whose axes turn themselves: its nu is q'. */
export function writeAxisRate({ state }: Dynamics, k: number, i: number, out: Float64Array): void {
  const { axisDerivatives, columnsNu } = state;
  const low = Math.min(k, i);
  const d = 9 * low + 3 * (Math.max(k, i) - low);
  for (let n = 0; n < 3; n++) out[n] = axisDerivatives[d + n];
  if (k > i) addCross(columnsNu, 6 * i, columnsNu, 6 * k, 1, out, 0);
}
