export { type CurveFit, type FitCurveOptions, fitCurve } from './fit-curve.js';
export { type FitRotationsOptions, fitRotations, type RotationFit } from './fit-rotations.js';
export { simplifyCurve } from './simplify-curve.js';
export { simplifyRotation } from './simplify-rotation.js';
