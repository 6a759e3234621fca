export { type AimBoneOptions, type AimBoneResult, aimBoneAt } from './aim-bone.js';
export {
  type AnalyticArm,
  type AnalyticArmOptions,
  createAnalyticArm,
  solveAnalyticArm,
} from './analytic-arm.js';
export { pointsAtInObject, pointsAtInWorld, pointsAtRotation } from './closed-form/aim/points-at.js';
export type { ArmFamily } from './closed-form/arm/arm-kinds.js';
export type { ClosedFormResult, ClosedFormUnavailable } from './closed-form-result.js';
export * from './differential/index.js';
export { figurePoints } from './fabrik/bodies/point-index.js';
export { createFabrik, type Fabrik, type FabrikOptions, solveFabrik } from './fabrik/figure/fabrik.js';
export {
  createPointFabrik,
  type PointFabrik,
  type PointFabrikOptions,
  type PointFabrikResult,
  solvePointFabrik,
} from './fabrik/points/point-fabrik.js';
export type { PointChainData, PointGoal, PointLink } from './fabrik/points/point-tree.js';
export {
  createPositionsToPose,
  type PositionsReport,
  type PositionsToPose,
  type PositionsToPoseOptions,
  solvePositionsToPose,
} from './fabrik/to-pose/positions-to-pose.js';
export type { RollPole, RollPolicy } from './fabrik/to-pose/roll.js';
export { type GoalTypes, goalHessians, goalTypes } from './goals/goal-types.js';
export { centerOfMassGoal, centerOfMassHessians } from './goals/kinds/center-of-mass.js';
export { distanceGoal, distanceHessians } from './goals/kinds/distance.js';
export { jointValueGoal } from './goals/kinds/joint-value.js';
export { lookAtGoal } from './goals/kinds/look-at.js';
export { mirrorGoal, mirrorHessians } from './goals/kinds/mirror.js';
export { orientationGoal, orientationHessians } from './goals/kinds/orientation.js';
export { halfSpaceGoal, planeGoal, planeHessians } from './goals/kinds/plane.js';
export { pointsAtGoal, pointsAtHessians } from './goals/kinds/points-at.js';
export { poleGoal, poleHessians } from './goals/kinds/pole.js';
export { positionGoal, positionHessians } from './goals/kinds/position.js';
export { postureGoal, postureHessians } from './goals/kinds/posture.js';
export { relativePoseGoal } from './goals/kinds/relative-pose.js';
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
} from './goals/types/goal.js';
export type { GoalHessian, GoalType } from './goals/types/goal-type.js';
export { BODY_LANDMARKS, type BodyLandmarkOptions, bodyLandmarks } from './landmarks/body-landmarks.js';
export { fitLandmarkLengths, fitLandmarks, type LandmarkClip } from './landmarks/fit-landmarks.js';
export type { LengthFitResult } from './landmarks/fit-lengths.js';
export {
  createHandFigure,
  HAND_LANDMARKS,
  type HandFigureOptions,
  type HandLandmarkOptions,
  handLandmarks,
} from './landmarks/hand-landmarks.js';
export {
  fromHolistic,
  HOLISTIC_LANDMARKS,
  type HolisticResult,
  holisticLandmarks,
} from './landmarks/holistic-landmarks.js';
export type { LandmarkBones } from './landmarks/landmark-bones.js';
export {
  createLandmarkFit,
  fittedFigure,
  type LandmarkFit,
  type LandmarkFitOptions,
  type LandmarkResult,
  type LandmarkStatus,
  type MissedLandmark,
  solveLandmarks,
} from './landmarks/landmark-fit.js';
export { fromMediaPipe, type LandmarkFrame, type MediaPipeLandmark } from './landmarks/mediapipe.js';
export type { LandmarkPositions } from './landmarks/read-frame.js';
export {
  createMarkerTracker,
  initializeMarkers,
  type MarkerTracker,
  solveMarkers,
} from './markers/marker-tracker.js';
export {
  computeObservability,
  computeUncertainty,
  type Observability,
  type Uncertainty,
  type UnobservableDirection,
} from './markers/observability.js';
export type {
  CoordinateCoupling,
  CoordinateName,
  CoordinateTask,
  Loss,
  Marker,
  MarkerPositions,
  MarkerResult,
  MarkerStatus,
  MarkerTrackerOptions,
} from './markers/types.js';
export { type MissedGoal, type MissedGoalsOptions, missedGoals } from './missed-goals.js';
export type { ActiveLimit, GoalResidual, IkResult, IkStatus, PriorityResult } from './problem/status.js';
export type { IterateObserver } from './problem/workspace.js';
export {
  allStages,
  createIk,
  createIkWith,
  multiStartStage,
  newtonStage,
  priorityStage,
  solveIk,
} from './solve-ik.js';
export { createTwoBone, solveTwoBone, type TwoBone, type TwoBoneSwivel } from './two-bone.js';
export type {
  Ik,
  IkOptions,
  IkWithOptions,
  MultiStartStage,
  NewtonStage,
  PriorityStage,
  Stages,
} from './types.js';
