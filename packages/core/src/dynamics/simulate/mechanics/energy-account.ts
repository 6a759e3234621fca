/**
 * Energy account. A step of first order gains or loses energy as bones rotate. What actors should have after it is
 *
 *   energy before + reserve + work from outside + dissipation,
 *
 * all known from impulses: at constant inertia an impulse changes the kinetic energy by impulse . (v0 + v) / 2, exactly. The difference is removed
 * from the velocities or returned to them. What cannot be returned, as near a turning point, stays in reserve. Actors that connections join have
 * one account, in which these do no work, unless the caller moves them or they slip at their bounds. Where contacts or limits act, energy is only
 * removed, and the reserve is dropped.
 */
import { applyJacobianTranspose } from '../../kinematics/jacobian.js';
import { addWrenches } from '../constraints/contact-jacobian.js';
import { VELOCITY_TOLERANCE } from '../constraints/multiplier-update.js';
import type { Actor } from '../state/actor.js';
import { CONTACT, OVERLAP, POINT } from '../state/contact-potentials.js';
import { LIMIT } from '../state/joint-potentials.js';
import type { Simulation } from '../state/simulation.js';
import { updateActor, updateEnergies } from './energy.js';
import {
  addLockedMotion,
  lockedEnergyOfAll,
  lockedRotationEnergy,
  restoreMomentum,
  rotateToEnergy,
} from './root-momentum.js';

/** Share of a squared bound above which a connection slips. */
const SATURATED = 0.99;
/** Rounding error of the energy, relative. */
const ROUNDING = 1e-14;
/** Largest factor of the kinetic energy by which it is returned in a substep. */
export const MAX_RETURN = 4;
/** Share of the energy of joints up to which an error is theirs; beyond, it is one of the figure's rotation. */
const JOINT_SHARE = 0.1;
/** Largest share of the rotation in a substep by which that is corrected. */
const ROTATION_SHARE = 0.25;

/** Collects the impulses that may do work on an actor, of contacts with other actors and of moved or slipping connections, as wrenches on its bones. */
export function collectOuterImpulses({
  contactPotentials: potentials,
  actors,
  connections,
  figureOfBody,
  boneWrench,
  contacts,
}: Simulation): void {
  for (const { work } of actors) {
    const { account } = work;
    work.boneWrench.fill(0);
    work.prediction.hasPairImpulse = false;
    work.prediction.hasWorldImpulse = false;
    account.isTouched = false;
    account.isConnected = false;
    account.isFixed = false;
    account.isDriven = false;
    account.isPulled = false;
  }
  for (const { work } of actors) {
    if (work.joints.hasSpringForce || work.joints.hasMotorForce)
      actors[work.island.representative].work.account.isDriven = true;
  }
  // Connections come after the contacts.
  for (let t = potentials.count - 1; t >= 0 && potentials.kind[t] !== CONTACT; t--) {
    const { account } = actors[actors[figureOfBody[potentials.bodyA[t]]].work.island.representative].work;
    if (account.isDriven || potentials.kind[t] !== POINT) continue;
    account.isConnected = true;
    if (potentials.bodyB[t] < 0) account.isFixed = true;
  }
  for (let t = 0; t < potentials.count; t++) {
    const a = actors[figureOfBody[potentials.bodyA[t]]];
    const b = potentials.bodyB[t] < 0 ? undefined : actors[figureOfBody[potentials.bodyB[t]]];
    const { isConnected } = actors[a.work.island.representative].work.account;
    if (potentials.kind[t] === CONTACT) {
      if (potentials.isActive[t] === 0) continue;
      a.work.account.dissipates = true;
      a.work.account.isTouched = true;
      if (b === undefined) a.work.prediction.hasWorldImpulse = true;
      if (b !== undefined) {
        b.work.account.dissipates = true;
        b.work.account.isTouched = true;
      }
      // Contacts between the actors of an account do no work, and overlapping figures separate without gain of energy.
      if (b === undefined || b === a || isConnected) continue;
      if (contacts.separation[potentials.source[t]] < -OVERLAP) continue;
    } else {
      a.work.account.isTouched = true;
      if (b !== undefined) b.work.account.isTouched = true;
      const { isOpen, closingTime } = connections[-1 - potentials.source[t]];
      const isOuter = isOpen || isSaturated(potentials.impulse, potentials.maxImpulse[t], 3 * t);
      if (isOuter || closingTime > 0) a.work.account.dissipates = true;
      if (isOpen && potentials.maxImpulse[t] === Number.POSITIVE_INFINITY) {
        a.work.account.isPulled = true;
        if (b !== undefined) b.work.account.isPulled = true;
      }
      if (b === a || (isConnected && !isOuter)) continue;
    }
    addWrenches(potentials, t, potentials.impulse, boneWrench);
    a.work.prediction.hasPairImpulse = true;
    if (b !== undefined) b.work.prediction.hasPairImpulse = true;
  }
}

/** Whether the impulse of a connection is at its bound. */
export function isSaturated(impulse: Float64Array, bound: number, o: number): boolean {
  return impulse[o] ** 2 + impulse[o + 1] ** 2 + impulse[o + 2] ** 2 >= SATURATED * bound * bound;
}

/** Writes what the actor should have after the substep of h seconds to its account, from the state before it and the impulses found. */
export function openAccount({ velocity, damping, work }: Actor, h: number): void {
  const { dynamics, boneWrench, account, energy } = work;
  const { externalImpulse } = work.forces;
  const { nextVelocity, constraintImpulse } = work.solver;
  const { hasPairImpulse } = work.prediction;
  const { hasSpringForce, hasMotorForce, potentials } = work.joints;
  if (hasSpringForce || hasMotorForce || account.isPulled) {
    account.target = Number.POSITIVE_INFINITY;
    return;
  }
  if (hasPairImpulse) applyJacobianTranspose(dynamics, boneWrench, constraintImpulse);
  let outer = 0;
  let damped = 0;
  for (let i = 0; i < velocity.length; i++) {
    const mean = 0.5 * (velocity[i] + nextVelocity[i]);
    outer += (externalImpulse[i] + (hasPairImpulse ? constraintImpulse[i] : 0)) * mean;
    damped += h * damping[i] * nextVelocity[i] * mean;
  }
  for (let t = 0; t < potentials.count; t++) {
    const o = 3 * t;
    if (potentials.kind[t] === LIMIT) {
      if (potentials.impulse[o] > 0) account.dissipates = true;
      continue;
    }
    const i = potentials.coordinate[t];
    for (let k = 0; k < potentials.size[t]; k++)
      damped -= 0.5 * potentials.impulse[o + k] * (velocity[i + k] + nextVelocity[i + k]);
  }
  account.target = energy.kinetic + energy.potential + outer;
  if (account.dissipates) account.reserve = 0;
  else account.target += account.reserve - Math.max(0, damped);
}

/** Corrects the energies of the actors that this substep has moved. */
export function correctEnergies(simulation: Simulation, h: number): void {
  const { actors, group } = simulation;
  for (const actor of actors) {
    const { substep, island } = actor.work;
    if (!substep.active || substep.count > 1) continue;
    const { isConnected, isFixed } = actors[island.representative].work.account;
    group.length = 0;
    if (!isConnected) group.push(actor);
    else if (island.representative === actor.index)
      for (let k = actor.index; k < actors.length; k++)
        if (actors[k].work.island.representative === actor.index) group.push(actors[k]);
    if (group.length > 0) correct(simulation, isConnected && isFixed, h);
  }
}

/** Corrects the energy of the actors in `group`. @param isFixed - Whether connections hold them to the world. */
function correct({ group, gravity }: Simulation, isFixed: boolean, h: number): void {
  let excess = 0;
  let kinetic = 0;
  let dissipates = false;
  let isFree = !isFixed;
  for (const { work } of group) {
    kinetic += work.energy.kinetic;
    excess += work.energy.kinetic + work.energy.potential - work.account.target;
    if (work.account.dissipates) dissipates = true;
    if (!work.isFloating) isFree = false;
    work.account.reserve = 0;
  }
  if (!Number.isFinite(excess) || (dissipates && !(excess > 0))) return;
  excess = isFree ? correctFree(group, excess, gravity, dissipates, h) : correctFixed(group, excess, kinetic);
  // What is not returned to a free figure at once would move its joints later.
  if (!dissipates)
    group[0].work.account.reserve = isFree && group.length === 1 ? Math.min(0, -excess) : -excess;
}

/**
 * Scales all velocities, which keeps those of connections. Velocities that the solver does not resolve are noise, to which no energy is returned: it would grow from
 * substep to substep.
 *
 * @returns the excess that is left.
 */
function correctFixed(group: readonly Actor[], excess: number, kinetic: number): number {
  let mass = 0;
  for (const { work } of group) mass += work.mass;
  const noise = 0.5 * mass * VELOCITY_TOLERANCE * VELOCITY_TOLERANCE;
  if (!(kinetic > (excess < 0 ? noise : 0))) return excess;
  const square = Math.min(MAX_RETURN, Math.max(0, 1 - excess / kinetic));
  const scale = Math.sqrt(square);
  for (const { velocity, work } of group) {
    const { energy, boneVelocity } = work;
    for (let i = 0; i < velocity.length; i++) velocity[i] *= scale;
    for (let i = 0; i < boneVelocity.length; i++) boneVelocity[i] *= scale;
    for (let i = 0; i < 3; i++) energy.centerVelocity[i] *= scale;
    energy.kinetic *= square;
    energy.speed *= scale;
  }
  return excess - (1 - square) * kinetic;
}

/**
 * Scales the motion of free figures relative to their rigid motion with the same momentum; an error that is more than that of one figure's rotation
 * turns the figure about its centre of mass, so that its angular momentum stays. What neither removes, their rotation loses.
 *
 * @returns the excess that is left.
 */
function correctFree(
  group: readonly Actor[],
  initial: number,
  gravity: Float64Array,
  dissipates: boolean,
  h: number,
): number {
  const [first] = group;
  let excess = initial;
  let internal = kineticEnergy(group) - lockedEnergyOfAll(group);
  if (group.length === 1 && !dissipates && Math.abs(excess) > JOINT_SHARE * internal) {
    if (rotateToEnergy(first, -excess, ROTATION_SHARE * h)) {
      const before = first.work.energy.kinetic + first.work.energy.potential;
      updateActor(first, gravity);
      restoreMomentum(first);
      updateEnergies(first, gravity);
      excess += first.work.energy.kinetic + first.work.energy.potential - before;
      internal = first.work.energy.kinetic - lockedEnergyOfAll(group);
    }
  }
  if (internal > ROUNDING * kineticEnergy(group)) {
    const square = Math.min(MAX_RETURN, Math.max(0, 1 - excess / internal));
    scaleRelative(group, Math.sqrt(square), true, gravity);
    excess -= (1 - square) * internal;
  }
  const kinetic = kineticEnergy(group);
  if (!(excess > ROUNDING * kinetic)) return excess;
  const removable = kinetic - lockedEnergyOfAll(group) + lockedRotationEnergy();
  if (removable > 0) {
    scaleRelative(group, Math.sqrt(Math.max(0, 1 - excess / removable)), false, gravity);
    excess -= kinetic - kineticEnergy(group);
  }
  if (!(excess > ROUNDING * kinetic) || !group.some(isPushedByWorld)) return excess;
  return correctFixed(group, excess, kineticEnergy(group));
}

/** Whether the world pushes an actor, which takes any momentum. */
function isPushedByWorld({ work }: Actor): boolean {
  return work.prediction.hasWorldImpulse;
}

function kineticEnergy(group: readonly Actor[]): number {
  let sum = 0;
  for (const { work } of group) sum += work.energy.kinetic;
  return sum;
}

/** Scales velocities relative to the rigid motion, or the velocity of the centre of mass alone. */
function scaleRelative(
  group: readonly Actor[],
  scale: number,
  rotates: boolean,
  gravity: Float64Array,
): void {
  for (const actor of group) {
    const { velocity } = actor;
    for (let i = 0; i < velocity.length; i++) velocity[i] *= scale;
    addLockedMotion(actor, 1 - scale, rotates);
    updateEnergies(actor, gravity);
  }
}
