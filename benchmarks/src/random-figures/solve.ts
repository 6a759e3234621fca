import { PoiseError } from 'poise';
import { createFigure } from 'poise/figure';
import { createIk, type Ik, solveIk } from 'poise/ik';
import type { Solve } from '../../../scripts/oracles/ik/random-run.js';

/** Solves one drawn problem. createIk refuses a goal that no coordinate affects; nothing else may throw. */
export const solveWithPoise: Solve = ({ problem, start, options }, onIterate) => {
  const { bones, goals, locked } = problem;
  let ik: Ik;
  try {
    ik = createIk(createFigure({ bones }), goals, { ...options, locked, onIterate });
  } catch (error) {
    if (!(error instanceof PoiseError) || error.code !== 'immovable-goal') throw error;
    return { immovableGoal: Number(/^goals\[(\d+)\]$/.exec(error.path)?.[1]) };
  }
  const pose = Float64Array.from(start);
  return { claim: solveIk(ik, pose), pose };
};
