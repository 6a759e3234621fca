/** The convex, piecewise quadratic model of a step: L(r + J p) + damping/2 |p|^2, p within the walls of the convex sets. */
import { factorEnvelope, solveEnvelope } from '../../math/linear/envelope-cholesky.js';
import { addPulls, addSideSquares, startIntervals, startRows } from './inequality-constraints.js';
import { addPull, addSteadyRows, augmentedLagrangian } from './normal-equations.js';
import { addWalls } from './set-constraint-model.js';
import { raiseWalls } from './set-constraints.js';
import type { Solver } from './solver-state.js';

/** Of the mean of the diagonal that wishes have in the model: where damping begins, and its least. */
const FIRST_DAMPING = 1e-4;
const LEAST_DAMPING = 1e-7;
/** Of the mean of the whole diagonal: less is lost in rounding. */
const FINEST = 1e-12;

/** Puts together what always counts in the model, once for each linearization and set of multipliers, and L at the unknowns. */
export function assembleModel(solver: Solver): void {
  const { system, rows, multipliers, steady, steadyGradient } = solver;
  if (!solver.assembled) {
    steadyGradient.fill(0);
    steady.values.fill(0);
    addSteadyRows(system.kinds, rows, multipliers, steadyGradient, steady);
    solver.size = meanDiagonal(solver);
    solver.wishes = wishDiagonal(solver);
    solver.assembled = true;
  }
  const least = Math.max(LEAST_DAMPING * solver.wishes, FINEST * solver.size);
  if (solver.damping === 0) solver.damping = FIRST_DAMPING * solver.wishes;
  solver.damping = Math.max(solver.damping, least);
  solver.before = augmentedLagrangian(system.kinds, rows.residual, multipliers);
  if (solver.start === 0) solver.start = solver.cost;
}

function wishDiagonal({ system: { kinds }, rows: { start, values }, steady: { n } }: Solver): number {
  let sum = 0;
  for (let i = 0; i < kinds.length; i++) {
    if (kinds[i] !== 'wish') continue;
    for (let p = start[i]; p < start[i + 1]; p++) sum += values[p] * values[p];
  }
  return sum / n;
}

function meanDiagonal({ steady: { n, base, values } }: Solver): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += values[base[i] + i];
  return sum > 0 ? sum / n : 1;
}

/** What stands in the way where the step is nothing: walls, and sides that count there. */
export function startModel(solver: Solver): void {
  const { rows, steady, steadyGradient, multipliers, walled, walls, sides, unknowns } = solver;
  const { gradient, work, clockReach } = solver;
  startRows(sides, rows, multipliers);
  gradient.set(steadyGradient);
  for (let c = 0; c < sides.rows.length; c++) {
    if (sides.active[c] === 1) addPull(rows, sides.rows[c], sides.stiffness[c] * sides.offset[c], gradient);
  }
  if (sides.intervals.length > 0) {
    writeDiagonal(solver, work);
    startIntervals(sides, unknowns, gradient, work, clockReach);
  }
  raiseWalls(walled, unknowns, gradient, steady, clockReach, walls);
}

/** The diagonal of the model as if all inequalities counted. */
function writeDiagonal(
  { steady: { n, base, values }, rows, sides, multipliers: { rho } }: Solver,
  out: Float64Array,
): void {
  for (let i = 0; i < n; i++) out[i] = values[base[i] + i];
  for (const row of sides.rows) {
    for (let p = rows.start[row]; p < rows.start[row + 1]; p++)
      out[rows.columns[p]] += rho * rows.values[p] * rows.values[p];
  }
}

/**
 * Factors the model with the walls and sides that hold and writes its minimum, -(H + damping)^-1 g, to `step`.
 *
 * @returns false where it cannot be factored.
 */
export function solveModel(solver: Solver): boolean {
  const { rows, steady, steadyGradient, base, baseGradient, walled, walls, sides, unknowns } = solver;
  const { gradient, hessian, step, damping } = solver;
  base.values.set(steady.values);
  baseGradient.set(steadyGradient);
  addWalls(walled, walls, unknowns, baseGradient, base);
  for (let i = 0; i < base.n; i++) base.values[base.base[i] + i] += damping;
  hessian.values.set(base.values);
  gradient.set(baseGradient);
  for (let c = 0; c < sides.active.length; c++) {
    sides.lead[c] = 0;
    sides.weight[c] = sides.active[c] * sides.stiffness[c];
    sides.pull[c] = sides.weight[c] * sides.offset[c];
  }
  addPulls(sides, rows, gradient);
  addSideSquares(sides, rows, hessian);
  solver.systems++;
  if (!factorEnvelope(hessian, hessian)) return false;
  for (let i = 0; i < step.length; i++) step[i] = -gradient[i];
  solveEnvelope(hessian, step);
  return step.every(Number.isFinite);
}
