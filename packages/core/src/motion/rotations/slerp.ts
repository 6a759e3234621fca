import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import { quatFromRotationVector } from '../../rotation/rotation-vector/exponential.js';
import { type CurveOptions, pieceAt } from '../representation/curve.js';
import type { RotationCurve } from '../representation/rotation-curve.js';
import {
  alignSigns,
  checkedRotationKeys,
  quaternionAt,
  type RotationKeys,
  requireWays,
} from '../representation/rotation-keys.js';
import { outsideRange } from '../representation/time-range.js';

export interface SlerpOptions extends CurveOptions {
  /** Take the short way between any two keys whatever their signs (default). Otherwise the signs say which way. */
  readonly shortest?: boolean;
}

/**
 * Slerp (Shoemake 1985): from key to key at constant angular velocity, q_0 exp(u log(q_0^-1 q_1)). With `shortest: false` two keys whose dot
 * product is negative are the long way apart, up to 2 pi.
 * @throws MotionError `singular` for neighbours q, -q the long way: a full turn about no axis.
 */
export function slerpCurve(keys: RotationKeys, options: SlerpOptions = {}): RotationCurve {
  const { times, quaternions } = checkedRotationKeys(keys);
  const shortest = options.shortest ?? true;
  if (shortest) alignSigns(quaternions);
  const ways = requireWays(quaternions);
  const turned: number[] = [0, 0, 0, 1];
  const vector: number[] = [0, 0, 0];
  return {
    kind: shortest ? 'shortest slerp' : 'slerp',
    knots: times,
    outside: outsideRange(options.outside),
    evaluateInside(time, out) {
      const s = pieceAt(times, time);
      const span = times[s + 1] - times[s];
      // The end is met to the last bit.
      const from = time === times[s + 1] ? s + 1 : s;
      for (let k = 0; k < 3; k++) {
        vector[k] = ways[3 * s + k] * ((time - times[from]) / span);
        out.angularVelocity[k] = ways[3 * s + k] / span;
      }
      quat.multiply(quaternionAt(quaternions, from), quatFromRotationVector(vector, turned), out.quaternion);
      vec3.set(0, 0, 0, out.angularAcceleration);
      return out;
    },
  };
}
