import { CONTACT, type PairTerms } from '../state/contact-potentials.js';
import type { Island } from '../state/island.js';
import { DRIVE, LIMIT } from '../state/joint-potentials.js';
import type { Simulation } from '../state/simulation.js';
import { bendPairs, turnLimits } from './curvature-correction.js';

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
/** Part of a bound, squared, that counts as all of it. */
const SATED = 0.99;
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
  if (terms.bounces[t] === 0) giveUpParting(terms, t);
  hard[t] *= HARDER;
  hardAcross[t] *= HARDER;
  bound[t] = most;
  for (let k = 0; k < 3; k++) held[o + k] = impulse[o + k] - push * normal[o + k];
  return again;
}

/**
 * Gives up what a contact did not get of the speed at which it is to part, and what it pushed with for that: where shapes are held inside each
 * other from two sides it cannot be had, and pushes would grow without end. At rest all can have what is left.
 */
function giveUpParting({ normal, velocity, target, heldNormal, hard }: PairTerms, t: number): void {
  const o = 3 * t;
  const along = normal[o] * velocity[o] + normal[o + 1] * velocity[o + 1] + normal[o + 2] * velocity[o + 2];
  const part = target[o] - Math.max(0, along);
  if (!(part > 0)) return;
  target[o] -= part;
  heldNormal[t] = Math.max(0, heldNormal[t] - hard[t] * part);
}

/** Likewise for a connection that pulls with less than its bound: it may be dragged beyond its reach. */
function giveUpClosing({ velocity, target, impulse, held, hard, bound }: PairTerms, t: number): void {
  let square = 0;
  let lacks = 0;
  let all = 0;
  let pull = 0;
  for (let k = 3 * t; k < 3 * t + 3; k++) {
    const lack = target[k] - velocity[k];
    square += target[k] * target[k];
    lacks += target[k] * lack;
    all += lack * lack;
    pull += impulse[k] * impulse[k];
  }
  if (!(lacks > 0) || pull >= SATED * bound[t] * bound[t]) return;
  const share = Math.min(1, Math.sqrt(square / all));
  for (let k = 3 * t; k < 3 * t + 3; k++) {
    const part = share * (target[k] - velocity[k]);
    target[k] -= part;
    held[k] -= hard[t] * part;
  }
}

function raiseConnection({ pairTerms: terms }: Simulation, t: number): boolean {
  const { held, impulse, hard } = terms;
  let again = false;
  for (let o = 3 * t; o < 3 * t + 3; o++) {
    if (Math.abs(impulse[o] - held[o]) > GIVES_WAY * hard[t]) again = true;
    held[o] = impulse[o];
  }
  giveUpClosing(terms, t);
  hard[t] *= HARDER;
  return again;
}
