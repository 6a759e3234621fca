/** Rotation keyframes: orientations at times, the input of all spherical curves. */
import type { FieldsOf } from '../../checks.js';
import { MotionError } from '../../errors.js';
import * as quat from '../../math/geometry/quat.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { unset3 } from '../../math/linear/unset.js';
import { type CurveOptions, checkedNumbers, checkedTimes } from './curve.js';

export interface RotationKeys {
  /** s, strictly increasing, at least two. */
  readonly times: Numbers;
  /** Unit quaternions `[x, y, z, w]`, one after the other. */
  readonly quaternions: Numbers;
}

/** Options of curves through rotation keyframes. */
export interface ShortestArcOptions extends CurveOptions {
  /** Take the shorter arc between keyframes whatever their signs (default). Otherwise the signs select the arc. */
  readonly shortest?: boolean;
}

export const shortestArcOptions: FieldsOf<ShortestArcOptions> = { outside: true, shortest: true };

/** Allowed deviation of a quaternion's length from 1; it is then normalized. */
const NORM_TOLERANCE = 1e-3;

/** @throws MotionError `wrong-size`, `not-finite`, `not-increasing`, `not-unit` */
export function checkedRotationKeys({ times, quaternions }: RotationKeys): {
  readonly count: number;
  readonly times: Float64Array;
  readonly quaternions: Float64Array;
} {
  const checked = checkedTimes(times, 'keys.times');
  const count = checked.length;
  return { count, times: checked, quaternions: checkedQuaternions(quaternions, count, 'keys.quaternions') };
}

/** A normalized copy of `count` unit quaternions. @throws MotionError */
export function checkedQuaternions(quaternions: Numbers, count: number, path: string): Float64Array {
  const copy = checkedNumbers(quaternions, 4 * count, path);
  for (let i = 0; i < count; i++) {
    const q = copy.subarray(4 * i, 4 * i + 4);
    const length = quat.norm(q);
    if (!(Math.abs(length - 1) <= NORM_TOLERANCE)) {
      throw new MotionError('not-unit', `is a quaternion of length ${length}.`, {
        path: `${path}[${i}]`,
        remedy: 'Give unit quaternions [x, y, z, w].',
      });
    }
    quat.normalize(q, q);
  }
  return copy;
}

/**
 * Flips signs so that consecutive quaternions have a nonnegative dot product: the same rotations, with the short arc
 * between them.
 */
export function alignSigns(quaternions: Float64Array): Float64Array {
  for (let o = 4; o < quaternions.length; o += 4) {
    const q = quaternions.subarray(o, o + 4);
    if (quat.dot(quaternions.subarray(o - 4, o), q) < 0) quat.negate(q, q);
  }
  return quaternions;
}

/** The rotation vector of q with its sign, |v| <= 2 pi: w < 0 gives an angle above pi. NaN at q = -1. */
export function longRotationVector<T extends MutableNumbers = number[]>(q: Numbers, out: T = unset3()): T {
  const n = Math.hypot(q[0], q[1], q[2]);
  const scale = n > 0 ? (2 * Math.atan2(n, q[3])) / n : q[3] > 0 ? 2 / q[3] : Number.NaN;
  for (let k = 0; k < 3; k++) out[k] = scale * q[k];
  return out;
}

/** log(a^-1 b), without normalizing the sign. */
export function relativeRotationVector(a: Numbers, b: Numbers): number[] {
  return longRotationVector(quat.multiply(quat.conjugate(a), b));
}

/**
 * Relative rotation vectors between consecutive quaternions, three numbers each.
 * @throws MotionError `singular` where one is the negative of the other.
 */
export function relativeRotationVectors(quaternions: Float64Array, path = 'keys.quaternions'): Float64Array {
  const count = quaternions.length / 4;
  const vectors = new Float64Array(3 * (count - 1));
  for (let i = 1; i < count; i++) {
    const vector = relativeRotationVector(quaternionAt(quaternions, i - 1), quaternionAt(quaternions, i));
    if (Number.isNaN(vector[0])) {
      throw new MotionError(
        'singular',
        'is the negative of the one before it: a rotation by 2 pi without an axis.',
        {
          path: `${path}[${i}]`,
          remedy: 'Take the shortest arc, or insert a keyframe between the two.',
        },
      );
    }
    vectors.set(vector, 3 * (i - 1));
  }
  return vectors;
}

/** The i-th quaternion, a view. */
export function quaternionAt(quaternions: Float64Array, i: number): Float64Array {
  return quaternions.subarray(4 * i, 4 * i + 4);
}
