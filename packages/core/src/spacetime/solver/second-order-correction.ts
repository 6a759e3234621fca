/** What the bend of the constraints does to a step, taken back. */
import { solveEnvelope } from '../../math/linear/envelope-cholesky.js';
import { addPulls } from './inequality-constraints.js';
import { addSteadyPulls, predictRows } from './normal-equations.js';
import { addWallPull } from './set-constraint-model.js';
import type { Solver } from './solver-state.js';

/**
 * The step again with the constraints as they came out after it, c(x + p) - J p for c: a second-order correction (Fletcher 1982; Nocedal and
 * Wright, *Numerical Optimization*, 18.3), with the walls, the sides and the factor of the last model. Wishes stay as they were: their bend is
 * the cost's own. Call with `trialResidual` of `step`.
 */
export function correctStep(solver: Solver): void {
  const {
    system,
    rows,
    multipliers,
    gradient,
    hessian,
    walled,
    walls,
    sides,
    step,
    trialResidual,
    modelRows,
  } = solver;
  const { lambda, rho } = multipliers;
  predictRows(rows, step, modelRows);
  for (let i = 0; i < modelRows.length; i++) {
    const was = rows.residual[i];
    modelRows[i] = system.kinds[i] === 'wish' ? was : trialResidual[i] - (modelRows[i] - was);
  }
  gradient.fill(0);
  addSteadyPulls(system.kinds, rows, modelRows, multipliers, gradient);
  for (let c = 0; c < sides.offset.length; c++) {
    const row = sides.rows[c];
    const y = c < sides.rows.length ? modelRows[row] + lambda[row] / rho : sides.offset[c];
    sides.pull[c] = sides.lead[c] + sides.weight[c] * y;
  }
  addPulls(sides, rows, gradient);
  addWallPull(walled, walls, gradient);
  for (let i = 0; i < step.length; i++) step[i] = -gradient[i];
  solveEnvelope(hessian, step);
}
