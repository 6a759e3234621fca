import { MotionError } from '../../errors.js';
import type { Numbers } from '../../math/linear/types.js';
import {
  type Curve,
  type CurveOptions,
  checkedNumbers,
  checkedTimes,
  createCurve,
} from '../representation/curve.js';

/** Cubic Bezier pieces with shared ends. */
export interface BezierPoints {
  /** Times of the shared points, s. */
  readonly times: Numbers;
  /** K_0, two handles, K_1, two handles, ..., K_last: 3 (keys - 1) + 1 points of n numbers. */
  readonly points: Numbers;
}

/** A cubic Bezier curve, piece by piece. @throws MotionError */
export function bezierCurve({ times, points }: BezierPoints, options: CurveOptions = {}): Curve {
  const knots = checkedTimes(times, 'times');
  const pieces = knots.length - 1;
  const count = 3 * pieces + 1;
  const size = points.length / count;
  if (!(Number.isInteger(size) && size > 0)) {
    throw new MotionError('wrong-size', `has ${points.length} numbers for ${count} points.`, {
      path: 'points',
      remedy: 'Give 3 (keys - 1) + 1 points: the keys, and two handles between each two.',
    });
  }
  const all = checkedNumbers(points, points.length, 'points');
  const controls = new Float64Array(pieces * 4 * size);
  for (let s = 0; s < pieces; s++) {
    controls.set(all.subarray(3 * s * size, (3 * s + 4) * size), 4 * s * size);
  }
  return createCurve({ size, degree: 3, knots, controls }, options);
}
