/** The state at the end of a substep as predicted from the velocities found, and the number of shorter substeps that its error asks for. */
import { clampToLimits } from '../../../figure/model/pose.js';
import { regularizeCharts } from '../../../figure/model/regularize.js';
import { integrateConstantVelocity } from '../../integrate/rotate-pose.js';
import { writeBoneVelocities } from '../../kinematics/jacobian.js';
import { passesByCenter } from '../constraints/center-contacts.js';
import { measureRelativeVelocity } from '../constraints/contact-jacobian.js';
import { MAX_SPEED } from '../inputs/read-inputs.js';
import { predictEnergy } from '../mechanics/energy.js';
import { isSaturated } from '../mechanics/energy-account.js';
import { addRootVelocity } from '../mechanics/root-momentum.js';
import { turnSocket } from '../mechanics/sockets.js';
import type { Actor } from '../state/actor.js';
import { CONTACT, OVERLAP, POINT, ROTATION } from '../state/contact-potentials.js';
import { type Island, isLarge } from '../state/island.js';
import { LIMIT } from '../state/joint-potentials.js';
import type { Simulation } from '../state/simulation.js';
import { exceedsMargin } from './margins.js';

/** Largest error of a contact's predicted depth, m, and largest change by the clamp to limits, rad or m. */
const MAX_DEPTH_ERROR = 2e-3;
const MAX_CLAMP = 5e-3;
/** The same of connected actors, whose connections the clamp opens, and largest error of the predicted gap of a connection, m. */
const MAX_CLAMP_CONNECTED = 1e-3;
const MAX_GAP_ERROR = 2e-4;
/** Largest gain of energy, relative to the kinetic energy and that of free fall for a time, s. */
const MAX_ENERGY_GAIN = 0.25;
const FALL_TIME = 1 / 60;
/** Speed below which connections do no work but that of their correction, m/s. */
const CORRECTION_SPEED = 0.16;
/** Largest rotation of a touching or connected bone, rad: contact points move along edges and ends of shapes. The same of one that touches nothing. */
const MAX_ROTATION = 0.3;
/** Square of h times the frequency up to which a mode is resolved. */
export const RESOLVED = 0.1;
/** Contacts with a smaller gap at the end touch, m. */
const TOUCHING = 5e-3;
/** Maximum number of substeps; the same of a large island, or of one with deep overlap. */
export const MAX_SUBSTEPS = 64;
const MAX_SUBSTEPS_LARGE = 2;
/** The same where a bone goes beyond its margin, so that it cannot pass what was not detected. */
const MAX_SUBSTEPS_BEYOND = 16;
const MAX_SUBSTEPS_CONNECTED = 16;
/** The same where connections alone act: light links that straighten under a heavy weight whip at hundreds of rad/s. */
const MAX_SUBSTEPS_LINKED = 256;

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
    const { prediction } = actor.work;
    prediction.isMean = island.potentialCount === 0 && isSmooth(actor, h * substeps);
    prediction.isInFlight = isInFlight(simulation, island, actor);
    const change = predict(simulation, actor, h);
    if (Number.isNaN(change)) return change;
    clamped = Math.max(clamped, change);
    if (exceedsMargin(actor, h)) isBeyondMargin = true;
  }
  if (passesByCenter(simulation, island, h)) isBeyondMargin = true;
  const gain = energyGain(simulation, island, h);
  const required = Math.max(
    isBeyondMargin ? 2 : 1,
    gain > MAX_ENERGY_GAIN || connectionWork(simulation, island) > MAX_ENERGY_GAIN ? 2 : 1,
    predictedSubsteps(simulation, island, h, clamped),
  );
  const bounded = Math.min(required, Math.floor(maxSubsteps(simulation, island) / substeps));
  // What a bone reaches beyond its margin is not detected: two shorter substeps with the margins of the speeds found.
  const count = Math.max(isBeyondMargin && 2 * substeps <= MAX_SUBSTEPS_BEYOND ? 2 : 1, bounded);
  if (count > 1 || !(gain > MAX_ENERGY_GAIN)) return count;
  // As many substeps as there may be leave it: slower, so that no pose is reached that energy does not allow.
  const scale = Math.sqrt(Math.max(0, 1 - gain));
  for (const actor of island.actors) {
    const { nextVelocity } = actor.work.solver;
    for (let i = 0; i < nextVelocity.length; i++) nextVelocity[i] *= scale;
    predict(simulation, actor, h);
    actor.work.prediction.isSlowed = true;
  }
  return 1;
}

/**
 * Energy that actors joined by connections gain without work from outside, relative to their kinetic energy after the substep and that of free fall
 * for `FALL_TIME`, or of the correction of gaps, to first order; 0 where a connection was moved or slips.
 */
function energyGain(
  { contactPotentials, connections, gravity }: Simulation,
  island: Island,
  h: number,
): number {
  const { kind, source, impulse, maxImpulse } = contactPotentials;
  let isConnected = false;
  for (let k = island.potentialCount - 1; k >= 0; k--) {
    const t = island.potentialIndices[k];
    if (kind[t] === CONTACT) break;
    isConnected = true;
    if (connections[-1 - source[t]].isOpen || isSaturated(impulse, maxImpulse[t], 3 * t)) return 0;
  }
  if (!isConnected) return 0;
  const fall = FALL_TIME * FALL_TIME * (gravity[0] ** 2 + gravity[1] ** 2 + gravity[2] ** 2);
  const least = 0.5 * Math.max(fall, CORRECTION_SPEED ** 2);
  let kinetic = 0;
  let gain = 0;
  for (const actor of island.actors) {
    const { joints, prediction, mass } = actor.work;
    kinetic += mass * least;
    if (joints.hasSpringForce || joints.hasMotorForce) return 0;
    predictEnergy(actor, gravity, h);
    kinetic += prediction.kinetic;
    gain += prediction.gain;
  }
  return gain / kinetic;
}

/**
 * Work of the closed connections of an island, which should do none, relative to the kinetic energy before the substep and that of `CORRECTION_SPEED`: links
 * that straighten within the substep take the velocity of what they stop.
 */
function connectionWork(simulation: Simulation, island: Island): number {
  const { contactPotentials: potentials, boneVelocity } = simulation;
  const { kind, impulse, relativeVelocity, scratch } = potentials;
  let work = 0;
  for (let k = island.potentialCount - 1; k >= 0; k--) {
    const t = island.potentialIndices[k];
    if (kind[t] === CONTACT) break;
    if (kind[t] !== POINT || !isClosed(simulation, t)) continue;
    measureRelativeVelocity(potentials, t, boneVelocity, scratch);
    for (let o = 3 * t; o < 3 * t + 3; o++) work += 0.5 * impulse[o] * (scratch[o] + relativeVelocity[o]);
  }
  if (work === 0) return 0;
  let kinetic = 0;
  for (const { work: each } of island.actors)
    kinetic += each.energy.kinetic + 0.5 * each.mass * CORRECTION_SPEED ** 2;
  return Math.abs(work) / kinetic;
}

/** Whether a figure on a fixed base moves under gravity and damping alone, in modes that steps of h seconds resolve. */
function isSmooth({ work }: Actor, h: number): boolean {
  const { hasSpringForce, hasMotorForce, potentials } = work.joints;
  if (work.isFloating || hasSpringForce || hasMotorForce || !(h * h * work.loadRate < RESOLVED)) return false;
  for (let t = 0; t < potentials.count; t++)
    if (potentials.kind[t] === LIMIT && potentials.impulse[3 * t] > 0) return false;
  return true;
}

/** Largest number of substeps of an island. */
function maxSubsteps(simulation: Simulation, island: Island): number {
  const {
    contacts,
    contactPotentials: { kind, source },
  } = simulation;
  if (isLarge(island)) return MAX_SUBSTEPS_LARGE;
  const { potentialIndices, potentialCount } = island;
  let max = MAX_SUBSTEPS;
  // Connections come after the contacts.
  if (potentialCount > 0 && kind[potentialIndices[0]] === POINT && isClosed(simulation, potentialIndices[0]))
    return MAX_SUBSTEPS_LINKED;
  for (let k = 0; k < potentialCount; k++) {
    const t = potentialIndices[k];
    if (kind[t] === CONTACT && contacts.separation[source[t]] < -OVERLAP) max = MAX_SUBSTEPS_LARGE;
    if (max === MAX_SUBSTEPS_LARGE && kind[t] === POINT && isClosed(simulation, t))
      return MAX_SUBSTEPS_CONNECTED;
  }
  return max;
}

/** Whether a connection is at its place and below its bound: one that is not needs no accuracy. */
function isClosed(
  { contactPotentials: { source, impulse, maxImpulse }, connections }: Simulation,
  t: number,
): boolean {
  return !connections[-1 - source[t]].isOpen && !isSaturated(impulse, maxImpulse[t], 3 * t);
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
 * @returns the largest change of a coordinate by the clamp, rad or m; NaN for NaN or Infinity.
 */
function predict(simulation: Simulation, actor: Actor, h: number): number {
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
  work.prediction.isSlowed = work.prediction.isSpeedClamped;
  if (work.prediction.isSpeedClamped) {
    for (let i = 0; i < nextVelocity.length; i++) nextVelocity[i] *= MAX_SPEED / maxSpeed;
    writeBoneVelocities(dynamics, nextVelocity, boneDirection);
  }
  let mean = nextVelocity;
  if (work.prediction.isMean) {
    mean = work.solver.direction;
    for (let i = 0; i < mean.length; i++) mean[i] = 0.5 * (actor.velocity[i] + nextVelocity[i]);
  }
  integrateConstantVelocity(rotationVectorStarts, pose, mean, h, nextPose);
  for (const socket of work.sockets) turnSocket(socket, pose, mean, h, nextPose);
  if (work.prediction.isInFlight && !work.prediction.isSpeedClamped)
    addRootVelocity(work, nextPose, simulation.gravity, -0.5 * h * h);
  unclampedPose.set(nextPose);
  // 0 times NaN or Infinity is NaN: one sum tests all.
  let sum = 0;
  for (let i = 0; i < nextPose.length; i++) sum += 0 * (nextPose[i] + nextVelocity[i]);
  if (sum !== 0) return Number.NaN;
  let change = 0;
  work.account.dissipates = false;
  if (clampToLimits(figure, nextPose)) {
    work.account.dissipates = true;
    for (let i = 0; i < nextPose.length; i++)
      change = Math.max(change, Math.abs(nextPose[i] - unclampedPose[i]));
  }
  regularizeCharts(freeRotationVectorStarts, nextPose);
  return change;
}

/**
 * Number of substeps, a power of two, for which gaps and limits are predicted within tolerance. Gaps are predicted to second order; the error is h^3 w^2 v / 6,
 * w the angular velocity of the bone and v the velocity of its point, plus the change of the curvature by impacts in the last solve. It decreases at least with the
 * square of the number of substeps, as does the change by the clamp to limits.
 */
function predictedSubsteps(simulation: Simulation, island: Island, h: number, clamped: number): number {
  const { contactPotentials: potentials, boneDirection, boneVelocity, contacts } = simulation;
  let worst = 0;
  let rotated = 0;
  let maxClamp = MAX_CLAMP;
  for (let k = 0; k < island.potentialCount; k++) {
    const t = island.potentialIndices[k];
    if (potentials.kind[t] !== CONTACT) {
      if (potentials.kind[t] === ROTATION || !isClosed(simulation, t)) continue;
      maxClamp = MAX_CLAMP_CONNECTED;
    }
    const o = 3 * t;
    if (potentials.kind[t] === POINT) {
      const third =
        pathError(simulation, potentials.bodyA[t], potentials.armA, o) +
        (potentials.bodyB[t] < 0 ? 0 : pathError(simulation, potentials.bodyB[t], potentials.armB, o));
      const opening = (h * h * h * third) / 6 + connectionDrift(simulation, t, h);
      worst = Math.max(worst, opening * (MAX_DEPTH_ERROR / MAX_GAP_ERROR));
      for (const body of [potentials.bodyA[t], potentials.bodyB[t]]) {
        if (body < 0) continue;
        // What a connection stops has turned before.
        const speed = Math.max(angularSpeed(boneDirection, 6 * body), angularSpeed(boneVelocity, 6 * body));
        rotated = Math.max(rotated, h * speed);
      }
      continue;
    }
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
  if (island.potentialCount === 0) {
    const [{ work }] = island.actors;
    for (let o = 0; o < work.boneDirection.length; o += 6)
      rotated = Math.max(rotated, h * angularSpeed(work.boneDirection, o));
  }
  let count = 1;
  while (
    count < MAX_SUBSTEPS_LINKED &&
    (worst > MAX_DEPTH_ERROR || rotated > MAX_ROTATION || clamped > maxClamp)
  ) {
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

/** Distance by which a point connection opens in h seconds at the velocities found, to second order, m: what the outer iterations have not reached. */
function connectionDrift({ contactPotentials, connections }: Simulation, t: number, h: number): number {
  const {
    relativeVelocity: u,
    connectionCurvatureVelocity: c,
    nextCurvatureVelocity,
    source,
  } = contactPotentials;
  const { positionError: e } = connections[-1 - source[t]];
  const o = 3 * t;
  const before = Math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
  const [x, y, z] = [
    e[0] + h * (u[o] + c[o]),
    e[1] + h * (u[o + 1] + c[o + 1]),
    e[2] + h * (u[o + 2] + c[o + 2]),
  ];
  return Math.max(0, Math.sqrt(x * x + y * y + z * z) + h * nextCurvatureVelocity[t] - before);
}

/** The same for the anchor of a connection, whose velocity is that of the other one: |w|^3 |r| of its bone and those above, r to the next below. */
function pathError(
  { actors, figureOfBody, boneOfBody, boneDirection }: Simulation,
  body: number,
  arm: Float64Array,
  o: number,
): number {
  const { figure, work } = actors[figureOfBody[body]];
  const { offsets } = work.dynamics;
  const first = body - boneOfBody[body];
  let sum = 0;
  let length = Math.sqrt(arm[o] ** 2 + arm[o + 1] ** 2 + arm[o + 2] ** 2);
  for (let b = boneOfBody[body]; b >= 0; b = figure.parents[b]) {
    sum += angularSpeed(boneDirection, 6 * (first + b)) ** 3 * length;
    length = Math.sqrt(offsets[3 * b] ** 2 + offsets[3 * b + 1] ** 2 + offsets[3 * b + 2] ** 2);
  }
  return sum;
}
