/**
 * The step of problems with inequalities: the minimum of a model in which much may change sides at once. Where nothing does, one linear system
 * is all; where little does, Newton's method on the active set finds it, with a line search on the model; else the central path leads there.
 */
import { factorEnvelope, multiplyEnvelope, solveEnvelope } from '../../math/envelope-cholesky.js';
import { followCentralPath } from './central-path.js';
import { layHalfSpaces } from './half-spaces.js';
import { searchModel } from './model-search.js';
import { addSteadyPulls, predictRows } from './normal-equations.js';
import { addPulls, addSideSquares } from './sides.js';
import type { Solver } from './state.js';

/** How much stiffer the border of a set is than what stands there without it. */
const WALL = 1e7;
/** On the border within this, of a radian, metre or weight. */
const AT_BORDER = 1e-12;
/** So many active sets are tried as long as whole steps lead from one to the next. */
const MOST_SETS = 4;
/** Of all that the model gains: an active set that gains less is the last. */
const SETTLED = 1e-3;

/**
 * Writes the step to `best`, its rows to `bestRows` and what L gains by it in the model to `promised`.
 *
 * @returns false where the model cannot be factored: more damping is needed.
 */
export function writeOneSidedStep(solver: Solver): boolean {
  const { system, rows, sides, walls, modelRows, modelGradient } = solver;
  modelRows.set(rows.residual);
  modelGradient.set(solver.steadyGradient);
  sides.active.fill(0);
  setRows(solver);
  findActiveAtRest(solver);
  assemble(solver);
  raise(solver);
  if (!factorEnvelope(solver.hessian, solver.hessian)) return false;
  solver.isFactored = true;
  if (!minimize(solver)) return false;
  predictRows(rows, solver.best, solver.bestRows);
  solver.promised = gainOf(solver);
  const first = sides.rows.length;
  for (let k = 0; k < system.sets.length; k++) {
    walls.pressed[k] = sides.active[first + k];
    walls.trust[k] = sides.spaces.trust[k];
  }
  return solver.promised > 0;
}

/**
 * The same step with the constraints as they came out after it, c(x + p) - J p for c (see `correctStep`); inequalities may change sides again. Call
 * with `trial` and `trialResidual` of the last step.
 *
 * @returns false where the model cannot be factored.
 */
export function correctOneSidedStep(solver: Solver): boolean {
  const { system, rows, multipliers, trial, unknowns, trialResidual, modelRows, modelGradient, step } =
    solver;
  // As it was taken: cut off at the sets.
  for (let i = 0; i < step.length; i++) step[i] = trial[i] - unknowns[i];
  predictRows(rows, step, modelRows);
  for (let i = 0; i < modelRows.length; i++) {
    const was = rows.residual[i];
    modelRows[i] = system.kinds[i] === 'wish' ? was : trialResidual[i] - (modelRows[i] - was);
  }
  modelGradient.fill(0);
  addSteadyPulls(system.kinds, rows, modelRows, multipliers, modelGradient);
  setRows(solver);
  if (!minimize(solver)) return false;
  step.set(solver.best);
  return true;
}

/** The inequalities as sides of the model. */
function setRows({ sides, modelRows, multipliers: { lambda, rho } }: Solver): void {
  const { rows, stiffness, offset } = sides;
  for (let c = 0; c < rows.length; c++) {
    stiffness[c] = rho;
    offset[c] = modelRows[rows[c]] + lambda[rows[c]] / rho;
  }
}

/** The inequalities that count where no step is made. */
function findActiveAtRest({ sides: { rows, offset, active } }: Solver): void {
  for (let c = 0; c < rows.length; c++) active[c] = offset[c] > 0 ? 1 : 0;
}

/** The sets as sides of the model; adds those that stand in the way from the start. */
function raise(solver: Solver): void {
  const { system, sides, gradient, hessian, damping } = solver;
  const { rows, spaces, stiffness, offset, active, weight, pull } = sides;
  layHalfSpaces(system.sets, solver.unknowns, gradient, solver.clockReach, spaces);
  weight.fill(0);
  pull.fill(0);
  for (let k = 0; k < system.sets.length; k++) {
    const { at, size } = system.sets[k];
    let largest = 0;
    let out = 0;
    for (let i = at; i < at + size; i++) {
      largest = Math.max(largest, hessian.values[hessian.base[i] + i]);
      out -= gradient[i] * spaces.normal[3 * k + i - at];
    }
    const c = rows.length + k;
    const distance = spaces.distance[k];
    // What no row acts on does not move.
    const isThere = distance > Number.NEGATIVE_INFINITY && largest > damping;
    stiffness[c] = isThere ? WALL * largest : 0;
    offset[c] = isThere ? distance : 0;
    active[c] = isThere && distance >= -AT_BORDER && out > 0 ? 1 : 0;
    weight[c] = active[c] * stiffness[c];
    pull[c] = weight[c] * offset[c];
  }
  addPulls(sides, solver, gradient);
  addSideSquares(sides, solver, hessian);
}

/** Gradient (where no step is made) and matrix with the sides that are active. */
function assemble(solver: Solver): void {
  const { sides, hessian, steady, damping } = solver;
  const { count, stiffness, active, weight } = sides;
  assembleGradient(solver);
  for (let c = 0; c < count; c++) weight[c] = active[c] * stiffness[c];
  hessian.values.set(steady.values);
  const { n, base, values } = hessian;
  for (let i = 0; i < n; i++) values[base[i] + i] += damping;
  addSideSquares(sides, solver, hessian);
}

function assembleGradient(solver: Solver): void {
  const { sides, gradient, modelGradient } = solver;
  const { count, stiffness, offset, active, pull } = sides;
  for (let c = 0; c < count; c++) pull[c] = active[c] * stiffness[c] * offset[c];
  gradient.set(modelGradient);
  addPulls(sides, solver, gradient);
}

/** Writes the minimum of the model to `best`, and whether it is that, to a small part of the gain, to `settled`. */
function minimize(solver: Solver): boolean {
  const { sides, best, step, gradient, hessian } = solver;
  best.fill(0);
  sides.beyond.set(sides.offset);
  solver.settled = true;
  let gain = 0;
  let reach = 0;
  for (let round = 0; round < MOST_SETS; round++) {
    if (round === 0 && solver.isFactored) {
      assembleGradient(solver);
    } else {
      assemble(solver);
      solver.isFactored = false;
      if (!factorEnvelope(hessian, hessian)) return false;
    }
    for (let i = 0; i < step.length; i++) step[i] = -gradient[i];
    solveEnvelope(hessian, step);
    if (!step.every(Number.isFinite)) return false;
    if (round === 0) for (let i = 0; i < step.length; i++) reach -= 0.5 * step[i] * gradient[i];
    const { share, more } = searchModel(solver);
    gain += more;
    if (findActive(solver) === 0) {
      solver.isFactored = true;
      return true;
    }
    solver.isFactored = false;
    if (share === 1 && round > 0 && more <= SETTLED * gain) return true;
    if (share < 1 && round > 0) break;
  }
  solver.settled = followCentralPath(solver, Math.max(reach, gain));
  findActive(solver);
  return true;
}

/** Which sides a step runs into. @returns how many that changes. */
function findActive({ sides: { count, stiffness, beyond, active } }: Solver): number {
  let changed = 0;
  for (let c = 0; c < count; c++) {
    const is = beyond[c] > 0 && stiffness[c] > 0 ? 1 : 0;
    if (is !== active[c]) changed++;
    active[c] = is;
  }
  return changed;
}

/** What L gains by the step in the model, without damping and sets. */
function gainOf({ sides, best, work, steady, modelGradient }: Solver): number {
  const { rows, stiffness, offset, beyond } = sides;
  multiplyEnvelope(steady, best, work);
  let gain = 0;
  for (let i = 0; i < best.length; i++) gain -= best[i] * (modelGradient[i] + 0.5 * work[i]);
  for (let c = 0; c < rows.length; c++) {
    const before = Math.max(0, offset[c]);
    const after = Math.max(0, beyond[c]);
    gain += 0.5 * stiffness[c] * (before - after) * (before + after);
  }
  return gain;
}
