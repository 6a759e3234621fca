import { addWrenches, applyHessian, measureRelativeVelocity } from '../state/contact-potentials.js';
import { type Island, isCoupling, isLarge } from '../state/island.js';
import type { Simulation } from '../state/simulation.js';
import { applyJacobianTranspose, writeBoneVelocities } from '../tree/jacobian.js';
import { solveTreeSystem } from '../tree/solve.js';

/**
 * Iterations at most, and the part of the right side that may be left over, in the norm of the trees' inverse; of large islands, which others of their
 * iterations make up for.
 */
const MAX_ITERATIONS = 200;
const TOLERANCE = 1e-3;
const MAX_ITERATIONS_LARGE = 40;
const TOLERANCE_LARGE = 1e-2;

/**
 * Solves H x = -residual, H being the trees' systems as factored plus J^T K J of the terms that join two bones, by conjugate gradients after the
 * trees' systems: one of their solutions an iteration, and few iterations, for all but three eigenvalues a term are one.
 * To `direction`; -residual - H x to `linearResidual`.
 */
export function solveConjugateGradient(simulation: Simulation, island: Island): void {
  const { actors } = island;
  let product = 0;
  for (const { work } of actors) {
    const { residual, linearResidual, preconditioned, searchDirection, treeProduct, direction } = work;
    for (let i = 0; i < residual.length; i++) linearResidual[i] = -residual[i];
    solveTreeSystem(work.tree, linearResidual, preconditioned);
    searchDirection.set(preconditioned);
    treeProduct.set(linearResidual);
    direction.fill(0);
    for (let i = 0; i < residual.length; i++) product += linearResidual[i] * preconditioned[i];
  }
  const large = isLarge(island);
  const least = (large ? TOLERANCE_LARGE ** 2 : TOLERANCE ** 2) * product;
  const most = large ? MAX_ITERATIONS_LARGE : MAX_ITERATIONS;
  for (let n = 0; n < most && product > least; n++) {
    const bent = applySystem(simulation, island);
    if (!(bent > 0)) return;
    const part = product / bent;
    let next = 0;
    for (const { work } of actors) {
      const { linearResidual, preconditioned, searchDirection, searchProduct, direction } = work;
      for (let i = 0; i < direction.length; i++) {
        direction[i] += part * searchDirection[i];
        linearResidual[i] -= part * searchProduct[i];
      }
      solveTreeSystem(work.tree, linearResidual, preconditioned);
      for (let i = 0; i < direction.length; i++) next += linearResidual[i] * preconditioned[i];
    }
    const turn = next / product;
    product = next;
    for (const { work } of actors) {
      const { linearResidual, preconditioned, searchDirection, treeProduct } = work;
      for (let i = 0; i < searchDirection.length; i++) {
        searchDirection[i] = preconditioned[i] + turn * searchDirection[i];
        treeProduct[i] = linearResidual[i] + turn * treeProduct[i];
      }
    }
  }
}

/** H times the search direction, to `searchProduct`. @returns their product. */
function applySystem(simulation: Simulation, island: Island): number {
  const { actors, potentials, potentialCount } = island;
  const { contactPotentials: terms, boneDirection, boneWrench, figureOfBody } = simulation;
  for (const { work } of actors) {
    writeBoneVelocities(work.dynamics, work.searchDirection, work.boneDirection);
    work.boneWrench.fill(0);
  }
  for (let k = 0; k < potentialCount; k++) {
    const t = potentials[k];
    if (terms.isActive[t] === 0 || !isCoupling(island, terms, t, figureOfBody)) continue;
    measureRelativeVelocity(terms, t, boneDirection, terms.scratch);
    applyHessian(terms, t, terms.scratch, terms.scratch);
    addWrenches(terms, t, terms.scratch, boneWrench);
  }
  let bent = 0;
  for (const { work } of actors) {
    const { searchDirection, treeProduct, searchProduct } = work;
    applyJacobianTranspose(work.dynamics, work.boneWrench, searchProduct);
    for (let i = 0; i < searchDirection.length; i++) {
      searchProduct[i] += treeProduct[i];
      bent += searchDirection[i] * searchProduct[i];
    }
  }
  return bent;
}
