/** Exact line search on the step's model, which is convex with a piecewise linear derivative. */
import { multiplyEnvelope } from '../../math/linear/envelope-cholesky.js';
import { type Inequalities, writeDirectional } from './inequality-constraints.js';
import type { Solver } from './solver-state.js';

const BISECTIONS = 40;

/**
 * Minimizes the model on the segment from `lastModelStep` to `step`, with the set constraints as factored. Both become the minimizer, and
 * `value` is updated.
 *
 * @returns the step length alpha.
 */
export function lineSearchModel(solver: Solver): number {
  const { inequalities, rows, step, lastModelStep, scratch, damped, dampedGradient } = solver;
  const { value, change } = inequalities;
  for (let i = 0; i < step.length; i++) step[i] -= lastModelStep[i];
  multiplyEnvelope(damped, step, scratch);
  let slope = 0;
  let curvature = 0;
  for (let i = 0; i < step.length; i++) {
    slope += step[i] * dampedGradient[i] + lastModelStep[i] * scratch[i];
    curvature += step[i] * scratch[i];
  }
  writeDirectional(inequalities, rows, step, change);
  const alpha = minimizerOf(inequalities, slope, curvature);
  for (let i = 0; i < step.length; i++) {
    step[i] = lastModelStep[i] + alpha * step[i];
    lastModelStep[i] = step[i];
  }
  for (let c = 0; c < value.length; c++) value[c] += alpha * change[c];
  return alpha;
}

/** Root of the derivative by bisection; 1 where there is none. */
function minimizerOf(inequalities: Inequalities, slope: number, curvature: number): number {
  if (slopeAt(inequalities, slope, curvature, 1) <= 0) return 1;
  let low = 0;
  let high = 1;
  for (let k = 0; k < BISECTIONS; k++) {
    const middle = 0.5 * (low + high);
    if (slopeAt(inequalities, slope, curvature, middle) > 0) high = middle;
    else low = middle;
  }
  // Just past the root, so that the penalty that becomes active there counts.
  return high;
}

function slopeAt(
  { penalty, value, change }: Inequalities,
  slope: number,
  curvature: number,
  alpha: number,
): number {
  let sum = slope + alpha * curvature;
  for (let c = 0; c < value.length; c++) {
    const y = value[c] + alpha * change[c];
    if (y > 0) sum += penalty[c] * y * change[c];
  }
  return sum;
}
