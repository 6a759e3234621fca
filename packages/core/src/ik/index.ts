export type {
  BoneOrientation,
  BonePoint,
  Goal,
  OrientationGoal,
  PointsAtGoal,
  PositionGoal,
} from './goal.js';
export {
  pointBoneAt,
  pointsAtInObject,
  pointsAtInWorld,
  pointsAtRotation,
  type PointsAtResult,
} from './points-at.js';
export type { ActiveLimit, GoalResidual, IkResult, IkStatus } from './result.js';
export { createIk, type Ik, type IkOptions, solveIk } from './solve.js';
