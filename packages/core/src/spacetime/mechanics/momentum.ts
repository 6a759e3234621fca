import { updateCompositeInertias } from '../../dynamics/crba/mass-matrix.js';
import { writeAxisDerivative, writeMotionSubspace } from '../../dynamics/derivatives/joint-terms.js';
import { writeAngularMomentum } from '../../dynamics/energy.js';
import { updateBoneMotion } from '../../dynamics/kinematics/bone-motion.js';
import { expandVelocity } from '../../dynamics/kinematics/mimic-joints.js';
import { checkAndUpdateKinematics } from '../../dynamics/kinematics/update-kinematics.js';
import { INERTIA_SIZE } from '../../dynamics/model/inertia.js';
import { addScaled, clear } from '../../dynamics/model/spatial-vectors.js';
import { addCross } from '../../figure/joints/axes.js';
import type { Numbers } from '../../math/linear/types.js';
import type { Mechanics } from './mechanics.js';

/** Centre of mass and angular momentum about it, world axes; matrices 3 x dof, row by row. */
export interface MomentumBlock {
  /** Centre of mass c, m. */
  readonly center: Float64Array;
  /** Angular momentum about c, kg m^2/s. */
  readonly angular: Float64Array;
  /** dc/d eps, eps of {@link Mechanics}, m: times v it is c'. */
  readonly centerByTangent: Float64Array;
  /** dL/d eps. */
  readonly angularByTangent: Float64Array;
  /** dL/dv. */
  readonly angularByVelocity: Float64Array;
}

export function createMomentumBlock({ dynamics }: Mechanics): MomentumBlock {
  const { dof } = dynamics.figure;
  const zeros = (size: number): Float64Array => new Float64Array(size);
  return {
    center: zeros(3),
    angular: zeros(3),
    centerByTangent: zeros(3 * dof),
    angularByTangent: zeros(3 * dof),
    angularByVelocity: zeros(3 * dof),
  };
}

const ZERO = /* @__PURE__ */ new Float64Array(3);
/** Linear momentum of the figure, kg m/s. */
const linear = /* @__PURE__ */ new Float64Array(3);
/** Origin of a bone relative to the centre of mass. */
const arm = /* @__PURE__ */ new Float64Array(3);
const own = /* @__PURE__ */ new Float64Array(3);
const axis = /* @__PURE__ */ new Float64Array(3);
/** Of one coordinate: eta (angular, linear), then the derivatives of angular and linear momentum with respect to velocity and pose. */
const eta = /* @__PURE__ */ new Float64Array(6);
const byVelocity = /* @__PURE__ */ new Float64Array(6);
const byPose = /* @__PURE__ */ new Float64Array(6);
/** dc, then dL with respect to pose and velocity. */
const column = /* @__PURE__ */ new Float64Array(9);

/**
 * Centre of mass c, angular momentum L about it (centroidal momentum, Orin and others 2013; without rotors) and their derivatives with
 * respect to eps and v, for any figure.
 *
 * Coordinate i of bone b moves the subtree of b as a rigid body of inertia I and momentum H = (n, p) about the bone's origin: its column s
 * has the momentum I s. A displacement along s transports H and changes velocities by eta (`dynamics/derivatives/joint-terms.ts`), the same
 * for the whole subtree:
 *
 *   dH/d eps_i = s x* H + I eta,   eta = (sum over k of v_k da_k/dq_i - a_i x w_b, -a_i x v_b - l_i x w_p)
 *
 * The first component of eta is -a_i x w_p for joints whose axes do not rotate relative to each other. About c: L = n + (x - c) x p.
 *
 * @throws DomainError `wrong-size`, `not-finite` for invalid arguments.
 */
export function writeMomentum(m: Mechanics, pose: Numbers, velocity: Numbers, out: MomentumBlock): void {
  const { dynamics, workspace } = m;
  const { figure, state } = dynamics;
  checkAndUpdateKinematics(dynamics, pose, velocity, undefined);
  const rates = expandVelocity(dynamics, velocity);
  updateBoneMotion(dynamics, rates, undefined, ZERO);
  updateCompositeInertias(dynamics);
  sumSubtreeMomenta(m);
  writeTotals(m, out);
  out.centerByTangent.fill(0);
  out.angularByTangent.fill(0);
  out.angularByVelocity.fill(0);
  const { columnStart, columnEnd, worldFromBone, hasMimicJoints } = state;
  for (let b = 0; b < figure.parents.length; b++) {
    if (columnStart[b] === columnEnd[b]) continue;
    writeMotionSubspace(workspace, b);
    for (let k = 0; k < 3; k++) arm[k] = worldFromBone[12 * b + 9 + k] - out.center[k];
    for (let i = columnStart[b]; i < columnEnd[b]; i++) {
      writeColumn(m, b, i, rates);
      if (!hasMimicJoints || i < figure.dof) addColumn(figure.dof, i, out);
      else addMimicColumn(m, i - figure.dof, velocity, out);
    }
  }
}

/** Momentum of each subtree: linear, and angular about the bone's origin. */
function sumSubtreeMomenta({ dynamics, workspace, angularMomenta }: Mechanics): void {
  const { figure, inertias, firstMoments, offsets, angularVelocity: w, velocity: v } = dynamics;
  const { momentum } = workspace;
  const { parents } = figure;
  for (let b = 0; b < parents.length; b++) {
    const o = 3 * b;
    const mass = inertias[INERTIA_SIZE * b];
    for (let k = 0; k < 3; k++) momentum[o + k] = mass * v[o + k];
    addCross(w, o, firstMoments, o, 1, momentum, o);
    writeAngularMomentum(dynamics, b, own);
    for (let k = 0; k < 3; k++) angularMomenta[o + k] = own[k];
    addCross(firstMoments, o, v, o, 1, angularMomenta, o);
  }
  for (let b = parents.length - 1; b >= 0; b--) {
    if (parents[b] < 0) continue;
    const o = 3 * b;
    const p = 3 * parents[b];
    addScaled(momentum, o, 1, momentum, p);
    addScaled(angularMomenta, o, 1, angularMomenta, p);
    addCross(offsets, o, momentum, o, 1, angularMomenta, p);
  }
}

function writeTotals({ dynamics, workspace, angularMomenta, mass }: Mechanics, out: MomentumBlock): void {
  const { figure, state, compositeInertia } = dynamics;
  const { parents } = figure;
  const { momentum } = workspace;
  const { center, angular } = out;
  clear(center);
  clear(angular);
  clear(linear);
  for (let b = 0; b < parents.length; b++) {
    if (parents[b] >= 0) continue;
    for (let k = 0; k < 3; k++) {
      const position = state.worldFromBone[12 * b + 9 + k];
      center[k] +=
        (compositeInertia[INERTIA_SIZE * b] * position + compositeInertia[INERTIA_SIZE * b + 1 + k]) / mass;
    }
  }
  for (let b = 0; b < parents.length; b++) {
    if (parents[b] >= 0) continue;
    for (let k = 0; k < 3; k++) arm[k] = state.worldFromBone[12 * b + 9 + k] - center[k];
    addScaled(momentum, 3 * b, 1, linear, 0);
    addScaled(angularMomenta, 3 * b, 1, angular, 0);
    addCross(arm, 0, momentum, 3 * b, 1, angular, 0);
  }
}

/** Writes the derivatives with respect to coordinate i of bone b to `column`. */
function writeColumn(m: Mechanics, b: number, i: number, rates: Numbers): void {
  const { dynamics, workspace, angularMomenta, mass } = m;
  const { figure, hasVaryingAxes, state, angularVelocity: w, velocity: v, compositeInertia } = dynamics;
  const { columns, momentum } = workspace;
  const o = 3 * b;
  const c = 6 * i;
  const parent = figure.parents[b];
  const wp = parent < 0 ? ZERO : w;
  const p = parent < 0 ? 0 : 3 * parent;
  clear(eta);
  if (hasVaryingAxes[b] === 1) {
    for (let k = state.columnStart[b]; k < state.columnEnd[b]; k++) {
      writeAxisDerivative(dynamics, k, i, axis);
      addScaled(axis, 0, rates[k], eta, 0);
    }
    addCross(columns, c, w, o, -1, eta, 0);
  } else addCross(columns, c, wp, p, -1, eta, 0);
  addCross(columns, c, v, o, -1, eta, 3);
  addCross(columns, c + 3, wp, p, -1, eta, 3);

  multiplyInertia(compositeInertia, INERTIA_SIZE * b, columns, c, byVelocity);
  multiplyInertia(compositeInertia, INERTIA_SIZE * b, eta, 0, byPose);
  addCross(columns, c, angularMomenta, o, 1, byPose, 0);
  addCross(columns, c + 3, momentum, o, 1, byPose, 0);
  addCross(columns, c, momentum, o, 1, byPose, 3);

  for (let k = 0; k < 3; k++) {
    column[k] = byVelocity[3 + k] / mass;
    column[3 + k] = byPose[k];
    column[6 + k] = byVelocity[k];
  }
  addCross(arm, 0, byPose, 3, 1, column, 3);
  addCross(column, 0, linear, 0, -1, column, 3);
  addCross(arm, 0, byVelocity, 3, 1, column, 6);
}

/** out = (I a + h x l, M l + a x h) with the composite inertia of a subtree, (a, l) = x. */
function multiplyInertia(
  composite: Float64Array,
  i: number,
  x: Float64Array,
  c: number,
  out: Float64Array,
): void {
  const ax = x[c];
  const ay = x[c + 1];
  const az = x[c + 2];
  const lx = x[c + 3];
  const ly = x[c + 4];
  const lz = x[c + 5];
  const mass = composite[i];
  const hx = composite[i + 1];
  const hy = composite[i + 2];
  const hz = composite[i + 3];
  const xy = composite[i + 7];
  const xz = composite[i + 8];
  const yz = composite[i + 9];
  out[0] = composite[i + 4] * ax + xy * ay + xz * az + hy * lz - hz * ly;
  out[1] = xy * ax + composite[i + 5] * ay + yz * az + hz * lx - hx * lz;
  out[2] = xz * ax + yz * ay + composite[i + 6] * az + hx * ly - hy * lx;
  out[3] = mass * lx + ay * hz - az * hy;
  out[4] = mass * ly + az * hx - ax * hz;
  out[5] = mass * lz + ax * hy - ay * hx;
}

function addColumn(dof: number, i: number, out: MomentumBlock): void {
  for (let k = 0; k < 3; k++) {
    out.centerByTangent[k * dof + i] += column[k];
    out.angularByTangent[k * dof + i] += column[3 + k];
    out.angularByVelocity[k * dof + i] += column[6 + k];
  }
}

/** A mimic joint has q = phi(y) and v = phi' y' of its source. */
function addMimicColumn({ dynamics }: Mechanics, k: number, velocity: Numbers, out: MomentumBlock): void {
  const { figure, state } = dynamics;
  const { coordinate } = figure.mimicJoints[k];
  const ratio = state.mimicDerivatives[k];
  const rate = state.mimicSecondDerivatives[k] * velocity[coordinate];
  for (let n = 0; n < 3; n++) {
    column[3 + n] = ratio * column[3 + n] + rate * column[6 + n];
    column[n] *= ratio;
    column[6 + n] *= ratio;
  }
  addColumn(figure.dof, coordinate, out);
}
