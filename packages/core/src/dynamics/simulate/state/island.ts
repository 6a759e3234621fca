import type { Actor } from './actor.js';
import type { ContactPotentials } from './contact-potentials.js';

/** Actors in contact or connected, with the potentials that act on them: solved together, and asleep together. */
export interface Island {
  readonly actors: Actor[];
  /** Indices of its contact potentials, `potentialCount` of them. */
  readonly potentialIndices: Int32Array;
  potentialCount: number;
  /** Whether any active potential couples two bones, of one actor or of two; as of the last Hessian. */
  coupled: boolean;
  /** Whether it is one block of block coordinate descent: a single actor, with the velocities of all others fixed. */
  isBlock: boolean;
  /** Whether its last solve reached the tolerance. */
  converged: boolean;
}

/** Actors of an island that is solved together to convergence, at most. */
const MAX_SOLVED_TOGETHER = 3;

/** Whether an island is larger, and solved by block coordinate descent in bounded time. */
export function isLarge({ actors }: Island): boolean {
  return actors.length > MAX_SOLVED_TOGETHER;
}

/** Whether potential t couples two bones whose velocities are both unknown. */
export function isCoupling(
  { isBlock }: Island,
  { bodyA, bodyB }: ContactPotentials,
  t: number,
  figureOfBody: Int32Array,
): boolean {
  return bodyB[t] >= 0 && (!isBlock || figureOfBody[bodyA[t]] === figureOfBody[bodyB[t]]);
}

export function createIsland(pairs: number): Island {
  return {
    actors: [],
    potentialIndices: new Int32Array(pairs),
    potentialCount: 0,
    coupled: false,
    isBlock: false,
    converged: true,
  };
}

/** The smallest actor index of an actor's island so far (union-find). */
function islandOf(actors: readonly Actor[], index: number): number {
  let i = index;
  while (actors[i].work.island.representative !== i) i = actors[i].work.island.representative;
  return i;
}

/** Merges actors that a contact potential couples, to `work.island`. */
export function findIslands(
  actors: readonly Actor[],
  { count, bodyA, bodyB }: ContactPotentials,
  figureOfBody: Int32Array,
): void {
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

/** Fills an island with the actors of `work.island` = `index` and their contact potentials. */
export function fillIsland(
  island: Island,
  index: number,
  actors: readonly Actor[],
  { count, bodyA }: ContactPotentials,
  figureOfBody: Int32Array,
): void {
  island.actors.length = 0;
  for (let k = index; k < actors.length; k++) {
    if (actors[k].work.island.representative === index) island.actors.push(actors[k]);
  }
  island.potentialCount = 0;
  island.coupled = false;
  island.isBlock = false;
  for (let t = 0; t < count; t++) {
    if (actors[figureOfBody[bodyA[t]]].work.island.representative !== index) continue;
    island.potentialIndices[island.potentialCount++] = t;
  }
}
