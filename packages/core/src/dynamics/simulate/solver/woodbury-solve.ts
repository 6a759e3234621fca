import * as cholesky from '../../../math/linear/cholesky.js';
import { measurePair, type PairTerms, pushBones } from '../state/contact-potentials.js';
import { couples, type Island } from '../state/island.js';
import type { Simulation } from '../state/simulation.js';
import { gatherLoads, spreadMotions } from '../tree/solve.js';

/** Columns at most: with more, conjugate gradients are faster. */
const MOST_COLUMNS = 24;
/** Part of the largest entry of K's diagonal below which a pivot is rounding. */
const NOTHING = 1e-12;

/** Columns of R, 3 numbers each, and the term that each belongs to, terms in order. */
const columns = /* @__PURE__ */ new Float64Array(3 * MOST_COLUMNS + 9);
const termOf = /* @__PURE__ */ new Int32Array(MOST_COLUMNS + 3);
/** 1 + W^T P^-1 W, and z. */
const system = /* @__PURE__ */ new Float64Array(MOST_COLUMNS * MOST_COLUMNS);
const shares = /* @__PURE__ */ new Float64Array(MOST_COLUMNS);
const block = /* @__PURE__ */ new Float64Array(9);

/**
 * Solves H x = -residual, H being the trees' systems as factored, P, plus J^T K J of the terms that join two bones: with K = R R^T and W = J^T R,
 *
 *   x = P^-1 (b - W z),   (1 + W^T P^-1 W) z = W^T P^-1 b    (Woodbury).
 *
 * P^-1 W is needed at the bones that W acts on only, and takes no more than those and the bones that carry them. To `direction`; how the bones move
 * along it to `boneDirection`; what it leaves of the residual, which is rounding, counts as nothing.
 *
 * @returns false where there are too many columns for this; nothing is found then.
 */
export function solveDirectly(simulation: Simulation, island: Island): boolean {
  const { actors } = island;
  const count = island.coupled ? splitTerms(simulation, island) : 0;
  if (count < 0) return false;
  for (const { work } of actors) {
    const { residual, direction, leftOver, tree } = work;
    for (let i = 0; i < residual.length; i++) direction[i] = -residual[i];
    leftOver.fill(0);
    tree.loads.fill(0);
    gatherLoads(tree, tree.all, tree.all.length, direction, direction);
  }
  if (count > 0) findShares(simulation, island, count);
  for (const { work } of actors)
    spreadMotions(work.tree, work.tree.all, work.tree.all.length, work.direction);
  return true;
}

/** z, and -W z into what is gathered in `direction`. */
function findShares(simulation: Simulation, island: Island, count: number): void {
  const { pairTerms: terms, boneDirection } = simulation;
  markPaths(simulation, island, count);
  for (const { work } of island.actors) {
    const { tree, solved, direction } = work;
    solved.set(direction);
    spreadMotions(tree, tree.path, tree.pathCount, solved);
  }
  project(terms, boneDirection, count, 1, shares, 0);
  for (let c = 0; c < count; c++) {
    clearLoads(island);
    addColumn(simulation, c, 1);
    gatherPaths(island);
    for (const { work } of island.actors) {
      const { tree, solved } = work;
      spreadMotions(tree, tree.path, tree.pathCount, solved);
    }
    // Loads are minus wrenches.
    project(terms, boneDirection, count, -1, system, MOST_COLUMNS * c);
    system[(MOST_COLUMNS + 1) * c] += 1;
  }
  cholesky.factor(system, count, MOST_COLUMNS);
  cholesky.solve(system, count, shares, MOST_COLUMNS);
  clearLoads(island);
  for (let c = 0; c < count; c++) addColumn(simulation, c, shares[c]);
  gatherPaths(island);
  for (const { work } of island.actors) {
    const { solved, direction } = work;
    for (let i = 0; i < solved.length; i++) direction[i] += solved[i];
  }
}

/** Splits K of all terms that act and join two bones, to `columns`. @returns how many there are; -1 for too many. */
function splitTerms({ pairTerms: terms, figureOfBody }: Simulation, island: Island): number {
  let count = 0;
  for (let k = 0; k < island.pairCount; k++) {
    const t = island.pairs[k];
    if (terms.acts[t] === 0 || !couples(island, terms, t, figureOfBody)) continue;
    count = splitTerm(terms, t, count);
    if (count > MOST_COLUMNS) return -1;
  }
  return count;
}

/** K = R R^T by elimination, largest pivot first. @returns the count of columns with those of this term. */
function splitTerm({ hardness }: PairTerms, t: number, first: number): number {
  const h = 6 * t;
  block[0] = hardness[h];
  block[4] = hardness[h + 1];
  block[8] = hardness[h + 2];
  block[1] = hardness[h + 3];
  block[2] = hardness[h + 4];
  block[5] = hardness[h + 5];
  block[3] = block[1];
  block[6] = block[2];
  block[7] = block[5];
  const least = NOTHING * Math.max(block[0], block[4], block[8]);
  let count = first;
  for (let n = 0; n < 3; n++) {
    let p = 0;
    if (block[4] > block[0]) p = 4;
    if (block[8] > block[p]) p = 8;
    if (!(block[p] > least)) break;
    const row = 0.75 * p;
    const scale = 1 / Math.sqrt(block[p]);
    const o = 3 * count;
    for (let i = 0; i < 3; i++) columns[o + i] = scale * block[row + i];
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) block[3 * i + j] -= columns[o + i] * columns[o + j];
    }
    // Rounding leaves no more of it.
    block[p] = 0;
    termOf[count++] = t;
  }
  return count;
}

/** The bones that columns act on, and those that carry them, to the trees' `path`. */
function markPaths(
  { pairTerms, actors, figureOfBody, boneOfBody }: Simulation,
  island: Island,
  count: number,
): void {
  const { bodyA, bodyB } = pairTerms;
  for (const { work } of island.actors) work.onPath.fill(0);
  for (let c = 0; c < count; c++) {
    if (c > 0 && termOf[c] === termOf[c - 1]) continue;
    for (let end = 0; end < 2; end++) {
      const body = end === 0 ? bodyA[termOf[c]] : bodyB[termOf[c]];
      const { work, figure } = actors[figureOfBody[body]];
      for (let b = boneOfBody[body]; b >= 0 && work.onPath[b] === 0; b = figure.parents[b])
        work.onPath[b] = 1;
    }
  }
  for (const { work } of island.actors) {
    const { tree, onPath } = work;
    tree.pathCount = 0;
    for (let b = 0; b < onPath.length; b++) if (onPath[b] === 1) tree.path[tree.pathCount++] = b;
  }
}

function clearLoads({ actors }: Island): void {
  for (const { work } of actors) {
    const { path, pathCount, loads } = work.tree;
    for (let k = 0; k < pathCount; k++) {
      const o = 6 * path[k];
      for (let i = o; i < o + 6; i++) loads[i] = 0;
    }
  }
}

/** Adds scale times column c of W to loads. */
function addColumn({ pairTerms: terms, boneWrench }: Simulation, c: number, scale: number): void {
  const o = 3 * termOf[c];
  for (let i = 0; i < 3; i++) terms.image[o + i] = scale * columns[3 * c + i];
  pushBones(terms, termOf[c], terms.image, boneWrench);
}

/** What loads alone leave of the joints', to `solved`. */
function gatherPaths({ actors }: Island): void {
  for (const { work } of actors) {
    const { tree, solved } = work;
    solved.fill(0);
    gatherLoads(tree, tree.path, tree.pathCount, solved, solved);
  }
}

/** sign R^T J of how bones move, to out[o..]. */
function project(
  terms: PairTerms,
  motion: Float64Array,
  count: number,
  sign: 1 | -1,
  out: Float64Array,
  o: number,
): void {
  const { image } = terms;
  for (let c = 0; c < count; c++) {
    const u = 3 * termOf[c];
    if (c === 0 || termOf[c] !== termOf[c - 1]) measurePair(terms, termOf[c], motion, image);
    const r = 3 * c;
    out[o + c] =
      sign * (columns[r] * image[u] + columns[r + 1] * image[u + 1] + columns[r + 2] * image[u + 2]);
  }
}
