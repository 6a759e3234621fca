import type { Island } from './island.js';
import { DRIVE, LIMIT } from './joint-terms.js';
import { CONTACT } from './pair-terms.js';
import { bendPairs, turnLimits } from './second-order.js';
import type { Simulation } from './simulation.js';

/**
 * How fast what holds may give way before all is solved again, m/s or rad/s; limits more, which clamp what is left. The part by which friction's bound
 * may change, unless that changes velocities by next to nothing.
 */
const GIVES_WAY = 3e-3;
const LIMIT_GIVES_WAY = 0.05;
const BOUND_CHANGES = 0.1;
const LEAST_CHANGE = 2e-5;
/** Solves after which what is foreseen is left as it is: blows may make it go to and fro. */
const MOST_RENEWALS = 3;
/** By how much all gets harder from one solve to the next. */
const HARDER = 4;

/**
 * Raises what terms hold to the impulses just found, one step of the method of multipliers, and renews what is foreseen by the velocities.
 *
 * @param solves - Made so far.
 * @returns whether anything gave way, or changed, by more than is left alone.
 */
export function raiseHeld(simulation: Simulation, island: Island, h: number, solves: number): boolean {
  const { actors, pairs, pairCount } = island;
  const { pairTerms: terms } = simulation;
  let again = false;
  for (let k = 0; k < pairCount; k++) {
    const t = pairs[k];
    if (terms.kind[t] === CONTACT ? raiseContact(simulation, t) : raiseConnection(simulation, t))
      again = true;
  }
  for (const { work } of actors) {
    const { count, kind, size, source, held, impulse, hard } = work.jointTerms;
    for (let t = 0; t < count; t++) {
      if (kind[t] === DRIVE && source[t] >= 0) continue;
      const end = 3 * t + (kind[t] === LIMIT ? 1 : size[t]);
      const most = (kind[t] === LIMIT ? LIMIT_GIVES_WAY : GIVES_WAY) * hard[t];
      for (let o = 3 * t; o < end; o++) {
        if (Math.abs(impulse[o] - held[o]) > most) again = true;
        held[o] = impulse[o];
      }
      hard[t] *= HARDER;
    }
  }
  for (const actor of actors) if (turnLimits(actor, h)) again = true;
  if (bendPairs(simulation, island, h, solves < MOST_RENEWALS)) again = true;
  return again;
}

function raiseContact({ pairTerms: terms }: Simulation, t: number): boolean {
  const { heldNormal, normalImpulse, hard, hardAcross, bound, friction, held, impulse, normal } = terms;
  const o = 3 * t;
  const push = normalImpulse[t];
  const most = friction[t] * push;
  const again =
    Math.abs(push - heldNormal[t]) > GIVES_WAY * hard[t] ||
    Math.abs(most - bound[t]) > BOUND_CHANGES * Math.max(most, bound[t]) + LEAST_CHANGE * hard[t];
  heldNormal[t] = push;
  hard[t] *= HARDER;
  hardAcross[t] *= HARDER;
  bound[t] = most;
  for (let k = 0; k < 3; k++) held[o + k] = impulse[o + k] - push * normal[o + k];
  return again;
}

function raiseConnection({ pairTerms: terms }: Simulation, t: number): boolean {
  const { held, impulse, hard } = terms;
  let again = false;
  for (let o = 3 * t; o < 3 * t + 3; o++) {
    if (Math.abs(impulse[o] - held[o]) > GIVES_WAY * hard[t]) again = true;
    held[o] = impulse[o];
  }
  hard[t] *= HARDER;
  return again;
}
