import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import { quatFromRotationVector } from '../../rotation/rotation-vector/exponential.js';
import { curveOptions, pieceAt } from '../representation/curve.js';
import type { RotationCurve } from '../representation/rotation-curve.js';
import {
  alignSigns,
  checkedRotationKeys,
  quaternionAt,
  type RotationKeys,
  relativeRotationVectors,
  type ShortestArcOptions,
  shortestArcOptions,
} from '../representation/rotation-keys.js';
import { outsideRange } from '../representation/time-range.js';

/**
 * Slerp (Shoemake 1985): constant angular velocity between keyframes, q_0 exp(u log(q_0^-1 q_1)). With `shortest: false` two
 * keyframes with a negative dot product are connected by the longer arc, up to 2 pi.
 * @throws MotionError `singular` for neighbours q, -q by the longer arc: a rotation by 2 pi without an axis.
 */
export function slerpCurve(keys: RotationKeys, options: ShortestArcOptions = {}): RotationCurve {
  const { outside } = curveOptions(options, shortestArcOptions);
  const { times, quaternions } = checkedRotationKeys(keys);
  const shortest = options.shortest ?? true;
  if (shortest) alignSigns(quaternions);
  const deltas = relativeRotationVectors(quaternions);
  const rotation: number[] = [0, 0, 0, 1];
  const vector: number[] = [0, 0, 0];
  return {
    kind: shortest ? 'shortest slerp' : 'slerp',
    knots: times,
    outside: outsideRange(outside),
    evaluateInside(time, out) {
      const s = pieceAt(times, time);
      const span = times[s + 1] - times[s];
      // The end is met to the last bit.
      const from = time === times[s + 1] ? s + 1 : s;
      for (let k = 0; k < 3; k++) {
        vector[k] = deltas[3 * s + k] * ((time - times[from]) / span);
        out.angularVelocity[k] = deltas[3 * s + k] / span;
      }
      quat.multiply(
        quaternionAt(quaternions, from),
        quatFromRotationVector(vector, rotation),
        out.quaternion,
      );
      vec3.set(0, 0, 0, out.angularAcceleration);
      return out;
    },
  };
}
