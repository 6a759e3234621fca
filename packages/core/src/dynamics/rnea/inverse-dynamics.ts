import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { moveBones } from '../kinematics/bone-motion.js';
import { gatherForces, jointAccelerations, jointRates } from '../kinematics/mimic-rates.js';
import { placeMotion } from '../kinematics/update-kinematics.js';
import { requireVector } from '../model/checks.js';
import type { Dynamics } from '../model/dynamics.js';
import { INERTIA } from '../model/inertia.js';

const rise = /* @__PURE__ */ new Float64Array(3);

/**
 * Inverse dynamics by recursive Newton-Euler (Luh, Walker, Paul 1980; Featherstone, *Rigid Body Dynamics Algorithms*, table 5.1): the joint
 * forces tau = M(q) nu' + h(q, nu) that make the figure accelerate so.
 *
 * @param pose - q, `figure.dof` numbers.
 * @param nu - Joint velocities.
 * @param accelerations - nu'.
 * @param out - tau against nu: N m at angles (about the bone's axes at a ball), N at translations.
 * @param external - Forces on bones, world axes: 6 numbers a bone, force (N) and couple about the bone's origin (N m).
 * @throws DomainError `wrong-size`, `not-finite` for what is given.
 */
export function inverseDynamics<T extends MutableNumbers = Float64Array>(
  dynamics: Dynamics,
  pose: Numbers,
  nu: Numbers,
  accelerations: Numbers,
  out: T = new Float64Array(dynamics.figure.dof) as MutableNumbers as T,
  external?: Numbers,
): T {
  requireVector(accelerations, dynamics.figure.dof, 'accelerations');
  placeMotion(dynamics, pose, nu, external);
  return writeInverseDynamics(dynamics, nu, accelerations, external, out);
}

/** Inverse dynamics at the motion last placed. */
export function writeInverseDynamics<T extends MutableNumbers>(
  dynamics: Dynamics,
  nu: Numbers,
  accelerations: Numbers,
  external: Numbers | undefined,
  out: T,
): T {
  const { armature, jointForces: rotors } = dynamics;
  // Before `out` is written, which may be `accelerations`.
  for (let i = 0; i < armature.length; i++) rotors[i] = armature[i] * accelerations[i];
  writeJointForces(dynamics, nu, accelerations, external, out);
  for (let i = 0; i < armature.length; i++) out[i] += rotors[i];
  return out;
}

/**
 * h(q, nu) = C nu + g: the joint forces that hold the figure without acceleration.
 *
 * @throws DomainError as {@link inverseDynamics}.
 */
export function biasForces<T extends MutableNumbers = Float64Array>(
  dynamics: Dynamics,
  pose: Numbers,
  nu: Numbers,
  out: T = new Float64Array(dynamics.figure.dof) as MutableNumbers as T,
  external?: Numbers,
): T {
  placeMotion(dynamics, pose, nu, external);
  return writeJointForces(dynamics, nu, undefined, external, out);
}

/** Joint forces at the pose last placed. */
export function writeJointForces<T extends MutableNumbers>(
  dynamics: Dynamics,
  nu: Numbers,
  accelerations: Numbers | undefined,
  external: Numbers | undefined,
  out: T,
): T {
  const { gravity, state } = dynamics;
  for (let k = 0; k < 3; k++) rise[k] = -gravity[k];
  moveBones(dynamics, jointRates(dynamics, nu), jointAccelerations(dynamics, nu, accelerations), rise);
  writeInertialForces(dynamics, external);
  if (!state.coupled) {
    carryForces(dynamics, out);
    return out;
  }
  carryForces(dynamics, dynamics.forces);
  gatherForces(dynamics, dynamics.forces, out);
  return out;
}

/**
 * What moves each bone: f = m v' + w' x h + w x (w x h) and n = I w' + w x I w + h x v' about its origin, h = m c, less what acts from outside.
 * I is kept in the bone's own axes.
 */
export function writeInertialForces(dynamics: Dynamics, external: Numbers | undefined): void {
  const { inertias, moments, force, couple, state } = dynamics;
  const { angularVelocity: w, angularAcceleration: wd, acceleration: vd } = dynamics;
  const { worldFromBone: m } = state;
  const count = dynamics.figure.parents.length;
  for (let b = 0; b < count; b++) {
    const o = 3 * b;
    const i = INERTIA * b;
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
    const hx = moments[o];
    const hy = moments[o + 1];
    const hz = moments[o + 2];
    const cx = wy * hz - wz * hy;
    const cy = wz * hx - wx * hz;
    const cz = wx * hy - wy * hx;
    force[o] = mass * lx + ay * hz - az * hy + wy * cz - wz * cy;
    force[o + 1] = mass * ly + az * hx - ax * hz + wz * cx - wx * cz;
    force[o + 2] = mass * lz + ax * hy - ay * hx + wx * cy - wy * cx;
    // In bone axes: I w' + w x I w.
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

/** From the tips to the root: what each joint must give, and what it hands on to the parent. */
function carryForces(dynamics: Dynamics, out: MutableNumbers): void {
  const { figure, state, offsets, force, couple } = dynamics;
  const { parents } = figure;
  const { worldFromBone: m, columnsNu: columns, columnStart, columnEnd, bodyTurn, slides } = state;
  for (let b = parents.length - 1; b >= 0; b--) {
    const o = 3 * b;
    const fx = force[o];
    const fy = force[o + 1];
    const fz = force[o + 2];
    const nx = couple[o];
    const ny = couple[o + 1];
    const nz = couple[o + 2];
    const first = columnStart[b];
    if (bodyTurn[b] === 1) {
      const e = 12 * b;
      out[first] = m[e] * nx + m[e + 3] * ny + m[e + 6] * nz;
      out[first + 1] = m[e + 1] * nx + m[e + 4] * ny + m[e + 7] * nz;
      out[first + 2] = m[e + 2] * nx + m[e + 5] * ny + m[e + 8] * nz;
    } else {
      for (let i = first; i < columnEnd[b]; i++) {
        const c = 6 * i;
        let sum = columns[c] * nx + columns[c + 1] * ny + columns[c + 2] * nz;
        if (slides[b] === 1) sum += columns[c + 3] * fx + columns[c + 4] * fy + columns[c + 5] * fz;
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
