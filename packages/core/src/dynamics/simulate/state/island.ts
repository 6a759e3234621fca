import type { Actor } from './actor.js';
import type { PairTerms } from './contact-potentials.js';

/** Actors that touch each other or are connected, and all that acts between them and on them: they are solved, and sleep, together. */
export interface Island {
  readonly actors: Actor[];
  /** Pair terms, `pairCount` of them. */
  readonly pairs: Int32Array;
  pairCount: number;
  /** Whether any of these that acts joins two bones, of one actor or of two; as of the last Hessian. */
  coupled: boolean;
  /** Whether this is one actor of several that touch, and the others are held. */
  alone: boolean;
  /** Whether the last solve of it came to its end. */
  settled: boolean;
}

/** Figures that are solved together to the end at most. */
const MOST_TOGETHER = 3;

/** Whether an island is too large for that. */
export function isLarge({ actors }: Island): boolean {
  return actors.length > MOST_TOGETHER;
}

/** Whether pair term t joins two bones of what is solved together. */
export function couples(
  { alone }: Island,
  { bodyA, bodyB }: PairTerms,
  t: number,
  figureOfBody: Int32Array,
): boolean {
  return bodyB[t] >= 0 && (!alone || figureOfBody[bodyA[t]] === figureOfBody[bodyB[t]]);
}

export function createIsland(pairs: number): Island {
  return {
    actors: [],
    pairs: new Int32Array(pairs),
    pairCount: 0,
    coupled: false,
    alone: false,
    settled: true,
  };
}

/** The least index of the actors that one is joined with so far. */
function foremost(actors: readonly Actor[], index: number): number {
  let i = index;
  while (actors[i].work.island !== i) i = actors[i].work.island;
  return i;
}

/** Joins what pair terms join, to `work.island`. */
export function findIslands(
  actors: readonly Actor[],
  { count, bodyA, bodyB }: PairTerms,
  figureOfBody: Int32Array,
): void {
  for (const { index, work } of actors) work.island = index;
  for (let t = 0; t < count; t++) {
    if (bodyB[t] < 0) continue;
    const a = foremost(actors, figureOfBody[bodyA[t]]);
    const b = foremost(actors, figureOfBody[bodyB[t]]);
    if (a < b) actors[b].work.island = a;
    else actors[a].work.island = b;
  }
  for (const { index, work } of actors) work.island = foremost(actors, index);
}

/** Fills an island with the actors of `work.island` = `index` and their pair terms. */
export function fillIsland(
  island: Island,
  index: number,
  actors: readonly Actor[],
  { count, bodyA }: PairTerms,
  figureOfBody: Int32Array,
): void {
  island.actors.length = 0;
  for (let k = index; k < actors.length; k++) {
    if (actors[k].work.island === index) island.actors.push(actors[k]);
  }
  island.pairCount = 0;
  island.coupled = false;
  island.alone = false;
  for (let t = 0; t < count; t++) {
    if (actors[figureOfBody[bodyA[t]]].work.island !== index) continue;
    island.pairs[island.pairCount++] = t;
  }
}
