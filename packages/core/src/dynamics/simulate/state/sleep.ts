import type { Actor } from './actor.js';
import type { Simulation } from './simulation.js';

/** Speed below which a figure counts as still, m/s; for how long before it sleeps, and how long it is awake at least, s. */
const STILL = 0.03;
const STILL_FOR = 0.5;
const AWAKE_FOR = 1;

/** Wakes an actor: call it after a change that a sleeper does not see, such as of its motor or of the world. */
export function wakeActor(actor: Actor): void {
  actor.asleep = false;
  actor.work.awakeFor = 0;
  actor.work.quietFor = 0;
}

/** Wakes whom a connection joins to somebody awake, or pulls elsewhere than when they fell asleep. */
export function wakeConnected({ connections, actors, figureOfBody }: Simulation): void {
  for (const connection of connections) {
    const a = actors[figureOfBody[connection.bodyA]];
    const b = connection.bodyB < 0 ? undefined : actors[figureOfBody[connection.bodyB]];
    const { enabled, positionA, positionB, rotationA, rotationB, maxForce, maxCouple, seen } = connection;
    let same = seen[14] === (enabled ? 1 : 0) && seen[15] === maxForce && seen[16] === maxCouple;
    for (let k = 0; k < 4; k++) {
      if (k < 3 && (seen[k] !== positionA[k] || seen[3 + k] !== positionB[k])) same = false;
      if (seen[6 + k] !== rotationA[k] || seen[10 + k] !== rotationB[k]) same = false;
    }
    const stirred = !same || (enabled && b !== undefined && a.asleep !== b.asleep);
    if (!stirred) continue;
    if (a.asleep) wakeActor(a);
    if (b?.asleep) wakeActor(b);
  }
}

/** Remembers how connections are held. */
function seeConnections({ connections }: Simulation): void {
  for (const {
    enabled,
    positionA,
    positionB,
    rotationA,
    rotationB,
    maxForce,
    maxCouple,
    seen,
  } of connections) {
    seen.set(positionA, 0);
    seen.set(positionB, 3);
    seen.set(rotationA, 6);
    seen.set(rotationB, 10);
    seen[14] = enabled ? 1 : 0;
    seen[15] = maxForce;
    seen[16] = maxCouple;
  }
}

/** Wakes all that fell asleep together with somebody who is awake: what lay on it may fall. @returns true */
export function wakeGroups({ actors }: Simulation): true {
  for (const { asleep, work } of actors) {
    if (!asleep && work.group >= 0) actors[work.group].work.restless = true;
  }
  for (const actor of actors) {
    const { work } = actor;
    if (work.group < 0 || !actors[work.group].work.restless) continue;
    if (actor.asleep) wakeActor(actor);
  }
  for (const { asleep, work } of actors) {
    work.restless = false;
    if (!asleep) work.group = -1;
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
    if (contacts.gap[c] > other.work.reach) continue;
    wakeActor(sleeper);
    any = true;
  }
  return any;
}

/** Counts how long actors have been still, and lays those to sleep whose whole island is. */
export function settle(simulation: Simulation, h: number): void {
  const { actors, sleep } = simulation;
  seeConnections(simulation);
  if (!sleep) return;
  for (const { work } of actors) work.restless = false;
  for (const { asleep, work } of actors) {
    if (asleep) continue;
    work.awakeFor += h;
    work.quietFor = work.speed < STILL && !work.motored ? work.quietFor + h : 0;
    if (work.quietFor < STILL_FOR || work.awakeFor < AWAKE_FOR) actors[work.island].work.restless = true;
  }
  for (const actor of actors) {
    const { work, nu } = actor;
    if (actor.asleep || actors[work.island].work.restless) continue;
    actor.asleep = true;
    work.group = work.island;
    nu.fill(0);
    work.boneVelocity.fill(0);
    work.kinetic = 0;
    work.speed = 0;
  }
}
