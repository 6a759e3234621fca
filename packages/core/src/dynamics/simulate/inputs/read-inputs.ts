/** Reads what the caller wrote since the last step: poses, velocities, connections, forces and impulses. Backs up what a step changes, and rolls back. */

import { areFinite, requireNotNegative, requireNumbers } from '../../../checks.js';
import { DomainError } from '../../../errors.js';
import { clampToLimits } from '../../../figure/model/pose.js';
import type { Numbers } from '../../../math/linear/types.js';
import { factorTreeSystem } from '../../aba/factor.js';
import { solveTreeSystem } from '../../aba/solve.js';
import type { AppliedForces } from '../../integrate/types.js';
import { applyJacobianTranspose, maxPointSpeed } from '../../kinematics/jacobian.js';
import { requireEachNotNegative } from '../../model/checks.js';
import { setDiagonal } from '../../model/tree-system.js';
import { dropReserve, wakeActor } from '../islands/islands.js';
import { requireFiniteEnergy, updateActor } from '../mechanics/energy.js';
import type { Actor } from '../state/actor.js';
import { type Connection, requireRotation } from '../state/connection.js';
import type { Simulation } from '../state/simulation.js';

/** @throws DomainError for numbers that are not finite, and negative gains and bounds, with their path. */
export function requireInputs({ actors, connections }: Simulation): void {
  for (const actor of actors) requireActor(actor);
  for (let k = 0; k < connections.length; k++) requireConnection(connections[k], k);
}

function requireActor({
  index,
  figure,
  pose,
  velocity,
  motor,
  damping,
  stiffness,
  rest,
  friction,
}: Actor): void {
  const { target, targetVelocity, maxForce } = motor;
  const { dof } = figure;
  if (
    areFinite(pose) &&
    areFinite(velocity) &&
    areFinite(target) &&
    areFinite(targetVelocity) &&
    areFinite(rest)
  ) {
    if (areGains(motor.stiffness) && areGains(motor.damping) && areGains(damping)) {
      if (areGains(stiffness) && areGains(friction) && areBounds(maxForce)) return;
    }
  }
  const path = `actors[${index}]`;
  requireNumbers(pose, dof, `${path}.pose`, DomainError);
  requireNumbers(velocity, dof, `${path}.velocity`, DomainError);
  requireNumbers(rest, dof, `${path}.rest`, DomainError);
  requireNumbers(target, dof, `${path}.motor.target`, DomainError);
  requireNumbers(targetVelocity, dof, `${path}.motor.targetVelocity`, DomainError);
  requireEachNotNegative(motor.stiffness, `${path}.motor.stiffness`, false);
  requireEachNotNegative(motor.damping, `${path}.motor.damping`, false);
  requireEachNotNegative(maxForce, `${path}.motor.maxForce`, true);
  requireEachNotNegative(damping, `${path}.damping`, false);
  requireEachNotNegative(stiffness, `${path}.stiffness`, false);
  requireEachNotNegative(friction, `${path}.friction`, false);
}

/** Whether all are finite and not negative. */
function areGains(numbers: Numbers): boolean {
  for (let i = 0; i < numbers.length; i++) {
    if (!(numbers[i] >= 0 && numbers[i] < Number.POSITIVE_INFINITY)) return false;
  }
  return true;
}

/** Whether all are not negative; Infinity is allowed. */
function areBounds(numbers: Numbers): boolean {
  for (let i = 0; i < numbers.length; i++) if (!(numbers[i] >= 0)) return false;
  return true;
}

function requireConnection(connection: Connection, k: number): void {
  const { positionA, positionB, rotationA, rotationB, maxForce, maxCouple } = connection;
  const path = `connections[${k}]`;
  requireNumbers(positionA, 3, `${path}.positionA`, DomainError);
  requireNumbers(positionB, 3, `${path}.positionB`, DomainError);
  requireRotation(rotationA, `${path}.rotationA`);
  requireRotation(rotationB, `${path}.rotationB`);
  requireNotNegative(maxForce, `${path}.maxForce`, DomainError, 'N', true);
  requireNotNegative(maxCouple, `${path}.maxCouple`, DomainError, 'N m', true);
}

/**
 * Updates an actor to a pose and velocity that the caller wrote, and wakes it.
 *
 * @throws DomainError for a velocity whose energy overflows; the state is not read then.
 */
export function readInputs({ gravity, actors }: Simulation, actor: Actor): void {
  const { pose, velocity, work, figure } = actor;
  let isSame = work.energy.isCurrent;
  for (let i = 0; i < pose.length && isSame; i++)
    isSame = pose[i] === work.inputs.lastPose[i] && velocity[i] === work.inputs.lastVelocity[i];
  if (isSame) return;
  clampToLimits(figure, pose);
  updateActor(actor, gravity);
  requireFiniteEnergy(actor);
  recordInputs(actor);
  work.inputs.wasWritten = true;
  dropReserve(actors, actor);
  wakeActor(actor);
}

/** Largest speed of a bone, m/s. */
export const MAX_SPEED = 2000;

/** Records the state that the simulation itself left, to detect what the caller writes. */
export function recordInputs({ pose, velocity, work }: Actor): void {
  work.inputs.lastPose.set(pose);
  work.inputs.lastVelocity.set(velocity);
}

/** Writes the external forces on an actor during a step, besides gravity; see `AppliedForces`. `out` is zeroed before. */
export type ActorForces = (actor: Actor, out: AppliedForces) => void;

/**
 * Lets the caller write the forces of each actor. It may write anything else, too: inputs are read again.
 *
 * @throws DomainError for forces that are not finite; what `forces` throws.
 */
export function callForces(simulation: Simulation, forces: ActorForces): void {
  const { actors } = simulation;
  for (const actor of actors) {
    const { applied } = actor.work.forces;
    applied.tau.fill(0);
    applied.external.fill(0);
    forces(actor, applied);
  }
  for (const { index, work } of actors) {
    const { tau, external } = work.forces.applied;
    if (areFinite(tau) && areFinite(external)) continue;
    requireNumbers(tau, tau.length, `forces(actors[${index}]).tau`, DomainError);
    requireNumbers(external, external.length, `forces(actors[${index}]).external`, DomainError);
  }
  requireInputs(simulation);
  for (const actor of actors) readInputs(simulation, actor);
}

/**
 * Reads forces and pending impulses into `appliedForce` and `appliedImpulse` of the actor's work; wakes it if any is not zero.
 *
 * @param hasForces - Whether the caller wrote forces.
 * @throws DomainError `out-of-range` for a sum that overflows.
 */
export function readForces(actor: Actor, hasForces: boolean): void {
  const { work } = actor;
  const { boneWrench } = work;
  const { applied, pendingImpulses, appliedForce, appliedImpulse } = work.forces;
  work.forces.hasExternalImpulse = false;
  work.substep.isStopped = false;
  if (work.substep.keepsGaps > 0) work.substep.keepsGaps--;
  work.margins.expectedSpeed.fill(0);
  work.margins.expectedOwnSpeed.fill(0);
  work.margins.expectedSpin.fill(0);
  if (!hasForces && !work.forces.hasPendingImpulses) return;
  if (work.forces.hasPendingImpulses) {
    writeWrenches(pendingImpulses, boneWrench);
    applyJacobianTranspose(work.dynamics, boneWrench, appliedImpulse);
  } else appliedImpulse.fill(0);
  appliedForce.fill(0);
  if (hasForces) {
    writeWrenches(applied.external, boneWrench);
    applyJacobianTranspose(work.dynamics, boneWrench, appliedForce);
    for (let i = 0; i < appliedForce.length; i++) appliedForce[i] += applied.tau[i];
  }
  for (let i = 0; i < appliedForce.length; i++)
    if (appliedForce[i] !== 0 || appliedImpulse[i] !== 0) work.forces.hasExternalImpulse = true;
  if (!areFinite(appliedForce) || !areFinite(appliedImpulse)) {
    throw new DomainError('out-of-range', 'has forces and impulses whose sum is not finite.', {
      path: `actors[${actor.index}]`,
      remedy: 'Give forces in N, and impulses in N s.',
    });
  }
  if (work.forces.hasExternalImpulse && actor.asleep) wakeActor(actor);
}

/** Copies wrenches, force before couple, to wrenches with the couple first; 6 numbers a bone. */
function writeWrenches(from: Float64Array, to: Float64Array): void {
  for (let o = 0; o < from.length; o += 6) {
    for (let k = 0; k < 3; k++) {
      to[o + k] = from[o + 3 + k];
      to[o + 3 + k] = from[o + k];
    }
  }
}

/**
 * Writes the impulse of forces over h seconds and of pending impulses to `externalImpulse`, and the change of bone velocities by it to `boneDirection`.
 * Scales down an impulse that would accelerate the free figure beyond `MAX_SPEED`.
 *
 * @returns whether it was scaled down.
 */
export function applyForces({ work }: Actor, h: number): boolean {
  const { tree, dynamics, boneDirection, extent } = work;
  const { externalImpulse, appliedForce, appliedImpulse } = work.forces;
  const { direction } = work.solver;
  externalImpulse.fill(0);
  boneDirection.fill(0);
  if (!work.forces.hasExternalImpulse) return false;
  let largest = 0;
  for (let i = 0; i < externalImpulse.length; i++) {
    externalImpulse[i] = h * appliedForce[i] + appliedImpulse[i];
    largest = Math.max(largest, Math.abs(externalImpulse[i]));
  }
  if (!(largest > 0)) return false;
  // The response of the figure without contacts and limits.
  tree.boneHessian.fill(0);
  setDiagonal(tree.jointHessian, dynamics.figure, dynamics.armature);
  if (factorTreeSystem(dynamics) >= 0) return false;
  // Normalized, so that squares do not overflow. The solve leaves the bone velocities in `boneDirection`.
  for (let i = 0; i < externalImpulse.length; i++) direction[i] = externalImpulse[i] / largest;
  solveTreeSystem(dynamics, direction, direction);
  let maxSpeed = 0;
  for (let b = 0; b < extent.length; b++)
    maxSpeed = Math.max(maxSpeed, maxPointSpeed(boneDirection, b, extent[b], -1));
  const isBounded = largest * maxSpeed > MAX_SPEED;
  const scale = isBounded ? MAX_SPEED / maxSpeed : largest;
  for (let o = 0; o < boneDirection.length; o++) boneDirection[o] *= scale;
  if (isBounded)
    for (let i = 0; i < externalImpulse.length; i++)
      externalImpulse[i] = (externalImpulse[i] / largest) * scale;
  return isBounded;
}

/** Backs up all actors, before any is woken. */
export function backUpStep(simulation: Simulation): void {
  const { actors } = simulation;
  for (const { asleep, pose, velocity, work } of actors) {
    const { backup } = work;
    backup.pose.set(pose);
    backup.velocity.set(velocity);
    backup.asleep = asleep;
    backup.group = work.sleep.group;
    backup.awakeTime = work.sleep.awakeTime;
    backup.stillTime = work.sleep.stillTime;
    backup.reserve = work.account.reserve;
    work.inputs.wasWritten = false;
  }
}

/** Restores what a step that throws has changed; the next step reads the caller's changes again. No substep has begun then. */
export function rollBackStep({ actors }: Simulation): void {
  for (const actor of actors) {
    const { work, pose, velocity } = actor;
    const { backup } = work;
    pose.set(backup.pose);
    velocity.set(backup.velocity);
    work.account.reserve = backup.reserve;
    actor.asleep = backup.asleep;
    work.sleep.group = backup.group;
    work.sleep.awakeTime = backup.awakeTime;
    work.sleep.stillTime = backup.stillTime;
    if (work.inputs.wasWritten) work.energy.isCurrent = false;
  }
}

/** Clears pending impulses: with invalid ones all later steps would throw. */
export function clearPendingImpulses({ actors }: Simulation): void {
  for (const { work } of actors) {
    work.forces.pendingImpulses.fill(0);
    work.forces.hasPendingImpulses = false;
  }
}
