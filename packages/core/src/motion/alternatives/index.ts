/** Rotation curves to compare rotation vectors with (Grassia 1997, section 4.2), and measures of their difference. */

export { eulerCurve } from './euler-curve.js';
export { type NormalizedHermiteKeys, normalizedHermiteCurve } from './normalized-hermite.js';
export {
  changeFrame,
  changeKeyFrame,
  compareRotations,
  type FrameChange,
  frameDependence,
  type RotationDeviation,
  type RotationSamples,
  sampleRotation,
} from './rotation-deviation.js';
export { type SphericalBezierPoints, sphericalBezierCurve } from './spherical-bezier.js';
export { squadCurve } from './squad.js';
