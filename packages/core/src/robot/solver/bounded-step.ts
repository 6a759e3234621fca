/** The Newton step within bounds. */
import { factorTree, solveLower, solveUpper } from '../../math/linear/sparse-ltl.js';
import type { Workspace } from './problem.js';

/** Rounds in which all coordinates may change sides at once; after them one at a time, which ends (Murty 1974). */
const BLOCK_ROUNDS = 6;
const MAX_ROUNDS = 100;

/**
 * Minimizes g.d + 1/2 d.(H + damping D) d over lower <= x + d <= upper, D the scale: an active set of bounds that is exact, so that where a
 * coordinate ends at its bound the others take the step that follows from it (Judice and Pires 1994).
 *
 * @param parents - Sparsity of H.
 * @returns the decrease that the model without damping predicts; -1 where H + damping D is not positive definite on the free coordinates.
 */
export function boundedStep(work: Workspace, parents: Int32Array, x: Float64Array, damping: number): number {
  const { gradient, hessian, scale, factor, step, product, fixed, lower, upper } = work;
  const n = gradient.length;
  for (let i = 0; i < n; i++) {
    step[i] = 0;
    fixed[i] = x[i] <= lower[i] && gradient[i] > 0 ? -1 : x[i] >= upper[i] && gradient[i] < 0 ? 1 : 0;
  }
  for (let round = 0; round < MAX_ROUNDS; round++) {
    factor.set(hessian);
    let anyFixed = false;
    for (let i = 0; i < n; i++) {
      factor[i * n + i] += damping * scale[i];
      if (fixed[i] === 0) step[i] = 0;
      else {
        anyFixed = true;
        step[i] = (fixed[i] < 0 ? lower[i] : upper[i]) - x[i];
      }
    }
    if (anyFixed) eliminateFixed(work, parents, damping);
    else for (let i = 0; i < n; i++) step[i] = -gradient[i];
    if (!factorTree(factor, n, parents)) return -1;
    solveUpper(factor, n, parents, step);
    solveLower(factor, n, parents, step);
    if (anyFixed)
      for (let i = 0; i < n; i++) if (fixed[i] !== 0) step[i] = (fixed[i] < 0 ? lower[i] : upper[i]) - x[i];
    multiply(hessian, n, parents, step, product);
    if (!changeSides(work, x, damping, round >= BLOCK_ROUNDS)) break;
  }
  let decrease = 0;
  for (let i = 0; i < n; i++) decrease -= step[i] * (gradient[i] + 0.5 * product[i]);
  return decrease;
}

/** Moves what the fixed coordinates contribute to the right-hand side, and takes them out of the matrix. */
function eliminateFixed(work: Workspace, parents: Int32Array, damping: number): void {
  const { gradient, hessian, scale, factor, step, product, fixed } = work;
  const n = gradient.length;
  multiply(hessian, n, parents, step, product);
  for (let j = 0; j < n; j++) {
    step[j] = fixed[j] === 0 ? -gradient[j] - product[j] - damping * scale[j] * step[j] : 0;
    if (fixed[j] !== 0) factor[j * n + j] = 1;
    for (let i = parents[j]; i >= 0; i = parents[i])
      if (fixed[i] !== 0 || fixed[j] !== 0) factor[j * n + i] = 0;
  }
}

/** out = H d. */
function multiply(h: Float64Array, n: number, parents: Int32Array, d: Float64Array, out: Float64Array): void {
  for (let j = 0; j < n; j++) {
    const row = j * n;
    const x = d[j];
    let sum = h[row + j] * x;
    for (let i = parents[j]; i >= 0; i = parents[i]) {
      sum += h[row + i] * d[i];
      out[i] += h[row + i] * x;
    }
    out[j] = sum;
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
