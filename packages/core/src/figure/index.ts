export { basisBetween, lowestCommonAncestor, WORLD } from './basis.js';
export type { Coupling } from './coupling.js';
export { type Bone, boneIndex, createFigure, type Figure, figureToData } from './figure.js';
export { forwardKinematics } from './forward-kinematics.js';
export { type HumanFigureOptions, humanFigure } from './human.js';
export { HUMAN_BONES, type HumanBone, type HumanBoneMap } from './humanoid/human-bones.js';
export { type FindHumanoidOptions, findHumanoid, type Humanoid } from './humanoid/humanoid.js';
export {
  frameJacobianNu,
  frameJacobianQ,
  pointJacobianNu,
  pointJacobianQ,
  supportOf,
  updateAxisDerivatives,
  updateColumnsNu,
  updateColumnsQ,
} from './jacobians.js';
export type { LimitKind, LimitPart, LimitRole, LimitShape } from './limits/limit.js';
export { limitShapes } from './limits/shapes.js';
export { checkPose, clampToLimits, createPose, limitExcess } from './pose.js';
export { poseBoneFromLocalTransform, poseFromLocalTransforms, type ReadPoseOptions } from './read-pose.js';
export { regularizePose } from './regularize.js';
export { convertDirection, convertNormal, scaledBasisBetween } from './scaled-basis.js';
export { createState, type FigureState } from './state.js';
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
} from './types.js';
export { boneVelocitiesFromNu, boneVelocitiesFromRates, nuFromRates, ratesFromNu } from './velocity.js';
