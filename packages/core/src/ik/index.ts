export { figurePoints } from './fabrik/point-table.js';
export {
  createPositionsToPose,
  type PositionsReport,
  type PositionsToPose,
  type PositionsToPoseOptions,
  positionsToPose,
} from './fabrik/positions-to-pose.js';
export type { RollPole, RollPolicy } from './fabrik/roll.js';
export type {
  BoneOrientation,
  BonePoint,
  Goal,
  OrientationGoal,
  PointsAtGoal,
  PositionGoal,
} from './goal.js';
export { type PointsAtResult, pointBoneAt } from './point-bone.js';
export { pointsAtInObject, pointsAtInWorld, pointsAtRotation } from './points-at.js';
export type { ActiveLimit, GoalResidual, IkResult, IkStatus } from './result.js';
export { createIk, type Ik, type IkOptions, solveIk } from './solve.js';
export type { IterateObserver } from './workspace.js';
