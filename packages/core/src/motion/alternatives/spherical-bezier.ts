import { MotionError } from '../../errors.js';
import type { Numbers } from '../../math/linear/types.js';
import { type CurveOptions, checkedTimes, pieceAt } from '../representation/curve.js';
import type { RotationCurve } from '../representation/rotation-curve.js';
import {
  alignSigns,
  checkedQuaternions,
  quaternionAt,
  requireWays,
} from '../representation/rotation-keys.js';
import { createRotationState, stationaryState } from '../representation/rotation-state.js';
import { outsideRange } from '../representation/time-range.js';
import { slerpStates } from '../rotations/partial-slerp.js';

/** Cubic Bezier pieces on the sphere of unit quaternions. */
export interface SphericalBezierPoints {
  /** When the curve passes the shared points, s. */
  readonly times: Numbers;
  /** K_0, two handles, K_1, two handles, ..., K_last: 3 (keys - 1) + 1 unit quaternions. */
  readonly quaternions: Numbers;
}

/**
 * Shoemake's spherical Bezier curve (1985): de Casteljau's construction with slerp for lerp, signs turned so that each control point is on
 * the side of the one before it. The rates are exact: each slerp is one of bodies that turn themselves.
 * @throws MotionError
 */
export function sphericalBezierCurve(data: SphericalBezierPoints, options: CurveOptions = {}): RotationCurve {
  const times = checkedTimes(data.times, 'times');
  const count = 3 * (times.length - 1) + 1;
  if (data.quaternions.length !== 4 * count) {
    throw new MotionError('wrong-size', `has ${data.quaternions.length} numbers where ${4 * count} belong.`, {
      path: 'quaternions',
      remedy: 'Give 3 (keys - 1) + 1 quaternions: the keys, and two handles between each two.',
    });
  }
  const points = alignSigns(checkedQuaternions(data.quaternions, count, 'quaternions'));
  requireWays(points, 'quaternions');
  const work = Array.from({ length: 4 }, createRotationState);
  const share = { value: 0, first: 0, second: 0 };
  return {
    kind: 'spherical Bezier',
    knots: times,
    outside: outsideRange(options.outside),
    evaluateInside(time, out) {
      const s = pieceAt(times, time);
      share.first = 1 / (times[s + 1] - times[s]);
      share.value = time === times[s + 1] ? 1 : (time - times[s]) * share.first;
      for (let k = 0; k < 4; k++) stationaryState(quaternionAt(points, 3 * s + k), work[k]);
      for (let left = 3; left > 1; left--) {
        for (let k = 0; k < left; k++) slerpStates(work[k], work[k + 1], share, work[k]);
      }
      return slerpStates(work[0], work[1], share, out);
    },
  };
}
