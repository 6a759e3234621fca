export { type CumulativeBSplineData, cumulativeBSplineCurve } from './cumulative-b-spline.js';
export { eulerCurve } from './euler-curve.js';
export {
  type MinimumAccelerationKeys,
  type MinimumAccelerationOptions,
  minimumAccelerationCurve,
} from './minimum-acceleration.js';
export { type NormalizedHermiteKeys, normalizedHermiteCurve } from './normalized-hermite.js';
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
export { type SphericalBezierPoints, sphericalBezierCurve } from './spherical-bezier.js';
export { squadCurve } from './squad.js';
