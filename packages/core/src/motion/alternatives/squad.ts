import { MotionError } from '../../errors.js';
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import { quatFromRotationVector } from '../../rotation/rotation-vector/exponential.js';
import { type CurveOptions, curveOptions, pieceAt } from '../representation/curve.js';
import type { RotationCurve } from '../representation/rotation-curve.js';
import {
  alignSigns,
  checkedRotationKeys,
  quaternionAt,
  type RotationKeys,
  relativeRotationVector,
  relativeRotationVectors,
} from '../representation/rotation-keys.js';
import { createRotationState, stationaryState } from '../representation/rotation-state.js';
import { outsideRange } from '../representation/time-range.js';
import { slerpStates } from '../rotations/partial-slerp.js';

/**
 * Squad (Shoemake 1987):
 *
 *   slerp(slerp(q_i, q_{i+1}, u), slerp(s_i, s_{i+1}, u), 2 u (1 - u)),
 *   s_i = q_i exp(-(log(q_i^-1 q_{i+1}) + log(q_i^-1 q_{i-1})) / 4),   s_i = q_i at the ends.
 *
 * C1 only at keyframes evenly spaced in time.
 * @throws MotionError
 */
export function squadCurve(keys: RotationKeys, options: CurveOptions = {}): RotationCurve {
  const { outside } = curveOptions(options);
  const { times, quaternions } = checkedRotationKeys(keys);
  relativeRotationVectors(alignSigns(quaternions));
  const inner = innerQuaternions(quaternions);
  checkDistances(quaternions, inner);
  const [a, b, c, d] = Array.from({ length: 4 }, createRotationState);
  const parameter = { value: 0, first: 0, second: 0 };
  const blend = { value: 0, first: 0, second: 0 };
  return {
    kind: 'squad',
    knots: times,
    outside: outsideRange(outside),
    evaluateInside(time, out) {
      const s = pieceAt(times, time);
      const rate = 1 / (times[s + 1] - times[s]);
      const u = (time - times[s]) * rate;
      parameter.value = u;
      parameter.first = rate;
      stationaryState(quaternionAt(quaternions, s), a);
      slerpStates(a, stationaryState(quaternionAt(quaternions, s + 1), b), parameter, c);
      stationaryState(quaternionAt(inner, s), a);
      slerpStates(a, stationaryState(quaternionAt(inner, s + 1), b), parameter, d);
      blend.value = 2 * u * (1 - u);
      blend.first = 2 * (1 - 2 * u) * rate;
      blend.second = -4 * rate * rate;
      return slerpStates(c, d, blend, out);
    },
  };
}

/** Cosine of half the angle between the inputs of a slerp below which its arc is ill-defined. */
const MIN_COSINE = -0.99;

/** @throws MotionError `singular` where the inputs of one of the slerps are nearly a rotation by 2 pi apart. */
function checkDistances(quaternions: Float64Array, inner: Float64Array): void {
  for (let i = 0; i + 1 < inner.length / 4; i++) {
    const [a, b] = [quaternionAt(inner, i), quaternionAt(inner, i + 1)];
    const [p, q] = [quaternionAt(quaternions, i), quaternionAt(quaternions, i + 1)];
    const middle = quat.dot(halfway(p, q), halfway(a, b));
    if (quat.dot(a, b) > MIN_COSINE && middle > MIN_COSINE) continue;
    throw new MotionError(
      'singular',
      'has an inner quaternion about 2 pi away from that of the key before it.',
      {
        path: `keys.quaternions[${i + 1}]`,
        remedy: 'Put keyframes closer together, or use rotationSpline.',
      },
    );
  }
}

/** slerp(a, b, 1/2) without normalizing signs. */
function halfway(a: Float64Array, b: Float64Array): number[] {
  const half = vec3.scale(relativeRotationVector(a, b), 0.5);
  return quat.multiply(a, quatFromRotationVector(half));
}

function innerQuaternions(quaternions: Float64Array): Float64Array {
  const inner = quaternions.slice();
  const count = quaternions.length / 4;
  for (let i = 1; i + 1 < count; i++) {
    const q = quaternionAt(quaternions, i);
    const vector = relativeRotationVector(q, quaternionAt(quaternions, i + 1));
    vec3.add(vector, relativeRotationVector(q, quaternionAt(quaternions, i - 1)), vector);
    vec3.scale(vector, -0.25, vector);
    quat.multiply(q, quatFromRotationVector(vector), quaternionAt(inner, i));
  }
  return inner;
}
