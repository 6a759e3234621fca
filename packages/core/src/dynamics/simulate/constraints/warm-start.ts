/** Warm start: the impulses of the last substep, from which contacts, connections and limits start. */
import type { Actor } from '../state/actor.js';
import { CONTACT, type ContactPotentials, ROTATION } from '../state/contact-potentials.js';
import type { Simulation } from '../state/simulation.js';
import {
  cacheContact,
  clearCache,
  findCachedContact,
  keptShare,
  type WarmStartCache,
  warmStartScale,
} from '../state/warm-start-cache.js';

/**
 * Multipliers and friction bound that a contact starts with, from the cache; zero for a new contact, and for an overlap whose load is not known apart from its
 * correction.
 */
export function startContact(
  cache: WarmStartCache,
  potentials: ContactPotentials,
  t: number,
  id: number,
  isOverlap: boolean,
  h: number,
): void {
  const { multiplier, normalMultiplier, normal, maxImpulse, friction } = potentials;
  const o = 3 * t;
  const entry = findCachedContact(cache, id);
  const isNew = entry < 0 || (isOverlap && cache.excludesCorrection[entry] === 0);
  potentials.isNew[t] = isNew ? 1 : 0;
  if (isNew) {
    multiplier[o] = 0;
    multiplier[o + 1] = 0;
    multiplier[o + 2] = 0;
    normalMultiplier[t] = 0;
    maxImpulse[t] = 0;
    return;
  }
  const e = 3 * entry;
  const { tangentImpulse } = cache;
  const scale = warmStartScale(h, cache.duration[entry]);
  const normalComponent =
    tangentImpulse[e] * normal[o] +
    tangentImpulse[e + 1] * normal[o + 1] +
    tangentImpulse[e + 2] * normal[o + 2];
  for (let k = 0; k < 3; k++)
    multiplier[o + k] = scale * (tangentImpulse[e + k] - normalComponent * normal[o + k]);
  normalMultiplier[t] = scale * cache.startImpulse[entry];
  maxImpulse[t] = friction[t] * scale * cache.lastImpulse[entry];
}

/** Whether this substep commits the actor's state. */
function isCommitted({ work }: Actor): boolean {
  return work.substep.active && work.substep.count === 1;
}

/**
 * Caches the impulses of contacts and connections for the next warm start.
 *
 * @param isDivided - Whether h is a part of a step that was divided: each part starts from the last.
 */
export function cacheContactImpulses(simulation: Simulation, h: number, isDivided: boolean): void {
  const {
    contactPotentials: potentials,
    contacts,
    connections,
    warmStart,
    spareWarmStart,
    actors,
    figureOfBody,
  } = simulation;
  clearCache(spareWarmStart);
  // Entries of other actors stay.
  for (let k = 0; k < warmStart.count; k++) {
    if (isCommitted(actors[warmStart.owner[k]])) continue;
    const entry = cacheContact(spareWarmStart, warmStart.ids[k], warmStart.owner[k]);
    if (entry < 0) break;
    spareWarmStart.duration[entry] = warmStart.duration[k];
    spareWarmStart.lastImpulse[entry] = warmStart.lastImpulse[k];
    spareWarmStart.loadImpulse[entry] = warmStart.loadImpulse[k];
    spareWarmStart.excludesCorrection[entry] = warmStart.excludesCorrection[k];
    spareWarmStart.startImpulse[entry] = warmStart.startImpulse[k];
    for (let n = 0; n < 3; n++)
      spareWarmStart.tangentImpulse[3 * entry + n] = warmStart.tangentImpulse[3 * k + n];
  }
  for (const { enabled, bodyA, force, couple } of connections) {
    // A connection of sleeping actors reports the force from when they fell asleep.
    if (enabled && !isCommitted(actors[figureOfBody[bodyA]])) continue;
    force.fill(0);
    couple.fill(0);
  }
  for (let t = 0; t < potentials.count; t++) {
    const o = 3 * t;
    const owner = figureOfBody[potentials.bodyA[t]];
    if (!isCommitted(actors[owner])) continue;
    if (potentials.kind[t] !== CONTACT) {
      const connection = connections[-1 - potentials.source[t]];
      const { coupleImpulse, forceImpulse, couple, force } = connection;
      connection.impulseDuration = h;
      const isRotation = potentials.kind[t] === ROTATION;
      const to = isRotation ? coupleImpulse : forceImpulse;
      const average = isRotation ? couple : force;
      for (let n = 0; n < 3; n++) {
        to[n] = potentials.impulse[o + n];
        average[n] = to[n] / h;
      }
      continue;
    }
    const id = contacts.id[potentials.source[t]];
    const normalImpulse = potentials.normalImpulse[t];
    const before = findCachedContact(warmStart, id);
    const entry = cacheContact(spareWarmStart, id, owner);
    if (entry < 0) break;
    spareWarmStart.duration[entry] = h;
    spareWarmStart.lastImpulse[entry] = normalImpulse;
    const excludesCorrection = potentials.correctionVelocity[t] > 0;
    spareWarmStart.loadImpulse[entry] = excludesCorrection ? potentials.loadImpulse[t] : normalImpulse;
    spareWarmStart.excludesCorrection[entry] = excludesCorrection ? 1 : 0;
    spareWarmStart.startImpulse[entry] = 0;
    for (let n = 0; n < 3; n++) {
      spareWarmStart.tangentImpulse[3 * entry + n] =
        potentials.impulse[o + n] - normalImpulse * potentials.normal[o + n];
    }
    if (before < 0) continue;
    const kept = isDivided ? 0 : keptShare(h, warmStart.duration[before]);
    spareWarmStart.duration[entry] += kept * warmStart.duration[before];
    spareWarmStart.lastImpulse[entry] += kept * warmStart.lastImpulse[before];
    spareWarmStart.loadImpulse[entry] += kept * warmStart.loadImpulse[before];
    const scale = warmStartScale(spareWarmStart.duration[entry], warmStart.duration[before]);
    spareWarmStart.startImpulse[entry] = Math.min(
      spareWarmStart.loadImpulse[entry],
      scale * warmStart.loadImpulse[before],
    );
    for (let n = 0; n < 3; n++)
      spareWarmStart.tangentImpulse[3 * entry + n] += kept * warmStart.tangentImpulse[3 * before + n];
  }
  simulation.warmStart = spareWarmStart;
  simulation.spareWarmStart = warmStart;
}

/** Forgets the impulses that an actor's limits, contacts and connections start from. */
export function forgetImpulses(
  { warmStart, connections, figureOfBody }: Simulation,
  { index, work }: Actor,
): void {
  work.joints.impulseDuration = 0;
  for (let k = 0; k < warmStart.count; k++) if (warmStart.owner[k] === index) warmStart.duration[k] = 0;
  for (const connection of connections)
    if (figureOfBody[connection.bodyA] === index) connection.impulseDuration = 0;
}
