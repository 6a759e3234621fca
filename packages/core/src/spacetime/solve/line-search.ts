/** The minimum of a step's model by Newton's method with a line search on the model: every change of the active set leads down. */

import { solveModel, testRows } from './model.js';
import { augmentedLagrangian, predictRows } from './normal-equations.js';
import type { Solver } from './state.js';
import { testWalls, wallEnergy, wallSlope } from './walls.js';

/** So many times the active set may change. */
const MOST_CHANGES = 16;
/** Of all that the model gains: a change of the active set that gains less is the last. */
const SETTLED = 0.02;
const HALVINGS = 30;

/** Writes the step to `best` and its rows to `bestRows`. Begins at the active set of no step. @returns false where a model cannot be factored. */
export function descendModel(solver: Solver): boolean {
  const { system, rows, walls, step, best, bestRows, unknowns } = solver;
  best.fill(0);
  bestRows.set(rows.residual);
  let value = solver.before;
  for (let round = 0; round < MOST_CHANGES; round++) {
    if (!solveModel(solver)) return false;
    predictRows(rows, step, solver.predicted);
    const share = lineSearch(solver);
    for (let i = 0; i < step.length; i++) best[i] += share * (step[i] - best[i]);
    predictRows(rows, best, bestRows);
    const next = modelAt(solver);
    const changed = testWalls(system.sets, unknowns, walls, best) + testRows(solver);
    const gain = value - next;
    value = next;
    solver.settled = changed === 0 && share === 1;
    if (solver.settled) break;
    if (share === 1 && gain <= SETTLED * (solver.before - next)) break;
  }
  return true;
}

/** The model at the best step so far, damping and walls included. */
function modelAt({ system, bestRows, multipliers, walls, damping, best }: Solver): number {
  let square = 0;
  for (let i = 0; i < best.length; i++) square += best[i] * best[i];
  return (
    augmentedLagrangian(system.kinds, bestRows, multipliers) +
    wallEnergy(system.sets, walls, best) +
    0.5 * damping * square
  );
}

/**
 * How far to go from the best step so far to the new one: to the minimum of the model between, which is convex. Found by halving where its
 * slope changes sign.
 */
function lineSearch(solver: Solver): number {
  if (slopeAt(solver, 1) <= 0) return 1;
  let low = 0;
  let high = 1;
  for (let k = 0; k < HALVINGS; k++) {
    const middle = 0.5 * (low + high);
    if (slopeAt(solver, middle) > 0) high = middle;
    else low = middle;
  }
  // Just past it: what bends the model there counts from here on.
  return high;
}

/** Slope of the model, damping and walls included, at a share of the way. */
function slopeAt(
  { system, predicted, bestRows, multipliers, walls, damping, step, best }: Solver,
  t: number,
): number {
  const { kinds } = system;
  const { lambda, rho } = multipliers;
  let wishes = 0;
  let musts = 0;
  for (let i = 0; i < kinds.length; i++) {
    const way = predicted[i] - bestRows[i];
    const r = bestRows[i] + t * way;
    if (kinds[i] === 'wish') {
      wishes += r * way;
      continue;
    }
    const shifted = r + lambda[i] / rho;
    if (kinds[i] === 'equality' || shifted > 0) musts += shifted * way;
  }
  let damped = 0;
  for (let i = 0; i < step.length; i++) {
    const way = step[i] - best[i];
    damped += (best[i] + t * way) * way;
  }
  return wishes + rho * musts + damping * damped + wallSlope(system.sets, walls, best, step, t);
}
