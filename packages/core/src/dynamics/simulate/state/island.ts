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

/** Largest number of actors of an island that is solved to convergence as a whole. */
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
