import type { Curve } from '../representation/curve.js';
import type { RotationCurve } from '../representation/rotation-curve.js';
import { requireRotationCurve } from './path-rates.js';
import { clampTo, requireRange } from './retime-curve.js';
import { ratesByTime, retimedKnots, type Timing, timingOf } from './timing.js';

/**
 * Composes a rotation curve with a timing: R(s(t)), with exact rates w s' and w' s'^2 + w s''.
 * @param timing - A {@link Timing}, or a curve of one number with a nonnegative rate; its values are times in the
 * range of the curve.
 * @throws MotionError `unsupported`, `wrong-size`, `not-increasing`, `out-of-range`
 */
export function retimeRotation(curve: RotationCurve, timing: Timing | Curve): RotationCurve {
  requireRotationCurve(curve, 'curve');
  const checked = timingOf(timing);
  const { knots } = curve;
  requireRange(checked, knots[0], knots[knots.length - 1]);
  const s = { value: 0, first: 0, second: 0 };
  return {
    kind: `retimed ${curve.kind}`,
    knots: retimedKnots(checked, knots),
    outside: checked.outside,
    evaluateInside(time, out) {
      // The curve may use the same scratch (a nested retiming), so s is copied first.
      const { value, first, second } = checked.evaluateInside(time, s);
      curve.evaluateInside(clampTo(value, knots), out);
      const { angularVelocity: w, angularAcceleration: a } = out;
      ratesByTime(w, a, 3, { value, first, second });
      return out;
    },
  };
}
