export { type CumulativeBSplineData, cumulativeBSplineCurve } from './cumulative-b-spline.js';
export {
  type MinimumAccelerationKeys,
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
export { slerpCurve } from './slerp.js';
