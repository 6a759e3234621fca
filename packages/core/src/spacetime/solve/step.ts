/** The step of one linearization: the minimum of its convex, piecewise quadratic model. */
import { factorEnvelope, solveEnvelope } from '../../math/envelope-cholesky.js';
import { addActiveRows, addSteadyRows, augmentedLagrangian, predictRows } from './normal-equations.js';
import type { Solver } from './state.js';
import { addWalls, isClockHeld, raiseWalls, testWalls, wallEnergy, wallSlope } from './walls.js';

/** So many times the active set of the model may change. */
const MOST_CHANGES = 16;
/** Of all that the model gains: a change of the active set that gains less is the last. */
const SETTLED = 0.02;
const HALVINGS = 30;
/** Of the mean of the model's diagonal: where damping begins, and its least. */
const FIRST_DAMPING = 1e-9;
const LEAST_DAMPING = 1e-11;

/**
 * Writes the step that the model of the linearization last made proposes:
 *
 *   min over p of  L(r + J p) + damping/2 |p|^2,  p within the walls of the convex sets,
 *
 * by Newton's method on its active set, which sees the inequalities that the step runs into, with a line search on the model itself.
 *
 * @returns false where the model cannot be factored: more damping is needed.
 */
export function writeStep(solver: Solver): boolean {
  const { system, rows, multipliers, gradient, hessian, steady, steadyGradient, active, walls, step, best } =
    solver;
  const { kinds, sets } = system;
  if (!solver.assembled) {
    steadyGradient.fill(0);
    steady.values.fill(0);
    addSteadyRows(kinds, rows, multipliers, steadyGradient, steady);
    solver.size = meanDiagonal(solver);
    solver.assembled = true;
  }
  if (solver.damping === 0) solver.damping = FIRST_DAMPING * solver.size;
  solver.damping = Math.max(solver.damping, LEAST_DAMPING * solver.size);
  const { lambda, rho } = multipliers;
  for (let i = 0; i < kinds.length; i++) {
    active[i] = kinds[i] === 'inequality' && rows.residual[i] + lambda[i] / rho > 0 ? 1 : 0;
  }
  best.fill(0);
  solver.bestRows.set(rows.residual);
  solver.before = augmentedLagrangian(kinds, rows.residual, multipliers);
  let value = solver.before;
  for (let round = 0; round < MOST_CHANGES; round++) {
    gradient.set(steadyGradient);
    hessian.values.set(steady.values);
    addActiveRows(kinds, rows, multipliers, active, gradient, hessian);
    if (round === 0) {
      raiseWalls(sets, solver.unknowns, gradient, hessian, solver.clockReach, walls);
      solver.slope.set(gradient);
    }
    addWalls(sets, solver.unknowns, walls, gradient, hessian);
    solver.factored.set(active);
    walls.factored.set(walls.pressed);
    if (!solveModel(solver)) return false;
    predictRows(rows, step, solver.predicted);
    const share = lineSearch(solver);
    for (let i = 0; i < step.length; i++) best[i] += share * (step[i] - best[i]);
    predictRows(rows, best, solver.bestRows);
    const next = modelAt(solver);
    const changed = testWalls(sets, walls, best) + testRows(solver);
    const gain = value - next;
    value = next;
    if (changed === 0) break;
    if (share === 1 && gain <= SETTLED * (solver.before - next)) break;
  }
  step.set(best);
  solver.clockHeld = isClockHeld(sets, walls);
  solver.promised = solver.before - augmentedLagrangian(kinds, solver.bestRows, multipliers);
  return true;
}

function meanDiagonal({ steady: { n, base, values } }: Solver): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += values[base[i] + i];
  return sum > 0 ? sum / n : 1;
}

/** step = -(H + damping)^-1 g. */
function solveModel(solver: Solver): boolean {
  const { hessian, gradient, step } = solver;
  const { n, base, values } = hessian;
  for (let i = 0; i < n; i++) values[base[i] + i] += solver.damping;
  if (!factorEnvelope(hessian, hessian)) return false;
  for (let i = 0; i < n; i++) step[i] = -gradient[i];
  solveEnvelope(hessian, step);
  return step.every(Number.isFinite);
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

/** Which inequalities a step runs into. @returns how many that changes. */
function testRows({ system, bestRows, multipliers, active }: Solver): number {
  const { lambda, rho } = multipliers;
  let changed = 0;
  for (let i = 0; i < system.kinds.length; i++) {
    if (system.kinds[i] !== 'inequality') continue;
    const is = bestRows[i] + lambda[i] / rho > 0 ? 1 : 0;
    if (is !== active[i]) changed++;
    active[i] = is;
  }
  return changed;
}
