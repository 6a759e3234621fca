import type { Numbers } from '../../math/linear/types.js';
import { updateBoneMotion } from '../kinematics/bone-motion.js';
import { expandVelocity } from '../kinematics/mimic-joints.js';
import type { Dynamics } from '../model/dynamics.js';
import { INERTIA_SIZE } from '../model/inertia.js';

const ZERO = /* @__PURE__ */ new Float64Array(3);

/**
 * Generalized momentum and its rate, which needs no accelerations. With l the linear and H the angular momentum of a subtree about its bone's
 * origin, f and T the force and couple on it, (a, s) the column of a coordinate in S and v the velocity of the origin,
 *
 *   p = a . H + s . l
 *   p' = a . (T - v x l) + s . f + a' . H + s' . l + tau
 */
export interface MomentumRate {
  /** p of each coordinate, rotors (`armature`) left out. */
  readonly momentum: Float64Array;
  /** p' - tau. */
  readonly rate: Float64Array;
  /** l, H of each subtree, 6 numbers a bone. */
  readonly subtreeMomentum: Float64Array;
  /** f, T on each subtree, 6 numbers a bone. */
  readonly subtreeForce: Float64Array;
}

export function createMomentumRate({ figure }: Dynamics): MomentumRate {
  const size = figure.dof + figure.mimicJoints.length;
  return {
    momentum: new Float64Array(size),
    rate: new Float64Array(size),
    subtreeMomentum: new Float64Array(6 * figure.bones.length),
    subtreeForce: new Float64Array(6 * figure.bones.length),
  };
}

/** Writes momentum and rate at the pose of the last kinematics update (`updateKinematics`, `updateAxisDerivatives`). */
export function writeMomentumRate(
  dynamics: Dynamics,
  velocity: Numbers,
  external: Numbers | undefined,
  out: MomentumRate,
): void {
  updateBoneMotion(dynamics, expandVelocity(dynamics, velocity), undefined, ZERO);
  writeBoneTerms(dynamics, external, out);
  sumSubtrees(dynamics, velocity, out);
  const { figure, state } = dynamics;
  const { mimicJoints, dof } = figure;
  // Momentum of a mimic joint adds to its source times phi'; its rate also has phi'' y' p, since phi' changes.
  for (let k = 0; k < mimicJoints.length; k++) {
    const i = mimicJoints[k].coordinate;
    const derivative = state.mimicDerivatives[k];
    out.momentum[i] += derivative * out.momentum[dof + k];
    out.rate[i] +=
      derivative * out.rate[dof + k] + state.mimicSecondDerivatives[k] * velocity[i] * out.momentum[dof + k];
  }
}

/** Each bone alone: l = m v + w x h, H = I w + h x v about its origin, f = m g, T = h x g, plus external forces. */
function writeBoneTerms(dynamics: Dynamics, external: Numbers | undefined, out: MomentumRate): void {
  const { figure, state, gravity, inertias, firstMoments, angularVelocity: w, velocity: v } = dynamics;
  const { worldFromBone: m } = state;
  const { subtreeMomentum, subtreeForce } = out;
  for (let b = 0; b < figure.parents.length; b++) {
    const o = 3 * b;
    const e = 12 * b;
    const i = INERTIA_SIZE * b;
    const c = 6 * b;
    const mass = inertias[i];
    const wx = w[o];
    const wy = w[o + 1];
    const wz = w[o + 2];
    const vx = v[o];
    const vy = v[o + 1];
    const vz = v[o + 2];
    const hx = firstMoments[o];
    const hy = firstMoments[o + 1];
    const hz = firstMoments[o + 2];
    subtreeMomentum[c] = mass * vx + wy * hz - wz * hy;
    subtreeMomentum[c + 1] = mass * vy + wz * hx - wx * hz;
    subtreeMomentum[c + 2] = mass * vz + wx * hy - wy * hx;
    // I is constant in the bone's own axes.
    const ux = m[e] * wx + m[e + 3] * wy + m[e + 6] * wz;
    const uy = m[e + 1] * wx + m[e + 4] * wy + m[e + 7] * wz;
    const uz = m[e + 2] * wx + m[e + 5] * wy + m[e + 8] * wz;
    const px = inertias[i + 4] * ux + inertias[i + 7] * uy + inertias[i + 8] * uz;
    const py = inertias[i + 7] * ux + inertias[i + 5] * uy + inertias[i + 9] * uz;
    const pz = inertias[i + 8] * ux + inertias[i + 9] * uy + inertias[i + 6] * uz;
    subtreeMomentum[c + 3] = m[e] * px + m[e + 1] * py + m[e + 2] * pz + hy * vz - hz * vy;
    subtreeMomentum[c + 4] = m[e + 3] * px + m[e + 4] * py + m[e + 5] * pz + hz * vx - hx * vz;
    subtreeMomentum[c + 5] = m[e + 6] * px + m[e + 7] * py + m[e + 8] * pz + hx * vy - hy * vx;
    const gx = gravity[0];
    const gy = gravity[1];
    const gz = gravity[2];
    subtreeForce[c] = mass * gx;
    subtreeForce[c + 1] = mass * gy;
    subtreeForce[c + 2] = mass * gz;
    subtreeForce[c + 3] = hy * gz - hz * gy;
    subtreeForce[c + 4] = hz * gx - hx * gz;
    subtreeForce[c + 5] = hx * gy - hy * gx;
    if (external !== undefined) for (let k = 0; k < 6; k++) subtreeForce[c + k] += external[c + k];
  }
}

/** Adds each bone's wrenches to its parent's and writes its joint, leaves to root. */
function sumSubtrees(dynamics: Dynamics, velocity: Numbers, out: MomentumRate): void {
  const { figure, state, offsets } = dynamics;
  const { parents } = figure;
  const { subtreeMomentum, subtreeForce } = out;
  for (let b = parents.length - 1; b >= 0; b--) {
    if (state.bodyAngularVelocity[b] === 1) writeBallRate(dynamics, b, out);
    else writeJointRate(dynamics, b, velocity, out);
    if (parents[b] < 0) continue;
    const c = 6 * b;
    const p = 6 * parents[b];
    const x = offsets[3 * b];
    const y = offsets[3 * b + 1];
    const z = offsets[3 * b + 2];
    addShiftedWrench(subtreeMomentum, c, x, y, z, p);
    addShiftedWrench(subtreeForce, c, x, y, z, p);
  }
}

/** Adds a wrench (vector, couple), about a point at r, to the one about the parent's origin. */
function addShiftedWrench(a: Float64Array, c: number, x: number, y: number, z: number, p: number): void {
  const fx = a[c];
  const fy = a[c + 1];
  const fz = a[c + 2];
  a[p] += fx;
  a[p + 1] += fy;
  a[p + 2] += fz;
  a[p + 3] += a[c + 3] + y * fz - z * fy;
  a[p + 4] += a[c + 4] + z * fx - x * fz;
  a[p + 5] += a[c + 5] + x * fy - y * fx;
}

/** Ball joints: the axes are the bone's, a' = w x a, so p' = R^T (T - v x l + H x w). */
function writeBallRate(dynamics: Dynamics, b: number, out: MomentumRate): void {
  const { state, angularVelocity: w, velocity: v } = dynamics;
  const { worldFromBone: m, columnStart } = state;
  const { subtreeMomentum: l, subtreeForce: f, momentum, rate } = out;
  const c = 6 * b;
  const o = 3 * b;
  const e = 12 * b;
  const i = columnStart[b];
  const hx = l[c + 3];
  const hy = l[c + 4];
  const hz = l[c + 5];
  const tx = f[c + 3] - v[o + 1] * l[c + 2] + v[o + 2] * l[c + 1] + hy * w[o + 2] - hz * w[o + 1];
  const ty = f[c + 4] - v[o + 2] * l[c] + v[o] * l[c + 2] + hz * w[o] - hx * w[o + 2];
  const tz = f[c + 5] - v[o] * l[c + 1] + v[o + 1] * l[c] + hx * w[o + 1] - hy * w[o];
  for (let k = 0; k < 3; k++) {
    momentum[i + k] = m[e + k] * hx + m[e + 3 + k] * hy + m[e + 6 + k] * hz;
    rate[i + k] = m[e + k] * tx + m[e + 3 + k] * ty + m[e + 6 + k] * tz;
  }
}

const axisRate = /* @__PURE__ */ new Float64Array(3);

/** Other joints: translation axes rotate with the parent, rotation axes with the bone or, for `hasVaryingAxes`, with the parent and by q'. */
function writeJointRate(dynamics: Dynamics, b: number, velocity: Numbers, out: MomentumRate): void {
  const { figure, state, angularVelocity: w, velocity: v, hasVaryingAxes } = dynamics;
  const { columnsV: columns, columnStart, columnEnd, hasTranslation } = state;
  const { subtreeMomentum: l, subtreeForce: f, momentum, rate } = out;
  const c = 6 * b;
  const o = 3 * b;
  const p = 3 * figure.parents[b];
  const varying = hasVaryingAxes[b] === 1;
  const tx = f[c + 3] - v[o + 1] * l[c + 2] + v[o + 2] * l[c + 1];
  const ty = f[c + 4] - v[o + 2] * l[c] + v[o] * l[c + 2];
  const tz = f[c + 5] - v[o] * l[c + 1] + v[o + 1] * l[c];
  for (let i = columnStart[b]; i < columnEnd[b]; i++) {
    const k = 6 * i;
    const ax = columns[k];
    const ay = columns[k + 1];
    const az = columns[k + 2];
    // Angular velocity of the frame that the axis is fixed in.
    const frame = varying ? p : o;
    const wx = frame < 0 ? 0 : w[frame];
    const wy = frame < 0 ? 0 : w[frame + 1];
    const wz = frame < 0 ? 0 : w[frame + 2];
    let dx = wy * az - wz * ay;
    let dy = wz * ax - wx * az;
    let dz = wx * ay - wy * ax;
    if (varying) {
      writeAxisRate(dynamics, b, i, velocity);
      dx += axisRate[0];
      dy += axisRate[1];
      dz += axisRate[2];
    }
    let sum = ax * l[c + 3] + ay * l[c + 4] + az * l[c + 5];
    let change = ax * tx + ay * ty + az * tz + dx * l[c + 3] + dy * l[c + 4] + dz * l[c + 5];
    if (hasTranslation[b] === 1) {
      const sx = columns[k + 3];
      const sy = columns[k + 4];
      const sz = columns[k + 5];
      sum += sx * l[c] + sy * l[c + 1] + sz * l[c + 2];
      change += sx * f[c] + sy * f[c + 1] + sz * f[c + 2];
      if (p >= 0) {
        change += (w[p + 1] * sz - w[p + 2] * sy) * l[c];
        change += (w[p + 2] * sx - w[p] * sz) * l[c + 1];
        change += (w[p] * sy - w[p + 1] * sx) * l[c + 2];
      }
    }
    momentum[i] = sum;
    rate[i] = change;
  }
}

/** Writes sum_j da_i/dq_j q_j' of one axis of a joint: D_ij for i <= j, D_ji + a_j x a_i for j < i. */
function writeAxisRate(dynamics: Dynamics, b: number, i: number, rates: Numbers): void {
  const { columnsV: a, axisDerivatives: d, columnStart, columnEnd } = dynamics.state;
  const q = 6 * i;
  axisRate.fill(0);
  for (let j = columnStart[b]; j < columnEnd[b]; j++) {
    const rate = rates[j];
    const k = j < i ? 9 * j + 3 * (i - j) : 9 * i + 3 * (j - i);
    for (let n = 0; n < 3; n++) axisRate[n] += d[k + n] * rate;
    if (j >= i) continue;
    const p = 6 * j;
    axisRate[0] += (a[p + 1] * a[q + 2] - a[p + 2] * a[q + 1]) * rate;
    axisRate[1] += (a[p + 2] * a[q] - a[p] * a[q + 2]) * rate;
    axisRate[2] += (a[p] * a[q + 1] - a[p + 1] * a[q]) * rate;
  }
}
