import type { Island } from '../state/island.js';
import type { Simulation } from '../state/simulation.js';
import { solveVelocities } from './newton.js';

/** Sweeps over the figures of an island at most. */
const MAX_SWEEPS = 2;
/** Iterations of Newton's method on all of it after them. */
const MAX_JOINT_ITERATIONS = 5;

/**
 * Finds the velocities of a large island, in bounded time: first figure by figure, each with those of the others held (block coordinate descent, Tseng
 * 2001), at the cost of as many figures by themselves; then all together, a few iterations that carry loads through a pile. All go down on the same
 * convex function; what is left is made up for in the next steps.
 *
 * @returns iterations made; -1 as `solveVelocities`.
 */
export function solveBlockDescent(simulation: Simulation, island: Island): number {
  const { block } = simulation;
  const { actors } = island;
  listPotentials(simulation, island);
  block.isBlock = true;
  // Only who is solved moves along its direction.
  for (const { work } of actors) work.boneDirection.fill(0);
  let iterations = 0;
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    let most = 0;
    for (let k = 0; k < actors.length; k++) {
      selectBlock(simulation, island, k);
      const made = solveVelocities(simulation, block);
      if (made < 0) return -1;
      actors[k].work.boneDirection.fill(0);
      most = Math.max(most, made);
    }
    iterations += most;
    if (most === 0) break;
  }
  const made = solveVelocities(simulation, island, MAX_JOINT_ITERATIONS);
  return made < 0 ? -1 : iterations + made;
}

/** Pair terms of each actor of an island, one after the other, to `blockStart` and `blockPotentials`; `indexInIsland` of the actors' work says which. */
function listPotentials(
  { contactPotentials, figureOfBody, actors: all, blockStart, blockPotentials }: Simulation,
  island: Island,
): void {
  const { actors, potentials, potentialCount } = island;
  const { bodyA, bodyB } = contactPotentials;
  blockStart.fill(0, 0, actors.length + 1);
  for (let k = 0; k < actors.length; k++) actors[k].work.indexInIsland = k;
  const placeOf = (body: number): number => (body < 0 ? -1 : all[figureOfBody[body]].work.indexInIsland);
  for (let k = 0; k < potentialCount; k++) {
    const a = placeOf(bodyA[potentials[k]]);
    const b = placeOf(bodyB[potentials[k]]);
    blockStart[a + 1]++;
    if (b >= 0 && b !== a) blockStart[b + 1]++;
  }
  for (let k = 0; k < actors.length; k++) blockStart[k + 1] += blockStart[k];
  // Filled from the back, which leaves the starts where they belong.
  for (let k = actors.length; k > 0; k--) blockStart[k] = blockStart[k - 1];
  blockStart[0] = 0;
  for (let k = 0; k < potentialCount; k++) {
    const a = placeOf(bodyA[potentials[k]]);
    const b = placeOf(bodyB[potentials[k]]);
    blockPotentials[blockStart[a + 1]++] = potentials[k];
    if (b >= 0 && b !== a) blockPotentials[blockStart[b + 1]++] = potentials[k];
  }
}

/** Makes `single` the k-th actor of an island with its pair terms. */
function selectBlock(
  { block, blockStart, blockPotentials }: Simulation,
  { actors }: Island,
  k: number,
): void {
  block.actors.length = 0;
  block.actors.push(actors[k]);
  block.potentialCount = 0;
  for (let n = blockStart[k]; n < blockStart[k + 1]; n++)
    block.potentials[block.potentialCount++] = blockPotentials[n];
}
