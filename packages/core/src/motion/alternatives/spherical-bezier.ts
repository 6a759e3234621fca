import { MotionError } from '../../errors.js';
import type { Numbers } from '../../math/linear/types.js';
import { type CurveOptions, checkedTimes, curveOptions, pieceAt } from '../representation/curve.js';
import type { RotationCurve } from '../representation/rotation-curve.js';
import {
  alignSigns,
  checkedQuaternions,
  quaternionAt,
  relativeRotationVectors,
} from '../representation/rotation-keys.js';
import { createRotationState, stationaryState } from '../representation/rotation-state.js';
import { outsideRange } from '../representation/time-range.js';
import { slerpStates } from '../rotations/partial-slerp.js';

/** Cubic Bezier pieces on the sphere of unit quaternions. */
export interface SphericalBezierPoints {
  /** Times of the shared points, s. */
  readonly times: Numbers;
  /** K_0, two handles, K_1, two handles, ..., K_last: 3 (keys - 1) + 1 unit quaternions. */
  readonly quaternions: Numbers;
}

/**
 * Shoemake's spherical Bezier curve (1985): de Casteljau's algorithm with slerp for linear interpolation; signs are flipped so
 * that consecutive control points have a nonnegative dot product. Rates are exact: slerps of moving states.
 * @throws MotionError
 */
export function sphericalBezierCurve(data: SphericalBezierPoints, options: CurveOptions = {}): RotationCurve {
  const { outside } = curveOptions(options);
  const times = checkedTimes(data.times, 'times');
  const count = 3 * (times.length - 1) + 1;
  if (data.quaternions.length !== 4 * count) {
    throw new MotionError('wrong-size', `has ${data.quaternions.length} numbers where ${4 * count} belong.`, {
      path: 'quaternions',
      remedy: 'Give 3 (keys - 1) + 1 quaternions: the keys, and two handles between each two.',
    });
  }
  const points = alignSigns(checkedQuaternions(data.quaternions, count, 'quaternions'));
  relativeRotationVectors(points, 'quaternions');
  const work = Array.from({ length: 4 }, createRotationState);
  const parameter = { value: 0, first: 0, second: 0 };
  return {
    kind: 'spherical Bezier',
    knots: times,
    outside: outsideRange(outside),
    evaluateInside(time, out) {
      const s = pieceAt(times, time);
      parameter.first = 1 / (times[s + 1] - times[s]);
      parameter.value = time === times[s + 1] ? 1 : (time - times[s]) * parameter.first;
      for (let k = 0; k < 4; k++) stationaryState(quaternionAt(points, 3 * s + k), work[k]);
      for (let left = 3; left > 1; left--) {
        for (let k = 0; k < left; k++) slerpStates(work[k], work[k + 1], parameter, work[k]);
      }
      return slerpStates(work[0], work[1], parameter, out);
    },
  };
}
