import type { Goal } from '../goal.js';
import { centerOfMassGoal } from './center-of-mass.js';
import { distanceGoal } from './distance.js';
import { jointValueGoal } from './joint-value.js';
import { lookAtGoal } from './look-at.js';
import { mirrorGoal } from './mirror.js';
import { orientationGoal } from './orientation.js';
import { halfSpaceGoal, planeGoal } from './plane.js';
import { pointsAtGoal } from './points-at.js';
import { poleGoal } from './pole.js';
import { positionGoal } from './position.js';
import { postureGoal } from './posture.js';
import { relativePoseGoal } from './relative-pose.js';
import type { GoalType } from './rows.js';

/** Goal types by name: those that a solver understands. */
export type GoalTypes = Readonly<Partial<Record<Goal['type'], GoalType>>>;

/** Every goal type. A new goal is a file beside this one and a line here. */
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
