import { addCross } from '../../figure/joints/axes.js';
import type { Numbers } from '../../math/linear/types.js';
import type { Dynamics } from '../model/dynamics.js';
import { addScaled, clear } from '../model/spatial-vectors.js';
import type { DerivativeWorkspace } from './workspace.js';

const ZERO = /* @__PURE__ */ new Float64Array(3);
/** Angular velocity of the joint, S_w q', and S_w q''. */
const jointAngularVelocity = /* @__PURE__ */ new Float64Array(3);
const jointAngularAcceleration = /* @__PURE__ */ new Float64Array(3);
/** Linear part of the bone's spatial acceleration, v' - w x v: that of the body point passing the origin. */
const spatialAcceleration = /* @__PURE__ */ new Float64Array(3);
const angularVelocityDerivative = /* @__PURE__ */ new Float64Array(3);
const angularAccelerationDerivative = /* @__PURE__ */ new Float64Array(3);
const biasDerivative = /* @__PURE__ */ new Float64Array(3);
const linearVelocityDerivative = /* @__PURE__ */ new Float64Array(3);
const linearAccelerationDerivative = /* @__PURE__ */ new Float64Array(3);
const etaLinear = /* @__PURE__ */ new Float64Array(3);
const axis = /* @__PURE__ */ new Float64Array(3);

/**
 * Derivatives of the motion of a joint's subtree with respect to coordinate i of the joint, apart from the rigid displacement of the subtree.
 * With j = (alpha, l) the column of q_i, and v, a the spatial velocity and acceleration of a bone d of the subtree,
 *
 *   dv_d/dq_i = j x v_d + eta,   da_d/dq_i = j x a_d + zeta + eta x v_d,
 *
 * where eta and zeta are the same for all d. With v_p of the parent, and at a fixed parent u = d(S q')/dq_i, w = d(S q'')/dq_i, y = dc/dq_i,
 *
 *   eta = u - j x v_b,   zeta = w + v_p x u + y - j x a_b - eta x v_b.
 *
 * With respect to the joint velocity likewise, s its column of S and no displacement: eta = s, zeta = v_p x s + v_b x s + dc/dq_i'. (Carpentier and
 * Mansard 2018, extended to joints with varying axes.) All about the origin of the joint's bone.
 */
export function writeJointTerms(
  workspace: DerivativeWorkspace,
  velocity: Numbers,
  acceleration: Numbers,
): void {
  const { dynamics, columns } = workspace;
  const { figure, state, acceleration: vd, angularVelocity: w, velocity: v } = dynamics;
  const { columnStart, columnEnd } = state;
  for (let b = 0; b < figure.parents.length; b++) {
    const first = columnStart[b];
    const end = columnEnd[b];
    if (first === end) continue;
    writeMotionSubspace(workspace, b);
    clear(jointAngularVelocity);
    clear(jointAngularAcceleration);
    for (let i = first; i < end; i++) {
      addScaled(columns, 6 * i, velocity[i], jointAngularVelocity, 0);
      addScaled(columns, 6 * i, acceleration[i], jointAngularAcceleration, 0);
    }
    for (let k = 0; k < 3; k++) spatialAcceleration[k] = vd[3 * b + k];
    addCross(v, 3 * b, w, 3 * b, 1, spatialAcceleration, 0);
    for (let i = first; i < end; i++) writeCoordinateTerms(workspace, b, i, velocity, acceleration);
  }
}

/** Writes S of a bone's joint to `workspace.columns`. */
export function writeMotionSubspace({ dynamics, columns }: DerivativeWorkspace, b: number): void {
  const { columnStart, columnEnd, columnsV, worldFromBone: m, bodyAngularVelocity } = dynamics.state;
  const first = columnStart[b];
  if (bodyAngularVelocity[b] === 0) {
    for (let k = 6 * first; k < 6 * columnEnd[b]; k++) columns[k] = columnsV[k];
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

function writeCoordinateTerms(
  workspace: DerivativeWorkspace,
  b: number,
  i: number,
  velocity: Numbers,
  acceleration: Numbers,
): void {
  const {
    dynamics,
    columns,
    directions,
    velocityByPose,
    accelerationByPose,
    accelerationByVelocity,
    biasByPose,
  } = workspace;
  const { state, figure, hasVaryingAxes } = dynamics;
  const { angularVelocity: w, velocity: v, angularAcceleration: wd } = dynamics;
  const o = 3 * b;
  const c = 6 * i;
  const parent = figure.parents[b];
  const wp = parent < 0 ? ZERO : w;
  const p = parent < 0 ? 0 : 3 * parent;
  clear(angularVelocityDerivative);
  clear(angularAccelerationDerivative);
  clear(biasDerivative);
  if (hasVaryingAxes[b] === 1) {
    for (let k = state.columnStart[b]; k < state.columnEnd[b]; k++) {
      writeAxisDerivative(dynamics, k, i, axis);
      addScaled(axis, 0, velocity[k], angularVelocityDerivative, 0);
      addScaled(axis, 0, acceleration[k], angularAccelerationDerivative, 0);
      writeAxisDerivative(dynamics, i, k, axis);
      addScaled(axis, 0, velocity[k], biasDerivative, 0);
    }
    addScaled(angularVelocityDerivative, 0, 1, biasDerivative, 0);
  } else {
    // Axes fixed in the bone or in its parent.
    addCross(directions, c, jointAngularVelocity, 0, 1, angularVelocityDerivative, 0);
    addCross(directions, c, jointAngularAcceleration, 0, 1, angularAccelerationDerivative, 0);
  }
  // A translation moves the point about which the joint rotates.
  clear(linearVelocityDerivative);
  clear(linearAccelerationDerivative);
  if (state.hasTranslation[b] === 1) {
    addCross(directions, c + 3, jointAngularVelocity, 0, 1, linearVelocityDerivative, 0);
    addCross(directions, c + 3, jointAngularAcceleration, 0, 1, linearAccelerationDerivative, 0);
  }
  const e = 3 * i;
  for (let k = 0; k < 3; k++) velocityByPose[e + k] = angularVelocityDerivative[k];
  addCross(directions, c, w, o, -1, velocityByPose, e);
  clear(etaLinear);
  addCross(directions, c, v, o, -1, etaLinear, 0);
  addCross(directions, c + 3, wp, p, -1, etaLinear, 0);

  const z = accelerationByPose;
  for (let k = 0; k < 3; k++) {
    z[c + k] = angularAccelerationDerivative[k] + biasByPose[e + k];
    z[c + 3 + k] = linearAccelerationDerivative[k];
  }
  addCross(wp, p, angularVelocityDerivative, 0, 1, z, c);
  addCross(directions, c, wd, o, -1, z, c);
  addCross(velocityByPose, e, w, o, -1, z, c);
  addCross(wp, p, linearVelocityDerivative, 0, 1, z, c + 3);
  addCross(v, o, angularVelocityDerivative, 0, 1, z, c + 3);
  addCross(directions, c, spatialAcceleration, 0, -1, z, c + 3);
  addCross(directions, c + 3, wd, o, -1, z, c + 3);
  addCross(velocityByPose, e, v, o, -1, z, c + 3);
  addCross(etaLinear, 0, w, o, -1, z, c + 3);

  const y = accelerationByVelocity;
  for (let k = 0; k < 3; k++) {
    y[c + k] = biasDerivative[k];
    y[c + 3 + k] = 0;
  }
  addCross(wp, p, columns, c, 1, y, c);
  addCross(w, o, columns, c, 1, y, c);
  addCross(wp, p, columns, c + 3, 2, y, c + 3);
  addCross(v, o, columns, c, 2, y, c + 3);
}

/** da_k/dq_i of two angles of a joint with varying axes, whose velocity is q'. */
export function writeAxisDerivative({ state }: Dynamics, k: number, i: number, out: Float64Array): void {
  const { axisDerivatives, columnsV } = state;
  const low = Math.min(k, i);
  const d = 9 * low + 3 * (Math.max(k, i) - low);
  for (let n = 0; n < 3; n++) out[n] = axisDerivatives[d + n];
  if (k > i) addCross(columnsV, 6 * i, columnsV, 6 * k, 1, out, 0);
}
