/** The convex, piecewise quadratic model of a step: L(r + J p) + damping/2 |p|^2, p within the walls of the convex sets. */
import { factorEnvelope, solveEnvelope } from '../../math/envelope-cholesky.js';
import { addSteadyRows, augmentedLagrangian } from './normal-equations.js';
import type { Solver } from './state.js';
import { addWalls } from './wall-model.js';
import { raiseWalls } from './walls.js';

/** Of the mean of the diagonal that wishes have in the model: where damping begins, and its least. */
const FIRST_DAMPING = 1e-4;
const LEAST_DAMPING = 1e-7;
/** Of the mean of the whole diagonal: less is lost in rounding. */
const FINEST = 1e-12;
/** Of the cost at the start: what counts as none. */
export const NOTHING = 1e-12;

/** Puts together what always counts in the model, once for each linearization and set of multipliers, and L at the unknowns. */
export function assembleModel(solver: Solver): void {
  const { system, rows, multipliers, steady, steadyGradient } = solver;
  if (!solver.assembled) {
    steadyGradient.fill(0);
    steady.values.fill(0);
    addSteadyRows(system.kinds, rows, multipliers, steadyGradient, steady);
    solver.size = meanDiagonal(solver);
    solver.assembled = true;
  }
  const wishes = wishDiagonal(solver);
  const least = Math.max(LEAST_DAMPING * wishes, FINEST * solver.size);
  if (solver.damping === 0) solver.damping = FIRST_DAMPING * wishes;
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

/** The walls that stand in the way where the step is nothing. */
export function startWalls({ system, steady, steadyGradient, walls, unknowns, clockReach }: Solver): void {
  raiseWalls(system.sets, unknowns, steadyGradient, steady, clockReach, walls);
}

/**
 * Factors the model with the walls that hold and writes its minimum, -(H + damping)^-1 g, to `step`.
 *
 * @returns false where it cannot be factored.
 */
export function solveModel({
  system,
  gradient,
  hessian,
  steady,
  steadyGradient,
  unknowns,
  walls,
  step,
  damping,
}: Solver): boolean {
  gradient.set(steadyGradient);
  hessian.values.set(steady.values);
  addWalls(system.sets, walls, unknowns, gradient, hessian);
  const { n, base, values } = hessian;
  for (let i = 0; i < n; i++) values[base[i] + i] += damping;
  if (!factorEnvelope(hessian, hessian)) return false;
  for (let i = 0; i < n; i++) step[i] = -gradient[i];
  solveEnvelope(hessian, step);
  return step.every(Number.isFinite);
}
