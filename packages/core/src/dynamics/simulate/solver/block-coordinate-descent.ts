import type { Island } from '../state/island.js';
import type { Simulation } from '../state/simulation.js';
import { solveVelocities } from './newton.js';

/** Sweeps over the figures of an island at most. */
const MOST_SWEEPS = 2;
/** Iterations of Newton's method on all of it after them. */
const MOST_TOGETHER = 5;

/**
 * Finds the velocities of a large island, in bounded time: first figure by figure, each with those of the others held (block coordinate descent, Tseng
 * 2001), at the cost of as many figures by themselves; then all together, a few iterations that carry loads through a pile. All go down on the same
 * convex function; what is left is made up for in the next steps.
 *
 * @returns iterations made; -1 as `solveVelocities`.
 */
export function solveOneByOne(simulation: Simulation, island: Island): number {
  const { single } = simulation;
  const { actors } = island;
  listPairs(simulation, island);
  single.alone = true;
  // Only who is solved moves along its direction.
  for (const { work } of actors) work.boneDirection.fill(0);
  let iterations = 0;
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    let most = 0;
    for (let k = 0; k < actors.length; k++) {
      takePairs(simulation, island, k);
      const made = solveVelocities(simulation, single);
      if (made < 0) return -1;
      actors[k].work.boneDirection.fill(0);
      most = Math.max(most, made);
    }
    iterations += most;
    if (most === 0) break;
  }
  const made = solveVelocities(simulation, island, MOST_TOGETHER);
  return made < 0 ? -1 : iterations + made;
}

/** Pair terms of each actor of an island, one after the other, to `pairStart` and `pairList`; `placeInIsland` of the actors' work says which. */
function listPairs(
  { pairTerms, figureOfBody, actors: all, pairStart, pairList }: Simulation,
  island: Island,
): void {
  const { actors, pairs, pairCount } = island;
  const { bodyA, bodyB } = pairTerms;
  pairStart.fill(0, 0, actors.length + 1);
  for (let k = 0; k < actors.length; k++) actors[k].work.placeInIsland = k;
  const placeOf = (body: number): number => (body < 0 ? -1 : all[figureOfBody[body]].work.placeInIsland);
  for (let k = 0; k < pairCount; k++) {
    const a = placeOf(bodyA[pairs[k]]);
    const b = placeOf(bodyB[pairs[k]]);
    pairStart[a + 1]++;
    if (b >= 0 && b !== a) pairStart[b + 1]++;
  }
  for (let k = 0; k < actors.length; k++) pairStart[k + 1] += pairStart[k];
  // Filled from the back, which leaves the starts where they belong.
  for (let k = actors.length; k > 0; k--) pairStart[k] = pairStart[k - 1];
  pairStart[0] = 0;
  for (let k = 0; k < pairCount; k++) {
    const a = placeOf(bodyA[pairs[k]]);
    const b = placeOf(bodyB[pairs[k]]);
    pairList[pairStart[a + 1]++] = pairs[k];
    if (b >= 0 && b !== a) pairList[pairStart[b + 1]++] = pairs[k];
  }
}

/** Makes `single` the k-th actor of an island with its pair terms. */
function takePairs({ single, pairStart, pairList }: Simulation, { actors }: Island, k: number): void {
  single.actors.length = 0;
  single.actors.push(actors[k]);
  single.pairCount = 0;
  for (let n = pairStart[k]; n < pairStart[k + 1]; n++) single.pairs[single.pairCount++] = pairList[n];
}
