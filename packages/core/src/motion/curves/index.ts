export { type BSplineData, bSplineCurve, uniformKnots } from './b-spline.js';
export { type BezierPoints, bezierCurve } from './bezier.js';
export { type CubicSplineOptions, cubicSpline, type SplineEnds } from './cubic-spline.js';
export { type HermiteKeys, hermiteCurve } from './hermite.js';
export { catmullRomJointCurve, type JointCurve, MAX_ROTATION_VECTOR } from './joint-curve.js';
export { cardinalCurve, catmullRomCurve, type KeyShape, kochanekBartelsCurve } from './kochanek-bartels.js';
export { linearCurve } from './linear.js';
export { type MinimumJerkOptions, minimumJerkCurve } from './minimum-jerk.js';
export { type QuinticKeys, quinticCurve } from './quintic.js';
