/** What a step of first order leaves out of the momentum of a figure whose root is free, and gives back to it. */
import { ARTICULATED, C } from '../../model/articulated-inertia.js';
import type { Actor } from './actor.js';

/** Centre of mass, momentum, and angular momentum about the centre: world axes, 3 numbers each. */
const whole = /* @__PURE__ */ new Float64Array(9);
const root = /* @__PURE__ */ new Float64Array(6);
const force = /* @__PURE__ */ new Float64Array(3);
const shift = /* @__PURE__ */ new Float64Array(3);
const turn = /* @__PURE__ */ new Float64Array(3);
const inertia = /* @__PURE__ */ new Float64Array(6);

/** Adds scale times a velocity (world axes) to that of the root: its first coordinates, in its rest axes. */
export function shiftRoot(
  { dynamics }: Actor['work'],
  nu: Float64Array,
  velocity: Float64Array,
  scale: number,
): void {
  const { columnsNu } = dynamics.state;
  for (let i = 0; i < 3; i++) {
    const c = 6 * i + 3;
    nu[i] +=
      scale * (columnsNu[c] * velocity[0] + columnsNu[c + 1] * velocity[1] + columnsNu[c + 2] * velocity[2]);
  }
}

/** What bones that move so amount to at the pose last placed, to `whole`. @param motion - Angular velocity and velocity of the origin, 6 numbers a bone. */
function sumUp({ dynamics, tree, mass }: Actor['work'], motion: Float64Array): void {
  const { moments, state } = dynamics;
  const { worldFromBone } = state;
  const { rigid } = tree;
  whole.fill(0);
  for (let b = 0; 6 * b < motion.length; b++) {
    const m = rigid[ARTICULATED * b + C];
    for (let k = 0; k < 3; k++) whole[k] += (m * worldFromBone[12 * b + 9 + k] + moments[3 * b + k]) / mass;
  }
  for (let b = 0; 6 * b < motion.length; b++) {
    const i = ARTICULATED * b;
    const o = 6 * b;
    const h = 3 * b;
    const e = 12 * b + 9;
    const m = rigid[i + C];
    const wx = motion[o];
    const wy = motion[o + 1];
    const wz = motion[o + 2];
    const vx = motion[o + 3];
    const vy = motion[o + 4];
    const vz = motion[o + 5];
    const px = m * vx + wy * moments[h + 2] - wz * moments[h + 1];
    const py = m * vy + wz * moments[h] - wx * moments[h + 2];
    const pz = m * vz + wx * moments[h + 1] - wy * moments[h];
    const x = worldFromBone[e] - whole[0];
    const y = worldFromBone[e + 1] - whole[1];
    const z = worldFromBone[e + 2] - whole[2];
    whole[3] += px;
    whole[4] += py;
    whole[5] += pz;
    // A w + h x v about the origin, and what that is about the centre
    whole[6] += rigid[i] * wx + rigid[i + 3] * wy + rigid[i + 4] * wz + y * pz - z * py;
    whole[7] += rigid[i + 3] * wx + rigid[i + 1] * wy + rigid[i + 5] * wz + z * px - x * pz;
    whole[8] += rigid[i + 4] * wx + rigid[i + 5] * wy + rigid[i + 2] * wz + x * py - y * px;
    whole[6] += moments[h + 1] * vz - moments[h + 2] * vy;
    whole[7] += moments[h + 2] * vx - moments[h] * vz;
    whole[8] += moments[h] * vy - moments[h + 1] * vx;
  }
}

/**
 * Momentum that a floating figure has after the step, to `nextMomentum`: what it had, and the impulses on it, which are those on its root as its joint
 * feels them. Needs the bones' velocities before the step, and the impulses of the velocities found.
 */
export function foreseeMomentum({ nu, work }: Actor, h: number, gravity: Float64Array): void {
  const { dynamics, nextMomentum, mass, boneVelocity, bias, push, constraint, diagonal, nextNu } = work;
  const { columnsNu, worldFromBone: m } = dynamics.state;
  const e = 12 * work.root;
  sumUp(work, boneVelocity);
  for (let i = 0; i < 6; i++) {
    const yields = (diagonal[i] - dynamics.armature[i]) * (nextNu[i] - nu[i]);
    root[i] = push[i] + h * bias[i] + constraint[i] - yields;
  }
  for (let k = 0; k < 3; k++) {
    force[k] = root[0] * columnsNu[3 + k] + root[1] * columnsNu[9 + k] + root[2] * columnsNu[15 + k];
    nextMomentum[k] = whole[3 + k] + force[k] + h * mass * gravity[k];
  }
  // About the root's origin, in its axes.
  const [x, y, z] = [m[e + 9] - whole[0], m[e + 10] - whole[1], m[e + 11] - whole[2]];
  const couple = (k: number): number => m[e + k] * root[3] + m[e + k + 1] * root[4] + m[e + k + 2] * root[5];
  nextMomentum[3] = whole[6] + couple(0) + y * force[2] - z * force[1];
  nextMomentum[4] = whole[7] + couple(3) + z * force[0] - x * force[2];
  nextMomentum[5] = whole[8] + couple(6) + x * force[1] - y * force[0];
}

/** Turns and moves a floating figure as a whole at its new pose, so that it has the momentum foreseen. */
export function keepMomentum({ nu, work }: Actor): void {
  const { nextMomentum, dynamics, boneVelocity, mass } = work;
  const { worldFromBone: m } = dynamics.state;
  const e = 12 * work.root;
  sumUp(work, boneVelocity);
  sumInertia(work);
  turnFor(nextMomentum[3] - whole[6], nextMomentum[4] - whole[7], nextMomentum[5] - whole[8]);
  const [wx, wy, wz] = turn;
  const [x, y, z] = [m[e + 9] - whole[0], m[e + 10] - whole[1], m[e + 11] - whole[2]];
  shift[0] = (nextMomentum[0] - whole[3]) / mass + wy * z - wz * y;
  shift[1] = (nextMomentum[1] - whole[4]) / mass + wz * x - wx * z;
  shift[2] = (nextMomentum[2] - whole[5]) / mass + wx * y - wy * x;
  shiftRoot(work, nu, shift, 1);
  for (let k = 0; k < 3; k++) nu[3 + k] += m[e + k] * wx + m[e + 3 + k] * wy + m[e + 6 + k] * wz;
}

/** Kinetic energy that a floating figure would have if it were frozen, J: the least by its momentum. */
export function frozenEnergy({ work }: Actor): number {
  sumUp(work, work.boneVelocity);
  sumInertia(work);
  turnFor(whole[6], whole[7], whole[8]);
  const drifting = (whole[3] ** 2 + whole[4] ** 2 + whole[5] ** 2) / work.mass;
  return 0.5 * (drifting + turn[0] * whole[6] + turn[1] * whole[7] + turn[2] * whole[8]);
}

/** Angular velocity of the frozen figure by its angular momentum, to `turn`; none where it has no extent. */
function turnFor(x: number, y: number, z: number): void {
  const [xx, yy, zz, xy, xz, yz] = inertia;
  const [cxx, cyy, czz] = [yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy];
  const [cxy, cxz, cyz] = [xz * yz - xy * zz, xy * yz - xz * yy, xy * xz - xx * yz];
  const determinant = xx * cxx + xy * cxy + xz * cxz;
  const scale = determinant > 1e-12 * (xx + yy + zz) ** 3 ? 1 / determinant : 0;
  turn[0] = scale * (cxx * x + cxy * y + cxz * z);
  turn[1] = scale * (cxy * x + cyy * y + cyz * z);
  turn[2] = scale * (cxz * x + cyz * y + czz * z);
}

/** Inertia of the whole figure about its centre of mass in `whole`. */
function sumInertia({ dynamics, tree }: Actor['work']): void {
  const { moments, state } = dynamics;
  const { rigid } = tree;
  inertia.fill(0);
  for (let b = 0; 3 * b < moments.length; b++) {
    const i = ARTICULATED * b;
    const e = 12 * b + 9;
    const m = rigid[i + C];
    const x = state.worldFromBone[e] - whole[0];
    const y = state.worldFromBone[e + 1] - whole[1];
    const z = state.worldFromBone[e + 2] - whole[2];
    const hx = moments[3 * b];
    const hy = moments[3 * b + 1];
    const hz = moments[3 * b + 2];
    // A + (2 h . d + m d . d) 1 - h d^T - d h^T - m d d^T
    inertia[0] += rigid[i] + 2 * (hy * y + hz * z) + m * (y * y + z * z);
    inertia[1] += rigid[i + 1] + 2 * (hx * x + hz * z) + m * (x * x + z * z);
    inertia[2] += rigid[i + 2] + 2 * (hx * x + hy * y) + m * (x * x + y * y);
    inertia[3] += rigid[i + 3] - hx * y - hy * x - m * x * y;
    inertia[4] += rigid[i + 4] - hx * z - hz * x - m * x * z;
    inertia[5] += rigid[i + 5] - hy * z - hz * y - m * y * z;
  }
}
