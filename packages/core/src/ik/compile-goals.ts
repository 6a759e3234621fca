import { GoalError } from '../errors.js';
import { boneIndex, type Figure } from '../figure/figure.js';
import { DEFAULT_TOLERANCE, settledGoal } from './check-goals.js';
import { type Goal, isCarried } from './goal.js';
import { goalTypes } from './goals/goal-types.js';
import type { CompiledGoal } from './goals/rows.js';

/** Goals ready for the solver. */
export interface CompiledGoals {
  readonly goals: readonly CompiledGoal[];
  /** The largest weight: rows carry the square root of a goal's share of it, so that f does not depend on a common factor. */
  readonly largestWeight: number;
}

/**
 * Checks goals against a figure and gives each its bones, rows and scale.
 *
 * @throws GoalError naming the goal: an unknown type or bone, a weight or tolerance that is not positive, an axis
 * without direction, a target that is none.
 */
export function compileGoals(figure: Figure, given: readonly Goal[], lengthScale: number): CompiledGoals {
  if (!Array.isArray(given) || given.length === 0) {
    throw new GoalError('wrong-size', Array.isArray(given) ? 'is empty.' : 'is not a list.', {
      path: 'goals',
      remedy: 'Give an array of at least one goal.',
    });
  }
  const settled = (given as readonly Goal[]).map((goal, index) => settledGoal(goal, `goals[${index}]`));
  const largestWeight = Math.max(...settled.map((goal) => goal.weight ?? 1));
  let firstRow = 0;
  const goals = settled.map((goal, index) => {
    const type = goalTypes[goal.type];
    const { target } = goal;
    const share = Math.sqrt((goal.weight ?? 1) / largestWeight);
    const compiled: CompiledGoal = {
      goal,
      type,
      rows: type.rows,
      firstRow,
      bone: boneIndex(figure, goal.bone, `goals[${index}].bone`),
      targetBone: isCarried(target) ? boneIndex(figure, target.bone, `goals[${index}].target.bone`) : -1,
      scale: goal.type === 'position' ? share / lengthScale : share,
      tolerance: goal.tolerance ?? DEFAULT_TOLERANCE,
    };
    firstRow += type.rows;
    return compiled;
  });
  return { goals, largestWeight };
}
