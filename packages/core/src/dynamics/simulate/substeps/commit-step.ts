/** Speculative margins, number of substeps, and the commit of the state at the end of a substep. */

import { clampToLimits } from '../../../figure/model/pose.js';
import { regularizeCharts } from '../../../figure/model/regularize.js';
import { integrateConstantVelocity } from '../../integrate/rotate-pose.js';
import { applyJacobianTranspose, maxPointSpeed, writeBoneVelocities } from '../../kinematics/jacobian.js';
import { addWrenches } from '../constraints/contact-jacobian.js';
import { cacheJointImpulses } from '../constraints/joint-potentials.js';
import { MAX_SPEED } from '../inputs/read-inputs.js';
import { updateActor, updateEnergies } from '../mechanics/energy.js';
import {
  addRootVelocity,
  lockedEnergy,
  predictMomentum,
  restoreMomentum,
} from '../mechanics/root-momentum.js';
import { convertSocketRates, turnSocket } from '../mechanics/sockets.js';
import type { Actor } from '../state/actor.js';
import { CONTACT, OVERLAP } from '../state/contact-potentials.js';
import { type Island, isLarge } from '../state/island.js';
import type { Simulation } from '../state/simulation.js';

/** Added to the distance a bone covers: a length, m, and a share of the fastest bone's distance, for impulses travel along the figure. */
const MARGIN = 0.01;
const SPEED_SHARE = 0.25;

/**
 * Writes the margins of an actor's bones for h seconds, zero where the substep does not move it: against others and against its
 * own figure, from their velocity, its change by external impulses (`boneDirection`) and the speed found in an earlier trial of
 * this substep.
 *
 * @param freeFall - Distance of free fall from rest in one step, h^2 g, m.
 */
export function writeMargins({ work }: Actor, h: number, freeFall: number): void {
  const { boneVelocity, boneDirection, extent, heaviestBone } = work;
  const { margin, ownMargin, expectedSpeed, expectedOwnSpeed } = work.margins;
  if (!work.substep.active) {
    margin.fill(0);
    ownMargin.fill(0);
    return;
  }
  let max = 0;
  let maxOwn = 0;
  for (let b = 0; b < extent.length; b++) {
    const external = maxPointSpeed(boneDirection, b, extent[b], -1);
    margin[b] = Math.max(expectedSpeed[b], external + maxPointSpeed(boneVelocity, b, extent[b], -1));
    ownMargin[b] = Math.max(
      expectedOwnSpeed[b],
      external + maxPointSpeed(boneVelocity, b, extent[b], heaviestBone),
    );
    max = Math.max(max, margin[b]);
    maxOwn = Math.max(maxOwn, ownMargin[b]);
  }
  work.margins.maxMargin = 0;
  for (let b = 0; b < extent.length; b++) {
    margin[b] = h * (margin[b] + SPEED_SHARE * max) + MARGIN + freeFall;
    ownMargin[b] = h * (ownMargin[b] + SPEED_SHARE * maxOwn) + MARGIN;
    work.margins.maxMargin = Math.max(work.margins.maxMargin, margin[b]);
  }
}

/** Largest error of a contact's predicted depth, m, and largest change by the clamp to limits, rad or m. */
const MAX_DEPTH_ERROR = 2e-3;
const MAX_CLAMP = 5e-3;
/** Largest rotation of a touching bone, rad: the contact point moves along edges and ends of shapes. */
const MAX_ROTATION = 0.3;
/** Contacts with a smaller gap at the end touch, m. */
const TOUCHING = 5e-3;
/** Maximum number of substeps; the same of a large island, or of one with deep overlap. */
export const MAX_SUBSTEPS = 64;
const MAX_SUBSTEPS_LARGE = 2;
/** The same where a bone goes beyond its margin, so that it cannot pass what was not detected. */
const MAX_SUBSTEPS_BEYOND = 16;

/**
 * Number of substeps into which h must be divided for an island, a power of two: 1 where the prediction from the velocities found is good enough. Writes
 * the prediction.
 *
 * @param substeps - Number of substeps of length h in one of the equal substeps of the step.
 * @returns NaN for NaN or Infinity in the state.
 */
export function substepCount(simulation: Simulation, island: Island, h: number, substeps: number): number {
  let clamped = 0;
  let isBeyondMargin = false;
  for (const actor of island.actors) {
    const change = predict(simulation, actor, h, isInFlight(simulation, island, actor));
    if (Number.isNaN(change)) return change;
    clamped = Math.max(clamped, change);
    if (exceedsMargin(actor, h)) isBeyondMargin = true;
  }
  const required = Math.max(isBeyondMargin ? 2 : 1, predictedSubsteps(simulation, island, h, clamped));
  const count = Math.min(required, Math.floor(maxSubsteps(simulation, island) / substeps));
  // What a bone reaches beyond its margin is not detected: two shorter substeps with the margins of the speeds found.
  return Math.max(isBeyondMargin && 2 * substeps <= MAX_SUBSTEPS_BEYOND ? 2 : 1, count);
}

/** Largest number of substeps of an island. */
function maxSubsteps({ contactPotentials: { kind, source }, contacts }: Simulation, island: Island): number {
  if (isLarge(island)) return MAX_SUBSTEPS_LARGE;
  for (let k = 0; k < island.potentialCount; k++) {
    const t = island.potentialIndices[k];
    if (kind[t] === CONTACT && contacts.separation[source[t]] < -OVERLAP) return MAX_SUBSTEPS_LARGE;
  }
  return MAX_SUBSTEPS;
}

/**
 * Whether nothing acts on a figure that bounces but gravity. Its centre of mass moves on a parabola, h^2 g / 2 above the first-order step: the height that it falls from
 * and bounces to is that of its energy.
 */
function isInFlight(
  { contactPotentials: { isActive, bodyA, bodyB }, actors, figureOfBody }: Simulation,
  { potentialIndices, potentialCount }: Island,
  actor: Actor,
): boolean {
  const { bounces, forces, joints } = actor.work;
  if (!bounces || forces.hasExternalImpulse || joints.hasSpringForce || joints.hasMotorForce) return false;
  for (let k = 0; k < potentialCount; k++) {
    const t = potentialIndices[k];
    if (isActive[t] === 0) continue;
    if (actors[figureOfBody[bodyA[t]]] === actor) return false;
    if (bodyB[t] >= 0 && actors[figureOfBody[bodyB[t]]] === actor) return false;
  }
  return true;
}

/**
 * Predicts the next pose from the new velocities, clamped to its limits, to `nextPose`; writes the bone velocities at the old pose to `boneDirection`.
 *
 * @param inFlight - See {@link isInFlight}.
 * @returns the largest change of a coordinate by the clamp, rad or m; NaN for NaN or Infinity.
 */
function predict(simulation: Simulation, actor: Actor, h: number, inFlight: boolean): number {
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
  for (const socket of work.sockets) turnSocket(socket, pose, nextVelocity, h, nextPose);
  if (inFlight && !work.prediction.isSpeedClamped)
    addRootVelocity(work, nextPose, simulation.gravity, -0.5 * h * h);
  unclampedPose.set(nextPose);
  // 0 times NaN or Infinity is NaN: one sum tests all.
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

/**
 * Whether any bone moves farther than its margin at the velocities found (`boneDirection`), for example where an impact accelerates a limb. Records its
 * speed for the margins of the next trial.
 */
function exceedsMargin({ work }: Actor, h: number): boolean {
  const { boneDirection, extent, heaviestBone } = work;
  const { margin, ownMargin, expectedSpeed, expectedOwnSpeed } = work.margins;
  let any = false;
  for (let b = 0; b < extent.length; b++) {
    const speed = maxPointSpeed(boneDirection, b, extent[b], -1);
    const speedOwn = maxPointSpeed(boneDirection, b, extent[b], heaviestBone);
    if (h * speed <= margin[b] && h * speedOwn <= ownMargin[b]) continue;
    expectedSpeed[b] = speed;
    expectedOwnSpeed[b] = speedOwn;
    any = true;
  }
  return any;
}

/**
 * Number of substeps, a power of two, for which gaps and limits are predicted within tolerance. Gaps are predicted to second order; the error is h^3 w^2 v / 6,
 * w the angular velocity of the bone and v the velocity of its point, plus the change of the curvature by impacts in the last solve. It decreases at least with the
 * square of the number of substeps, as does the change by the clamp to limits.
 */
function predictedSubsteps(simulation: Simulation, island: Island, h: number, clamped: number): number {
  const { contactPotentials: potentials, boneDirection, contacts } = simulation;
  let worst = 0;
  let rotated = 0;
  for (let k = 0; k < island.potentialCount; k++) {
    const t = island.potentialIndices[k];
    if (potentials.kind[t] !== CONTACT) continue;
    const o = 3 * t;
    const third =
      depthError(boneDirection, 6 * potentials.bodyA[t], potentials.armA, o) +
      (potentials.bodyB[t] < 0 ? 0 : depthError(boneDirection, 6 * potentials.bodyB[t], potentials.armB, o));
    const { relativeVelocity, normal } = potentials;
    const normalVelocity =
      relativeVelocity[o] * normal[o] +
      relativeVelocity[o + 1] * normal[o + 1] +
      relativeVelocity[o + 2] * normal[o + 2];
    const gap = Math.max(
      0,
      contacts.separation[potentials.source[t]] + h * (normalVelocity + potentials.curvatureVelocity[t]),
    );
    if (gap < TOUCHING) {
      rotated = Math.max(rotated, h * angularSpeed(boneDirection, 6 * potentials.bodyA[t]));
      if (potentials.bodyB[t] >= 0)
        rotated = Math.max(rotated, h * angularSpeed(boneDirection, 6 * potentials.bodyB[t]));
    }
    const curvatureChange = h * (potentials.curvatureVelocity[t] - potentials.nextCurvatureVelocity[t]);
    worst = Math.max(worst, (h * h * h * third) / 6 + curvatureChange - gap);
  }
  let count = 1;
  while (worst > MAX_DEPTH_ERROR || rotated > MAX_ROTATION || clamped > MAX_CLAMP) {
    count *= 2;
    worst /= 4;
    rotated /= 2;
    clamped /= 4;
  }
  return count;
}

function angularSpeed(motion: Float64Array, o: number): number {
  return Math.hypot(motion[o], motion[o + 1], motion[o + 2]);
}

/** |w|^2 |v| of a bone and a point on it. */
function depthError(motion: Float64Array, a: number, arm: Float64Array, o: number): number {
  const wx = motion[a];
  const wy = motion[a + 1];
  const wz = motion[a + 2];
  const vx = motion[a + 3] + wy * arm[o + 2] - wz * arm[o + 1];
  const vy = motion[a + 4] + wz * arm[o] - wx * arm[o + 2];
  const vz = motion[a + 5] + wx * arm[o + 1] - wy * arm[o];
  return (wx * wx + wy * wy + wz * wz) * Math.sqrt(vx * vx + vy * vy + vz * vz);
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
    work.prediction.hasWorldImpulse = false;
  }
  for (let t = 0; t < potentials.count; t++) {
    const a = actors[figureOfBody[potentials.bodyA[t]]];
    const b = potentials.bodyB[t] < 0 ? undefined : actors[figureOfBody[potentials.bodyB[t]]];
    if (b === undefined && potentials.kind[t] === CONTACT && potentials.isActive[t] === 1)
      a.work.prediction.hasWorldImpulse = true;
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
  cacheJointImpulses(actor, h);
  const conservesMomentum = work.isFloating && !work.prediction.isSpeedClamped;
  // Momentum that the first-order step must end with, and bound of its energy: that before plus external work.
  if (conservesMomentum) predictMomentum(actor, h, gravity);
  const maxEnergy = work.energy.kinetic + work.energy.potential + externalWork(actor);
  // New state.
  velocity.set(work.solver.nextVelocity);
  for (const socket of work.sockets) convertSocketRates(socket, pose, work.prediction.nextPose, velocity);
  pose.set(work.prediction.nextPose);
  updateActor(actor, gravity);
  // Momentum first, which changes the energy; then the energy, down to its bound.
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

/** Rounding error of the kinetic energy, relative. */
const ROUNDING = 1e-12;

/**
 * Scales velocities down until the energy is at most `max`, for the first-order step would gain energy from rotating limbs. A floating
 * figure loses it in its joints first, which keeps its momentum, then in its rotation about the centre of mass, which keeps the velocity of
 * that, and as a whole only where the world pushes it, which takes any momentum. A figure on a fixed base slows down as a whole.
 */
function limitEnergy(actor: Actor, max: number, gravity: Float64Array): void {
  const { velocity, work } = actor;
  let excess = work.energy.kinetic + work.energy.potential - max;
  if (!(excess > 0)) return;
  if (work.isFloating) {
    const removable = work.energy.kinetic - lockedEnergy(actor);
    if (removable > 0) {
      const scale = Math.sqrt(Math.max(0, 1 - excess / removable));
      for (let i = 6; i < velocity.length; i++) velocity[i] *= scale;
      writeBoneVelocities(work.dynamics, velocity, work.boneVelocity);
      restoreMomentum(actor);
      updateEnergies(actor, gravity);
      excess = work.energy.kinetic + work.energy.potential - max;
      if (!(excess > ROUNDING * work.energy.kinetic)) return;
    }
  }
  const { mass } = work;
  const { centerVelocity } = work.energy;
  const translational = work.isFloating
    ? 0.5 * mass * (centerVelocity[0] ** 2 + centerVelocity[1] ** 2 + centerVelocity[2] ** 2)
    : 0;
  const removable = work.energy.kinetic - translational;
  if (removable > 0) {
    const scale = Math.sqrt(Math.max(0, 1 - excess / removable));
    for (let i = 0; i < velocity.length; i++) velocity[i] *= scale;
    if (work.isFloating) addRootVelocity(work, velocity, centerVelocity, 1 - scale);
    updateEnergies(actor, gravity);
  }
  if (!work.prediction.hasWorldImpulse) return;
  excess = work.energy.kinetic + work.energy.potential - max;
  if (!(excess > ROUNDING * work.energy.kinetic)) return;
  const share = Math.sqrt(Math.max(0, 1 - excess / work.energy.kinetic));
  for (let i = 0; i < velocity.length; i++) velocity[i] *= share;
  updateEnergies(actor, gravity);
}
