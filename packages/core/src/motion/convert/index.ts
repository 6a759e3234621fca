export { type BSplineForm, toBSpline } from './b-spline-form.js';
export { toBezier, toHermite } from './hermite-form.js';
export { type JoinOptions, joinCurves } from './join.js';
export { raiseDegree } from './raise-degree.js';
export { reverseCurve } from './reverse.js';
export { sliceCurve, splitCurve } from './slice.js';
