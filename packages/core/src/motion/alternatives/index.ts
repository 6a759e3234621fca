/** The curves that rotation-vector curves are compared with (paper, section 4.2), and how they are compared. */

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
export { eulerCurve } from './euler-curve.js';
export { type NormalizedHermiteKeys, normalizedHermiteCurve } from './normalized-hermite.js';
export { type SphericalBezierPoints, sphericalBezierCurve } from './spherical-bezier.js';
export { squadCurve } from './squad.js';
