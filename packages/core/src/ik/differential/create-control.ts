import { goalTypes } from '../goals/goal-types.js';
import { createDifferentialControlWith } from './control.js';

/**
 * Creates a differential control for goals on a figure (Grassia 1997, section 4.1). Goals, weights, priorities, targets and tolerances
 * are those of `createIk`. For a smaller bundle, use {@link createDifferentialControlWith} with the goal types needed.
 *
 * @throws GoalError, FigureError for invalid goals or options.
 */
export const createDifferentialControl = /* @__PURE__ */ createDifferentialControlWith(goalTypes);
