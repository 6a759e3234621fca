import { CONTACT, type ContactPotentials } from '../state/contact-potentials.js';
import type { Island } from '../state/island.js';
import { DRIVE, LIMIT } from '../state/joint-potentials.js';
import type { Simulation } from '../state/simulation.js';
import { relinearizeLimits, updateCurvature } from './curvature-correction.js';

/**
 * Tolerances that end the outer iterations. Constraint drift, m/s or rad/s: of limits larger, for the clamp removes the rest. Relative change of the friction
 * bound, and the change of velocity, m/s, below which it does not count.
 */
const VELOCITY_TOLERANCE = 3e-3;
const LIMIT_VELOCITY_TOLERANCE = 0.05;
const FRICTION_TOLERANCE = 0.1;
const MIN_FRICTION_CHANGE = 2e-5;
/** Outer iterations that update the curvature: impacts could make it oscillate. */
const MAX_CURVATURE_UPDATES = 3;
/** Share of a squared bound above which an impulse is saturated. */
const SATURATED = 0.99;
/** Growth of the penalty stiffness from one solve to the next. */
const STIFFNESS_GROWTH = 4;

/**
 * One update of the method of multipliers: sets the multipliers to the impulses found, raises the stiffness, and updates the curvature correction.
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
  let isChanging = false;
  for (let k = 0; k < potentialCount; k++) {
    const t = potentialIndices[k];
    if (potentials.kind[t] === CONTACT ? updateContact(simulation, t) : updateConnection(simulation, t))
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

function updateContact({ contactPotentials: potentials }: Simulation, t: number): boolean {
  const {
    normalMultiplier,
    normalImpulse,
    stiffness,
    tangentStiffness,
    maxImpulse,
    friction,
    multiplier,
    impulse,
    normal,
  } = potentials;
  const o = 3 * t;
  const lambda = normalImpulse[t];
  const frictionBound = friction[t] * lambda;
  const isChanging =
    Math.abs(lambda - normalMultiplier[t]) > VELOCITY_TOLERANCE * stiffness[t] ||
    Math.abs(frictionBound - maxImpulse[t]) >
      FRICTION_TOLERANCE * Math.max(frictionBound, maxImpulse[t]) + MIN_FRICTION_CHANGE * stiffness[t];
  normalMultiplier[t] = lambda;
  if (potentials.isBouncing[t] === 0) relaxSeparation(potentials, t);
  stiffness[t] *= STIFFNESS_GROWTH;
  tangentStiffness[t] *= STIFFNESS_GROWTH;
  maxImpulse[t] = frictionBound;
  for (let k = 0; k < 3; k++) multiplier[o + k] = impulse[o + k] - lambda * normal[o + k];
  return isChanging;
}

/**
 * Relaxes the target separation velocity of a contact to the one reached, and removes its share of the multiplier: shapes pressed into each other from two
 * sides cannot separate, and the impulses would grow without bound.
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

/** The same for a connection with an impulse below its bound: its target may be out of reach. */
function relaxConnection(
  { relativeVelocity, targetVelocity, impulse, multiplier, stiffness, maxImpulse }: ContactPotentials,
  t: number,
): void {
  let targetSquare = 0;
  let projection = 0;
  let deficitSquare = 0;
  let impulseSquare = 0;
  for (let k = 3 * t; k < 3 * t + 3; k++) {
    const deficit = targetVelocity[k] - relativeVelocity[k];
    targetSquare += targetVelocity[k] * targetVelocity[k];
    projection += targetVelocity[k] * deficit;
    deficitSquare += deficit * deficit;
    impulseSquare += impulse[k] * impulse[k];
  }
  if (!(projection > 0) || impulseSquare >= SATURATED * maxImpulse[t] * maxImpulse[t]) return;
  const share = Math.min(1, Math.sqrt(targetSquare / deficitSquare));
  for (let k = 3 * t; k < 3 * t + 3; k++) {
    const deficit = share * (targetVelocity[k] - relativeVelocity[k]);
    targetVelocity[k] -= deficit;
    multiplier[k] -= stiffness[t] * deficit;
  }
}

function updateConnection({ contactPotentials: potentials }: Simulation, t: number): boolean {
  const { multiplier, impulse, stiffness } = potentials;
  let isChanging = false;
  for (let o = 3 * t; o < 3 * t + 3; o++) {
    if (Math.abs(impulse[o] - multiplier[o]) > VELOCITY_TOLERANCE * stiffness[t]) isChanging = true;
    multiplier[o] = impulse[o];
  }
  relaxConnection(potentials, t);
  stiffness[t] *= STIFFNESS_GROWTH;
  return isChanging;
}
