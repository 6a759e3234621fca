import type { Island } from '../state/island.js';
import type { Simulation } from '../state/simulation.js';
import { solveVelocities } from './newton.js';

/** Sweeps over the actors of an island, at most. */
const MAX_SWEEPS = 2;
/** Newton iterations on the whole island after the sweeps, at most. */
const MAX_JOINT_ITERATIONS = 5;

/**
 * Solves a large island in bounded time: block coordinate descent over its actors (Tseng 2001), each with the velocities of the others fixed, then a few Newton
 * iterations on all, which propagate loads through a pile. All decrease the same convex function; the remaining residual is reduced in the next steps.
 *
 * @returns the number of iterations; -1 as `solveVelocities`.
 */
export function solveBlockDescent(simulation: Simulation, island: Island): number {
  const { block } = simulation;
  const { actors } = island;
  listPotentials(simulation, island);
  block.isBlock = true;
  // Only the block moves along its direction.
  for (const { work } of actors) work.boneDirection.fill(0);
  let iterations = 0;
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    let maxCount = 0;
    for (let k = 0; k < actors.length; k++) {
      selectBlock(simulation, island, k);
      const count = solveVelocities(simulation, block);
      if (count < 0) return -1;
      actors[k].work.boneDirection.fill(0);
      maxCount = Math.max(maxCount, count);
    }
    iterations += maxCount;
    if (maxCount === 0) break;
  }
  const count = solveVelocities(simulation, island, MAX_JOINT_ITERATIONS);
  return count < 0 ? -1 : iterations + count;
}

/** Lists the potentials of each actor of an island in `blockPotentials`, from `blockStart` of its `indexInIsland`. */
function listPotentials(
  { contactPotentials, figureOfBody, actors: all, blockStart, blockPotentials }: Simulation,
  island: Island,
): void {
  const { actors, potentialIndices, potentialCount } = island;
  const { bodyA, bodyB } = contactPotentials;
  blockStart.fill(0, 0, actors.length + 1);
  for (let k = 0; k < actors.length; k++) actors[k].work.island.position = k;
  const indexOf = (body: number): number => (body < 0 ? -1 : all[figureOfBody[body]].work.island.position);
  for (let k = 0; k < potentialCount; k++) {
    const a = indexOf(bodyA[potentialIndices[k]]);
    const b = indexOf(bodyB[potentialIndices[k]]);
    blockStart[a + 1]++;
    if (b >= 0 && b !== a) blockStart[b + 1]++;
  }
  for (let k = 0; k < actors.length; k++) blockStart[k + 1] += blockStart[k];
  // Shifted by one, so that filling restores the starts.
  for (let k = actors.length; k > 0; k--) blockStart[k] = blockStart[k - 1];
  blockStart[0] = 0;
  for (let k = 0; k < potentialCount; k++) {
    const a = indexOf(bodyA[potentialIndices[k]]);
    const b = indexOf(bodyB[potentialIndices[k]]);
    blockPotentials[blockStart[a + 1]++] = potentialIndices[k];
    if (b >= 0 && b !== a) blockPotentials[blockStart[b + 1]++] = potentialIndices[k];
  }
}

/** Makes `block` the k-th actor of an island with its potentials. */
function selectBlock(
  { block, blockStart, blockPotentials }: Simulation,
  { actors }: Island,
  k: number,
): void {
  block.actors.length = 0;
  block.actors.push(actors[k]);
  block.potentialCount = 0;
  for (let n = blockStart[k]; n < blockStart[k + 1]; n++)
    block.potentialIndices[block.potentialCount++] = blockPotentials[n];
}
