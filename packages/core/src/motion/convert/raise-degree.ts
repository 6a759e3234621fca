import { requireWhole } from '../../checks.js';
import { MotionError } from '../../errors.js';
import { elevatePoints } from '../representation/bernstein.js';
import { type Curve, MAX_DEGREE } from '../representation/curve.js';
import { pointsOfPiece } from './pieces.js';
import { requireCurve } from './require-curve.js';

/**
 * Degree elevation: the same curve with pieces of a higher degree. Ends of pieces are unchanged to the last bit.
 * @throws MotionError
 */
export function raiseDegree(curve: Curve, degree: number): Curve {
  requireCurve(curve);
  requireWhole(degree, 'degree', MotionError, curve.degree, MAX_DEGREE);
  if (degree === curve.degree) return curve;
  const { size, knots, outside } = curve;
  const pieces = knots.length - 1;
  const stride = (degree + 1) * size;
  const controls = new Float64Array(pieces * stride);
  for (let s = 0; s < pieces; s++) {
    let points = pointsOfPiece(curve, s);
    for (let d = curve.degree; d < degree; d++) points = elevatePoints(points, size);
    controls.set(points, s * stride);
  }
  return { size, degree, knots, controls, outside };
}
