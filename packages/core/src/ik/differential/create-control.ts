import type { Figure } from '../../figure/model/figure.js';
import { goalTypes } from '../goals/goal-types.js';
import type { Goal } from '../goals/types/goal.js';
import { createDifferentialControlWith, type DifferentialControl } from './control.js';
import { checkOptionNames, type DifferentialOptions } from './options.js';

/**
 * Creates a differential control for goals on a figure (Grassia 1997, section 4.1). Goals, weights, priorities, targets and tolerances
 * are those of `createIk`. For a smaller bundle, use {@link createDifferentialControlWith} with the goal types needed.
 *
 * @throws GoalError, FigureError for invalid goals or options.
 */
export function createDifferentialControl(
  figure: Figure,
  goals: readonly Goal[],
  options: DifferentialOptions = {},
): DifferentialControl {
  checkOptionNames(options);
  return createDifferentialControlWith(figure, goals, { ...options, goalTypes });
}
