import { CONTACT, type ContactPotentials } from '../state/contact-potentials.js';
import type { Island } from '../state/island.js';
import { DRIVE, LIMIT } from '../state/joint-potentials.js';
import type { Simulation } from '../state/simulation.js';
import { relinearizeLimits, updateCurvature } from './curvature-correction.js';

/**
 * How fast what holds may give way before all is solved again, m/s or rad/s; limits more, which clamp what is left. The part by which friction's bound
 * may change, unless that changes velocities by next to nothing.
 */
const VELOCITY_TOLERANCE = 3e-3;
const LIMIT_VELOCITY_TOLERANCE = 0.05;
const FRICTION_TOLERANCE = 0.1;
const MIN_FRICTION_CHANGE = 2e-5;
/** Solves after which what is foreseen is left as it is: blows may make it go to and fro. */
const MAX_CURVATURE_UPDATES = 3;
/** Part of a bound, squared, that counts as all of it. */
const SATURATED = 0.99;
/** By how much all gets harder from one solve to the next. */
const STIFFNESS_GROWTH = 4;

/**
 * Raises what terms hold to the impulses just found, one step of the method of multipliers, and renews what is foreseen by the velocities.
 *
 * @param solves - Made so far.
 * @returns whether anything gave way, or changed, by more than is left alone.
 */
export function updateMultipliers(
  simulation: Simulation,
  island: Island,
  h: number,
  solves: number,
): boolean {
  const { actors, potentials, potentialCount } = island;
  const { contactPotentials: terms } = simulation;
  let again = false;
  for (let k = 0; k < potentialCount; k++) {
    const t = potentials[k];
    if (terms.kind[t] === CONTACT ? updateContact(simulation, t) : updateConnection(simulation, t))
      again = true;
  }
  for (const { work } of actors) {
    const { count, kind, size, source, multiplier, impulse, stiffness } = work.jointPotentials;
    for (let t = 0; t < count; t++) {
      if (kind[t] === DRIVE && source[t] >= 0) continue;
      const end = 3 * t + (kind[t] === LIMIT ? 1 : size[t]);
      const most = (kind[t] === LIMIT ? LIMIT_VELOCITY_TOLERANCE : VELOCITY_TOLERANCE) * stiffness[t];
      for (let o = 3 * t; o < end; o++) {
        if (Math.abs(impulse[o] - multiplier[o]) > most) again = true;
        multiplier[o] = impulse[o];
      }
      stiffness[t] *= STIFFNESS_GROWTH;
    }
  }
  for (const actor of actors) if (relinearizeLimits(actor, h)) again = true;
  if (updateCurvature(simulation, island, h, solves < MAX_CURVATURE_UPDATES)) again = true;
  return again;
}

function updateContact({ contactPotentials: terms }: Simulation, t: number): boolean {
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
  } = terms;
  const o = 3 * t;
  const push = normalImpulse[t];
  const most = friction[t] * push;
  const again =
    Math.abs(push - normalMultiplier[t]) > VELOCITY_TOLERANCE * stiffness[t] ||
    Math.abs(most - maxImpulse[t]) >
      FRICTION_TOLERANCE * Math.max(most, maxImpulse[t]) + MIN_FRICTION_CHANGE * stiffness[t];
  normalMultiplier[t] = push;
  if (terms.isBouncing[t] === 0) relaxSeparation(terms, t);
  stiffness[t] *= STIFFNESS_GROWTH;
  tangentStiffness[t] *= STIFFNESS_GROWTH;
  maxImpulse[t] = most;
  for (let k = 0; k < 3; k++) multiplier[o + k] = impulse[o + k] - push * normal[o + k];
  return again;
}

/**
 * Gives up what a contact did not get of the speed at which it is to part, and what it pushed with for that: where shapes are held inside each
 * other from two sides it cannot be had, and pushes would grow without end. At rest all can have what is left.
 */
function relaxSeparation(
  { normal, relativeVelocity, targetVelocity, normalMultiplier, stiffness }: ContactPotentials,
  t: number,
): void {
  const o = 3 * t;
  const along =
    normal[o] * relativeVelocity[o] +
    normal[o + 1] * relativeVelocity[o + 1] +
    normal[o + 2] * relativeVelocity[o + 2];
  const part = targetVelocity[o] - Math.max(0, along);
  if (!(part > 0)) return;
  targetVelocity[o] -= part;
  normalMultiplier[t] = Math.max(0, normalMultiplier[t] - stiffness[t] * part);
}

/** Likewise for a connection that pulls with less than its bound: it may be dragged beyond its reach. */
function relaxConnection(
  { relativeVelocity, targetVelocity, impulse, multiplier, stiffness, maxImpulse }: ContactPotentials,
  t: number,
): void {
  let square = 0;
  let lacks = 0;
  let all = 0;
  let pull = 0;
  for (let k = 3 * t; k < 3 * t + 3; k++) {
    const lack = targetVelocity[k] - relativeVelocity[k];
    square += targetVelocity[k] * targetVelocity[k];
    lacks += targetVelocity[k] * lack;
    all += lack * lack;
    pull += impulse[k] * impulse[k];
  }
  if (!(lacks > 0) || pull >= SATURATED * maxImpulse[t] * maxImpulse[t]) return;
  const share = Math.min(1, Math.sqrt(square / all));
  for (let k = 3 * t; k < 3 * t + 3; k++) {
    const part = share * (targetVelocity[k] - relativeVelocity[k]);
    targetVelocity[k] -= part;
    multiplier[k] -= stiffness[t] * part;
  }
}

function updateConnection({ contactPotentials: terms }: Simulation, t: number): boolean {
  const { multiplier, impulse, stiffness } = terms;
  let again = false;
  for (let o = 3 * t; o < 3 * t + 3; o++) {
    if (Math.abs(impulse[o] - multiplier[o]) > VELOCITY_TOLERANCE * stiffness[t]) again = true;
    multiplier[o] = impulse[o];
  }
  relaxConnection(terms, t);
  stiffness[t] *= STIFFNESS_GROWTH;
  return again;
}
