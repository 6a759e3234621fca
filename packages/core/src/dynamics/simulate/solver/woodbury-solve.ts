import * as cholesky from '../../../math/linear/cholesky.js';
import { backwardPass, forwardPass } from '../../aba/solve.js';
import { addWrenches, measureRelativeVelocity } from '../constraints/contact-jacobian.js';
import { CONTACT, type ContactPotentials } from '../state/contact-potentials.js';
import { type Island, isCoupling } from '../state/island.js';
import type { Simulation } from '../state/simulation.js';

/** Maximum number of columns of W of contacts, with more conjugate gradients are faster; and of all: connections of light bodies to heavy ones they do not solve. */
const MAX_CONTACT_COLUMNS = 24;
const MAX_COLUMNS = 72;
/** Smallest pivot of K relative to its largest diagonal entry. */
const PIVOT_TOLERANCE = 1e-12;

/** Columns of R, 3 numbers each, and the potential of each, in order. */
const columns = /* @__PURE__ */ new Float64Array(3 * MAX_COLUMNS + 9);
const potentialOf = /* @__PURE__ */ new Int32Array(MAX_COLUMNS + 3);
/** 1 + W^T P^-1 W, and z. */
const system = /* @__PURE__ */ new Float64Array(MAX_COLUMNS * MAX_COLUMNS);
const weights = /* @__PURE__ */ new Float64Array(MAX_COLUMNS);
const block = /* @__PURE__ */ new Float64Array(9);

/**
 * Solves H d = -residual by Woodbury's formula, H being the factored tree systems P plus J^T K J of the potentials that couple two bones:
 * with K = R R^T, W = J^T R and b = -residual,
 *
 *   d = P^-1 (b - W z),   (1 + W^T P^-1 W) z = W^T P^-1 b.
 *
 * P^-1 W is needed only at the bones that W acts on, and computed over those and their ancestors. Writes d to `direction`, the bone
 * velocities along it to `boneDirection`, and zero to `linearResidual`.
 *
 * @returns false for too many columns; d is not computed then.
 */
export function solveWoodbury(simulation: Simulation, island: Island): boolean {
  const { actors } = island;
  const count = island.coupled ? factorPotentials(simulation, island) : 0;
  if (count < 0) return false;
  for (const { work } of actors) {
    const { tree } = work;
    const { residual, direction } = work.solver;
    const { linearResidual } = work.linearSolver;
    for (let i = 0; i < residual.length; i++) direction[i] = -residual[i];
    linearResidual.fill(0);
    tree.biasWrenches.fill(0);
    backwardPass(work.dynamics, tree.allBones, tree.allBones.length, direction, direction);
  }
  if (count > 0) solveCorrection(simulation, island, count);
  for (const { work } of actors)
    forwardPass(work.dynamics, work.tree.allBones, work.tree.allBones.length, work.solver.direction);
  return true;
}

/** Solves for z, and adds the backward pass of -W z to `direction`. */
function solveCorrection(simulation: Simulation, island: Island, count: number): void {
  const { contactPotentials: potentials, boneDirection } = simulation;
  markPathBones(simulation, island, count);
  for (const { work } of island.actors) {
    const { tree } = work;
    const { preconditioned } = work.linearSolver;
    const { direction } = work.solver;
    preconditioned.set(direction);
    forwardPass(work.dynamics, tree.pathBones, tree.pathBoneCount, preconditioned);
  }
  project(potentials, boneDirection, count, 1, weights, 0);
  for (let c = 0; c < count; c++) {
    clearPathWrenches(island);
    addColumn(simulation, c, 1);
    eliminatePaths(island);
    for (const { work } of island.actors) {
      const { tree } = work;
      const { preconditioned } = work.linearSolver;
      forwardPass(work.dynamics, tree.pathBones, tree.pathBoneCount, preconditioned);
    }
    // The backward pass takes minus wrenches.
    project(potentials, boneDirection, count, -1, system, MAX_COLUMNS * c);
    system[(MAX_COLUMNS + 1) * c] += 1;
  }
  cholesky.factor(system, count, MAX_COLUMNS);
  cholesky.solve(system, count, weights, MAX_COLUMNS);
  clearPathWrenches(island);
  for (let c = 0; c < count; c++) addColumn(simulation, c, weights[c]);
  eliminatePaths(island);
  for (const { work } of island.actors) {
    const { preconditioned } = work.linearSolver;
    const { direction } = work.solver;
    for (let i = 0; i < preconditioned.length; i++) direction[i] += preconditioned[i];
  }
}

/** Factors K = R R^T of all active coupling potentials, to `columns`. @returns the number of columns; -1 for too many. */
function factorPotentials(
  { contactPotentials: potentials, figureOfBody }: Simulation,
  island: Island,
): number {
  let count = 0;
  let contactCount = 0;
  for (let k = 0; k < island.potentialCount; k++) {
    const t = island.potentialIndices[k];
    if (potentials.isActive[t] === 0 || !isCoupling(island, potentials, t, figureOfBody)) continue;
    const first = count;
    count = factorHessian(potentials, t, count);
    if (potentials.kind[t] === CONTACT) contactCount += count - first;
    if (count > MAX_COLUMNS || contactCount > MAX_CONTACT_COLUMNS) return -1;
  }
  return count;
}

/** Pivoted Cholesky of one K, largest pivot first. @returns the number of columns so far. */
function factorHessian({ hessian }: ContactPotentials, t: number, first: number): number {
  const h = 6 * t;
  block[0] = hessian[h];
  block[4] = hessian[h + 1];
  block[8] = hessian[h + 2];
  block[1] = hessian[h + 3];
  block[2] = hessian[h + 4];
  block[5] = hessian[h + 5];
  block[3] = block[1];
  block[6] = block[2];
  block[7] = block[5];
  const minPivot = PIVOT_TOLERANCE * Math.max(block[0], block[4], block[8]);
  let count = first;
  for (let n = 0; n < 3; n++) {
    let p = 0;
    if (block[4] > block[0]) p = 4;
    if (block[8] > block[p]) p = 8;
    if (!(block[p] > minPivot)) break;
    const row = 0.75 * p;
    const scale = 1 / Math.sqrt(block[p]);
    const o = 3 * count;
    for (let i = 0; i < 3; i++) columns[o + i] = scale * block[row + i];
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) block[3 * i + j] -= columns[o + i] * columns[o + j];
    }
    // Exactly zero, without rounding.
    block[p] = 0;
    potentialOf[count++] = t;
  }
  return count;
}

/** Marks the bones that columns act on and their ancestors, as the trees' `pathBones`. */
function markPathBones(
  { contactPotentials, actors, figureOfBody, boneOfBody }: Simulation,
  island: Island,
  count: number,
): void {
  const { bodyA, bodyB } = contactPotentials;
  for (const { work } of island.actors) work.linearSolver.onPath.fill(0);
  for (let c = 0; c < count; c++) {
    if (c > 0 && potentialOf[c] === potentialOf[c - 1]) continue;
    for (let end = 0; end < 2; end++) {
      const body = end === 0 ? bodyA[potentialOf[c]] : bodyB[potentialOf[c]];
      const { work, figure } = actors[figureOfBody[body]];
      for (let b = boneOfBody[body]; b >= 0 && work.linearSolver.onPath[b] === 0; b = figure.parents[b])
        work.linearSolver.onPath[b] = 1;
    }
  }
  for (const { work } of island.actors) {
    const { tree } = work;
    const { onPath } = work.linearSolver;
    tree.pathBoneCount = 0;
    for (let b = 0; b < onPath.length; b++) if (onPath[b] === 1) tree.pathBones[tree.pathBoneCount++] = b;
  }
}

function clearPathWrenches({ actors }: Island): void {
  for (const { work } of actors) {
    const { pathBones, pathBoneCount, biasWrenches } = work.tree;
    for (let k = 0; k < pathBoneCount; k++) {
      const o = 6 * pathBones[k];
      for (let i = o; i < o + 6; i++) biasWrenches[i] = 0;
    }
  }
}

/** Adds scale times column c of W to the wrenches. */
function addColumn(
  { contactPotentials: potentials, boneWrench }: Simulation,
  c: number,
  scale: number,
): void {
  const o = 3 * potentialOf[c];
  for (let i = 0; i < 3; i++) potentials.scratch[o + i] = scale * columns[3 * c + i];
  addWrenches(potentials, potentialOf[c], potentials.scratch, boneWrench);
}

/** Backward pass of the wrenches alone, to `preconditioned`. */
function eliminatePaths({ actors }: Island): void {
  for (const { work } of actors) {
    const { tree } = work;
    const { preconditioned } = work.linearSolver;
    preconditioned.fill(0);
    backwardPass(work.dynamics, tree.pathBones, tree.pathBoneCount, preconditioned, preconditioned);
  }
}

/** Writes sign R^T J of bone velocities to out[o..]. */
function project(
  potentials: ContactPotentials,
  motion: Float64Array,
  count: number,
  sign: 1 | -1,
  out: Float64Array,
  o: number,
): void {
  const { scratch } = potentials;
  for (let c = 0; c < count; c++) {
    const u = 3 * potentialOf[c];
    if (c === 0 || potentialOf[c] !== potentialOf[c - 1])
      measureRelativeVelocity(potentials, potentialOf[c], motion, scratch);
    const r = 3 * c;
    out[o + c] =
      sign * (columns[r] * scratch[u] + columns[r + 1] * scratch[u + 1] + columns[r + 2] * scratch[u + 2]);
  }
}
