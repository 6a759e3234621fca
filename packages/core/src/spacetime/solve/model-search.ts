/** The minimum of a step's model along a line: the model is convex, its slope piecewise linear. */
import { multiplyEnvelope } from '../../math/envelope-cholesky.js';
import { type Sides, writeAlong } from './sides.js';
import type { Solver } from './state.js';

const HALVINGS = 40;

/**
 * Goes from `best` towards `step`, to the minimum of the model between; `step` becomes the way, and `beyond` is brought up to date.
 *
 * @returns the share of the way, and what it gains.
 */
export function searchModel(solver: Solver): { readonly share: number; readonly more: number } {
  const { sides, best, step, work, steady, modelGradient, damping } = solver;
  const { count, stiffness, beyond, way } = sides;
  for (let i = 0; i < best.length; i++) step[i] -= best[i];
  multiplyEnvelope(steady, step, work);
  let slope = 0;
  let bend = 0;
  for (let i = 0; i < best.length; i++) {
    const pulled = work[i] + damping * step[i];
    slope += step[i] * modelGradient[i] + best[i] * pulled;
    bend += step[i] * pulled;
  }
  writeAlong(sides, solver, step, way);
  const share = shareOf(sides, slope, bend);
  let more = -share * (slope + 0.5 * share * bend);
  for (let i = 0; i < best.length; i++) best[i] += share * step[i];
  for (let c = 0; c < count; c++) {
    const before = Math.max(0, beyond[c]);
    beyond[c] += share * way[c];
    const after = Math.max(0, beyond[c]);
    more += 0.5 * stiffness[c] * (before - after) * (before + after);
  }
  return { share, more };
}

/** Where the slope along the way changes sign, by halving; 1 where it does not. */
function shareOf(sides: Sides, slope: number, bend: number): number {
  if (slopeAt(sides, slope, bend, 1) <= 0) return 1;
  let low = 0;
  let high = 1;
  for (let k = 0; k < HALVINGS; k++) {
    const middle = 0.5 * (low + high);
    if (slopeAt(sides, slope, bend, middle) > 0) high = middle;
    else low = middle;
  }
  // Just past it: what bends the model there counts from here on.
  return high;
}

function slopeAt(
  { count, stiffness, beyond, way }: Sides,
  slope: number,
  bend: number,
  share: number,
): number {
  let sum = slope + share * bend;
  for (let c = 0; c < count; c++) {
    const y = beyond[c] + share * way[c];
    if (y > 0) sum += stiffness[c] * y * way[c];
  }
  return sum;
}
