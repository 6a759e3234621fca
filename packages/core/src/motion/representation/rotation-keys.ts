/** Orientations at moments, as every spherical curve takes them. */
import { MotionError } from '../../errors.js';
import * as quat from '../../math/geometry/quat.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { checkedNumbers, checkedTimes } from './curve.js';

export interface RotationKeys {
  /** s, strictly increasing, two at least. */
  readonly times: Numbers;
  /** Unit quaternions `[x, y, z, w]`, one after the other. */
  readonly quaternions: Numbers;
}

/** How far from 1 the length of a quaternion may be; it is brought to 1. */
const UNIT = 1e-3;

/** @throws MotionError `wrong-size`, `not-finite`, `not-increasing`, `not-unit` */
export function checkedRotationKeys({ times, quaternions }: RotationKeys): {
  readonly count: number;
  readonly times: Float64Array;
  readonly quaternions: Float64Array;
} {
  const moments = checkedTimes(times, 'keys.times');
  const count = moments.length;
  return { count, times: moments, quaternions: checkedQuaternions(quaternions, count, 'keys.quaternions') };
}

/** A copy of `count` unit quaternions, brought to length 1. @throws MotionError */
export function checkedQuaternions(quaternions: Numbers, count: number, path: string): Float64Array {
  const copy = checkedNumbers(quaternions, 4 * count, path);
  for (let i = 0; i < count; i++) {
    const q = copy.subarray(4 * i, 4 * i + 4);
    const length = quat.norm(q);
    if (!(Math.abs(length - 1) <= UNIT)) {
      throw new MotionError('not-unit', `is a quaternion of length ${length}.`, {
        path: `${path}[${i}]`,
        remedy: 'Give unit quaternions [x, y, z, w].',
      });
    }
    quat.normalize(q, q);
  }
  return copy;
}

/** Turns signs so that each quaternion is on the side of the one before it: the same rotations, the short way between. */
export function alignSigns(quaternions: Float64Array): Float64Array {
  for (let o = 4; o < quaternions.length; o += 4) {
    const q = quaternions.subarray(o, o + 4);
    if (quat.dot(quaternions.subarray(o - 4, o), q) < 0) quat.negate(q, q);
  }
  return quaternions;
}

/** The rotation vector from q as it stands, |v| <= 2 pi: a quaternion with w < 0 turns the long way. NaN at q = -1. */
export function longRotationVector<T extends MutableNumbers = number[]>(
  q: Numbers,
  out: T = [0, 0, 0] as MutableNumbers as T,
): T {
  const n = Math.hypot(q[0], q[1], q[2]);
  const scale = n > 0 ? (2 * Math.atan2(n, q[3])) / n : q[3] > 0 ? 2 / q[3] : Number.NaN;
  for (let k = 0; k < 3; k++) out[k] = scale * q[k];
  return out;
}

/** log(a^-1 b), with the signs as they are. */
export function wayBetween(a: Numbers, b: Numbers): number[] {
  return longRotationVector(quat.multiply(quat.conjugate(a), b));
}

/**
 * The ways from each quaternion to the next, three numbers each.
 * @throws MotionError `singular` where one is the negative of the other.
 */
export function requireWays(quaternions: Float64Array, path = 'keys.quaternions'): Float64Array {
  const count = quaternions.length / 4;
  const ways = new Float64Array(3 * (count - 1));
  for (let i = 1; i < count; i++) {
    const way = wayBetween(quaternionAt(quaternions, i - 1), quaternionAt(quaternions, i));
    if (Number.isNaN(way[0])) {
      throw new MotionError('singular', 'is the negative of the one before it: a full turn about no axis.', {
        path: `${path}[${i}]`,
        remedy: 'Take the shortest way, or put a key between the two.',
      });
    }
    ways.set(way, 3 * (i - 1));
  }
  return ways;
}

/** The i-th quaternion, a view. */
export function quaternionAt(quaternions: Float64Array, i: number): Float64Array {
  return quaternions.subarray(4 * i, 4 * i + 4);
}
