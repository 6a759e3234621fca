import { type Curve, type CurveOptions, createCurve } from '../representation/curve.js';
import { checkedKeys, type Keys } from '../representation/keyframes.js';

/** Piecewise linear interpolation. @throws MotionError */
export function linearCurve(keys: Keys, options: CurveOptions = {}): Curve {
  const { count, size, times, values } = checkedKeys(keys);
  const controls = new Float64Array((count - 1) * 2 * size);
  for (let s = 0; s + 1 < count; s++) controls.set(values.subarray(s * size, (s + 2) * size), 2 * s * size);
  return createCurve({ size, degree: 1, knots: times, controls }, options);
}
