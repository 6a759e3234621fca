/** The step of one linearization. */
import { project } from '../convex-sets.js';
import { descendModel } from './line-search.js';
import { assembleModel, solveModel, startActiveSet, testRows } from './model.js';
import { augmentedLagrangian, predictRows } from './normal-equations.js';
import type { Solver } from './state.js';
import { isClockHeld, testWalls } from './walls.js';

/** So many times the active set is taken as the last step has it. */
const MOST_GUESSES = 5;
/** Of all that the model gains: a guess that gains less is the last. */
const SETTLED = 0.1;
/** Of L: a step that gains so much is taken though the active set has not come to rest; more where inequalities can be descended on instead. */
const ENOUGH = 1e-3;
const ENOUGH_INSTEAD = 0.3;

/**
 * Writes the step that the model of the linearization last made proposes: its minimum within the walls, or near it.
 *
 * The active set is first guessed from step to step (a primal-dual active set method: Hintermueller, Ito, Kunisch 2003), which takes a few
 * factorizations where it comes to rest, as it does for limits and friction; else, where there are inequalities, the model is descended.
 *
 * @returns false where no step is found: more damping is needed.
 */
export function writeStep(solver: Solver): boolean {
  assembleModel(solver);
  startActiveSet(solver);
  const found = guessActiveSet(solver);
  if (found === 'singular') return false;
  if (found === 'none') {
    if (!solver.system.kinds.includes('inequality')) return false;
    startActiveSet(solver);
    if (!descendModel(solver)) return false;
  }
  const { system, rows, step, best, bestRows, multipliers } = solver;
  step.set(best);
  predictRows(rows, step, bestRows);
  solver.clockHeld = isClockHeld(system.sets, solver.walls);
  solver.promised = solver.before - augmentedLagrangian(system.kinds, bestRows, multipliers);
  return true;
}

/** Leaves the best step that guesses have led to in `best`. */
function guessActiveSet(solver: Solver): 'found' | 'none' | 'singular' {
  const { system, rows, multipliers, walls, step, best, bestRows, trial, unknowns, before } = solver;
  best.fill(0);
  let least = before;
  let settled = false;
  for (let round = 0; round < MOST_GUESSES && !settled; round++) {
    if (!solveModel(solver)) return 'singular';
    predictRows(rows, step, bestRows);
    const changed = testWalls(system.sets, unknowns, walls, step) + testRows(solver);
    solver.settled = changed === 0;
    // As it can be taken: cut off at the sets.
    for (let i = 0; i < step.length; i++) trial[i] = unknowns[i] + step[i];
    project(system.sets, trial);
    let square = 0;
    for (let i = 0; i < step.length; i++) {
      step[i] = trial[i] - unknowns[i];
      square += step[i] * step[i];
    }
    predictRows(rows, step, bestRows);
    const value = augmentedLagrangian(system.kinds, bestRows, multipliers) + 0.5 * solver.damping * square;
    const better = least - value;
    if (better > 0) {
      least = value;
      best.set(step);
    }
    settled = changed === 0 || (round > 1 && least < before && better < SETTLED * (before - least));
  }
  const enough = system.kinds.includes('inequality') ? ENOUGH_INSTEAD : ENOUGH;
  return (settled && least < before) || least < (1 - enough) * before ? 'found' : 'none';
}
