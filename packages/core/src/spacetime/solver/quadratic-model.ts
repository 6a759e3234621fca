/** The convex, piecewise quadratic model of a step: L(r + J p) + damping/2 |p|^2, p within the convex sets. */
import { factorEnvelope, solveEnvelope } from '../../math/linear/envelope-cholesky.js';
import {
  addInequalityGradients,
  addInequalityGram,
  linearizeIntervals,
  linearizeRows,
} from './inequality-constraints.js';
import { addQuadraticRows, addRowGradient, augmentedLagrangian } from './normal-equations.js';
import { addSetConstraints } from './set-constraint-model.js';
import { detectActiveSets } from './set-constraints.js';
import type { Solver } from './solver-state.js';

/** Initial and least damping, relative to the mean diagonal of the cost. */
const INITIAL_DAMPING = 1e-4;
const MIN_DAMPING = 1e-7;
/** Least damping relative to the mean of the whole diagonal: below, it is lost in rounding. */
const ROUNDING_DAMPING = 1e-12;

/** Assembles the quadratic part of the model, once for each linearization and set of multipliers, and L at the unknowns. */
export function assembleModel(solver: Solver): void {
  const { system, rows, multipliers, quadratic, quadraticGradient } = solver;
  if (!solver.assembled) {
    quadraticGradient.fill(0);
    quadratic.values.fill(0);
    addQuadraticRows(system.kinds, rows, multipliers, quadraticGradient, quadratic);
    solver.diagonalMean = meanDiagonal(solver);
    solver.costDiagonalMean = costDiagonal(solver);
    solver.assembled = true;
  }
  const minDamping = Math.max(MIN_DAMPING * solver.costDiagonalMean, ROUNDING_DAMPING * solver.diagonalMean);
  if (solver.damping === 0) solver.damping = INITIAL_DAMPING * solver.costDiagonalMean;
  solver.damping = Math.max(solver.damping, minDamping);
  solver.merit = augmentedLagrangian(system.kinds, rows.residual, multipliers);
  if (solver.initialCost === 0) solver.initialCost = solver.cost;
}

function costDiagonal({ system: { kinds }, rows: { start, values }, quadratic: { n } }: Solver): number {
  let sum = 0;
  for (let i = 0; i < kinds.length; i++) {
    if (kinds[i] !== 'cost') continue;
    for (let p = start[i]; p < start[i + 1]; p++) sum += values[p] * values[p];
  }
  return sum / n;
}

function meanDiagonal({ quadratic: { n, base, values } }: Solver): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += values[base[i] + i];
  return sum > 0 ? sum / n : 1;
}

/** Initial active sets at p = 0: set constraints and inequalities. */
export function linearizeConstraints(solver: Solver): void {
  const {
    rows,
    quadratic,
    quadraticGradient,
    multipliers,
    constrainedSets,
    setConstraints,
    inequalities,
    unknowns,
  } = solver;
  const { gradient, scratch, timeTrustRadius } = solver;
  linearizeRows(inequalities, rows, multipliers);
  gradient.set(quadraticGradient);
  for (let c = 0; c < inequalities.rows.length; c++) {
    if (inequalities.active[c] === 1)
      addRowGradient(rows, inequalities.rows[c], inequalities.penalty[c] * inequalities.offset[c], gradient);
  }
  if (inequalities.intervals.length > 0) {
    writeDiagonal(solver, scratch);
    linearizeIntervals(inequalities, unknowns, gradient, scratch, timeTrustRadius);
  }
  detectActiveSets(constrainedSets, unknowns, gradient, quadratic, timeTrustRadius, setConstraints);
}

/** Diagonal of the model with all inequalities active. */
function writeDiagonal(
  { quadratic: { n, base, values }, rows, inequalities, multipliers: { rho } }: Solver,
  out: Float64Array,
): void {
  for (let i = 0; i < n; i++) out[i] = values[base[i] + i];
  for (const row of inequalities.rows) {
    for (let p = rows.start[row]; p < rows.start[row + 1]; p++)
      out[rows.columns[p]] += rho * rows.values[p] * rows.values[p];
  }
}

/**
 * Factors the model with the active constraints and writes its minimum, -(H + damping)^-1 g, to `step`.
 *
 * @returns false where the factorization fails.
 */
export function solveModel(solver: Solver): boolean {
  const {
    rows,
    quadratic,
    quadraticGradient,
    damped,
    dampedGradient,
    constrainedSets,
    setConstraints,
    inequalities,
    unknowns,
  } = solver;
  const { gradient, hessian, step, damping } = solver;
  damped.values.set(quadratic.values);
  dampedGradient.set(quadraticGradient);
  addSetConstraints(constrainedSets, setConstraints, unknowns, dampedGradient, damped);
  for (let i = 0; i < damped.n; i++) damped.values[damped.base[i] + i] += damping;
  hessian.values.set(damped.values);
  gradient.set(dampedGradient);
  for (let c = 0; c < inequalities.active.length; c++) {
    inequalities.gradientOffset[c] = 0;
    inequalities.weight[c] = inequalities.active[c] * inequalities.penalty[c];
    inequalities.gradientWeight[c] = inequalities.weight[c] * inequalities.offset[c];
  }
  addInequalityGradients(inequalities, rows, gradient);
  addInequalityGram(inequalities, rows, hessian);
  solver.factorizations++;
  if (!factorEnvelope(hessian, hessian)) return false;
  for (let i = 0; i < step.length; i++) step[i] = -gradient[i];
  solveEnvelope(hessian, step);
  return step.every(Number.isFinite);
}
