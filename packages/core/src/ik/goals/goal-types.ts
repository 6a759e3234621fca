import { centerOfMassGoal, centerOfMassHessians } from './kinds/center-of-mass.js';
import { distanceGoal, distanceHessians } from './kinds/distance.js';
import { jointValueGoal } from './kinds/joint-value.js';
import { lookAtGoal } from './kinds/look-at.js';
import { mirrorGoal, mirrorHessians } from './kinds/mirror.js';
import { orientationGoal, orientationHessians } from './kinds/orientation.js';
import { halfSpaceGoal, planeGoal, planeHessians } from './kinds/plane.js';
import { pointsAtGoal, pointsAtHessians } from './kinds/points-at.js';
import { poleGoal, poleHessians } from './kinds/pole.js';
import { positionGoal, positionHessians } from './kinds/position.js';
import { postureGoal, postureHessians } from './kinds/posture.js';
import { relativePoseGoal } from './kinds/relative-pose.js';
import type { Goal } from './types/goal.js';
import type { GoalHessian, GoalType } from './types/goal-type.js';

/** The goal types of a solver, by name. */
export type GoalTypes = Readonly<Partial<Record<Goal['type'], GoalType>>>;

/** Every goal type. A new goal type is a file in kinds/, a line here and, for a new residual function, its Hessian in the list below. */
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

/** The Hessians of every goal type. */
export const goalHessians: readonly (readonly GoalHessian[])[] = [
  positionHessians,
  orientationHessians,
  pointsAtHessians,
  poleHessians,
  distanceHessians,
  planeHessians,
  centerOfMassHessians,
  postureHessians,
  mirrorHessians,
];
