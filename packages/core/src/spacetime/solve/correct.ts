/** What the bend of the constraints does to a step, taken back. */
import { solveEnvelope } from '../../math/envelope-cholesky.js';
import { predictRows } from './normal-equations.js';
import type { Solver } from './state.js';
import { addWallPull } from './walls.js';

/**
 * The step again with the constraints as they came out after it, c(x + p) - J p for c: a second-order correction (Fletcher 1982; Nocedal and
 * Wright, *Numerical Optimization*, 18.3), with the active set and the factor of the last model. Wishes stay as they were: their bend is
 * the cost's own. Call with `trialResidual` of `step`.
 */
export function correctStep(solver: Solver): void {
  const { system, rows, multipliers, gradient, hessian, factored, walls, step, trialResidual, predicted } =
    solver;
  const { kinds } = system;
  const { lambda, rho } = multipliers;
  const { start, columns, values, residual } = rows;
  predictRows(rows, step, predicted);
  gradient.fill(0);
  for (let i = 0; i < kinds.length; i++) {
    const kind = kinds[i];
    if (kind === 'inequality' && factored[i] === 0) continue;
    const pull =
      kind === 'wish'
        ? residual[i]
        : rho * (trialResidual[i] - (predicted[i] - residual[i]) + lambda[i] / rho);
    for (let p = start[i]; p < start[i + 1]; p++) gradient[columns[p]] += pull * values[p];
  }
  addWallPull(system.sets, walls, gradient);
  for (let i = 0; i < step.length; i++) step[i] = -gradient[i];
  solveEnvelope(hessian, step);
}
