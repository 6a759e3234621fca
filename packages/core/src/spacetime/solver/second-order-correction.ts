/** Second-order correction of a step for the curvature of the constraints. */
import { solveCurved } from './curvature.js';
import { addInequalityGradients } from './inequality-constraints.js';
import { addQuadraticGradient, predictRows } from './lagrangian.js';
import type { Subproblem } from './quadratic-model.js';
import { addSetGradients } from './set-constraint-model.js';

/** Scratch of a correction: corrected rows, gradient there, and coefficients of the inequalities in it. */
export interface Correction {
  readonly rows: Float64Array;
  readonly gradient: Float64Array;
  readonly coefficient: Float64Array;
}

/** @param inequalities - Number of one-sided penalties. */
export function createCorrection(size: number, rows: number, inequalities: number): Correction {
  return {
    rows: new Float64Array(rows),
    gradient: new Float64Array(size),
    coefficient: new Float64Array(inequalities),
  };
}

/**
 * Solves the last model again with c(x + p) - J p for c: a second-order correction (Fletcher 1982; Nocedal and Wright, *Numerical
 * Optimization*, 18.3), with the same active sets and factor. Cost rows keep their residuals: their curvature belongs to the cost.
 *
 * @param trialResidual - r(x + p).
 * @param step - p, replaced by the corrected step.
 */
export function correctStep(
  { system: { kinds }, iterate, model, activeSet }: Subproblem,
  { rows: corrected, gradient, coefficient }: Correction,
  trialResidual: Float64Array,
  step: Float64Array,
): void {
  const { rows, multipliers } = iterate;
  const { matrix, weight, gradientOffset } = model.factored;
  const { sets, setConstraints, inequalities } = activeSet;
  const { lambda, rho } = multipliers;
  predictRows(rows, step, corrected);
  for (let i = 0; i < corrected.length; i++) {
    const initial = rows.residual[i];
    corrected[i] = kinds[i] === 'cost' ? initial : trialResidual[i] - (corrected[i] - initial);
  }
  gradient.fill(0);
  addQuadraticGradient(kinds, rows, corrected, multipliers, gradient);
  for (let c = 0; c < inequalities.offset.length; c++) {
    const row = inequalities.rows[c];
    const y = c < inequalities.rows.length ? corrected[row] + lambda[row] / rho[row] : inequalities.offset[c];
    coefficient[c] = gradientOffset[c] + weight[c] * y;
  }
  addInequalityGradients(inequalities, rows, coefficient, gradient);
  addSetGradients(sets, setConstraints, gradient);
  for (let i = 0; i < step.length; i++) step[i] = -gradient[i];
  solveCurved(model.curvature, matrix, step);
}
