import type { Collider } from '../../collide/collider.js';
import { PLACED, ROUND } from '../../collide/shapes/world-shapes.js';
import type { Actor } from '../state/actor.js';
import { type Connection, writeConnection } from '../state/connection.js';
import {
  CONTACT,
  type ContactPotentials,
  measureRelativeVelocity,
  OVERLAP,
  POINT,
  ROTATION,
} from '../state/contact-potentials.js';
import type { Simulation } from '../state/simulation.js';
import {
  cacheContact,
  clearCache,
  findCachedContact,
  type WarmStartCache,
} from '../state/warm-start-cache.js';

/** Part of the mass that gives way within one solve, along normals and connections, and across. */
const SOFTNESS = 0.05;
const TANGENT_SOFTNESS = 0.05;
/** Square of the radius of gyration that connections of directions are weighed with, m^2. */
const GYRATION_SQUARED = 0.02;
/** Depth that is left alone, m: undoing it would lift what lies there. Share of the rest that is undone in a step, and how fast at most, m/s; of connections. */
const SLOP = 5e-4;
const CORRECTION = 0.2;
const MAX_CORRECTION_SPEED = 1;
const CONNECTION_CORRECTION = 0.3;
const MAX_CONNECTION_SPEED = 3;
/** Slowest approach that bounces, m/s. */
const MIN_BOUNCE_SPEED = 0.5;

/** Empties the terms, then adds the contacts of awake actors and the connections. */
export function buildContactPotentials(simulation: Simulation, h: number): void {
  const { contactPotentials: terms, contacts, connections, actors, figureOfBody } = simulation;
  terms.count = 0;
  for (let c = 0; c < contacts.count; c++) {
    const a = actors[figureOfBody[contacts.bodyA[c]]];
    const b = contacts.bodyB[c] < 0 ? undefined : actors[figureOfBody[contacts.bodyB[c]]];
    // One that sleeps on, or goes on by itself, is not within reach.
    if (!a.work.active || b?.work.active === false) continue;
    addContact(simulation, c, h);
  }
  for (let k = 0; k < connections.length; k++) addConnection(simulation, connections[k], k, h);
}

/** Mass that two bones are weighed with, kg; -1 for the world. */
function pairMass({ actors, figureOfBody, boneOfBody }: Simulation, a: number, b: number): number {
  const mass = actors[figureOfBody[a]].work.effectiveMass[boneOfBody[a]];
  if (b < 0) return mass;
  const other = actors[figureOfBody[b]].work.effectiveMass[boneOfBody[b]];
  return (mass * other) / (mass + other);
}

const contactPoint = /* @__PURE__ */ new Float64Array(3);

function addContact(simulation: Simulation, c: number, h: number): void {
  const { contactPotentials: terms, contacts, warmStart, boneVelocity, collider, gravity } = simulation;
  const { gap, friction, restitution, normal } = contacts;
  const t = terms.count++;
  const o = 3 * t;
  terms.kind[t] = CONTACT;
  terms.source[t] = c;
  const bodyB = contacts.bodyB[c];
  // Both act where they meet half way: a couple between them would be none of theirs.
  const half = bodyB < 0 ? 0 : 0.5 * gap[c];
  for (let k = 0; k < 3; k++) contactPoint[k] = contacts.pointA[3 * c + k] - half * normal[3 * c + k];
  setBone(simulation, t, terms.bodyA, terms.armA, contacts.bodyA[c], contactPoint);
  setBone(simulation, t, terms.bodyB, terms.armB, bodyB, contactPoint);
  for (let k = 0; k < 3; k++) terms.normal[o + k] = normal[3 * c + k];
  const mass = pairMass(simulation, contacts.bodyA[c], contacts.bodyB[c]);
  terms.stiffness[t] = mass / SOFTNESS;
  terms.tangentStiffness[t] = mass / TANGENT_SOFTNESS;
  terms.friction[t] = friction[c];
  terms.gapCurvature[t] = 0;
  terms.centerOffsetA[t] = half + roundRadius(collider, contacts.shapeA[c]);
  terms.centerOffsetB[t] = bodyB < 0 ? 0 : half + roundRadius(collider, contacts.shapeB[c]);
  measureRelativeVelocity(terms, t, boneVelocity, terms.velocityChange);
  const approach = -(
    terms.velocityChange[o] * terms.normal[o] +
    terms.velocityChange[o + 1] * terms.normal[o + 1] +
    terms.velocityChange[o + 2] * terms.normal[o + 2]
  );
  // What is apart may come together within the step and no further; what is inside moves apart.
  const apart =
    gap[c] > 0 ? -gap[c] / h : Math.min(MAX_CORRECTION_SPEED, (CORRECTION * Math.max(0, -gap[c] - SLOP)) / h);
  const bounces = restitution[c] > 0 && approach > MIN_BOUNCE_SPEED && gap[c] < approach * h;
  // What leaves the world loses the speed that gravity takes from it within the step.
  let falls = 0;
  if (contacts.bodyB[c] < 0) for (let k = 0; k < 3; k++) falls += h * gravity[k] * terms.normal[o + k];
  terms.isBouncing[t] = bounces ? 1 : 0;
  terms.targetVelocity[o] = bounces ? Math.max(apart, restitution[c] * approach + Math.min(0, falls)) : apart;
  applyWarmStart(warmStart, terms, t, gap[c] < -OVERLAP ? -1 : contacts.id[c]);
}

function roundRadius({ kind, placed }: Collider, shape: number): number {
  return kind[shape] === ROUND ? placed[PLACED * shape + 6] : 0;
}

/** What a contact starts with. */
function applyWarmStart(memory: WarmStartCache, terms: ContactPotentials, t: number, id: number): void {
  const { multiplier, normalMultiplier, normal, maxImpulse, friction } = terms;
  const o = 3 * t;
  const entry = id < 0 ? -1 : findCachedContact(memory, id);
  if (entry < 0) {
    multiplier[o] = 0;
    multiplier[o + 1] = 0;
    multiplier[o + 2] = 0;
    normalMultiplier[t] = 0;
    maxImpulse[t] = 0;
    return;
  }
  const e = 3 * entry;
  const { tangentImpulse } = memory;
  const along =
    tangentImpulse[e] * normal[o] +
    tangentImpulse[e + 1] * normal[o + 1] +
    tangentImpulse[e + 2] * normal[o + 2];
  for (let k = 0; k < 3; k++) multiplier[o + k] = tangentImpulse[e + k] - along * normal[o + k];
  normalMultiplier[t] = memory.startImpulse[entry];
  maxImpulse[t] = friction[t] * memory.lastImpulse[entry];
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
  const { contactPotentials: terms, actors, figureOfBody } = simulation;
  const { bodyA, bodyB, type } = connection;
  const a = actors[figureOfBody[bodyA]];
  if (!connection.enabled || !a.work.active) return;
  writeConnection(simulation, connection);
  const mass = pairMass(simulation, bodyA, bodyB);
  for (const kind of type === 'weld' ? [POINT, ROTATION] : type === 'point' ? [POINT] : [ROTATION]) {
    const turns = kind === ROTATION;
    const t = terms.count++;
    const o = 3 * t;
    terms.kind[t] = kind;
    terms.isActive[t] = 1;
    terms.source[t] = -1 - k;
    setBone(simulation, t, terms.bodyA, terms.armA, bodyA, connection.pointA);
    setBone(simulation, t, terms.bodyB, terms.armB, bodyB, connection.pointB);
    terms.stiffness[t] = ((turns ? GYRATION_SQUARED : 1) * mass) / SOFTNESS;
    terms.maxImpulse[t] = h * (turns ? connection.maxCouple : connection.maxForce);
    const error = turns ? connection.rotationError : connection.positionError;
    const size = Math.hypot(error[0], error[1], error[2]);
    const rate = size === 0 ? 0 : Math.min(CONNECTION_CORRECTION / h, MAX_CONNECTION_SPEED / size);
    const impulse = turns ? connection.coupleImpulse : connection.forceImpulse;
    for (let n = 0; n < 3; n++) {
      terms.targetVelocity[o + n] = -rate * error[n];
      terms.multiplier[o + n] = size > OVERLAP ? 0 : impulse[n];
      terms.connectionCurvature[o + n] = 0;
    }
  }
}

/** Whether what was found for an actor becomes its state. */
function isCommitted({ work }: Actor): boolean {
  return work.active && work.substeps === 1;
}

/** Remembers what contacts and connections pushed with, for the next step to start from. */
export function cachePairImpulses(simulation: Simulation, h: number): void {
  const {
    contactPotentials: terms,
    contacts,
    connections,
    warmStart,
    spareWarmStart,
    actors,
    figureOfBody,
  } = simulation;
  clearCache(spareWarmStart);
  // Those of others stay.
  for (let k = 0; k < warmStart.count; k++) {
    if (isCommitted(actors[warmStart.owner[k]])) continue;
    const entry = cacheContact(spareWarmStart, warmStart.ids[k], warmStart.owner[k]);
    if (entry < 0) break;
    spareWarmStart.lastImpulse[entry] = warmStart.lastImpulse[k];
    spareWarmStart.startImpulse[entry] = warmStart.startImpulse[k];
    for (let n = 0; n < 3; n++)
      spareWarmStart.tangentImpulse[3 * entry + n] = warmStart.tangentImpulse[3 * k + n];
  }
  for (const { enabled, bodyA, force, couple } of connections) {
    // One that holds sleepers pulls as it did when they fell asleep.
    if (enabled && !isCommitted(actors[figureOfBody[bodyA]])) continue;
    force.fill(0);
    couple.fill(0);
  }
  for (let t = 0; t < terms.count; t++) {
    const o = 3 * t;
    const owner = figureOfBody[terms.bodyA[t]];
    if (!isCommitted(actors[owner])) continue;
    if (terms.kind[t] !== CONTACT) {
      const { coupleImpulse, forceImpulse, couple, force } = connections[-1 - terms.source[t]];
      const turns = terms.kind[t] === ROTATION;
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
    const before = findCachedContact(warmStart, id);
    const entry = cacheContact(spareWarmStart, id, owner);
    if (entry < 0) break;
    spareWarmStart.lastImpulse[entry] = push;
    spareWarmStart.startImpulse[entry] = before < 0 ? 0 : Math.min(push, warmStart.lastImpulse[before]);
    for (let n = 0; n < 3; n++) {
      spareWarmStart.tangentImpulse[3 * entry + n] = terms.impulse[o + n] - push * terms.normal[o + n];
    }
  }
  simulation.warmStart = spareWarmStart;
  simulation.spareWarmStart = warmStart;
}

/** Brings what is remembered to a step of another length: forces stay, impulses change. */
export function rescaleImpulses(simulation: Simulation, h: number): void {
  const { warmStart, connections, actors, lastDt } = simulation;
  if (lastDt === h) return;
  const scale = lastDt > 0 ? h / lastDt : 1;
  for (let k = 0; k < warmStart.count; k++) {
    warmStart.lastImpulse[k] *= scale;
    warmStart.startImpulse[k] *= scale;
    for (let n = 3 * k; n < 3 * k + 3; n++) warmStart.tangentImpulse[n] *= scale;
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
  simulation.lastDt = h;
}
