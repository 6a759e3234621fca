/** The step of one linearization. */

import { isClockHeld } from './active-sets.js';
import { type Sides, testSides } from './inequality-constraints.js';
import { followCentralPath } from './interior-point.js';
import { searchModel } from './line-search.js';
import { augmentedLagrangian, predictRows } from './normal-equations.js';
import { assembleModel, solveModel, startModel } from './quadratic-model.js';
import { cutOff, testWalls } from './set-constraints.js';
import type { Solver } from './solver-state.js';

/** So many times walls and sides are taken as the last step has them. */
const MOST_GUESSES = 10;
/** Of the way: where sides let a step go no farther, trying leads nowhere. */
const SHORT = 0.1;
/** So often trying may be given up for the central path. */
const MOST_PATHS = 2;
/** Of what a step gains that may end outside of the sets: what has to be left once it is cut off, for its walls to count as found. */
const KEPT = 0.95;
/** Of the gain that counts as none: what may be lost by that all the same. */
const SPARE = 0.1;
/** Of the way: what counts as all of it, in sums that are rounded. */
const ALL = 1 - 1e-4;
/** Of all that the model gains: a guess that gains less is the last. */
const SETTLED = 0.1;
/** The same for sides to count as found though some changed. */
const STILL = 1e-3;
/** Of L: what is lost in sums. */
const ROUNDING = 1e-13;
/** Of L: a step that gains so much is taken though walls and sides have not come to rest. */
const ENOUGH = 1e-3;

/**
 * Writes the step that the model of the linearization last made proposes: its minimum within the walls, or near it.
 *
 * What stands in the way, limits, friction and inequalities, is guessed from step to step (a primal-dual active set method: Hintermueller, Ito, Kunisch
 * 2003), which takes a few factorizations where it comes to rest. A line search keeps inequalities from throwing it to and fro; where they stop it
 * short, the central path finds which hold.
 *
 * @returns false where no step is found: more damping is needed.
 */
export function writeStep(solver: Solver): boolean {
  const { system, rows, step, best, bestRows, multipliers } = solver;
  assembleModel(solver);
  startModel(solver);
  const isFound = guess(solver);
  solver.clockHeld = isClockHeld(solver);
  if (!isFound) return false;
  predictRows(rows, best, bestRows);
  solver.promised = solver.before - augmentedLagrangian(system.kinds, bestRows, multipliers);
  step.set(best);
  return true;
}

/** Leaves the best step that guesses have led to in `best`. @returns false where that is not good enough, or a model cannot be factored. */
function guess(solver: Solver): boolean {
  const { system, walled, walls, sides, step, last, best, trial, unknowns, before } = solver;
  best.fill(0);
  last.fill(0);
  let least = before;
  let paths = 0;
  for (let round = 0; round < MOST_GUESSES; round++) {
    if (!solveModel(solver)) return false;
    let share = 1;
    let isPath = false;
    if (sides.active.length > 0) {
      const reach = -0.5 * dot(step, solver.gradient);
      share = searchModel(solver);
      if (share < SHORT && paths < MOST_PATHS) {
        paths++;
        share = followCentralPath(solver, reach) ? 1 : 0;
        isPath = true;
      }
    }
    const switched = testSides(sides);
    const changed = testWalls(walled, unknowns, walls, step);
    const free = modelAt(solver) + givenWay(solver.sides);
    // As it can be taken: cut off at the sets.
    for (let i = 0; i < step.length; i++) trial[i] = unknowns[i] + step[i];
    cutOff(system.sets, unknowns, solver.clockReach, trial);
    for (let i = 0; i < step.length; i++) step[i] = trial[i] - unknowns[i];
    const value = modelAt(solver);
    const better = least - value;
    solver.isOwn = better > -ROUNDING * before;
    if (solver.isOwn) {
      least = value;
      best.set(step);
    }
    const isKept = before - value >= KEPT * (before - free) - SPARE * solver.gain * before;
    const isStill =
      switched === 0 || isPath || (round > 0 && better <= STILL * (before - least) + ROUNDING * before);
    solver.settled = solver.isOwn && isKept && isStill && share > ALL && (changed === 0 || round > 0);
    if (solver.settled) return true;
    if (round > 1 && share > ALL && better > 0 && better < SETTLED * (before - least)) return true;
  }
  return least < (1 - ENOUGH) * before;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** The model at `step`, damping with it. */
function modelAt({ system, rows, step, bestRows, multipliers, damping }: Solver): number {
  predictRows(rows, step, bestRows);
  return augmentedLagrangian(system.kinds, bestRows, multipliers) + 0.5 * damping * dot(step, step);
}

/** What the model gains because the ends of intervals are springs, and give way: twice their energy, as it falls along a line. */
function givenWay({ rows, stiffness, beyond }: Sides): number {
  let sum = 0;
  for (let c = rows.length; c < beyond.length; c++) sum += stiffness[c] * Math.max(0, beyond[c]) ** 2;
  return sum;
}
