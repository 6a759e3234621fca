/** Islands: actors in contact or connected, which are solved together and sleep together. */
import type { Actor } from '../state/actor.js';
import { CONTACT, OVERLAP } from '../state/contact-potentials.js';
import type { Island } from '../state/island.js';
import type { Simulation } from '../state/simulation.js';

/** The smallest actor index of an actor's island so far (union-find). */
function islandOf(actors: readonly Actor[], index: number): number {
  let i = index;
  while (actors[i].work.island.representative !== i) i = actors[i].work.island.representative;
  return i;
}

/** Merges actors that a contact potential couples, to islands. */
export function findIslands({ actors, contactPotentials, figureOfBody }: Simulation): void {
  const { count, bodyA, bodyB } = contactPotentials;
  for (const { index, work } of actors) work.island.representative = index;
  for (let t = 0; t < count; t++) {
    if (bodyB[t] < 0) continue;
    const a = islandOf(actors, figureOfBody[bodyA[t]]);
    const b = islandOf(actors, figureOfBody[bodyB[t]]);
    if (a < b) actors[b].work.island.representative = a;
    else actors[a].work.island.representative = b;
  }
  for (const { index, work } of actors) work.island.representative = islandOf(actors, index);
}

/** Fills an island with the actors of representative `index` and their contact potentials. */
export function fillIsland(
  { actors, contacts, contactPotentials: { count, kind, source, bodyA, bodyB }, figureOfBody }: Simulation,
  island: Island,
  index: number,
): void {
  island.actors.length = 0;
  island.coordinates = 0;
  for (let k = index; k < actors.length; k++) {
    const { work, figure } = actors[k];
    work.island.position = 0;
    if (work.island.representative !== index) continue;
    island.actors.push(actors[k]);
    island.coordinates += figure.dof;
  }
  island.potentialCount = 0;
  island.overlaps = 0;
  island.coupled = false;
  island.isBlock = false;
  for (let t = 0; t < count; t++) {
    if (actors[figureOfBody[bodyA[t]]].work.island.representative !== index) continue;
    island.potentialIndices[island.potentialCount++] = t;
    if (kind[t] !== CONTACT || bodyB[t] < 0 || figureOfBody[bodyA[t]] === figureOfBody[bodyB[t]]) continue;
    if (contacts.separation[source[t]] < -OVERLAP) island.overlaps++;
    actors[figureOfBody[bodyA[t]]].work.island.position = 1;
    actors[figureOfBody[bodyB[t]]].work.island.position = 1;
  }
  island.touchingActors = 0;
  for (const { work } of island.actors) island.touchingActors += work.island.position;
}

/** Time of the first impact with restitution within an island; Infinity for none. */
export function firstImpact({ contactPotentials: { kind, impactTime } }: Simulation, island: Island): number {
  let first = Number.POSITIVE_INFINITY;
  for (let k = 0; k < island.potentialCount; k++) {
    const t = island.potentialIndices[k];
    if (kind[t] === CONTACT && impactTime[t] < first) first = impactTime[t];
  }
  return first;
}

/** Speed below which a figure is still, m/s; how long it must be still, and awake, before it sleeps, s. */
const STILL_SPEED = 0.03;
const MIN_STILL_TIME = 0.5;
const MIN_AWAKE_TIME = 1;

/** Wakes an actor: call it after a change that does not wake it by itself, such as of its motor or of the world. */
export function wakeActor(actor: Actor): void {
  actor.asleep = false;
  actor.work.sleep.awakeTime = 0;
  actor.work.sleep.stillTime = 0;
}

/** Drops the energy in reserve of the island of an actor, as of the last substep. */
export function dropReserve(actors: readonly Actor[], { work }: Actor): void {
  for (const other of actors)
    if (other.work.island.representative === work.island.representative) other.work.account.reserve = 0;
}

/** Wakes actors that a connection joins to an awake one, or whose connection was changed. */
export function wakeConnected({ connections, actors, figureOfBody }: Simulation): void {
  for (const connection of connections) {
    const a = actors[figureOfBody[connection.bodyA]];
    const b = connection.bodyB < 0 ? undefined : actors[figureOfBody[connection.bodyB]];
    const { enabled, positionA, positionB, rotationA, rotationB, maxForce, maxCouple, lastInputs } =
      connection;
    let same =
      lastInputs[14] === (enabled ? 1 : 0) && lastInputs[15] === maxForce && lastInputs[16] === maxCouple;
    for (let k = 0; k < 4; k++) {
      if (k < 3 && (lastInputs[k] !== positionA[k] || lastInputs[3 + k] !== positionB[k])) same = false;
      if (lastInputs[6 + k] !== rotationA[k] || lastInputs[10 + k] !== rotationB[k]) same = false;
    }
    connection.isEdited = !same;
    if (!same) {
      dropReserve(actors, a);
      if (b !== undefined) dropReserve(actors, b);
    }
    const woken = !same || (enabled && b !== undefined && a.asleep !== b.asleep);
    if (!woken) continue;
    if (a.asleep) wakeActor(a);
    if (b?.asleep) wakeActor(b);
  }
}

/** Records the inputs of connections, to detect changes. */
export function recordConnections({ connections }: Pick<Simulation, 'connections'>): void {
  for (const {
    enabled,
    positionA,
    positionB,
    rotationA,
    rotationB,
    maxForce,
    maxCouple,
    lastInputs,
  } of connections) {
    lastInputs.set(positionA, 0);
    lastInputs.set(positionB, 3);
    lastInputs.set(rotationA, 6);
    lastInputs.set(rotationB, 10);
    lastInputs[14] = enabled ? 1 : 0;
    lastInputs[15] = maxForce;
    lastInputs[16] = maxCouple;
  }
}

/** Wakes all actors that fell asleep together with one that is awake: it may have supported them. @returns true */
export function wakeSleepGroups({ actors }: Simulation): true {
  for (const { asleep, work } of actors) {
    if (!asleep && work.sleep.group >= 0) actors[work.sleep.group].work.sleep.isIslandMoving = true;
  }
  for (const actor of actors) {
    const { work } = actor;
    if (work.sleep.group < 0 || !actors[work.sleep.group].work.sleep.isIslandMoving) continue;
    if (actor.asleep) wakeActor(actor);
  }
  for (const { asleep, work } of actors) {
    work.sleep.isIslandMoving = false;
    if (!asleep) work.sleep.group = -1;
  }
  return true;
}

/** Wakes sleeping actors within the margin of an awake one. @returns whether there were any. */
export function wakeTouched({ contacts, actors, figureOfBody }: Simulation): boolean {
  let any = false;
  for (let c = 0; c < contacts.count; c++) {
    if (contacts.bodyB[c] < 0) continue;
    const a = actors[figureOfBody[contacts.bodyA[c]]];
    const b = actors[figureOfBody[contacts.bodyB[c]]];
    if (a.asleep === b.asleep) continue;
    const [sleeper, other] = a.asleep ? [a, b] : [b, a];
    if (contacts.separation[c] > other.work.margins.maxMargin) continue;
    wakeActor(sleeper);
    any = true;
  }
  return any;
}

/** Updates the timers, and puts to sleep the islands in which every actor is still. */
export function putToSleep(simulation: Simulation, h: number): void {
  const { actors, sleep, connections } = simulation;
  recordConnections(simulation);
  for (const connection of connections) connection.closingTime = Math.max(0, connection.closingTime - h);
  if (!sleep) return;
  for (const { work } of actors) work.sleep.isIslandMoving = false;
  for (const { asleep, work } of actors) {
    if (asleep) continue;
    work.sleep.awakeTime += h;
    const isStill = work.energy.speed < STILL_SPEED && !work.joints.hasMotorForce && !work.substep.isStopped;
    work.sleep.stillTime = isStill ? work.sleep.stillTime + h : 0;
    if (work.sleep.stillTime < MIN_STILL_TIME || work.sleep.awakeTime < MIN_AWAKE_TIME)
      actors[work.island.representative].work.sleep.isIslandMoving = true;
  }
  for (const actor of actors) {
    const { work, velocity } = actor;
    if (actor.asleep || actors[work.island.representative].work.sleep.isIslandMoving) continue;
    actor.asleep = true;
    work.sleep.group = work.island.representative;
    velocity.fill(0);
    work.boneVelocity.fill(0);
    work.energy.kinetic = 0;
    work.energy.speed = 0;
    work.account.reserve = 0;
  }
}
