import type { Numbers } from '../../math/linear/types.js';
import { type Curve, type CurveOptions, checkedNumbers, createCurve } from '../representation/curve.js';
import { checkedKeys, type Keys } from '../representation/keyframes.js';

/** Keyframes with tangents, per s. */
export interface HermiteKeys extends Keys {
  /** Leaving tangents, n numbers each; also the arriving ones unless `arriving` is given. */
  readonly tangents: Numbers;
  /** Arriving tangents where they differ: the curve then has a corner. */
  readonly arriving?: Numbers;
}

/**
 * The cubic Hermite interpolant: Bezier points K_i, K_i + h m_i/3, K_{i+1} - h m_{i+1}/3, K_{i+1}, h the time
 * between.
 * @throws MotionError
 */
export function hermiteCurve(keys: HermiteKeys, options: CurveOptions = {}): Curve {
  const { count, size, times, values } = checkedKeys(keys);
  const leaving = checkedNumbers(keys.tangents, count * size, 'keys.tangents');
  const arriving =
    keys.arriving === undefined ? leaving : checkedNumbers(keys.arriving, count * size, 'keys.arriving');
  const controls = new Float64Array((count - 1) * 4 * size);
  for (let s = 0; s + 1 < count; s++) {
    const third = (times[s + 1] - times[s]) / 3;
    for (let c = 0; c < size; c++) {
      const from = s * size + c;
      const to = from + size;
      const o = 4 * s * size + c;
      controls[o] = values[from];
      controls[o + size] = values[from] + third * leaving[from];
      controls[o + 2 * size] = values[to] - third * arriving[to];
      controls[o + 3 * size] = values[to];
    }
  }
  return createCurve({ size, degree: 3, knots: times, controls }, options);
}
