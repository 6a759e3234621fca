import { centerOfMassGoal } from './kinds/center-of-mass.js';
import { distanceGoal } from './kinds/distance.js';
import { jointValueGoal } from './kinds/joint-value.js';
import { lookAtGoal } from './kinds/look-at.js';
import { mirrorGoal } from './kinds/mirror.js';
import { orientationGoal } from './kinds/orientation.js';
import { halfSpaceGoal, planeGoal } from './kinds/plane.js';
import { pointsAtGoal } from './kinds/points-at.js';
import { poleGoal } from './kinds/pole.js';
import { positionGoal } from './kinds/position.js';
import { postureGoal } from './kinds/posture.js';
import { relativePoseGoal } from './kinds/relative-pose.js';
import type { Goal } from './types/goal.js';
import type { GoalType } from './types/goal-type.js';

/** The goal types of a solver, by name. */
export type GoalTypes = Readonly<Partial<Record<Goal['type'], GoalType>>>;

/** Every goal type. A new goal is a file in kinds/ and a line here. */
export const goalTypes = {
  position: positionGoal,
  orientation: orientationGoal,
  'points-at': pointsAtGoal,
  'look-at': lookAtGoal,
  pole: poleGoal,
  distance: distanceGoal,
  plane: planeGoal,
  'half-space': halfSpaceGoal,
  'relative-pose': relativePoseGoal,
  'center-of-mass': centerOfMassGoal,
  posture: postureGoal,
  'joint-value': jointValueGoal,
  mirror: mirrorGoal,
} as { readonly [T in Goal['type']]: GoalType };
