import type { Actor } from './actor.js';
import type { ContactPotentials } from './contact-potentials.js';

/** Actors that touch each other or are connected, and all that acts between them and on them: they are solved, and sleep, together. */
export interface Island {
  readonly actors: Actor[];
  /** Pair terms, `potentialCount` of them. */
  readonly potentials: Int32Array;
  potentialCount: number;
  /** Whether any of these that acts joins two bones, of one actor or of two; as of the last Hessian. */
  coupled: boolean;
  /** Whether this is one actor of several that touch, and the others are held. */
  isBlock: boolean;
  /** Whether the last solve of it came to its end. */
  converged: boolean;
}

/** Figures that are solved together to the end at most. */
const MAX_SOLVED_TOGETHER = 3;

/** Whether an island is too large for that. */
export function isLarge({ actors }: Island): boolean {
  return actors.length > MAX_SOLVED_TOGETHER;
}

/** Whether pair term t joins two bones of what is solved together. */
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
    potentials: new Int32Array(pairs),
    potentialCount: 0,
    coupled: false,
    isBlock: false,
    converged: true,
  };
}

/** The least index of the actors that one is joined with so far. */
function islandOf(actors: readonly Actor[], index: number): number {
  let i = index;
  while (actors[i].work.island !== i) i = actors[i].work.island;
  return i;
}

/** Joins what pair terms join, to `work.island`. */
export function findIslands(
  actors: readonly Actor[],
  { count, bodyA, bodyB }: ContactPotentials,
  figureOfBody: Int32Array,
): void {
  for (const { index, work } of actors) work.island = index;
  for (let t = 0; t < count; t++) {
    if (bodyB[t] < 0) continue;
    const a = islandOf(actors, figureOfBody[bodyA[t]]);
    const b = islandOf(actors, figureOfBody[bodyB[t]]);
    if (a < b) actors[b].work.island = a;
    else actors[a].work.island = b;
  }
  for (const { index, work } of actors) work.island = islandOf(actors, index);
}

/** Fills an island with the actors of `work.island` = `index` and their pair terms. */
export function fillIsland(
  island: Island,
  index: number,
  actors: readonly Actor[],
  { count, bodyA }: ContactPotentials,
  figureOfBody: Int32Array,
): void {
  island.actors.length = 0;
  for (let k = index; k < actors.length; k++) {
    if (actors[k].work.island === index) island.actors.push(actors[k]);
  }
  island.potentialCount = 0;
  island.coupled = false;
  island.isBlock = false;
  for (let t = 0; t < count; t++) {
    if (actors[figureOfBody[bodyA[t]]].work.island !== index) continue;
    island.potentials[island.potentialCount++] = t;
  }
}
