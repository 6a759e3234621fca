export type { ConvexBlock, LimitShape } from '../math/optimization/active-limits.js';
export { basisBetween, lowestCommonAncestor, WORLD_FRAME } from './basis.js';
export type { MimicJoint } from './data/mimic.js';
export type {
  AngleLimit,
  BoneData,
  BoxLimit,
  ConeLimit,
  EllipseLimit,
  FigureData,
  IntervalLimit,
  JointData,
  JointTypeName,
  LimitData,
  MimicData,
  MimicPiece,
  QuadEllipseLimit,
  Quadruple,
  RigidData,
  SwingLimit,
  SwingTwistLimit,
  Triple,
} from './data/types.js';
export { forwardKinematics } from './kinematics/forward-kinematics.js';
export {
  ancestorsOf,
  frameJacobianQ,
  frameJacobianV,
  pointJacobianQ,
  pointJacobianV,
  updateAxisDerivatives,
  updateMotionSubspaceQ,
  updateMotionSubspaceV,
} from './kinematics/jacobians.js';
export {
  centerOfMass,
  centerOfMassJacobianQ,
  centerOfMassJacobianV,
  worldPoint,
} from './kinematics/points.js';
export {
  boneVelocitiesFromRates,
  boneVelocitiesFromVelocity,
  ratesFromVelocity,
  velocityFromRates,
} from './kinematics/velocity.js';
export { createLimitPicture, type LimitPicture, updateLimitPicture } from './limit-picture.js';
export type { LimitComponent, LimitKind, LimitRole } from './limits/limit.js';
export { limitShapes } from './limits/shapes.js';
export { type Bone, boneIndex, createFigure, type Figure, figureToData } from './model/figure.js';
export { findRootJoints } from './model/floating-base.js';
export { checkPose, clampToLimits, createPose, limitViolation } from './model/pose.js';
export { regularizePose } from './model/regularize.js';
export { createState, type FigureState } from './model/state.js';
export {
  type PoseFromTransformsOptions,
  poseBoneFromLocalTransform,
  poseFromLocalTransforms,
} from './pose-from-transforms.js';
export { restTransforms, restTransformsOfPose, setRestTransforms } from './rest-transforms.js';
export { convertDirection, convertNormal, scaledBasisBetween } from './scaled-basis.js';
