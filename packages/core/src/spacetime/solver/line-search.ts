/** The minimum of a step's model along a line: the model is convex, its slope piecewise linear. */
import { multiplyEnvelope } from '../../math/linear/envelope-cholesky.js';
import { type Sides, writeAlong } from './inequality-constraints.js';
import type { Solver } from './solver-state.js';

const HALVINGS = 40;

/**
 * Goes from the last step, `last`, towards `step`, to the minimum of the model between, walls as they were factored; `step` and `last` are what it
 * finds, and `beyond` is brought up to date.
 *
 * @returns the share of the way.
 */
export function searchModel(solver: Solver): number {
  const { sides, rows, step, last, work, base, baseGradient } = solver;
  const { beyond, way } = sides;
  for (let i = 0; i < step.length; i++) step[i] -= last[i];
  multiplyEnvelope(base, step, work);
  let slope = 0;
  let bend = 0;
  for (let i = 0; i < step.length; i++) {
    slope += step[i] * baseGradient[i] + last[i] * work[i];
    bend += step[i] * work[i];
  }
  writeAlong(sides, rows, step, way);
  const share = shareOf(sides, slope, bend);
  for (let i = 0; i < step.length; i++) {
    step[i] = last[i] + share * step[i];
    last[i] = step[i];
  }
  for (let c = 0; c < beyond.length; c++) beyond[c] += share * way[c];
  return share;
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

function slopeAt({ stiffness, beyond, way }: Sides, slope: number, bend: number, share: number): number {
  let sum = slope + share * bend;
  for (let c = 0; c < beyond.length; c++) {
    const y = beyond[c] + share * way[c];
    if (y > 0) sum += stiffness[c] * y * way[c];
  }
  return sum;
}
