import type { Numbers } from '../../math/linear/types.js';
import { type Curve, type CurveOptions, checkedNumbers, createCurve } from '../representation/curve.js';
import { checkedKeys, type Keys } from '../representation/keyframes.js';

/** Keyframes with velocity and acceleration. */
export interface QuinticKeys extends Keys {
  /** Rates at the keyframes, n numbers each, per s. Default zeros: rest at every keyframe. */
  readonly velocities?: Numbers;
  /** Second rates at the keyframes, n numbers each, per s^2. Default zeros. */
  readonly accelerations?: Numbers;
}

/**
 * The quintic Hermite interpolant, C2. Between two keyframes it minimizes jerk (Flash and Hogan 1985); between rests it is K_0 +
 * (K_1 - K_0) (10 s^3 - 15 s^4 + 6 s^5).
 * @throws MotionError
 */
export function quinticCurve(keys: QuinticKeys, options: CurveOptions = {}): Curve {
  const { count, size, times, values } = checkedKeys(keys);
  const v = given(keys.velocities, count * size, 'keys.velocities');
  const a = given(keys.accelerations, count * size, 'keys.accelerations');
  const controls = new Float64Array((count - 1) * 6 * size);
  for (let s = 0; s + 1 < count; s++) {
    const h = times[s + 1] - times[s];
    for (let c = 0; c < size; c++) {
      const from = s * size + c;
      const to = from + size;
      const o = 6 * s * size + c;
      // Bezier points of degree 5: P_1 = P_0 + h v/5, P_2 = P_0 + 2 h v/5 + h^2 a/20.
      controls[o] = values[from];
      controls[o + size] = values[from] + 0.2 * h * v[from];
      controls[o + 2 * size] = values[from] + 0.4 * h * v[from] + 0.05 * h * h * a[from];
      controls[o + 3 * size] = values[to] - 0.4 * h * v[to] + 0.05 * h * h * a[to];
      controls[o + 4 * size] = values[to] - 0.2 * h * v[to];
      controls[o + 5 * size] = values[to];
    }
  }
  return createCurve({ size, degree: 5, knots: times, controls }, options);
}

function given(numbers: Numbers | undefined, count: number, path: string): Float64Array {
  return numbers === undefined ? new Float64Array(count) : checkedNumbers(numbers, count, path);
}
