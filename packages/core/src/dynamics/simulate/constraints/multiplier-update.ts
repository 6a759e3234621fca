import { limitShapes } from '../../../figure/limits/shapes.js';
import { updateBoneMotion } from '../../kinematics/bone-motion.js';
import type { Dynamics } from '../../model/dynamics.js';
import type { Actor } from '../state/actor.js';
import { CONTACT, type ContactPotentials, ROTATION } from '../state/contact-potentials.js';
import { type Island, isSolvedInBlocks } from '../state/island.js';
import { DRIVE, LIMIT } from '../state/joint-potentials.js';
import type { Simulation } from '../state/simulation.js';
import { measureJointVelocity, writeLimitRow } from './joint-potentials.js';
import { subtractCurvatureImpulse, writeLimitCurvature } from './limit-curvature.js';

/**
 * Tolerances that end the outer iterations. Constraint drift, m/s or rad/s; larger for limits, since the clamp removes the rest; smaller for closed connections without a
 * warm start, which would sag under their load. Relative change of the
 * friction bound; and a velocity, m/s: a change below that times the stiffness does not count.
 */
export const VELOCITY_TOLERANCE = 3e-3;
const LIMIT_VELOCITY_TOLERANCE = 0.05;
const COLD_VELOCITY_TOLERANCE = 1e-8;
const FRICTION_TOLERANCE = 0.1;
const MIN_FRICTION_CHANGE = 2e-5;
/** Outer iterations that update the curvature: impacts could make it oscillate. */
const MAX_CURVATURE_UPDATES = 3;
/** Share of a squared bound above which an impulse is saturated. */
const SATURATED = 0.99;
/** Growth of the penalty stiffness from one solve to the next. */
const STIFFNESS_GROWTH = 4;

/**
 * One update of the method of multipliers (Rockafellar 1976). The impulse of an equality is gamma = g - k (u - t), so a drift u - t = (g - gamma) / k is left.
 * With g <- gamma and k <- 4 k the next solve leaves less; the drift is read off |gamma - g| > tolerance k. Also updates the friction bounds, the rows of
 * curved limits and the curvature correction. The bound and target of a motor are its own: it has no multiplier.
 *
 * @param outerIterations - Number of solves so far.
 * @returns whether any drift or change exceeds its tolerance.
 */
export function updateMultipliers(
  simulation: Simulation,
  island: Island,
  h: number,
  outerIterations: number,
): boolean {
  const { actors, potentialIndices, potentialCount } = island;
  const { contactPotentials: potentials } = simulation;
  const inBlocks = isSolvedInBlocks(island);
  let isChanging = inBlocks && outerIterations === 1 && addCorrections(simulation, island);
  for (let k = 0; k < potentialCount; k++) {
    const t = potentialIndices[k];
    if (
      potentials.kind[t] === CONTACT
        ? updateContact(simulation, t, inBlocks)
        : updateConnection(simulation, t)
    )
      isChanging = true;
  }
  for (const { work } of actors) {
    const { count, kind, size, source, multiplier, impulse, stiffness } = work.joints.potentials;
    for (let t = 0; t < count; t++) {
      if (kind[t] === DRIVE && source[t] >= 0) continue;
      const end = 3 * t + (kind[t] === LIMIT ? 1 : size[t]);
      const tolerance = (kind[t] === LIMIT ? LIMIT_VELOCITY_TOLERANCE : VELOCITY_TOLERANCE) * stiffness[t];
      for (let o = 3 * t; o < end; o++) {
        if (Math.abs(impulse[o] - multiplier[o]) > tolerance) isChanging = true;
        multiplier[o] = impulse[o];
      }
      stiffness[t] *= STIFFNESS_GROWTH;
    }
  }
  for (const actor of actors) if (relinearizeLimits(actor, h)) isChanging = true;
  if (updateCurvature(simulation, island, h, outerIterations < MAX_CURVATURE_UPDATES)) isChanging = true;
  return isChanging;
}

/**
 * Sets the corrections of depth of an island solved in blocks aside: its two outer iterations would not find the load of a contact again once a correction is given up. The
 * first solve, without them, finds the load, from which the next step starts; the second corrects. Other islands have none set aside.
 */
export function withholdCorrections(
  { contactPotentials: { kind, isBouncing, targetVelocity, correctionVelocity } }: Simulation,
  { potentialIndices, potentialCount }: Island,
  inBlocks: boolean,
): void {
  for (let k = 0; k < potentialCount; k++) {
    const t = potentialIndices[k];
    const target = targetVelocity[3 * t];
    correctionVelocity[t] = 0;
    if (!inBlocks || kind[t] !== CONTACT || isBouncing[t] === 1 || !(target > 0)) continue;
    correctionVelocity[t] = target;
    targetVelocity[3 * t] = 0;
  }
}

/** Keeps the loads of the contacts, and corrects their depth in the next solve. @returns whether any is corrected. */
function addCorrections(
  { contactPotentials }: Simulation,
  { potentialIndices, potentialCount }: Island,
): boolean {
  const { kind, targetVelocity, correctionVelocity, loadImpulse, normalImpulse } = contactPotentials;
  let isCorrecting = false;
  for (let k = 0; k < potentialCount; k++) {
    const t = potentialIndices[k];
    if (kind[t] !== CONTACT || correctionVelocity[t] === 0) continue;
    loadImpulse[t] = normalImpulse[t];
    targetVelocity[3 * t] += correctionVelocity[t];
    isCorrecting = true;
  }
  return isCorrecting;
}

function updateContact({ contactPotentials: potentials }: Simulation, t: number, inBlocks: boolean): boolean {
  const {
    normalMultiplier,
    normalImpulse,
    stiffness,
    tangentStiffness,
    maxImpulse: bound,
    isNew,
    lastBound,
    lastBoundChange,
    friction,
    multiplier,
    impulse,
    normal,
  } = potentials;
  const o = 3 * t;
  const lambda = normalImpulse[t];
  const change = friction[t] * lambda - bound[t];
  const isChanging =
    Math.abs(lambda - normalMultiplier[t]) > VELOCITY_TOLERANCE * stiffness[t] ||
    Math.abs(change) >
      FRICTION_TOLERANCE * Math.max(bound[t] + change, bound[t]) + MIN_FRICTION_CHANGE * stiffness[t];
  normalMultiplier[t] = lambda;
  // A bounce keeps its target: restitution is not an error to be relaxed.
  if (!inBlocks && potentials.isBouncing[t] === 0) relaxSeparation(potentials, t);
  stiffness[t] *= STIFFNESS_GROWTH;
  tangentStiffness[t] *= STIFFNESS_GROWTH;
  // Lagged friction: the disk of the next solve has the radius mu N of this one. Where a contact opens with that and closes without, it has one between them, by
  // the secant. Not in an impact: it is over before.
  const opens = lambda === 0 || bound[t] === 0 || lastBound[t] === 0;
  const next =
    isNew[t] === 0 && opens && change * lastBoundChange[t] < 0
      ? (lastBound[t] * change - bound[t] * lastBoundChange[t]) / (change - lastBoundChange[t])
      : friction[t] * lambda;
  lastBound[t] = bound[t];
  lastBoundChange[t] = change;
  bound[t] = next;
  for (let k = 0; k < 3; k++) multiplier[o + k] = impulse[o + k] - lambda * normal[o + k];
  return isChanging;
}

/**
 * Relaxes the target velocity t of a contact to the one reached, where depth correction (t > 0) asked for more: shapes that are
 * pressed into each other from two sides cannot separate, and their multipliers would grow without bound. The penalty added
 * stiffness times deficit for the share of t that is given up; that is removed from the multiplier.
 */
function relaxSeparation(
  { normal, relativeVelocity, targetVelocity, normalMultiplier, stiffness }: ContactPotentials,
  t: number,
): void {
  const o = 3 * t;
  const normalVelocity =
    normal[o] * relativeVelocity[o] +
    normal[o + 1] * relativeVelocity[o + 1] +
    normal[o + 2] * relativeVelocity[o + 2];
  const deficit = targetVelocity[o] - Math.max(0, normalVelocity);
  if (!(deficit > 0)) return;
  targetVelocity[o] -= deficit;
  normalMultiplier[t] = Math.max(0, normalMultiplier[t] - stiffness[t] * deficit);
}

/**
 * The same for a connection whose impulse is below its bound. The part c of its target that corrects the position error may be out of reach. Only a
 * velocity that falls short of it counts, c . (t - u) > 0, and at most |c| is given up.
 */
function relaxConnection(
  {
    relativeVelocity,
    targetVelocity,
    connectionCurvatureVelocity,
    impulse,
    multiplier,
    stiffness,
    maxImpulse,
  }: ContactPotentials,
  t: number,
): void {
  let correctionSquare = 0;
  let projection = 0;
  let deficitSquare = 0;
  let impulseSquare = 0;
  for (let k = 3 * t; k < 3 * t + 3; k++) {
    const deficit = targetVelocity[k] - relativeVelocity[k];
    const correction = targetVelocity[k] + connectionCurvatureVelocity[k];
    correctionSquare += correction * correction;
    projection += correction * deficit;
    deficitSquare += deficit * deficit;
    impulseSquare += impulse[k] * impulse[k];
  }
  if (!(projection > 0) || impulseSquare >= SATURATED * maxImpulse[t] * maxImpulse[t]) return;
  const share = Math.min(1, Math.sqrt(correctionSquare / deficitSquare));
  for (let k = 3 * t; k < 3 * t + 3; k++) {
    const deficit = share * (targetVelocity[k] - relativeVelocity[k]);
    targetVelocity[k] -= deficit;
    multiplier[k] -= stiffness[t] * deficit;
  }
}

/** Whether a closed connection of an island starts without an impulse of an earlier substep. */
export function startsCold(simulation: Simulation, { potentialIndices, potentialCount }: Island): boolean {
  const { kind } = simulation.contactPotentials;
  // Connections come after the contacts.
  for (let k = potentialCount - 1; k >= 0 && kind[potentialIndices[k]] !== CONTACT; k--)
    if (isCold(simulation, potentialIndices[k])) return true;
  return false;
}

function isCold({ contactPotentials: { source }, connections }: Simulation, t: number): boolean {
  const { isOpen, impulseDuration } = connections[-1 - source[t]];
  return !isOpen && impulseDuration === 0;
}

function updateConnection(simulation: Simulation, t: number): boolean {
  const { contactPotentials: potentials } = simulation;
  const { multiplier, impulse, stiffness } = potentials;
  let square = 0;
  for (let o = 3 * t; o < 3 * t + 3; o++) {
    square += (impulse[o] - multiplier[o]) ** 2;
    multiplier[o] = impulse[o];
  }
  const tolerance = isCold(simulation, t) ? COLD_VELOCITY_TOLERANCE : VELOCITY_TOLERANCE;
  const isChanging = Math.sqrt(square) > tolerance * stiffness[t];
  relaxConnection(potentials, t);
  stiffness[t] *= STIFFNESS_GROWTH;
  return isChanging;
}

/** Changes that require another solve: of a gap, m; of a connection's error, m; of a limit violation, rad or m. */
const GAP_TOLERANCE = 5e-4;
const CONNECTION_TOLERANCE = 2e-5;
const LIMIT_TOLERANCE = 3e-3;
/** Largest rotation of a bone within a substep, rad, of which the curvature is predicted. */
const MAX_PREDICTED_ROTATION = 0.6;

const ZERO = /* @__PURE__ */ new Float64Array(3);
const acceleration = /* @__PURE__ */ new Float64Array(3);

/**
 * Curvature correction: to second order a gap changes by h n . u + h^2/2 n . a, with a = J' v the acceleration of the points at constant joint velocities v,
 * those in `nextVelocity`. The constraint on u stays linear: its target velocity takes the correction,
 *
 *   n . u >= t - c,   c = h/2 n . a
 *
 * Writes c to `nextCurvatureVelocity`, and with `update` to the target velocities.
 *
 * @param update - Whether to update the target velocities.
 * @returns whether any change exceeds its tolerance.
 */
export function updateCurvature(
  simulation: Simulation,
  { actors, potentialIndices, potentialCount }: Island,
  h: number,
  update: boolean,
): boolean {
  const { contactPotentials: potentials, actors: all, figureOfBody, boneOfBody } = simulation;
  if (potentialCount === 0) return false;
  for (const { work } of actors) {
    updateBoneMotion(work.dynamics, work.solver.nextVelocity, undefined, ZERO);
    boundRotation(work.dynamics, h);
  }
  const {
    kind,
    bodyA,
    bodyB,
    armA,
    armB,
    centerOffsetA,
    centerOffsetB,
    normal,
    targetVelocity,
    curvatureVelocity,
    nextCurvatureVelocity,
    connectionCurvatureVelocity,
  } = potentials;
  let isChanging = false;
  for (let k = 0; k < potentialCount; k++) {
    const t = potentialIndices[k];
    if (kind[t] === ROTATION) continue;
    const o = 3 * t;
    const a = bodyA[t];
    const b = bodyB[t];
    acceleration.fill(0);
    addAcceleration(all[figureOfBody[a]].work.dynamics, boneOfBody[a], armA, normal, centerOffsetA, t, 1);
    if (b >= 0) {
      addAcceleration(all[figureOfBody[b]].work.dynamics, boneOfBody[b], armB, normal, centerOffsetB, t, -1);
    }
    if (kind[t] === CONTACT) {
      let normalAcceleration = 0;
      for (let n = 0; n < 3; n++) normalAcceleration += acceleration[n] * normal[o + n];
      // A correction that separates does not count: the points would penetrate on the way.
      const velocity = Math.min(0, 0.5 * h * normalAcceleration);
      nextCurvatureVelocity[t] = velocity;
      if (!update) continue;
      if (Math.abs(velocity - curvatureVelocity[t]) * h > GAP_TOLERANCE) isChanging = true;
      targetVelocity[o] += curvatureVelocity[t] - velocity;
      curvatureVelocity[t] = velocity;
      continue;
    }
    let square = 0;
    for (let n = 0; n < 3; n++) {
      const velocity = 0.5 * h * acceleration[n];
      const before = connectionCurvatureVelocity[o + n];
      square += (velocity - before) ** 2;
      if (!update) continue;
      targetVelocity[o + n] += before - velocity;
      connectionCurvatureVelocity[o + n] = velocity;
    }
    nextCurvatureVelocity[t] = update ? 0 : Math.sqrt(square);
    if (update && Math.sqrt(square) * h > CONNECTION_TOLERANCE) isChanging = true;
  }
  return isChanging;
}

/**
 * Scales bone motions down to those of a figure whose fastest bone rotates by `MAX_PREDICTED_ROTATION` in h. Accelerations are squares of velocities: without a bound,
 * a correction that makes a bone faster makes the next one larger, without end.
 */
function boundRotation(
  { angularVelocity: w, angularAcceleration: wd, acceleration: vd }: Dynamics,
  h: number,
): void {
  let square = 0;
  for (let o = 0; o < w.length; o += 3) {
    const each = w[o] * w[o] + w[o + 1] * w[o + 1] + w[o + 2] * w[o + 2];
    if (each > square) square = each;
  }
  const scale = MAX_PREDICTED_ROTATION / (h * Math.sqrt(square));
  if (!(scale < 1)) return;
  for (let o = 0; o < w.length; o++) {
    w[o] *= scale;
    wd[o] *= scale * scale;
    vd[o] *= scale * scale;
  }
}

/** Adds sign (v' + w' x r + w x (w x r)) of a point of potential t, r = arm + sign centerOffset normal, from the bone's current accelerations. */
function addAcceleration(
  { acceleration: vd, angularAcceleration: wd, angularVelocity: w }: Dynamics,
  bone: number,
  arm: Float64Array,
  normal: Float64Array,
  centerOffset: Float64Array,
  t: number,
  sign: 1 | -1,
): void {
  const i = 3 * bone;
  const o = 3 * t;
  const shift = sign * centerOffset[t];
  const x = arm[o] + shift * normal[o];
  const y = arm[o + 1] + shift * normal[o + 1];
  const z = arm[o + 2] + shift * normal[o + 2];
  const cx = w[i + 1] * z - w[i + 2] * y;
  const cy = w[i + 2] * x - w[i] * z;
  const cz = w[i] * y - w[i + 1] * x;
  acceleration[0] += sign * (vd[i] + wd[i + 1] * z - wd[i + 2] * y + w[i + 1] * cz - w[i + 2] * cy);
  acceleration[1] += sign * (vd[i + 1] + wd[i + 2] * x - wd[i] * z + w[i + 2] * cx - w[i] * cz);
  acceleration[2] += sign * (vd[i + 2] + wd[i] * y - wd[i + 1] * x + w[i] * cy - w[i + 1] * cx);
}

const predicted: number[] = [0, 0, 0];

/**
 * Relinearizes curved limits that the velocities found violate, at the projection of the predicted coordinates onto the limit.
 *
 * @returns whether any violation exceeds its tolerance.
 */
export function relinearizeLimits({ figure, pose, work }: Actor, h: number): boolean {
  const { potentials } = work.joints;
  const { nextVelocity } = work.solver;
  const { kind, source, coordinate, size, row, targetVelocity, velocity } = potentials;
  let isChanging = false;
  for (let t = 0; t < potentials.count; t++) {
    if (kind[t] !== LIMIT) continue;
    const component = figure.limitComponents[source[t] >> 1];
    if (component.kind === 'interval') continue;
    const shape = limitShapes[component.kind];
    const i = coordinate[t];
    const o = 3 * t;
    for (let k = 0; k < size[t]; k++) predicted[k] = pose[i + k] + h * nextVelocity[i + k];
    // The force of the new linearization is that found: what the old one has changed along the boundary goes.
    subtractCurvatureImpulse(potentials, t, nextVelocity, work.solver.requiredImpulse);
    potentials.curvature.fill(0, 9 * t, 9 * t + 9);
    const isViolated = shape.project(component.parameters, predicted, 0, size[t]);
    if (!isViolated && !(potentials.impulse[o] > 0)) continue;
    let violation = 0;
    for (let k = 0; k < size[t]; k++)
      violation += (pose[i + k] + h * nextVelocity[i + k] - predicted[k]) ** 2;
    if (violation > LIMIT_TOLERANCE * LIMIT_TOLERANCE) isChanging = true;
    const length = writeLimitRow(shape, component.parameters, predicted, 0, size[t], row, o);
    if (!(length > 0)) continue;
    let distance = isViolated ? 0 : -shape.value(component.parameters, predicted, 0, size[t]) / length;
    for (let k = 0; k < size[t]; k++) distance -= row[o + k] * (predicted[k] - pose[i + k]);
    targetVelocity[o] = -distance / h;
    const scale = (h * Math.max(0, potentials.impulse[o])) / length;
    writeLimitCurvature(potentials, t, shape, component.parameters, predicted, 0, scale);
    for (let k = 0; k < size[t]; k++) potentials.linearizedAt[o + k] = nextVelocity[i + k];
    measureJointVelocity(potentials, t, nextVelocity, velocity);
  }
  return isChanging;
}
