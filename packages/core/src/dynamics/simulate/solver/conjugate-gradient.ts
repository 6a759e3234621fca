import { solveTreeSystem } from '../../aba/solve.js';
import { applyJacobianTranspose, writeBoneVelocities } from '../../kinematics/jacobian.js';
import { addWrenches, applyHessian, measureRelativeVelocity } from '../constraints/contact-jacobian.js';
import { type Island, isCoupling, isSolvedInBlocks } from '../state/island.js';
import type { Simulation } from '../state/simulation.js';

/**
 * Maximum number of iterations, and tolerance of the residual relative to the right-hand side, in the norm of the preconditioner; looser for
 * large islands, whose other iterations reduce the rest.
 */
const MAX_ITERATIONS = 200;
const TOLERANCE = 1e-3;
const MAX_ITERATIONS_LARGE = 40;
const TOLERANCE_LARGE = 1e-2;

/**
 * Solves H d = -residual by preconditioned conjugate gradients, H being the factored tree systems P plus J^T K J of the potentials that couple two bones.
 * The preconditioner is P: one tree solve an iteration, and few iterations, for all but three eigenvalues a potential are one.
 * Writes d to `direction` and -residual - H d to `linearResidual`.
 */
export function solveConjugateGradient(simulation: Simulation, island: Island): void {
  const { actors } = island;
  let product = 0;
  for (const { work } of actors) {
    const { residual, direction } = work.solver;
    const { linearResidual, preconditioned, searchDirection, treeProduct } = work.linearSolver;
    for (let i = 0; i < residual.length; i++) linearResidual[i] = -residual[i];
    solveTreeSystem(work.dynamics, linearResidual, preconditioned);
    searchDirection.set(preconditioned);
    treeProduct.set(linearResidual);
    direction.fill(0);
    for (let i = 0; i < residual.length; i++) product += linearResidual[i] * preconditioned[i];
  }
  const large = isSolvedInBlocks(island);
  const tolerance = (large ? TOLERANCE_LARGE ** 2 : TOLERANCE ** 2) * product;
  const maxIterations = large ? MAX_ITERATIONS_LARGE : MAX_ITERATIONS;
  for (let n = 0; n < maxIterations && product > tolerance; n++) {
    const curvature = applySystem(simulation, island);
    if (!(curvature > 0)) return;
    const alpha = product / curvature;
    let next = 0;
    for (const { work } of actors) {
      const { linearResidual, preconditioned, searchDirection, searchProduct } = work.linearSolver;
      const { direction } = work.solver;
      for (let i = 0; i < direction.length; i++) {
        direction[i] += alpha * searchDirection[i];
        linearResidual[i] -= alpha * searchProduct[i];
      }
      solveTreeSystem(work.dynamics, linearResidual, preconditioned);
      for (let i = 0; i < direction.length; i++) next += linearResidual[i] * preconditioned[i];
    }
    const beta = next / product;
    product = next;
    for (const { work } of actors) {
      const { linearResidual, preconditioned, searchDirection, treeProduct } = work.linearSolver;
      for (let i = 0; i < searchDirection.length; i++) {
        searchDirection[i] = preconditioned[i] + beta * searchDirection[i];
        treeProduct[i] = linearResidual[i] + beta * treeProduct[i];
      }
    }
  }
}

/** Writes H p of the search direction p to `searchProduct`. @returns p^T H p. */
function applySystem(simulation: Simulation, island: Island): number {
  const { actors, potentialIndices, potentialCount } = island;
  const { contactPotentials: potentials, boneDirection, boneWrench, figureOfBody } = simulation;
  for (const { work } of actors) {
    writeBoneVelocities(work.dynamics, work.linearSolver.searchDirection, work.boneDirection);
    work.boneWrench.fill(0);
  }
  for (let k = 0; k < potentialCount; k++) {
    const t = potentialIndices[k];
    if (potentials.isActive[t] === 0 || !isCoupling(island, potentials, t, figureOfBody)) continue;
    measureRelativeVelocity(potentials, t, boneDirection, potentials.scratch);
    applyHessian(potentials, t, potentials.scratch, potentials.scratch);
    addWrenches(potentials, t, potentials.scratch, boneWrench);
  }
  let curvature = 0;
  for (const { work } of actors) {
    const { searchDirection, treeProduct, searchProduct } = work.linearSolver;
    applyJacobianTranspose(work.dynamics, work.boneWrench, searchProduct);
    for (let i = 0; i < searchDirection.length; i++) {
      searchProduct[i] += treeProduct[i];
      curvature += searchDirection[i] * searchProduct[i];
    }
  }
  return curvature;
}
