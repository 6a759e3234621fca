export { eulerCurve } from '../alternatives/euler-curve.js';
export { type NormalizedHermiteKeys, normalizedHermiteCurve } from '../alternatives/normalized-hermite.js';
export { type SphericalBezierPoints, sphericalBezierCurve } from '../alternatives/spherical-bezier.js';
export { squadCurve } from '../alternatives/squad.js';
export { type CumulativeBSplineData, cumulativeBSplineCurve } from './cumulative-b-spline.js';
export {
  type MinimumAccelerationKeys,
  type MinimumAccelerationOptions,
  minimumAccelerationCurve,
} from './minimum-acceleration/minimum-acceleration.js';
export { type RotationSplineOptions, rotationSpline } from './rotation-spline.js';
export { rotationVectorCurve } from './rotation-vector-curve.js';
export {
  type OrientationKeys,
  orientationHermite,
  type RotationVectorBezierPoints,
  type RotationVectorKeys,
  rotationVectorBezier,
  rotationVectorHermite,
} from './rotation-vector-hermite.js';
export { rotationVectorTangents } from './rotation-vector-tangents.js';
export { type SlerpOptions, slerpCurve } from './slerp.js';
