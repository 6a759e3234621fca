export { basisBetween, lowestCommonAncestor, WORLD } from './basis.js';
export type { Coupling } from './data/mimic.js';
export type {
  AngleLimit,
  BoneData,
  BoxLimit,
  ConeLimit,
  CouplingData,
  EllipseLimit,
  FigureData,
  IntervalLimit,
  JointData,
  JointTypeName,
  LimitData,
  QuadEllipseLimit,
  Quadruple,
  RigidData,
  SwingLimit,
  SwingTwistLimit,
  Triple,
} from './data/types.js';
export { forwardKinematics } from './kinematics/forward-kinematics.js';
export {
  frameJacobianNu,
  frameJacobianQ,
  pointJacobianNu,
  pointJacobianQ,
  supportOf,
  updateAxisDerivatives,
  updateColumnsNu,
  updateColumnsQ,
} from './kinematics/jacobians.js';
export {
  boneVelocitiesFromNu,
  boneVelocitiesFromRates,
  nuFromRates,
  ratesFromNu,
} from './kinematics/velocity.js';
export type { LimitKind, LimitPart, LimitRole, LimitShape } from './limits/limit.js';
export { limitShapes } from './limits/shapes.js';
export { type Bone, boneIndex, createFigure, type Figure, figureToData } from './model/figure.js';
export { checkPose, clampToLimits, createPose, limitExcess } from './model/pose.js';
export { regularizePose } from './model/regularize.js';
export { createState, type FigureState } from './model/state.js';
export {
  poseBoneFromLocalTransform,
  poseFromLocalTransforms,
  type ReadPoseOptions,
} from './pose-from-transforms.js';
export { convertDirection, convertNormal, scaledBasisBetween } from './scaled-basis.js';
