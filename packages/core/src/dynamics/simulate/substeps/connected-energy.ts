/**
 * Undamped actors that connections join, as one, and hold to the world. Near a turning point they have too little velocity for the energy account to take an error from, or to
 * return it to: of modes that the substep does not resolve, of gaps that it opens or closes, of light links that straighten under a heavy weight. It starts again in shorter
 * ones there; what is left of a height above that of their energy they go back along their way.
 */
import { regularizeCharts } from '../../../figure/model/regularize.js';
import { integrateConstantVelocity } from '../../integrate/rotate-pose.js';
import { updateActor } from '../mechanics/energy.js';
import { MAX_RETURN } from '../mechanics/energy-account.js';
import { turnSocket } from '../mechanics/sockets.js';
import type { Actor } from '../state/actor.js';
import { LIMIT } from '../state/joint-potentials.js';
import type { Simulation } from '../state/simulation.js';

/** Largest energy above that of the account, and below, relative to that of free fall from rest in the undivided substep. */
const MAX_OVERSHOOT = 1e-7;
const MAX_LOSS = 1e-2;
/** Least kinetic energy, likewise, with which they move: what hangs at rest has only rounding to return energy to. */
const MIN_KINETIC = 1e-3;
/** Largest number of substeps in which they turn, and in which light links whip. */
const MAX_SUBSTEPS_TURNING = 8;
const MAX_SUBSTEPS_WHIPPING = 1024;
/** How often the way is halved. */
const HALVINGS = 24;

/** Keeps poses and velocities before the substep. */
export function keepStates({ actors }: Simulation): void {
  for (const { pose, velocity, work } of actors) {
    if (!work.substep.active || work.substep.count > 1) continue;
    work.prediction.lastPose.set(pose);
    work.prediction.lastVelocity.set(velocity);
  }
}

/**
 * Checks the energy of the actors that connections join after the commit of a substep, before it is corrected. Those whose error velocities cannot take have the state
 * before and a `count` of two, or go back.
 *
 * @param substeps - Number of substeps of length h in one of the equal substeps of the step.
 * @returns the largest count.
 */
export function checkConnected(simulation: Simulation, h: number, substeps: number): number {
  const { actors, gravity, group } = simulation;
  const fall = 0.5 * (h * substeps) ** 2 * (gravity[0] ** 2 + gravity[1] ** 2 + gravity[2] ** 2);
  let largest = 1;
  for (const { index, work } of actors) {
    const { substep, island, account } = work;
    if (!substep.active || substep.count > 1 || island.representative !== index) continue;
    if (!account.isConnected) continue;
    group.length = 0;
    let kinetic = 0;
    let mass = 0;
    let reserve = 0;
    let { isFixed } = account;
    for (let k = index; k < actors.length; k++) {
      const actor = actors[k];
      if (actor.work.island.representative !== index) continue;
      group.push(actor);
      kinetic += actor.work.energy.kinetic;
      mass += actor.work.mass;
      reserve += actor.work.account.reserve;
      if (!actor.work.isFloating) isFixed = true;
    }
    if (!isFixed) continue;
    const height = heightOf(group);
    const moves = kinetic > MIN_KINETIC * mass * fall;
    const isAbove = height > MAX_OVERSHOOT * mass * fall;
    // Lost by this substep, and more than can be returned.
    const lost = Math.min(-height - kinetic - reserve, -height - MAX_RETURN * kinetic);
    const isBelow = moves && lost > MAX_LOSS * mass * fall;
    if (!(isAbove || isBelow) || !group.every(isUndamped)) continue;
    const max = isAbove ? MAX_SUBSTEPS_TURNING : MAX_SUBSTEPS_WHIPPING;
    if (moves && 2 * substeps <= max && !group.some(isPushed)) {
      for (const actor of group) startAgain(actor, gravity, isAbove);
      largest = 2;
    } else if (isAbove) goBack(group, h, gravity);
  }
  return largest;
}

/** Potential energy above that of the account, J. */
function heightOf(group: readonly Actor[]): number {
  let sum = 0;
  for (const { work } of group) sum += work.energy.potential - work.account.target;
  return sum;
}

/** Whether nothing takes energy from an actor. */
function isUndamped({ damping, work: { account, joints } }: Actor): boolean {
  if (account.dissipates) return false;
  for (const d of damping) if (d > 0) return false;
  for (let t = 0; t < joints.potentials.count; t++) if (joints.potentials.kind[t] !== LIMIT) return false;
  return true;
}

function isPushed({ work }: Actor): boolean {
  return work.forces.hasExternalImpulse;
}

/** @param keepsGaps - Whether connections close no gaps then: what is at rest has no energy for that, and must still move. */
function startAgain(actor: Actor, gravity: Float64Array, keepsGaps: boolean): void {
  const { pose, velocity, work } = actor;
  pose.set(work.prediction.lastPose);
  velocity.set(work.prediction.lastVelocity);
  updateActor(actor, gravity);
  if (keepsGaps) work.substep.keepsGaps = 1;
  work.substep.count = 2;
}

/** Moves actors back along the way of the last h seconds, to the height of their energy. */
function goBack(group: readonly Actor[], h: number, gravity: Float64Array): void {
  for (const { work } of group) work.substep.keepsGaps = 2;
  let low = 0;
  let high = 1;
  for (let k = 0; k <= HALVINGS; k++) {
    const share = k < HALVINGS ? 0.5 * (low + high) : low;
    for (const actor of group) {
      const { pose, work } = actor;
      const { rotationVectorStarts, freeRotationVectorStarts, sockets, prediction, solver } = work;
      integrateConstantVelocity(
        rotationVectorStarts,
        prediction.lastPose,
        solver.nextVelocity,
        share * h,
        pose,
      );
      for (const socket of sockets)
        turnSocket(socket, prediction.lastPose, solver.nextVelocity, share * h, pose);
      regularizeCharts(freeRotationVectorStarts, pose);
      updateActor(actor, gravity);
    }
    if (heightOf(group) > 0) high = share;
    else low = share;
  }
}
