/** The step of one linearization. */
import { project } from '../convex-sets.js';
import { assembleModel, solveModel, startWalls } from './model.js';
import { augmentedLagrangian, predictRows } from './normal-equations.js';
import { writeOneSidedStep } from './one-sided-step.js';
import type { Solver } from './state.js';
import { isClockHeld, testWalls } from './walls.js';

/** So many times the walls are taken as the last step has them. */
const MOST_GUESSES = 10;
/** Of what a step gains that may end outside of the sets: what has to be left once it is cut off, for its walls to count as found. */
const KEPT = 0.95;
/** Of all that the model gains: a guess that gains less is the last. */
const SETTLED = 0.1;
/** Of L: what is lost in sums. */
const ROUNDING = 1e-13;
/** Of L: a step that gains so much is taken though the walls have not come to rest. */
const ENOUGH = 1e-3;

/**
 * Writes the step that the model of the linearization last made proposes: its minimum within the walls, or near it.
 *
 * Without inequalities only sets stand in the way, limits and friction: their walls are guessed from step to step (a primal-dual active set method:
 * Hintermueller, Ito, Kunisch 2003), which takes a few factorizations where it comes to rest.
 *
 * @returns false where no step is found: more damping is needed.
 */
export function writeStep(solver: Solver): boolean {
  const { system, rows, step, best, bestRows, multipliers } = solver;
  assembleModel(solver);
  if (solver.sides.rows.length > 0) {
    if (!writeOneSidedStep(solver)) return false;
  } else {
    startWalls(solver);
    if (!guessWalls(solver)) return false;
    predictRows(rows, best, bestRows);
    solver.promised = solver.before - augmentedLagrangian(system.kinds, bestRows, multipliers);
  }
  step.set(best);
  solver.clockHeld = isClockHeld(system.sets, solver.walls);
  return true;
}

/** Leaves the best step that guesses have led to in `best`. @returns false where that is not good enough, or a model cannot be factored. */
function guessWalls(solver: Solver): boolean {
  const { system, walls, step, best, trial, unknowns, before } = solver;
  best.fill(0);
  let least = before;
  for (let round = 0; round < MOST_GUESSES; round++) {
    if (!solveModel(solver)) return false;
    const changed = testWalls(system.sets, unknowns, walls, step);
    const free = modelAt(solver);
    // As it can be taken: cut off at the sets.
    for (let i = 0; i < step.length; i++) trial[i] = unknowns[i] + step[i];
    project(system.sets, trial);
    for (let i = 0; i < step.length; i++) step[i] = trial[i] - unknowns[i];
    const value = modelAt(solver);
    const better = least - value;
    const isLeast = better > -ROUNDING * before;
    if (isLeast) {
      least = value;
      best.set(step);
    }
    const isKept = before - value >= KEPT * (before - free) - ROUNDING * before;
    solver.settled = isLeast && isKept && (changed === 0 || round > 0);
    if (solver.settled) return true;
    if (round > 1 && better > 0 && better < SETTLED * (before - least)) return true;
  }
  return least < (1 - ENOUGH) * before;
}

/** The model at `step`, damping with it. */
function modelAt({ system, rows, step, bestRows, multipliers, damping }: Solver): number {
  predictRows(rows, step, bestRows);
  let square = 0;
  for (let i = 0; i < step.length; i++) square += step[i] * step[i];
  return augmentedLagrangian(system.kinds, bestRows, multipliers) + 0.5 * damping * square;
}
