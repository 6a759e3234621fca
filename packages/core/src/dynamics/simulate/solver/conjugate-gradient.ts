import { hardenPair, measurePair, pushBones } from '../state/contact-potentials.js';
import { couples, type Island, isLarge } from '../state/island.js';
import type { Simulation } from '../state/simulation.js';
import { gatherWrenches, writeBoneVelocities } from '../tree/jacobian.js';
import { solveTreeSystem } from '../tree/solve.js';

/**
 * Iterations at most, and the part of the right side that may be left over, in the norm of the trees' inverse; of large islands, which others of their
 * iterations make up for.
 */
const MOST_ITERATIONS = 200;
const SOLVED = 1e-3;
const MOST_ITERATIONS_LARGE = 40;
const SOLVED_LARGE = 1e-2;

/**
 * Solves H x = -residual, H being the trees' systems as factored plus J^T K J of the terms that join two bones, by conjugate gradients after the
 * trees' systems: one of their solutions an iteration, and few iterations, for all but three eigenvalues a term are one.
 * To `direction`; -residual - H x to `leftOver`.
 */
export function solveCoupled(simulation: Simulation, island: Island): void {
  const { actors } = island;
  let product = 0;
  for (const { work } of actors) {
    const { residual, leftOver, solved, search, searchTree, direction } = work;
    for (let i = 0; i < residual.length; i++) leftOver[i] = -residual[i];
    solveTreeSystem(work.tree, leftOver, solved);
    search.set(solved);
    searchTree.set(leftOver);
    direction.fill(0);
    for (let i = 0; i < residual.length; i++) product += leftOver[i] * solved[i];
  }
  const large = isLarge(island);
  const least = (large ? SOLVED_LARGE ** 2 : SOLVED ** 2) * product;
  const most = large ? MOST_ITERATIONS_LARGE : MOST_ITERATIONS;
  for (let n = 0; n < most && product > least; n++) {
    const bent = writeImage(simulation, island);
    if (!(bent > 0)) return;
    const part = product / bent;
    let next = 0;
    for (const { work } of actors) {
      const { leftOver, solved, search, searchImage, direction } = work;
      for (let i = 0; i < direction.length; i++) {
        direction[i] += part * search[i];
        leftOver[i] -= part * searchImage[i];
      }
      solveTreeSystem(work.tree, leftOver, solved);
      for (let i = 0; i < direction.length; i++) next += leftOver[i] * solved[i];
    }
    const turn = next / product;
    product = next;
    for (const { work } of actors) {
      const { leftOver, solved, search, searchTree } = work;
      for (let i = 0; i < search.length; i++) {
        search[i] = solved[i] + turn * search[i];
        searchTree[i] = leftOver[i] + turn * searchTree[i];
      }
    }
  }
}

/** H times the search direction, to `searchImage`. @returns their product. */
function writeImage(simulation: Simulation, island: Island): number {
  const { actors, pairs, pairCount } = island;
  const { pairTerms: terms, boneDirection, boneWrench, figureOfBody } = simulation;
  for (const { work } of actors) {
    writeBoneVelocities(work.dynamics, work.search, work.boneDirection);
    work.boneWrench.fill(0);
  }
  for (let k = 0; k < pairCount; k++) {
    const t = pairs[k];
    if (terms.acts[t] === 0 || !couples(island, terms, t, figureOfBody)) continue;
    measurePair(terms, t, boneDirection, terms.image);
    hardenPair(terms, t, terms.image, terms.image);
    pushBones(terms, t, terms.image, boneWrench);
  }
  let bent = 0;
  for (const { work } of actors) {
    const { search, searchTree, searchImage } = work;
    gatherWrenches(work.dynamics, work.boneWrench, searchImage);
    for (let i = 0; i < search.length; i++) {
      searchImage[i] += searchTree[i];
      bent += search[i] * searchImage[i];
    }
  }
  return bent;
}
