import { type Curve, type CurveOptions, createCurve } from '../representation/curve.js';
import { checkedKeys, type Keys } from '../representation/keyframes.js';

/**
 * Piecewise constant: each value lasts until the next key, the last from its own time on (`STEP` of glTF, stepped keys). The last jump is one rounding unit
 * early, since a curve ends with a piece.
 *
 * @throws MotionError
 */
export function stepCurve(keys: Keys, options: CurveOptions = {}): Curve {
  const { count, size, times, values } = checkedKeys(keys);
  const last = times[count - 1];
  const beforeLast = last - Number.EPSILON * Math.max(Math.abs(last), Math.abs(times[count - 2]));
  const knots = Float64Array.from([...times.subarray(0, count - 1), beforeLast, last]);
  const controls = new Float64Array(2 * count * size);
  for (let s = 0; s < count; s++) {
    const value = values.subarray(s * size, (s + 1) * size);
    controls.set(value, 2 * s * size);
    controls.set(value, (2 * s + 1) * size);
  }
  return createCurve({ size, degree: 1, knots, controls }, options);
}
