import type { Actor } from './actor.js';
import type { Simulation } from './simulation.js';

/** Speed below which a figure counts as still, m/s; for how long before it sleeps, and how long it is awake at least, s. */
const STILL_SPEED = 0.03;
const MIN_STILL_TIME = 0.5;
const MIN_AWAKE_TIME = 1;

/** Wakes an actor: call it after a change that a sleeper does not see, such as of its motor or of the world. */
export function wakeActor(actor: Actor): void {
  actor.asleep = false;
  actor.work.awakeTime = 0;
  actor.work.stillTime = 0;
}

/** Wakes whom a connection joins to somebody awake, or pulls elsewhere than when they fell asleep. */
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
    const stirred = !same || (enabled && b !== undefined && a.asleep !== b.asleep);
    if (!stirred) continue;
    if (a.asleep) wakeActor(a);
    if (b?.asleep) wakeActor(b);
  }
}

/** Remembers how connections are held. */
function recordConnections({ connections }: Simulation): void {
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

/** Wakes all that fell asleep together with somebody who is awake: what lay on it may fall. @returns true */
export function wakeSleepGroups({ actors }: Simulation): true {
  for (const { asleep, work } of actors) {
    if (!asleep && work.sleepGroup >= 0) actors[work.sleepGroup].work.isIslandMoving = true;
  }
  for (const actor of actors) {
    const { work } = actor;
    if (work.sleepGroup < 0 || !actors[work.sleepGroup].work.isIslandMoving) continue;
    if (actor.asleep) wakeActor(actor);
  }
  for (const { asleep, work } of actors) {
    work.isIslandMoving = false;
    if (!asleep) work.sleepGroup = -1;
  }
  return true;
}

/** Wakes sleepers within reach of somebody awake. @returns whether there were any. */
export function wakeTouched({ contacts, actors, figureOfBody }: Simulation): boolean {
  let any = false;
  for (let c = 0; c < contacts.count; c++) {
    if (contacts.bodyB[c] < 0) continue;
    const a = actors[figureOfBody[contacts.bodyA[c]]];
    const b = actors[figureOfBody[contacts.bodyB[c]]];
    if (a.asleep === b.asleep) continue;
    const [sleeper, other] = a.asleep ? [a, b] : [b, a];
    if (contacts.gap[c] > other.work.maxMargin) continue;
    wakeActor(sleeper);
    any = true;
  }
  return any;
}

/** Counts how long actors have been still, and lays those to sleep whose whole island is. */
export function putToSleep(simulation: Simulation, h: number): void {
  const { actors, sleep } = simulation;
  recordConnections(simulation);
  if (!sleep) return;
  for (const { work } of actors) work.isIslandMoving = false;
  for (const { asleep, work } of actors) {
    if (asleep) continue;
    work.awakeTime += h;
    work.stillTime = work.speed < STILL_SPEED && !work.hasMotorForce ? work.stillTime + h : 0;
    if (work.stillTime < MIN_STILL_TIME || work.awakeTime < MIN_AWAKE_TIME)
      actors[work.island].work.isIslandMoving = true;
  }
  for (const actor of actors) {
    const { work, velocity } = actor;
    if (actor.asleep || actors[work.island].work.isIslandMoving) continue;
    actor.asleep = true;
    work.sleepGroup = work.island;
    velocity.fill(0);
    work.boneVelocity.fill(0);
    work.kinetic = 0;
    work.speed = 0;
  }
}
