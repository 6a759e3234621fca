import { MotionError } from '../../errors.js';
import { type Curve, createCurvePoint, evaluateCurve } from '../curve.js';
import type { RotationCurve } from '../rotation-curve.js';
import { expRotationState } from '../rotation-state.js';

/**
 * The rotation whose rotation vector follows a curve of three numbers (paper, section 4.2): w = J_r(v) v', and its rate. Where pieces stand
 * in different charts it is still one motion, as {@link rotationVectorHermite} makes them.
 * @throws MotionError `wrong-size`
 */
export function rotationVectorCurve(curve: Curve): RotationCurve {
  requireSize(curve, 3, 'rotation vectors');
  const point = createCurvePoint(3);
  return {
    kind: 'rotation vector',
    knots: curve.knots,
    outside: curve.outside,
    evaluateInside: (time, out) => expRotationState(evaluateCurve(curve, time, point), out),
  };
}

/** @throws MotionError `wrong-size` */
export function requireSize(curve: Curve, size: number, what: string): void {
  if (curve.size === size) return;
  throw new MotionError('wrong-size', `gives ${curve.size} numbers; ${what} have ${size}.`, {
    path: 'curve',
    remedy: `Give a curve of ${size} numbers.`,
  });
}
