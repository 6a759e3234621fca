import { MotionError } from '../../errors.js';
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
  wayBetween,
} from '../representation/rotation-keys.js';
import { createRotationState, stationaryState } from '../representation/rotation-state.js';
import { outsideRange } from '../representation/time-range.js';
import { slerpStates } from '../rotations/partial-slerp.js';

/**
 * Squad (Shoemake 1987): slerp(slerp(q_i, q_{i+1}, u), slerp(s_i, s_{i+1}, u), 2 u (1 - u)), with
 * s_i = q_i exp(-(log(q_i^-1 q_{i+1}) + log(q_i^-1 q_{i-1})) / 4) and s_i = q_i at the ends. It is smooth at keys that are evenly spaced in
 * time, and only there.
 * @throws MotionError
 */
export function squadCurve(keys: RotationKeys, options: CurveOptions = {}): RotationCurve {
  const { times, quaternions } = checkedRotationKeys(keys);
  requireWays(alignSigns(quaternions));
  const inner = innerQuaternions(quaternions);
  requireNear(quaternions, inner);
  const [a, b, c, d] = Array.from({ length: 4 }, createRotationState);
  const along = { value: 0, first: 0, second: 0 };
  const across = { value: 0, first: 0, second: 0 };
  return {
    kind: 'squad',
    knots: times,
    outside: outsideRange(options.outside),
    evaluateInside(time, out) {
      const s = pieceAt(times, time);
      const rate = 1 / (times[s + 1] - times[s]);
      const u = (time - times[s]) * rate;
      along.value = u;
      along.first = rate;
      stationaryState(quaternionAt(quaternions, s), a);
      slerpStates(a, stationaryState(quaternionAt(quaternions, s + 1), b), along, c);
      stationaryState(quaternionAt(inner, s), a);
      slerpStates(a, stationaryState(quaternionAt(inner, s + 1), b), along, d);
      across.value = 2 * u * (1 - u);
      across.first = 2 * (1 - 2 * u) * rate;
      across.second = -4 * rate * rate;
      return slerpStates(c, d, across, out);
    },
  };
}

/** Cosine of half the angle between what squad goes between, at which the way starts to be anybody's. */
const OPPOSITE = -0.99;

/** @throws MotionError `singular` where inner quaternions, or the ways that they bend, are about a full turn apart. */
function requireNear(quaternions: Float64Array, inner: Float64Array): void {
  for (let i = 0; i + 1 < inner.length / 4; i++) {
    const [a, b] = [quaternionAt(inner, i), quaternionAt(inner, i + 1)];
    const [p, q] = [quaternionAt(quaternions, i), quaternionAt(quaternions, i + 1)];
    const middle = quat.dot(between(p, q), between(a, b));
    if (quat.dot(a, b) > OPPOSITE && middle > OPPOSITE) continue;
    throw new MotionError('singular', 'bends the way from the key before it by about a full turn.', {
      path: `keys.quaternions[${i + 1}]`,
      remedy: 'Put keys closer together, or use rotationSpline.',
    });
  }
}

/** Half way from a to b, by their signs. */
function between(a: Float64Array, b: Float64Array): number[] {
  const half = vec3.scale(wayBetween(a, b), 0.5);
  return quat.multiply(a, quatFromRotationVector(half));
}

function innerQuaternions(quaternions: Float64Array): Float64Array {
  const inner = quaternions.slice();
  const count = quaternions.length / 4;
  for (let i = 1; i + 1 < count; i++) {
    const q = quaternionAt(quaternions, i);
    const turn = wayBetween(q, quaternionAt(quaternions, i + 1));
    vec3.add(turn, wayBetween(q, quaternionAt(quaternions, i - 1)), turn);
    vec3.scale(turn, -0.25, turn);
    quat.multiply(q, quatFromRotationVector(turn), quaternionAt(inner, i));
  }
  return inner;
}
