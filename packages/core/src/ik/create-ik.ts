import { goalTypes } from './goals/goal-types.js';
import { createIkWith } from './solve-ik.js';
import { allStages } from './stages.js';

/**
 * Prepares an inverse-kinematics problem with goals of any type. An app that counts bytes takes {@link createIkWith} with the types
 * and the stages that it uses.
 *
 * @throws GoalError, FigureError for goals that make no sense on the figure (unknown bone, immovable goal, bad numbers).
 */
export const createIk = /* @__PURE__ */ createIkWith(goalTypes, allStages);
