import type { Goal } from '../goal.js';
import { orientationGoal } from './orientation.js';
import { pointsAtGoal } from './points-at.js';
import { positionGoal } from './position.js';
import type { GoalType } from './rows.js';

/** The mathematics of every goal type by name. A new goal is a file beside this one and a line here. */
export const goalTypes: Readonly<Record<Goal['type'], GoalType<Goal>>> = {
  position: positionGoal as GoalType<Goal>,
  orientation: orientationGoal as GoalType<Goal>,
  'points-at': pointsAtGoal as GoalType<Goal>,
};
