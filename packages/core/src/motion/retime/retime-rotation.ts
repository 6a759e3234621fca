import type { Curve } from '../representation/curve.js';
import type { RotationCurve } from '../representation/rotation-curve.js';
import { requireRotationCurve } from './path-rates.js';
import { clampTo, requireRange } from './retime-curve.js';
import { ratesByTime, retimedKnots, type Timing, timingOf } from './timing.js';

/**
 * A rotation curve played by a timing: R(s(t)), with exact rates w s' and w' s'^2 + w s''.
 * @param timing - A {@link Timing}, or a curve of one number whose rate is nowhere negative; its moments lie in the range of the curve.
 * @throws MotionError `unsupported`, `wrong-size`, `not-increasing`, `out-of-range`
 */
export function retimeRotation(curve: RotationCurve, timing: Timing | Curve): RotationCurve {
  requireRotationCurve(curve, 'curve');
  const given = timingOf(timing);
  const { knots } = curve;
  requireRange(given, knots[0], knots[knots.length - 1]);
  const s = { value: 0, first: 0, second: 0 };
  return {
    kind: `retimed ${curve.kind}`,
    knots: retimedKnots(given, knots),
    outside: given.outside,
    evaluateInside(time, out) {
      // The curve may be timed in the same way itself, so what is wanted of s is taken first.
      const { value, first, second } = given.evaluateInside(time, s);
      curve.evaluateInside(clampTo(value, knots), out);
      const { angularVelocity: w, angularAcceleration: a } = out;
      ratesByTime(w, a, 3, { value, first, second });
      return out;
    },
  };
}
