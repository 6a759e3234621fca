export type { ActiveLimit } from './active-limits.js';
export {
  type AnalyticArm,
  type AnalyticArmOptions,
  createAnalyticArm,
  solveAnalyticArm,
} from './analytic/arm.js';
export type { ClosedFormResult, NoClosedForm } from './analytic/closed-form.js';
export type { ArmFamily } from './analytic/families.js';
export { createTwoBone, solveTwoBone, type TwoBone, type TwoBoneSwivel } from './analytic/two-bone.js';
export { createIk } from './create-ik.js';
export * from './differential/index.js';
export { createFabrik, type Fabrik, type FabrikOptions, solveFabrik } from './fabrik/fabrik.js';
export { figurePoints } from './fabrik/point-table.js';
export type { PointChainData, PointGoal, PointLink } from './fabrik/point-tree.js';
export {
  createPointFabrik,
  type PointFabrik,
  type PointFabrikOptions,
  type PointFabrikResult,
  solvePointFabrik,
} from './fabrik/points.js';
export {
  createPositionsToPose,
  type PositionsReport,
  type PositionsToPose,
  type PositionsToPoseOptions,
  positionsToPose,
} from './fabrik/positions-to-pose.js';
export type { RollPole, RollPolicy } from './fabrik/roll.js';
export type {
  AxisMask,
  BoneOrientation,
  BonePoint,
  BoneRef,
  CenterOfMassGoal,
  DistanceGoal,
  Goal,
  HalfSpaceGoal,
  JointValueGoal,
  LookAtGoal,
  MirrorGoal,
  OrientationGoal,
  Plane,
  PlaneGoal,
  PointsAtGoal,
  PoleGoal,
  PositionGoal,
  PostureGoal,
  RelativePoseGoal,
  UpAxis,
} from './goal.js';
export { centerOfMassGoal } from './goals/center-of-mass.js';
export { distanceGoal } from './goals/distance.js';
export { type GoalTypes, goalTypes } from './goals/goal-types.js';
export { jointValueGoal } from './goals/joint-value.js';
export { lookAtGoal } from './goals/look-at.js';
export { mirrorGoal } from './goals/mirror.js';
export { orientationGoal } from './goals/orientation.js';
export { halfSpaceGoal, planeGoal } from './goals/plane.js';
export { pointsAtGoal } from './goals/points-at.js';
export { poleGoal } from './goals/pole.js';
export { positionGoal } from './goals/position.js';
export { postureGoal } from './goals/posture.js';
export { relativePoseGoal } from './goals/relative-pose.js';
export type { GoalType } from './goals/rows.js';
export type { Ik, IkOptions } from './ik.js';
export { BODY_LANDMARKS, type BodyLandmarkOptions, bodyLandmarks } from './landmarks/body-landmarks.js';
export { fitLandmarkLengths, fitLandmarks, type LandmarkClip } from './landmarks/fit-landmarks.js';
export type { LengthFitResult } from './landmarks/fit-lengths.js';
export {
  HAND_LANDMARKS,
  type HandFigureOptions,
  type HandLandmarkOptions,
  handFigure,
  handLandmarks,
} from './landmarks/hand-landmarks.js';
export {
  createLandmarkFit,
  fittedFigure,
  type LandmarkFit,
  type LandmarkFitOptions,
  solveLandmarks,
} from './landmarks/landmark-fit.js';
export { fromMediaPipe, type LandmarkFrame, type MediaPipeLandmark } from './landmarks/mediapipe.js';
export {
  coordinateUncertainty,
  type Observability,
  observability,
  type Uncertainty,
  type UnseenDirection,
} from './landmarks/observability.js';
export type { LandmarkPositions } from './landmarks/read-frame.js';
export {
  acquirePose,
  createMarkerTracker,
  type MarkerTracker,
  trackMarkers,
} from './landmarks/tracker.js';
export type {
  CoordinateCoupling,
  CoordinateName,
  CoordinateTask,
  Loss,
  Marker,
  MarkerPositions,
  MarkerTrackerOptions,
  TrackResult,
  TrackStatus,
} from './landmarks/types.js';
export { type PointBoneOptions, type PointsAtResult, pointBoneAt } from './point-bone.js';
export { pointsAtInObject, pointsAtInWorld, pointsAtRotation } from './points-at.js';
export type { GoalResidual, IkResult, IkStatus, PriorityResult } from './result.js';
export { createIkWith, solveIk } from './solve.js';
export {
  allStages,
  type LaterStage,
  laterStage,
  type RefineStage,
  refineStage,
  type SearchStage,
  type Stages,
  searchStage,
} from './stages.js';
export type { IterateObserver } from './workspace.js';
