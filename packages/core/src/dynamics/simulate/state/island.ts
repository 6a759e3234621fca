import type { Actor } from './actor.js';
import type { ContactPotentials } from './contact-potentials.js';

/** Actors in contact or connected, with the potentials that act on them: solved together, and asleep together. */
export interface Island {
  readonly actors: Actor[];
  /** Number of their coordinates. */
  coordinates: number;
  /** Indices of its contact potentials, `potentialCount` of them. */
  readonly potentialIndices: Int32Array;
  potentialCount: number;
  /** Actors with contacts to other actors. */
  touchingActors: number;
  /** Number of contacts between two actors that penetrate by more than `OVERLAP`. */
  overlaps: number;
  /** Whether any active potential couples two bones, of one actor or of two; as of the last Hessian. */
  coupled: boolean;
  /** Whether it is one block of block coordinate descent: a single actor, with the velocities of all others fixed. */
  isBlock: boolean;
  /** Whether its last solve reached the tolerance. */
  converged: boolean;
}

/** Largest number of actors that touch each other, or of their coordinates, of an island that is solved to convergence as a whole: three ragdolls, or thirty rigid bodies. */
const MAX_ACTORS = 3;
const MAX_COORDINATES = 180;
/** Largest number of overlaps of such an island: figures made at one place press each other apart from all sides, and hundreds of them take seconds. */
const MAX_OVERLAPS = 24;

/** Whether so many of its actors touch each other that an island takes few substeps, for its time to be bounded. */
export function isLarge({ touchingActors }: Island): boolean {
  return touchingActors > MAX_ACTORS;
}

/**
 * Whether it is solved by block coordinate descent in bounded time. What that leaves unsolved makes tall stacks sway, so it is for islands whose solution
 * takes too long.
 */
export function isSolvedInBlocks(island: Island): boolean {
  return (isLarge(island) && island.coordinates > MAX_COORDINATES) || island.overlaps > MAX_OVERLAPS;
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
    coordinates: 0,
    potentialIndices: new Int32Array(pairs),
    potentialCount: 0,
    touchingActors: 0,
    overlaps: 0,
    coupled: false,
    isBlock: false,
    converged: true,
  };
}
