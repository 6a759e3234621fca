import type { Collider } from '../../collide/collider.js';
import { PLACED, ROUND } from '../../collide/shapes/world-shapes.js';
import type { Actor } from '../state/actor.js';
import { type Connection, writeConnection } from '../state/connection.js';
import { CONTACT, measurePair, type PairTerms, POINT, TURN } from '../state/contact-potentials.js';
import { OVERLAP } from '../state/overlap.js';
import type { Simulation } from '../state/simulation.js';
import { type ContactMemory, clearContacts, keepContact, recallContact } from '../state/warm-start-cache.js';

/** Part of the mass that gives way within one solve, along normals and connections, and across. */
const SOFTNESS = 0.05;
const SOFTNESS_ACROSS = 0.05;
/** Square of the radius of gyration that connections of directions are weighed with, m^2. */
const GYRATION = 0.02;
/** Depth that is left alone, m: undoing it would lift what lies there. Share of the rest that is undone in a step, and how fast at most, m/s; of connections. */
const SLOP = 5e-4;
const CORRECTION = 0.2;
const FASTEST_CORRECTION = 1;
const CONNECTION_CORRECTION = 0.3;
const FASTEST_CONNECTION = 3;
/** Slowest approach that bounces, m/s. */
const BOUNCE_FROM = 0.5;

/** Empties the terms, then adds the contacts of awake actors and the connections. */
export function fillPairTerms(simulation: Simulation, h: number): void {
  const { pairTerms: terms, contacts, connections, actors, figureOfBody } = simulation;
  terms.count = 0;
  for (let c = 0; c < contacts.count; c++) {
    const a = actors[figureOfBody[contacts.bodyA[c]]];
    const b = contacts.bodyB[c] < 0 ? undefined : actors[figureOfBody[contacts.bodyB[c]]];
    // One that sleeps on, or goes on by itself, is not within reach.
    if (!a.work.moving || b?.work.moving === false) continue;
    addContact(simulation, c, h);
  }
  for (let k = 0; k < connections.length; k++) addConnection(simulation, connections[k], k, h);
}

/** Mass that two bones are weighed with, kg; -1 for the world. */
function massOf({ actors, figureOfBody, boneOfBody }: Simulation, a: number, b: number): number {
  const mass = actors[figureOfBody[a]].work.boneMass[boneOfBody[a]];
  if (b < 0) return mass;
  const other = actors[figureOfBody[b]].work.boneMass[boneOfBody[b]];
  return (mass * other) / (mass + other);
}

const meeting = /* @__PURE__ */ new Float64Array(3);

function addContact(simulation: Simulation, c: number, h: number): void {
  const { pairTerms: terms, contacts, memory, boneVelocity, collider, gravity } = simulation;
  const { gap, friction, restitution, normal } = contacts;
  const t = terms.count++;
  const o = 3 * t;
  terms.kind[t] = CONTACT;
  terms.source[t] = c;
  const bodyB = contacts.bodyB[c];
  // Both act where they meet half way: a couple between them would be none of theirs.
  const half = bodyB < 0 ? 0 : 0.5 * gap[c];
  for (let k = 0; k < 3; k++) meeting[k] = contacts.pointA[3 * c + k] - half * normal[3 * c + k];
  setBone(simulation, t, terms.bodyA, terms.armA, contacts.bodyA[c], meeting);
  setBone(simulation, t, terms.bodyB, terms.armB, bodyB, meeting);
  for (let k = 0; k < 3; k++) terms.normal[o + k] = normal[3 * c + k];
  const mass = massOf(simulation, contacts.bodyA[c], contacts.bodyB[c]);
  terms.hard[t] = mass / SOFTNESS;
  terms.hardAcross[t] = mass / SOFTNESS_ACROSS;
  terms.friction[t] = friction[c];
  terms.bend[t] = 0;
  terms.roundA[t] = half + radiusOf(collider, contacts.shapeA[c]);
  terms.roundB[t] = bodyB < 0 ? 0 : half + radiusOf(collider, contacts.shapeB[c]);
  measurePair(terms, t, boneVelocity, terms.change);
  const approach = -(
    terms.change[o] * terms.normal[o] +
    terms.change[o + 1] * terms.normal[o + 1] +
    terms.change[o + 2] * terms.normal[o + 2]
  );
  // What is apart may come together within the step and no further; what is inside moves apart.
  const apart =
    gap[c] > 0 ? -gap[c] / h : Math.min(FASTEST_CORRECTION, (CORRECTION * Math.max(0, -gap[c] - SLOP)) / h);
  const bounces = restitution[c] > 0 && approach > BOUNCE_FROM && gap[c] < approach * h;
  // What leaves the world loses the speed that gravity takes from it within the step.
  let falls = 0;
  if (contacts.bodyB[c] < 0) for (let k = 0; k < 3; k++) falls += h * gravity[k] * terms.normal[o + k];
  terms.bounces[t] = bounces ? 1 : 0;
  terms.target[o] = bounces ? Math.max(apart, restitution[c] * approach + Math.min(0, falls)) : apart;
  recall(memory, terms, t, gap[c] < -OVERLAP ? -1 : contacts.id[c]);
}

function radiusOf({ kind, placed }: Collider, shape: number): number {
  return kind[shape] === ROUND ? placed[PLACED * shape + 6] : 0;
}

/** What a contact starts with. */
function recall(memory: ContactMemory, terms: PairTerms, t: number, id: number): void {
  const { held, heldNormal, normal, bound, friction } = terms;
  const o = 3 * t;
  const entry = id < 0 ? -1 : recallContact(memory, id);
  if (entry < 0) {
    held[o] = 0;
    held[o + 1] = 0;
    held[o + 2] = 0;
    heldNormal[t] = 0;
    bound[t] = 0;
    return;
  }
  const e = 3 * entry;
  const { across } = memory;
  const along = across[e] * normal[o] + across[e + 1] * normal[o + 1] + across[e + 2] * normal[o + 2];
  for (let k = 0; k < 3; k++) held[o + k] = across[e + k] - along * normal[o + k];
  heldNormal[t] = memory.held[entry];
  bound[t] = friction[t] * memory.last[entry];
}

/** Bone and arm of one end of a term. */
function setBone(
  { actors, figureOfBody, boneOfBody }: Simulation,
  t: number,
  bodies: Int32Array,
  arms: Float64Array,
  body: number,
  point: Float64Array,
): void {
  bodies[t] = body;
  if (body < 0) return;
  const { worldFromBone } = actors[figureOfBody[body]].work.dynamics.state;
  const origin = 12 * boneOfBody[body] + 9;
  for (let k = 0; k < 3; k++) arms[3 * t + k] = point[k] - worldFromBone[origin + k];
}

function addConnection(simulation: Simulation, connection: Connection, k: number, h: number): void {
  const { pairTerms: terms, actors, figureOfBody } = simulation;
  const { bodyA, bodyB, type } = connection;
  const a = actors[figureOfBody[bodyA]];
  if (!connection.enabled || !a.work.moving) return;
  writeConnection(simulation, connection);
  const mass = massOf(simulation, bodyA, bodyB);
  for (const kind of type === 'weld' ? [POINT, TURN] : type === 'point' ? [POINT] : [TURN]) {
    const turns = kind === TURN;
    const t = terms.count++;
    const o = 3 * t;
    terms.kind[t] = kind;
    terms.acts[t] = 1;
    terms.source[t] = -1 - k;
    setBone(simulation, t, terms.bodyA, terms.armA, bodyA, connection.pointA);
    setBone(simulation, t, terms.bodyB, terms.armB, bodyB, connection.pointB);
    terms.hard[t] = ((turns ? GYRATION : 1) * mass) / SOFTNESS;
    terms.bound[t] = h * (turns ? connection.maxCouple : connection.maxForce);
    const error = turns ? connection.turn : connection.gap;
    const size = Math.hypot(error[0], error[1], error[2]);
    const rate = size === 0 ? 0 : Math.min(CONNECTION_CORRECTION / h, FASTEST_CONNECTION / size);
    const impulse = turns ? connection.coupleImpulse : connection.forceImpulse;
    for (let n = 0; n < 3; n++) {
      terms.target[o + n] = -rate * error[n];
      terms.held[o + n] = size > OVERLAP ? 0 : impulse[n];
      terms.bends[o + n] = 0;
    }
  }
}

/** Whether what was found for an actor becomes its state. */
function isAccepted({ work }: Actor): boolean {
  return work.moving && work.parts === 1;
}

/** Remembers what contacts and connections pushed with, for the next step to start from. */
export function keepPairImpulses(simulation: Simulation, h: number): void {
  const { pairTerms: terms, contacts, connections, memory, spareMemory, actors, figureOfBody } = simulation;
  clearContacts(spareMemory);
  // Those of others stay.
  for (let k = 0; k < memory.count; k++) {
    if (isAccepted(actors[memory.owner[k]])) continue;
    const entry = keepContact(spareMemory, memory.ids[k], memory.owner[k]);
    if (entry < 0) break;
    spareMemory.last[entry] = memory.last[k];
    spareMemory.held[entry] = memory.held[k];
    for (let n = 0; n < 3; n++) spareMemory.across[3 * entry + n] = memory.across[3 * k + n];
  }
  for (const { enabled, bodyA, force, couple } of connections) {
    // One that holds sleepers pulls as it did when they fell asleep.
    if (enabled && !isAccepted(actors[figureOfBody[bodyA]])) continue;
    force.fill(0);
    couple.fill(0);
  }
  for (let t = 0; t < terms.count; t++) {
    const o = 3 * t;
    const owner = figureOfBody[terms.bodyA[t]];
    if (!isAccepted(actors[owner])) continue;
    if (terms.kind[t] !== CONTACT) {
      const { coupleImpulse, forceImpulse, couple, force } = connections[-1 - terms.source[t]];
      const turns = terms.kind[t] === TURN;
      const to = turns ? coupleImpulse : forceImpulse;
      const shown = turns ? couple : force;
      for (let n = 0; n < 3; n++) {
        to[n] = terms.impulse[o + n];
        shown[n] = to[n] / h;
      }
      continue;
    }
    const id = contacts.id[terms.source[t]];
    const push = terms.normalImpulse[t];
    const before = recallContact(memory, id);
    const entry = keepContact(spareMemory, id, owner);
    if (entry < 0) break;
    spareMemory.last[entry] = push;
    spareMemory.held[entry] = before < 0 ? 0 : Math.min(push, memory.last[before]);
    for (let n = 0; n < 3; n++) {
      spareMemory.across[3 * entry + n] = terms.impulse[o + n] - push * terms.normal[o + n];
    }
  }
  simulation.memory = spareMemory;
  simulation.spareMemory = memory;
}

/** Brings what is remembered to a step of another length: forces stay, impulses change. */
export function rescaleHeld(simulation: Simulation, h: number): void {
  const { memory, connections, actors, lastStep } = simulation;
  if (lastStep === h) return;
  const scale = lastStep > 0 ? h / lastStep : 1;
  for (let k = 0; k < memory.count; k++) {
    memory.last[k] *= scale;
    memory.held[k] *= scale;
    for (let n = 3 * k; n < 3 * k + 3; n++) memory.across[n] *= scale;
  }
  for (const { forceImpulse, coupleImpulse } of connections) {
    for (let n = 0; n < 3; n++) {
      forceImpulse[n] *= scale;
      coupleImpulse[n] *= scale;
    }
  }
  for (const { work } of actors) {
    for (const held of [work.limitImpulses, work.frictionImpulses]) {
      for (let i = 0; i < held.length; i++) held[i] *= scale;
    }
  }
  simulation.lastStep = h;
}
