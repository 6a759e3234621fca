import type { Numbers } from '../../math/linear/types.js';
import { moveBones } from '../kinematics/bone-motion.js';
import { jointRates } from '../kinematics/mimic-rates.js';
import type { Dynamics } from '../model/dynamics.js';
import { INERTIA } from '../model/inertia.js';

const STILL = /* @__PURE__ */ new Float64Array(3);

/**
 * Generalized momentum and what changes it, without accelerations. With H the angular momentum about a bone's origin and l the linear
 * momentum of the bone and all that it carries, f and T the force and couple on them, (a, s) the column of a coordinate and v the velocity of
 * the origin,
 *
 *   p = a . H + s . l
 *   p' = a . (T - v x l) + s . f + a' . H + s' . l + tau
 */
export interface MomentumFlow {
  /** p of each coordinate, rotors (`armature`) left out. */
  readonly momentum: Float64Array;
  /** p' less tau. */
  readonly flow: Float64Array;
  /** l, H, 6 numbers a bone. */
  readonly carried: Float64Array;
  /** f, T, 6 numbers a bone. */
  readonly acting: Float64Array;
}

export function createMomentumFlow({ figure }: Dynamics): MomentumFlow {
  const size = figure.dof + figure.mimicJoints.length;
  return {
    momentum: new Float64Array(size),
    flow: new Float64Array(size),
    carried: new Float64Array(6 * figure.bones.length),
    acting: new Float64Array(6 * figure.bones.length),
  };
}

/** At the pose last placed, axes too (`placeBones`, `placeAxes`). */
export function writeMomentumFlow(
  dynamics: Dynamics,
  nu: Numbers,
  external: Numbers | undefined,
  out: MomentumFlow,
): void {
  moveBones(dynamics, jointRates(dynamics, nu), undefined, STILL);
  writeBodies(dynamics, external, out);
  gatherBodies(dynamics, nu, out);
  const { figure, state } = dynamics;
  const { mimicJoints, dof } = figure;
  // A follower's momentum counts at its leader by phi'; as phi' changes, p' has phi'' y' p more.
  for (let k = 0; k < mimicJoints.length; k++) {
    const i = mimicJoints[k].coordinate;
    const slope = state.slopes[k];
    out.momentum[i] += slope * out.momentum[dof + k];
    out.flow[i] += slope * out.flow[dof + k] + state.curvatures[k] * nu[i] * out.momentum[dof + k];
  }
}

/** Each bone by itself: l = m v + w x h, H = I w + h x v about its origin, f = m g, T = h x g, with what acts from outside. */
function writeBodies(dynamics: Dynamics, external: Numbers | undefined, out: MomentumFlow): void {
  const { figure, state, gravity, inertias, moments, angularVelocity: w, velocity: v } = dynamics;
  const { worldFromBone: m } = state;
  const { carried, acting } = out;
  for (let b = 0; b < figure.parents.length; b++) {
    const o = 3 * b;
    const e = 12 * b;
    const i = INERTIA * b;
    const c = 6 * b;
    const mass = inertias[i];
    const wx = w[o];
    const wy = w[o + 1];
    const wz = w[o + 2];
    const vx = v[o];
    const vy = v[o + 1];
    const vz = v[o + 2];
    const hx = moments[o];
    const hy = moments[o + 1];
    const hz = moments[o + 2];
    carried[c] = mass * vx + wy * hz - wz * hy;
    carried[c + 1] = mass * vy + wz * hx - wx * hz;
    carried[c + 2] = mass * vz + wx * hy - wy * hx;
    // I is kept in the bone's own axes.
    const ux = m[e] * wx + m[e + 3] * wy + m[e + 6] * wz;
    const uy = m[e + 1] * wx + m[e + 4] * wy + m[e + 7] * wz;
    const uz = m[e + 2] * wx + m[e + 5] * wy + m[e + 8] * wz;
    const px = inertias[i + 4] * ux + inertias[i + 7] * uy + inertias[i + 8] * uz;
    const py = inertias[i + 7] * ux + inertias[i + 5] * uy + inertias[i + 9] * uz;
    const pz = inertias[i + 8] * ux + inertias[i + 9] * uy + inertias[i + 6] * uz;
    carried[c + 3] = m[e] * px + m[e + 1] * py + m[e + 2] * pz + hy * vz - hz * vy;
    carried[c + 4] = m[e + 3] * px + m[e + 4] * py + m[e + 5] * pz + hz * vx - hx * vz;
    carried[c + 5] = m[e + 6] * px + m[e + 7] * py + m[e + 8] * pz + hx * vy - hy * vx;
    const gx = gravity[0];
    const gy = gravity[1];
    const gz = gravity[2];
    acting[c] = mass * gx;
    acting[c + 1] = mass * gy;
    acting[c + 2] = mass * gz;
    acting[c + 3] = hy * gz - hz * gy;
    acting[c + 4] = hz * gx - hx * gz;
    acting[c + 5] = hx * gy - hy * gx;
    if (external !== undefined) for (let k = 0; k < 6; k++) acting[c + k] += external[c + k];
  }
}

/** From the tips to the root. */
function gatherBodies(dynamics: Dynamics, nu: Numbers, out: MomentumFlow): void {
  const { figure, state, offsets } = dynamics;
  const { parents } = figure;
  const { carried, acting } = out;
  for (let b = parents.length - 1; b >= 0; b--) {
    if (state.bodyTurn[b] === 1) writeBallFlow(dynamics, b, out);
    else writeJointFlow(dynamics, b, nu, out);
    if (parents[b] < 0) continue;
    const c = 6 * b;
    const p = 6 * parents[b];
    const x = offsets[3 * b];
    const y = offsets[3 * b + 1];
    const z = offsets[3 * b + 2];
    addShiftedTo(carried, c, x, y, z, p);
    addShiftedTo(acting, c, x, y, z, p);
  }
}

/** Adds (vector, couple) about a point at r to that about the parent's origin. */
function addShiftedTo(a: Float64Array, c: number, x: number, y: number, z: number, p: number): void {
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

/** A ball's axes are those of the bone: a' = w x a, so p' = R^T (T - v x l + H x w). */
function writeBallFlow(dynamics: Dynamics, b: number, out: MomentumFlow): void {
  const { state, angularVelocity: w, velocity: v } = dynamics;
  const { worldFromBone: m, columnStart } = state;
  const { carried: l, acting: f, momentum, flow } = out;
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
    flow[i + k] = m[e + k] * tx + m[e + 3 + k] * ty + m[e + 6 + k] * tz;
  }
}

const own = /* @__PURE__ */ new Float64Array(3);

/** Any joint: sliding axes turn with the parent, turning ones with the bone, those of `turnsItself` as their own rates turn them. */
function writeJointFlow(dynamics: Dynamics, b: number, nu: Numbers, out: MomentumFlow): void {
  const { figure, state, angularVelocity: w, velocity: v, turnsItself } = dynamics;
  const { columnsNu: columns, columnStart, columnEnd, slides } = state;
  const { carried: l, acting: f, momentum, flow } = out;
  const c = 6 * b;
  const o = 3 * b;
  const p = 3 * figure.parents[b];
  const alone = turnsItself[b] === 1;
  const tx = f[c + 3] - v[o + 1] * l[c + 2] + v[o + 2] * l[c + 1];
  const ty = f[c + 4] - v[o + 2] * l[c] + v[o] * l[c + 2];
  const tz = f[c + 5] - v[o] * l[c + 1] + v[o + 1] * l[c];
  for (let i = columnStart[b]; i < columnEnd[b]; i++) {
    const k = 6 * i;
    const ax = columns[k];
    const ay = columns[k + 1];
    const az = columns[k + 2];
    // The angular velocity that carries the axis along.
    const turner = alone ? p : o;
    const wx = turner < 0 ? 0 : w[turner];
    const wy = turner < 0 ? 0 : w[turner + 1];
    const wz = turner < 0 ? 0 : w[turner + 2];
    let dx = wy * az - wz * ay;
    let dy = wz * ax - wx * az;
    let dz = wx * ay - wy * ax;
    if (alone) {
      writeOwnTurning(dynamics, b, i, nu);
      dx += own[0];
      dy += own[1];
      dz += own[2];
    }
    let sum = ax * l[c + 3] + ay * l[c + 4] + az * l[c + 5];
    let change = ax * tx + ay * ty + az * tz + dx * l[c + 3] + dy * l[c + 4] + dz * l[c + 5];
    if (slides[b] === 1) {
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
    flow[i] = change;
  }
}

/** sum_j da_i/dq_j q_j' of one axis of a joint: D_ij for i <= j, D_ji + a_j x a_i for j < i. */
function writeOwnTurning(dynamics: Dynamics, b: number, i: number, rates: Numbers): void {
  const { columnsNu: a, axisDerivatives: d, columnStart, columnEnd } = dynamics.state;
  const q = 6 * i;
  own.fill(0);
  for (let j = columnStart[b]; j < columnEnd[b]; j++) {
    const rate = rates[j];
    const k = j < i ? 9 * j + 3 * (i - j) : 9 * i + 3 * (j - i);
    for (let n = 0; n < 3; n++) own[n] += d[k + n] * rate;
    if (j >= i) continue;
    const p = 6 * j;
    own[0] += (a[p + 1] * a[q + 2] - a[p + 2] * a[q + 1]) * rate;
    own[1] += (a[p + 2] * a[q] - a[p] * a[q + 2]) * rate;
    own[2] += (a[p] * a[q + 1] - a[p + 1] * a[q]) * rate;
  }
}
