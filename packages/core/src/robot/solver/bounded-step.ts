/** The Newton step within bounds. */
import type { Workspace } from './problem.js';
import { factorTree, multiplyTree, solveTree, type TreePattern } from './tree-matrix.js';

/** Rounds in which all coordinates may change sides at once; after them one at a time, which ends (Murty 1974). */
const BLOCK_ROUNDS = 6;
const MAX_ROUNDS = 100;

/**
 * Minimizes g.d + 1/2 d.(H + damping D) d over lower <= x + d <= upper, D the scale: an active set of bounds that is exact, so that where a
 * coordinate ends at its bound the others take the step that follows from it (Judice and Pires 1994).
 *
 * @param pattern - Of H.
 * @returns the decrease that the model without damping predicts; -1 where H + damping D is not positive definite on the free coordinates.
 */
export function boundedStep(work: Workspace, pattern: TreePattern, x: Float64Array, damping: number): number {
  const { gradient, hessian, scale, factor, step, product, fixed, lower, upper } = work;
  const { size: n, starts, depths } = pattern;
  for (let i = 0; i < n; i++) {
    fixed[i] = x[i] <= lower[i] && gradient[i] > 0 ? -1 : x[i] >= upper[i] && gradient[i] < 0 ? 1 : 0;
  }
  for (let round = 0; round < MAX_ROUNDS; round++) {
    factor.set(hessian);
    let anyFixed = false;
    for (let i = 0; i < n; i++) {
      factor[starts[i] + depths[i]] += damping * scale[i];
      step[i] = -gradient[i];
      if (fixed[i] !== 0) anyFixed = true;
    }
    if (anyFixed) eliminateFixed(work, pattern, x);
    if (!factorTree(factor, pattern)) return -1;
    solveTree(factor, pattern, step);
    if (anyFixed) {
      for (let i = 0; i < n; i++) if (fixed[i] !== 0) step[i] = (fixed[i] < 0 ? lower[i] : upper[i]) - x[i];
      multiplyTree(hessian, pattern, step, product);
    } else for (let i = 0; i < n; i++) product[i] = -gradient[i] - damping * scale[i] * step[i];
    if (!changeSides(work, x, damping, round >= BLOCK_ROUNDS)) break;
  }
  let decrease = 0;
  for (let i = 0; i < n; i++) decrease -= step[i] * (gradient[i] + 0.5 * product[i]);
  return decrease;
}

/** Moves what the fixed coordinates contribute to the right-hand side, and takes them out of the matrix. */
function eliminateFixed(work: Workspace, pattern: TreePattern, x: Float64Array): void {
  const { gradient, hessian, factor, step, product, fixed, lower, upper } = work;
  const { size: n, parents, starts, depths } = pattern;
  let moves = false;
  for (let i = 0; i < n; i++) {
    step[i] = fixed[i] === 0 ? 0 : (fixed[i] < 0 ? lower[i] : upper[i]) - x[i];
    if (step[i] !== 0) moves = true;
  }
  // Most stand at their bounds already.
  if (moves) multiplyTree(hessian, pattern, step, product);
  else product.fill(0);
  for (let j = 0; j < n; j++) {
    const s = starts[j];
    const isFixed = fixed[j] !== 0;
    step[j] = isFixed ? 0 : -gradient[j] - product[j];
    if (isFixed) factor[s + depths[j]] = 1;
    for (let i = parents[j], e = depths[j] - 1; e >= 0; e--, i = parents[i])
      if (isFixed || fixed[i] !== 0) factor[s + e] = 0;
  }
}

/** Fixes the coordinates that leave their bounds and frees those that a multiplier of the wrong sign holds. @returns whether any changed. */
function changeSides(work: Workspace, x: Float64Array, damping: number, one: boolean): boolean {
  const { gradient, scale, step, product, fixed, lower, upper } = work;
  let changed = false;
  for (let i = x.length - 1; i >= 0; i--) {
    let side = fixed[i];
    if (side === 0) side = x[i] + step[i] < lower[i] ? -1 : x[i] + step[i] > upper[i] ? 1 : 0;
    // At the lower bound the derivative of the model is not negative, at the upper one not positive.
    else if (side * (gradient[i] + product[i] + damping * scale[i] * step[i]) > 0) side = 0;
    if (side === fixed[i]) continue;
    fixed[i] = side;
    changed = true;
    if (one) break;
  }
  return changed;
}
