/** Integrates the velocities found and commits the state of an actor. */
import { clampToLimits } from '../../../figure/model/pose.js';
import { integrateConstantVelocity, regularizeCharts } from '../../integrate/rotate-pose.js';
import { cacheJointImpulses } from '../constraints/build-joint-potentials.js';
import { MAX_SPEED } from '../inputs/external-forces.js';
import type { Actor } from '../state/actor.js';
import { addWrenches, CONTACT, OVERLAP } from '../state/contact-potentials.js';
import { limitEnergy, updateActor, updateEnergies } from '../state/energy.js';
import { predictMomentum, restoreMomentum } from '../state/root-momentum.js';
import type { Simulation } from '../state/simulation.js';
import { applyJacobianTranspose, writeBoneVelocities } from '../tree/jacobian.js';

/**
 * Predicts the next pose from the new velocities, clamped to its limits, to `nextPose`; writes the bone velocities at the old pose to `boneDirection`.
 *
 * @returns the largest change of a coordinate by the clamp, rad or m; NaN for NaN or Infinity.
 */
export function predict(simulation: Simulation, actor: Actor, h: number): number {
  const { figure, pose, work } = actor;
  const { rotationVectorStarts, freeRotationVectorStarts, dynamics, boneDirection } = work;
  const { nextVelocity } = work.solver;
  const { nextPose, unclampedPose } = work.prediction;
  writeBoneVelocities(dynamics, nextVelocity, boneDirection);
  let maxSpeed = 0;
  for (let o = 0; o < boneDirection.length; o += 6) {
    const square = boneDirection[o + 3] ** 2 + boneDirection[o + 4] ** 2 + boneDirection[o + 5] ** 2;
    maxSpeed = Math.max(maxSpeed, Math.sqrt(square));
  }
  work.prediction.isSpeedClamped = maxSpeed > MAX_SPEED;
  if (work.prediction.isSpeedClamped) {
    simulation.report.warnings.add('too-fast');
    for (let i = 0; i < nextVelocity.length; i++) nextVelocity[i] *= MAX_SPEED / maxSpeed;
    writeBoneVelocities(dynamics, nextVelocity, boneDirection);
  }
  integrateConstantVelocity(rotationVectorStarts, pose, nextVelocity, h, nextPose);
  unclampedPose.set(nextPose);
  let sum = 0;
  for (let i = 0; i < nextPose.length; i++) sum += 0 * (nextPose[i] + nextVelocity[i]);
  if (sum !== 0) return Number.NaN;
  let change = 0;
  if (clampToLimits(figure, nextPose)) {
    for (let i = 0; i < nextPose.length; i++)
      change = Math.max(change, Math.abs(nextPose[i] - unclampedPose[i]));
  }
  regularizeCharts(freeRotationVectorStarts, nextPose);
  return change;
}

/** Collects the impulses that may do work on an actor, of contacts with other actors and of connections, as wrenches on its bones. */
export function collectPairImpulses({
  contactPotentials: potentials,
  actors,
  figureOfBody,
  boneWrench,
  contacts,
}: Simulation): void {
  for (const { work } of actors) {
    work.boneWrench.fill(0);
    work.prediction.hasPairImpulse = false;
  }
  for (let t = 0; t < potentials.count; t++) {
    const a = actors[figureOfBody[potentials.bodyA[t]]];
    const b = potentials.bodyB[t] < 0 ? undefined : actors[figureOfBody[potentials.bodyB[t]]];
    if (potentials.kind[t] === CONTACT ? b === undefined || b === a : b === a) continue;
    // Overlapping figures separate without gain of energy.
    if (potentials.kind[t] === CONTACT && contacts.separation[potentials.source[t]] < -OVERLAP) continue;
    addWrenches(potentials, t, potentials.impulse, boneWrench);
    a.work.prediction.hasPairImpulse = true;
    if (b !== undefined) b.work.prediction.hasPairImpulse = true;
  }
}

/** Commits the prediction of {@link predict} as the actor's state, after {@link collectPairImpulses}. */
export function commit(actor: Actor, h: number, gravity: Float64Array): void {
  const { work, pose, velocity } = actor;
  cacheJointImpulses(actor, work.joints.potentials);
  const conservesMomentum = work.isFloating && !work.prediction.isSpeedClamped;
  if (conservesMomentum) predictMomentum(actor, h, gravity);
  const maxEnergy = work.energy.kinetic + work.energy.potential + externalWork(actor);
  pose.set(work.prediction.nextPose);
  velocity.set(work.solver.nextVelocity);
  updateActor(actor, gravity);
  if (conservesMomentum) {
    restoreMomentum(actor);
    updateEnergies(actor, gravity);
  }
  limitEnergy(actor, maxEnergy, gravity);
  if (work.forces.hasExternalImpulse) work.forces.appliedImpulse.fill(0);
}

/**
 * Upper bound of the external work on an actor, J: impulses times the mean of the velocities before and after. Infinite with springs and motors, whose energy
 * is not tracked.
 */
function externalWork({ velocity, work }: Actor): number {
  const { dynamics, boneWrench } = work;
  const { externalImpulse } = work.forces;
  const { nextVelocity, constraintImpulse } = work.solver;
  const { hasPairImpulse } = work.prediction;
  const { hasSpringForce, hasMotorForce } = work.joints;
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
