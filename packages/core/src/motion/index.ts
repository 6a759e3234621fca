/**
 * Motion: curves over joint coordinates and rotations over time (paper, section 4.2).
 *
 * Times in seconds, angles in radians. A {@link Curve} is n numbers over time, plain data; a {@link RotationCurve} is an orientation over
 * time with its angular velocity and acceleration, in body axes unless another frame is named.
 */
export {
  changeFrame,
  changeKeyFrame,
  compareRotations,
  type FrameChange,
  frameDependence,
  type RotationDeviation,
  type RotationSamples,
  sampleRotation,
} from './compare.js';
export * from './convert/index.js';
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
} from './curve.js';
export * from './curves/index.js';
export * from './fit/index.js';
export type { Keys } from './keys.js';
export { createMotion, type Motion, type MotionData, motionToData } from './motion.js';
export * from './retime/index.js';
export { evaluateRotation, type RotationCurve } from './rotation-curve.js';
export type { RotationKeys } from './rotation-keys.js';
export {
  composeRotationStates,
  createRotationState,
  expRotationState,
  invertRotationState,
  logRotationState,
  type RotationState,
  restAt,
  toWorldAxes,
} from './rotation-state.js';
export * from './rotations/index.js';
export type { ScalarState } from './rotations/turn-part.js';
export { createMotionSampler, type MotionSampler, samplePose, sampleQuaternions } from './sampler.js';
export type { Extrapolation, OutsideRange } from './time.js';
export type { MotionTrack, TrackData, TrackKeys } from './track.js';
