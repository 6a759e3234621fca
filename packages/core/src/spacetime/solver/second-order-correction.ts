/** Second-order correction of a step for the curvature of the constraints. */
import { solveEnvelope } from '../../math/linear/envelope-cholesky.js';
import { addInequalityGradients } from './inequality-constraints.js';
import { addQuadraticGradient, predictRows } from './normal-equations.js';
import { addSetGradients } from './set-constraint-model.js';
import type { Solver } from './solver-state.js';

/**
 * Solves the last model again with c(x + p) - J p for c: a second-order correction (Fletcher 1982; Nocedal and Wright, *Numerical
 * Optimization*, 18.3), with the same active sets and factor. Cost rows keep their residuals: their curvature belongs to the cost. Call
 * with `trialResidual` of `step`.
 */
export function correctStep(solver: Solver): void {
  const {
    system,
    rows,
    multipliers,
    gradient,
    hessian,
    constrainedSets,
    setConstraints,
    inequalities,
    step,
    trialResidual,
    correctedRows,
  } = solver;
  const { lambda, rho } = multipliers;
  predictRows(rows, step, correctedRows);
  for (let i = 0; i < correctedRows.length; i++) {
    const initial = rows.residual[i];
    correctedRows[i] = system.kinds[i] === 'cost' ? initial : trialResidual[i] - (correctedRows[i] - initial);
  }
  gradient.fill(0);
  addQuadraticGradient(system.kinds, rows, correctedRows, multipliers, gradient);
  for (let c = 0; c < inequalities.offset.length; c++) {
    const row = inequalities.rows[c];
    const y = c < inequalities.rows.length ? correctedRows[row] + lambda[row] / rho : inequalities.offset[c];
    inequalities.gradientWeight[c] = inequalities.gradientOffset[c] + inequalities.weight[c] * y;
  }
  addInequalityGradients(inequalities, rows, gradient);
  addSetGradients(constrainedSets, setConstraints, gradient);
  for (let i = 0; i < step.length; i++) step[i] = -gradient[i];
  solveEnvelope(hessian, step);
}
