import { requireNumbers, requireRoom } from '../../checks.js';
import { DomainError } from '../../errors.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { updateBoneMotion } from '../kinematics/bone-motion.js';
import { expandAcceleration, expandVelocity, reduceForces } from '../kinematics/mimic-joints.js';
import { checkAndUpdateKinematics } from '../kinematics/update-kinematics.js';
import type { Dynamics } from '../model/dynamics.js';
import { INERTIA_SIZE } from '../model/inertia.js';

const baseAcceleration = /* @__PURE__ */ new Float64Array(3);

/**
 * Inverse dynamics by the recursive Newton-Euler algorithm, RNEA (Luh, Walker and Paul 1980; Featherstone, *Rigid Body Dynamics Algorithms*,
 * table 5.1): the joint forces of a motion,
 *
 *   tau = M(q) v' + h(q, v)
 *
 * @param pose - q, `figure.dof` numbers.
 * @param velocity - v, joint velocities.
 * @param acceleration - v', joint accelerations.
 * @param out - tau: N m at angles (about the bone's axes at a ball), N at translations.
 * @param external - Forces on bones, world axes: 6 numbers a bone, force (N) and couple about the bone's origin (N m).
 * @throws DomainError `wrong-size`, `not-finite` for an argument, `wrong-size` for an `out` without room.
 */
export function inverseDynamics<T extends MutableNumbers = Float64Array>(
  dynamics: Dynamics,
  pose: Numbers,
  velocity: Numbers,
  acceleration: Numbers,
  out: T = new Float64Array(dynamics.figure.dof) as MutableNumbers as T,
  external?: Numbers,
): T {
  requireNumbers(acceleration, dynamics.figure.dof, 'acceleration', DomainError);
  requireRoom(out, dynamics.figure.dof, 'out', DomainError);
  checkAndUpdateKinematics(dynamics, pose, velocity, external);
  return writeInverseDynamics(dynamics, velocity, acceleration, external, out);
}

/** {@link inverseDynamics} at the pose of the last kinematics update, unchecked. */
export function writeInverseDynamics<T extends MutableNumbers>(
  dynamics: Dynamics,
  velocity: Numbers,
  acceleration: Numbers,
  external: Numbers | undefined,
  out: T,
): T {
  const { armature, jointForces: rotors } = dynamics;
  // Before `out` is written: it may be `acceleration`.
  for (let i = 0; i < armature.length; i++) rotors[i] = armature[i] * acceleration[i];
  writeJointForces(dynamics, velocity, acceleration, external, out);
  for (let i = 0; i < armature.length; i++) out[i] += rotors[i];
  return out;
}

/**
 * Bias forces h(q, v) = C(q, v) v + g(q), Coriolis, centrifugal, gyroscopic and gravity: the joint forces at zero joint acceleration.
 *
 * @throws DomainError as {@link inverseDynamics}.
 */
export function biasForces<T extends MutableNumbers = Float64Array>(
  dynamics: Dynamics,
  pose: Numbers,
  velocity: Numbers,
  out: T = new Float64Array(dynamics.figure.dof) as MutableNumbers as T,
  external?: Numbers,
): T {
  requireRoom(out, dynamics.figure.dof, 'out', DomainError);
  checkAndUpdateKinematics(dynamics, pose, velocity, external);
  return writeJointForces(dynamics, velocity, undefined, external, out);
}

/** RNEA at the pose of the last kinematics update, without rotors: forward pass, body forces, backward pass. */
export function writeJointForces<T extends MutableNumbers>(
  dynamics: Dynamics,
  velocity: Numbers,
  acceleration: Numbers | undefined,
  external: Numbers | undefined,
  out: T,
): T {
  const { gravity, state } = dynamics;
  for (let k = 0; k < 3; k++) baseAcceleration[k] = -gravity[k];
  updateBoneMotion(
    dynamics,
    expandVelocity(dynamics, velocity),
    expandAcceleration(dynamics, velocity, acceleration),
    baseAcceleration,
  );
  writeBodyForces(dynamics, external);
  if (!state.hasMimicJoints) {
    backwardPass(dynamics, out);
    return out;
  }
  backwardPass(dynamics, dynamics.expandedForces);
  reduceForces(dynamics, dynamics.expandedForces, out);
  return out;
}

/**
 * Net force on each bone, less external forces: f = m v' + w' x h + w x (w x h) and n = I w' + w x I w + h x v' about its origin. Here h = m c
 * is the first moment of mass, not the bias force. I is constant in the bone's own axes.
 */
export function writeBodyForces(dynamics: Dynamics, external: Numbers | undefined): void {
  const { inertias, firstMoments, force, couple, state } = dynamics;
  const { angularVelocity: w, angularAcceleration: wd, acceleration: vd } = dynamics;
  const { worldFromBone: m } = state;
  const count = dynamics.figure.parents.length;
  for (let b = 0; b < count; b++) {
    const o = 3 * b;
    const i = INERTIA_SIZE * b;
    const mass = inertias[i];
    if (mass === 0) {
      for (let k = 0; k < 3; k++) {
        force[o + k] = 0;
        couple[o + k] = 0;
      }
      if (external !== undefined) subtractExternal(force, couple, external, b);
      continue;
    }
    const wx = w[o];
    const wy = w[o + 1];
    const wz = w[o + 2];
    const ax = wd[o];
    const ay = wd[o + 1];
    const az = wd[o + 2];
    const lx = vd[o];
    const ly = vd[o + 1];
    const lz = vd[o + 2];
    const hx = firstMoments[o];
    const hy = firstMoments[o + 1];
    const hz = firstMoments[o + 2];
    const cx = wy * hz - wz * hy;
    const cy = wz * hx - wx * hz;
    const cz = wx * hy - wy * hx;
    force[o] = mass * lx + ay * hz - az * hy + wy * cz - wz * cy;
    force[o + 1] = mass * ly + az * hx - ax * hz + wz * cx - wx * cz;
    force[o + 2] = mass * lz + ax * hy - ay * hx + wx * cy - wy * cx;
    // I w' + w x I w, in bone axes.
    const e = 12 * b;
    const r0 = m[e];
    const r1 = m[e + 1];
    const r2 = m[e + 2];
    const r3 = m[e + 3];
    const r4 = m[e + 4];
    const r5 = m[e + 5];
    const r6 = m[e + 6];
    const r7 = m[e + 7];
    const r8 = m[e + 8];
    const ux = r0 * wx + r3 * wy + r6 * wz;
    const uy = r1 * wx + r4 * wy + r7 * wz;
    const uz = r2 * wx + r5 * wy + r8 * wz;
    const bx = r0 * ax + r3 * ay + r6 * az;
    const by = r1 * ax + r4 * ay + r7 * az;
    const bz = r2 * ax + r5 * ay + r8 * az;
    const xx = inertias[i + 4];
    const yy = inertias[i + 5];
    const zz = inertias[i + 6];
    const xy = inertias[i + 7];
    const xz = inertias[i + 8];
    const yz = inertias[i + 9];
    const px = xx * ux + xy * uy + xz * uz;
    const py = xy * ux + yy * uy + yz * uz;
    const pz = xz * ux + yz * uy + zz * uz;
    const nx = xx * bx + xy * by + xz * bz + uy * pz - uz * py;
    const ny = xy * bx + yy * by + yz * bz + uz * px - ux * pz;
    const nz = xz * bx + yz * by + zz * bz + ux * py - uy * px;
    couple[o] = r0 * nx + r1 * ny + r2 * nz + hy * lz - hz * ly;
    couple[o + 1] = r3 * nx + r4 * ny + r5 * nz + hz * lx - hx * lz;
    couple[o + 2] = r6 * nx + r7 * ny + r8 * nz + hx * ly - hy * lx;
    if (external !== undefined) subtractExternal(force, couple, external, b);
  }
}

function subtractExternal(force: Float64Array, couple: Float64Array, external: Numbers, b: number): void {
  for (let k = 0; k < 3; k++) {
    force[3 * b + k] -= external[6 * b + k];
    couple[3 * b + k] -= external[6 * b + 3 + k];
  }
}

/** Backward pass of RNEA, leaves to root: tau_i = S_i^T f_i, and f_i adds to the parent's force. */
function backwardPass(dynamics: Dynamics, out: MutableNumbers): void {
  const { figure, state, offsets, force, couple } = dynamics;
  const { parents } = figure;
  const {
    worldFromBone: m,
    columnsV: columns,
    columnStart,
    columnEnd,
    bodyAngularVelocity,
    hasTranslation,
  } = state;
  for (let b = parents.length - 1; b >= 0; b--) {
    const o = 3 * b;
    const fx = force[o];
    const fy = force[o + 1];
    const fz = force[o + 2];
    const nx = couple[o];
    const ny = couple[o + 1];
    const nz = couple[o + 2];
    const first = columnStart[b];
    if (bodyAngularVelocity[b] === 1) {
      const e = 12 * b;
      out[first] = m[e] * nx + m[e + 3] * ny + m[e + 6] * nz;
      out[first + 1] = m[e + 1] * nx + m[e + 4] * ny + m[e + 7] * nz;
      out[first + 2] = m[e + 2] * nx + m[e + 5] * ny + m[e + 8] * nz;
    } else {
      for (let i = first; i < columnEnd[b]; i++) {
        const c = 6 * i;
        let sum = columns[c] * nx + columns[c + 1] * ny + columns[c + 2] * nz;
        if (hasTranslation[b] === 1) sum += columns[c + 3] * fx + columns[c + 4] * fy + columns[c + 5] * fz;
        out[i] = sum;
      }
    }
    const p = 3 * parents[b];
    if (p < 0) continue;
    const x = offsets[o];
    const y = offsets[o + 1];
    const z = offsets[o + 2];
    force[p] += fx;
    force[p + 1] += fy;
    force[p + 2] += fz;
    couple[p] += nx + y * fz - z * fy;
    couple[p + 1] += ny + z * fx - x * fz;
    couple[p + 2] += nz + x * fy - y * fx;
  }
}
