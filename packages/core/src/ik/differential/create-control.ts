import { goalTypes } from '../goals/goal-types.js';
import { createDifferentialControlWith } from './control.js';

/**
 * Prepares goals for differential control, the paper's section 4.1: the engine under direct manipulation. Goals, weights,
 * priorities, targets and tolerances are those of `createIk`. An app that counts bytes takes
 * {@link createDifferentialControlWith} and the goal types it uses.
 *
 * @throws GoalError, FigureError for goals or options that make no sense on the figure.
 */
export const createDifferentialControl = /* @__PURE__ */ createDifferentialControlWith(goalTypes);
