/** Makes what was found for an actor its state. */
import { clampToLimits } from '../../../figure/model/pose.js';
import { changeCharts, moveConstantly } from '../../integrate/rotate-pose.js';
import { cacheJointImpulses } from '../constraints/build-joint-potentials.js';
import { MAX_SPEED } from '../inputs/external-forces.js';
import type { Actor } from '../state/actor.js';
import { addWrenches, CONTACT, OVERLAP } from '../state/contact-potentials.js';
import { limitEnergy, updateActor, updateEnergies } from '../state/energy.js';
import { predictMomentum, restoreMomentum } from '../state/root-momentum.js';
import type { Simulation } from '../state/simulation.js';
import { applyJacobianTranspose, writeBoneVelocities } from '../tree/jacobian.js';

/**
 * Pose by the new velocities, to `nextPose`; bones' velocities by them at the old pose, to `boneDirection`.
 *
 * @returns how far limits have moved a coordinate that left them, rad or m; NaN where numbers are none.
 */
export function predict(simulation: Simulation, actor: Actor, h: number): number {
  const { figure, pose, work } = actor;
  const {
    nextVelocity,
    nextPose,
    rotationVectorStarts,
    freeRotationVectorStarts,
    dynamics,
    boneDirection,
    unclampedPose,
  } = work;
  writeBoneVelocities(dynamics, nextVelocity, boneDirection);
  let fast = 0;
  for (let o = 0; o < boneDirection.length; o += 6) {
    const square = boneDirection[o + 3] ** 2 + boneDirection[o + 4] ** 2 + boneDirection[o + 5] ** 2;
    fast = Math.max(fast, Math.sqrt(square));
  }
  work.isSpeedClamped = fast > MAX_SPEED;
  if (work.isSpeedClamped) {
    simulation.report.warnings.add('too-fast');
    for (let i = 0; i < nextVelocity.length; i++) nextVelocity[i] *= MAX_SPEED / fast;
    writeBoneVelocities(dynamics, nextVelocity, boneDirection);
  }
  moveConstantly(rotationVectorStarts, pose, nextVelocity, h, nextPose);
  unclampedPose.set(nextPose);
  let sum = 0;
  for (let i = 0; i < nextPose.length; i++) sum += 0 * (nextPose[i] + nextVelocity[i]);
  if (sum !== 0) return Number.NaN;
  let most = 0;
  if (clampToLimits(figure, nextPose)) {
    for (let i = 0; i < nextPose.length; i++) most = Math.max(most, Math.abs(nextPose[i] - unclampedPose[i]));
  }
  changeCharts(freeRotationVectorStarts, nextPose);
  return most;
}

/** Pair impulses that may do work on an actor - of other actors and of connections, which others may move -, on the bones that they act on. */
export function collectPairImpulses({
  contactPotentials: terms,
  actors,
  figureOfBody,
  boneWrench,
  contacts,
}: Simulation): void {
  for (const { work } of actors) {
    work.boneWrench.fill(0);
    work.hasPairImpulse = false;
  }
  for (let t = 0; t < terms.count; t++) {
    const a = actors[figureOfBody[terms.bodyA[t]]];
    const b = terms.bodyB[t] < 0 ? undefined : actors[figureOfBody[terms.bodyB[t]]];
    if (terms.kind[t] === CONTACT ? b === undefined || b === a : b === a) continue;
    // Figures inside each other part without gaining by it.
    if (terms.kind[t] === CONTACT && contacts.gap[terms.source[t]] < -OVERLAP) continue;
    addWrenches(terms, t, terms.impulse, boneWrench);
    a.work.hasPairImpulse = true;
    if (b !== undefined) b.work.hasPairImpulse = true;
  }
}

/** Moves an actor to where {@link predict} has found it to be; needs {@link collectPairImpulses}. */
export function commit(actor: Actor, h: number, gravity: Float64Array): void {
  const { work, pose, velocity } = actor;
  cacheJointImpulses(actor, work.jointPotentials);
  const keeps = work.isFloating && !work.isSpeedClamped;
  if (keeps) predictMomentum(actor, h, gravity);
  const most = work.kinetic + work.potential + externalWork(actor);
  pose.set(work.nextPose);
  velocity.set(work.nextVelocity);
  updateActor(actor, gravity);
  if (keeps) {
    restoreMomentum(actor);
    updateEnergies(actor, gravity);
  }
  limitEnergy(actor, most, gravity);
  if (work.hasExternalImpulse) work.appliedImpulse.fill(0);
}

/**
 * Work that an actor's surroundings do on it, J, at the most: impulses times the mean of the velocities before and after. Infinite where springs and
 * motors pull, which keep no account.
 */
function externalWork({ velocity, work }: Actor): number {
  const {
    externalImpulse,
    nextVelocity,
    constraintImpulse,
    hasPairImpulse,
    hasSpringForce,
    hasMotorForce,
    dynamics,
    boneWrench,
  } = work;
  if (hasSpringForce || hasMotorForce) return Number.POSITIVE_INFINITY;
  if (hasPairImpulse) applyJacobianTranspose(dynamics, boneWrench, constraintImpulse);
  let sum = 0;
  for (let i = 0; i < velocity.length; i++) {
    sum +=
      0.5 *
      (externalImpulse[i] + (hasPairImpulse ? constraintImpulse[i] : 0)) *
      (velocity[i] + nextVelocity[i]);
  }
  return sum;
}
