/**
 * Motion: curves over joint coordinates and rotations over time (Grassia 1997, section 4.2).
 *
 * Times in seconds, angles in radians. A {@link Curve} is n numbers over time, plain data; a {@link RotationCurve} is an orientation over
 * time with its angular velocity and acceleration, in body axes unless another frame is named.
 */
export * from './convert/index.js';
export * from './curves/index.js';
export * from './fit/index.js';
export { createMotion, type Motion, type MotionData, motionToData } from './motion.js';
export { type MotionFromPosesOptions, motionFromPoses } from './motion-from-poses.js';
export {
  type Curve,
  type CurveData,
  type CurveOptions,
  type CurvePoint,
  createCurve,
  createCurvePoint,
  curveEnd,
  curveStart,
  curveToData,
  evaluateCurve,
} from './representation/curve.js';
export type { Keys } from './representation/keyframes.js';
export { evaluateRotation, type RotationCurve } from './representation/rotation-curve.js';
export type { RotationKeys, ShortestArcOptions } from './representation/rotation-keys.js';
export {
  composeRotationStates,
  createRotationState,
  expRotationState,
  invertRotationState,
  logRotationState,
  type RotationState,
  stationaryState,
  toWorldAxes,
} from './representation/rotation-state.js';
export type { Extrapolation, OutsideRange } from './representation/time-range.js';
export * from './retime/index.js';
export * from './rotations/index.js';
export type { ScalarState } from './rotations/partial-slerp.js';
export { createMotionSampler, type MotionSampler, samplePose, sampleQuaternions } from './sampler.js';
export type { MotionTrack, TrackData, TrackKeys } from './track.js';
