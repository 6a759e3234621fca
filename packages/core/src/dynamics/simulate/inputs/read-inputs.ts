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
import { rescaleImpulses } from '../constraints/contact-potentials.js';
import { wakeActor } from '../islands/islands.js';
import { requireFiniteEnergy, updateActor } from '../mechanics/energy.js';
import type { Actor } from '../state/actor.js';
import { type Connection, requireRotation } from '../state/connection.js';
import type { Simulation } from '../state/simulation.js';
import { clearCache } from '../state/warm-start-cache.js';

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
export function readInputs({ gravity }: Simulation, actor: Actor): void {
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

/** Reads external forces and pending impulses into `appliedForce` and `appliedImpulse` of the actor's work; wakes it if any is not zero. */
export function readForces(actor: Actor, forces: ActorForces | undefined): void {
  const { work } = actor;
  const { boneWrench } = work;
  const { applied, pendingImpulses, appliedForce, appliedImpulse } = work.forces;
  work.forces.hasExternalImpulse = false;
  work.margins.expectedSpeed.fill(0);
  work.margins.expectedOwnSpeed.fill(0);
  if (forces === undefined && !work.forces.hasPendingImpulses) return;
  if (work.forces.hasPendingImpulses) {
    writeWrenches(pendingImpulses, boneWrench);
    applyJacobianTranspose(work.dynamics, boneWrench, appliedImpulse);
  } else appliedImpulse.fill(0);
  appliedForce.fill(0);
  if (forces !== undefined) {
    applied.tau.fill(0);
    applied.external.fill(0);
    forces(actor, applied);
    writeWrenches(applied.external, boneWrench);
    applyJacobianTranspose(work.dynamics, boneWrench, appliedForce);
    for (let i = 0; i < appliedForce.length; i++) appliedForce[i] += applied.tau[i];
  }
  for (let i = 0; i < appliedForce.length; i++)
    if (appliedForce[i] !== 0 || appliedImpulse[i] !== 0) work.forces.hasExternalImpulse = true;
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
  // NaN and Infinity are detected after the solve.
  if (!(largest > 0 && largest < Number.POSITIVE_INFINITY)) return false;
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
  const { actors, lastDt } = simulation;
  simulation.previousDt = lastDt;
  for (const { asleep, pose, velocity, work } of actors) {
    const { backup } = work;
    backup.pose.set(pose);
    backup.velocity.set(velocity);
    backup.limitImpulses.set(work.joints.limitImpulses);
    backup.frictionImpulses.set(work.joints.frictionImpulses);
    backup.asleep = asleep;
    backup.group = work.sleep.group;
    backup.awakeTime = work.sleep.awakeTime;
    backup.stillTime = work.sleep.stillTime;
    work.inputs.wasWritten = false;
  }
}

/**
 * Restores what a failed step has changed; the next step reads the caller's changes again. A step that failed after its first substep clears the warm start.
 */
export function rollBackStep(simulation: Simulation): void {
  const { actors, gravity, warmStart, previousDt } = simulation;
  rescaleImpulses(simulation, previousDt);
  let hasMoved = false;
  for (const actor of actors) {
    const { work, pose, velocity } = actor;
    const { backup } = work;
    if (!work.inputs.wasWritten)
      for (let i = 0; i < pose.length; i++) if (pose[i] !== backup.pose[i]) hasMoved = true;
    pose.set(backup.pose);
    velocity.set(backup.velocity);
    work.joints.limitImpulses.set(backup.limitImpulses);
    work.joints.frictionImpulses.set(backup.frictionImpulses);
    actor.asleep = backup.asleep;
    work.sleep.group = backup.group;
    work.sleep.awakeTime = backup.awakeTime;
    work.sleep.stillTime = backup.stillTime;
    if (work.inputs.wasWritten) work.energy.isCurrent = false;
    else if (work.energy.isCurrent) updateActor(actor, gravity);
  }
  if (!hasMoved) return;
  clearCache(warmStart);
  for (const { forceImpulse, coupleImpulse } of simulation.connections) {
    forceImpulse.fill(0);
    coupleImpulse.fill(0);
  }
}

/** Clears pending impulses: invalid ones would make all later steps fail. */
export function clearPendingImpulses({ actors }: Simulation): void {
  for (const { work } of actors) {
    work.forces.pendingImpulses.fill(0);
    work.forces.hasPendingImpulses = false;
  }
}
