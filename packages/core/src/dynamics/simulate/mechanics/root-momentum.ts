/** Momentum of figures with a floating base: predicted, and restored after the first-order step. */
import { writeQuaternion } from '../../../rotation/rotation-vector/kernels.js';
import { composeRotation } from '../../integrate/rotate-pose.js';
import { ARTICULATED_SIZE, BLOCK_C } from '../../model/articulated-inertia.js';
import type { Actor } from '../state/actor.js';
import type { ActorWork } from '../state/actor-work.js';

/** Centre of mass, momentum, and angular momentum about the centre of mass: world axes, 3 numbers each. */
const total = /* @__PURE__ */ new Float64Array(9);
const root = /* @__PURE__ */ new Float64Array(6);
const force = /* @__PURE__ */ new Float64Array(3);
const shift = /* @__PURE__ */ new Float64Array(3);
const angularVelocity = /* @__PURE__ */ new Float64Array(3);
const inertia = /* @__PURE__ */ new Float64Array(6);

/** Adds `scale` times a change of the root's linear velocity, world axes, to joint velocities: to their first three, in rest axes. */
export function addRootVelocity(
  { dynamics }: ActorWork,
  velocity: Float64Array,
  change: Float64Array,
  scale: number,
): void {
  const { columnsV } = dynamics.state;
  for (let i = 0; i < 3; i++) {
    const c = 6 * i + 3;
    velocity[i] +=
      scale * (columnsV[c] * change[0] + columnsV[c + 1] * change[1] + columnsV[c + 2] * change[2]);
  }
}

/** Writes centre of mass and momenta at the current kinematics and bone velocities to `total`. */
function sumMomentum(work: ActorWork): void {
  total.fill(0);
  addCenter(work, work.mass);
  addMomentum(work);
}

/** Adds a figure's part of the centre of mass. @param mass - Of all, kg. */
function addCenter({ dynamics, tree }: ActorWork, mass: number): void {
  const { firstMoments, state } = dynamics;
  const { worldFromBone } = state;
  const { rigidInertia } = tree;
  for (let b = 0; 3 * b < firstMoments.length; b++) {
    const m = rigidInertia[ARTICULATED_SIZE * b + BLOCK_C];
    for (let k = 0; k < 3; k++)
      total[k] += (m * worldFromBone[12 * b + 9 + k] + firstMoments[3 * b + k]) / mass;
  }
}

/** Adds a figure's momentum, and angular momentum about the centre of mass in `total`. */
function addMomentum({ dynamics, tree, boneVelocity: motion }: ActorWork): void {
  const { firstMoments, state } = dynamics;
  const { worldFromBone } = state;
  const { rigidInertia } = tree;
  for (let b = 0; 6 * b < motion.length; b++) {
    const i = ARTICULATED_SIZE * b;
    const o = 6 * b;
    const h = 3 * b;
    const e = 12 * b + 9;
    const m = rigidInertia[i + BLOCK_C];
    const wx = motion[o];
    const wy = motion[o + 1];
    const wz = motion[o + 2];
    const vx = motion[o + 3];
    const vy = motion[o + 4];
    const vz = motion[o + 5];
    const px = m * vx + wy * firstMoments[h + 2] - wz * firstMoments[h + 1];
    const py = m * vy + wz * firstMoments[h] - wx * firstMoments[h + 2];
    const pz = m * vz + wx * firstMoments[h + 1] - wy * firstMoments[h];
    const x = worldFromBone[e] - total[0];
    const y = worldFromBone[e + 1] - total[1];
    const z = worldFromBone[e + 2] - total[2];
    total[3] += px;
    total[4] += py;
    total[5] += pz;
    // A w + h x v about the bone's origin, shifted to the centre of mass
    total[6] += rigidInertia[i] * wx + rigidInertia[i + 3] * wy + rigidInertia[i + 4] * wz + y * pz - z * py;
    total[7] +=
      rigidInertia[i + 3] * wx + rigidInertia[i + 1] * wy + rigidInertia[i + 5] * wz + z * px - x * pz;
    total[8] +=
      rigidInertia[i + 4] * wx + rigidInertia[i + 5] * wy + rigidInertia[i + 2] * wz + x * py - y * px;
    total[6] += firstMoments[h + 1] * vz - firstMoments[h + 2] * vy;
    total[7] += firstMoments[h + 2] * vx - firstMoments[h] * vz;
    total[8] += firstMoments[h] * vy - firstMoments[h + 1] * vx;
  }
}

/**
 * Writes the momentum of a floating figure after the step to `nextMomentum`: that before it plus the external impulses, which are the generalized impulses of
 * its root joint. Reads the bone velocities before the step and the impulses found.
 */
export function predictMomentum({ velocity, work }: Actor, h: number, gravity: Float64Array): void {
  const { dynamics, mass } = work;
  const { nextMomentum } = work.prediction;
  const { rootBias, freeImpulse, implicitDiagonal } = work.system;
  const { constraintImpulse, nextVelocity } = work.solver;
  const { columnsV, worldFromBone: m } = dynamics.state;
  const e = 12 * work.root;
  sumMomentum(work);
  for (let i = 0; i < 6; i++) {
    const damped = (implicitDiagonal[i] - dynamics.armature[i]) * (nextVelocity[i] - velocity[i]);
    root[i] = freeImpulse[i] + h * rootBias[i] + constraintImpulse[i] - damped;
  }
  for (let k = 0; k < 3; k++) {
    force[k] = root[0] * columnsV[3 + k] + root[1] * columnsV[9 + k] + root[2] * columnsV[15 + k];
    nextMomentum[k] = total[3 + k] + force[k] + h * mass * gravity[k];
  }
  // Torque about the root's origin, from its axes.
  const [x, y, z] = [m[e + 9] - total[0], m[e + 10] - total[1], m[e + 11] - total[2]];
  const couple = (k: number): number => m[e + k] * root[3] + m[e + k + 1] * root[4] + m[e + k + 2] * root[5];
  nextMomentum[3] = total[6] + couple(0) + y * force[2] - z * force[1];
  nextMomentum[4] = total[7] + couple(3) + z * force[0] - x * force[2];
  nextMomentum[5] = total[8] + couple(6) + x * force[1] - y * force[0];
  if (work.system.hasGeometricStiffness) addGeometricCouples(work);
}

/** Adds the couples of geometric stiffness, from the bone velocities before the step and at its solution (`boneDirection`). */
function addGeometricCouples({ boneVelocity, boneDirection, system, prediction }: ActorWork): void {
  const { geometricStiffness: k } = system;
  const { nextMomentum } = prediction;
  for (let o = 0; o < k.length; o += 6) {
    const x = boneDirection[o] - boneVelocity[o];
    const y = boneDirection[o + 1] - boneVelocity[o + 1];
    const z = boneDirection[o + 2] - boneVelocity[o + 2];
    nextMomentum[3] -= k[o] * x + k[o + 3] * y + k[o + 4] * z;
    nextMomentum[4] -= k[o + 3] * x + k[o + 1] * y + k[o + 5] * z;
    nextMomentum[5] -= k[o + 4] * x + k[o + 5] * y + k[o + 2] * z;
  }
}

/** Adds a rigid motion of a floating figure at its new pose, so that it has the predicted momentum. */
export function restoreMomentum({ velocity, work }: Actor): void {
  const { dynamics, mass } = work;
  const { nextMomentum } = work.prediction;
  const { worldFromBone: m } = dynamics.state;
  const e = 12 * work.root;
  sumMomentum(work);
  inertia.fill(0);
  addLockedInertia(work);
  angularVelocityFor(nextMomentum[3] - total[6], nextMomentum[4] - total[7], nextMomentum[5] - total[8]);
  const [wx, wy, wz] = angularVelocity;
  const [x, y, z] = [m[e + 9] - total[0], m[e + 10] - total[1], m[e + 11] - total[2]];
  shift[0] = (nextMomentum[0] - total[3]) / mass + wy * z - wz * y;
  shift[1] = (nextMomentum[1] - total[4]) / mass + wz * x - wx * z;
  shift[2] = (nextMomentum[2] - total[5]) / mass + wx * y - wy * x;
  addRootVelocity(work, velocity, shift, 1);
  for (let k = 0; k < 3; k++) velocity[3 + k] += m[e + k] * wx + m[e + 3 + k] * wy + m[e + 6 + k] * wz;
}

/** Kinetic energy of floating figures that move as one rigid body, J: the least for their momentum. */
export function lockedEnergyOfAll(actors: readonly Actor[]): number {
  let mass = 0;
  for (const { work } of actors) mass += work.mass;
  total.fill(0);
  inertia.fill(0);
  for (const { work } of actors) addCenter(work, mass);
  for (const { work } of actors) addMomentum(work);
  for (const { work } of actors) addLockedInertia(work);
  return energyOfMomentum(mass);
}

/** Least kinetic energy for the momentum in `total`; writes its angular velocity to `angularVelocity` and the centre's velocity to `shift`. */
function energyOfMomentum(mass: number): number {
  angularVelocityFor(total[6], total[7], total[8]);
  let twice = 0;
  for (let k = 0; k < 3; k++) {
    shift[k] = total[3 + k] / mass;
    twice += total[3 + k] * shift[k] + total[6 + k] * angularVelocity[k];
  }
  return 0.5 * twice;
}

const originVelocity = /* @__PURE__ */ new Float64Array(3);

/**
 * Adds a share of the rigid motion that {@link lockedEnergyOfAll} found to a floating figure.
 *
 * @param rotates - Whether its rotation counts; else only the velocity of the centre of mass.
 */
export function addLockedMotion({ velocity, work }: Actor, share: number, rotates: boolean): void {
  const { worldFromBone: m } = work.dynamics.state;
  const e = 12 * work.root;
  const [wx, wy, wz] = rotates ? angularVelocity : ZERO;
  const [x, y, z] = [m[e + 9] - total[0], m[e + 10] - total[1], m[e + 11] - total[2]];
  originVelocity[0] = shift[0] + wy * z - wz * y;
  originVelocity[1] = shift[1] + wz * x - wx * z;
  originVelocity[2] = shift[2] + wx * y - wy * x;
  addRootVelocity(work, velocity, originVelocity, share);
  for (let k = 0; k < 3; k++)
    velocity[3 + k] += share * (m[e + k] * wx + m[e + 3 + k] * wy + m[e + 6 + k] * wz);
}

/** Kinetic energy of the locked rotation that {@link lockedEnergyOfAll} found. */
export function lockedRotationEnergy(): number {
  return (
    0.5 * (total[6] * angularVelocity[0] + total[7] * angularVelocity[1] + total[8] * angularVelocity[2])
  );
}

/**
 * Rotates a floating figure about its centre of mass so that it has more kinetic energy by `gain` J at the same angular momentum L: with w the locked
 * angular velocity a rotation by d changes the energy by d . (w x L). Call {@link lockedEnergyOfAll} before; kinematics and velocities are out of date then.
 *
 * @param time - Longest time, s, in which w may turn it as far: nothing is done where more is required.
 * @returns whether it was rotated.
 */
export function rotateToEnergy({ pose, work }: Actor, gain: number, time: number): boolean {
  const [lx, ly, lz] = [total[6], total[7], total[8]];
  const [wx, wy, wz] = angularVelocity;
  const [cx, cy, cz] = [wy * lz - wz * ly, wz * lx - wx * lz, wx * ly - wy * lx];
  const square = cx * cx + cy * cy + cz * cz;
  if (!(gain * gain < time * time * (wx * wx + wy * wy + wz * wz) * square)) return false;
  const scale = gain / square;
  const [dx, dy, dz] = [scale * cx, scale * cy, scale * cz];
  const { dynamics, root: rootBone } = work;
  const { worldFromBone: m, columnsV } = dynamics.state;
  const e = 12 * rootBone;
  const [x, y, z] = [m[e + 9] - total[0], m[e + 10] - total[1], m[e + 11] - total[2]];
  // d x r + d x (d x r) / 2
  const [ax, ay, az] = [dy * z - dz * y, dz * x - dx * z, dx * y - dy * x];
  const change = originVelocity;
  change[0] = ax + 0.5 * (dy * az - dz * ay);
  change[1] = ay + 0.5 * (dz * ax - dx * az);
  change[2] = az + 0.5 * (dx * ay - dy * ax);
  for (let i = 0; i < 3; i++) {
    const c = 6 * i + 3;
    pose[i] += columnsV[c] * change[0] + columnsV[c + 1] * change[1] + columnsV[c + 2] * change[2];
  }
  writeQuaternion(
    m[e] * dx + m[e + 3] * dy + m[e + 6] * dz,
    m[e + 1] * dx + m[e + 4] * dy + m[e + 7] * dz,
    m[e + 2] * dx + m[e + 5] * dy + m[e + 8] * dz,
    increment,
    0,
  );
  composeRotation(pose, 3, increment[0], increment[1], increment[2], increment[3], pose);
  return true;
}

const increment = /* @__PURE__ */ new Float64Array(4);
const ZERO = /* @__PURE__ */ new Float64Array(3);

/** Writes the angular velocity of the locked figure for an angular momentum to `angularVelocity`; zero for a singular inertia. */
function angularVelocityFor(x: number, y: number, z: number): void {
  const [xx, yy, zz, xy, xz, yz] = inertia;
  const [cxx, cyy, czz] = [yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy];
  const [cxy, cxz, cyz] = [xz * yz - xy * zz, xy * yz - xz * yy, xy * xz - xx * yz];
  const determinant = xx * cxx + xy * cxy + xz * cxz;
  const scale = determinant > 1e-12 * (xx + yy + zz) ** 3 ? 1 / determinant : 0;
  angularVelocity[0] = scale * (cxx * x + cxy * y + cxz * z);
  angularVelocity[1] = scale * (cxy * x + cyy * y + cyz * z);
  angularVelocity[2] = scale * (cxz * x + cyz * y + czz * z);
}

/** Adds the locked inertia: of the whole figure about the centre of mass in `total`. */
function addLockedInertia({ dynamics, tree }: ActorWork): void {
  const { firstMoments, state } = dynamics;
  const { rigidInertia } = tree;
  for (let b = 0; 3 * b < firstMoments.length; b++) {
    const i = ARTICULATED_SIZE * b;
    const e = 12 * b + 9;
    const m = rigidInertia[i + BLOCK_C];
    const x = state.worldFromBone[e] - total[0];
    const y = state.worldFromBone[e + 1] - total[1];
    const z = state.worldFromBone[e + 2] - total[2];
    const hx = firstMoments[3 * b];
    const hy = firstMoments[3 * b + 1];
    const hz = firstMoments[3 * b + 2];
    // A + (2 h . d + m d . d) 1 - h d^T - d h^T - m d d^T
    inertia[0] += rigidInertia[i] + 2 * (hy * y + hz * z) + m * (y * y + z * z);
    inertia[1] += rigidInertia[i + 1] + 2 * (hx * x + hz * z) + m * (x * x + z * z);
    inertia[2] += rigidInertia[i + 2] + 2 * (hx * x + hy * y) + m * (x * x + y * y);
    inertia[3] += rigidInertia[i + 3] - hx * y - hy * x - m * x * y;
    inertia[4] += rigidInertia[i + 4] - hx * z - hz * x - m * x * z;
    inertia[5] += rigidInertia[i + 5] - hy * z - hz * y - m * y * z;
  }
}
