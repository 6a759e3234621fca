/** What curves are made from: values at moments. */
import { MotionError } from '../../errors.js';
import type { Numbers } from '../../math/linear/types.js';
import { checkedNumbers, checkedTimes } from './curve.js';

/** Values at strictly increasing moments. */
export interface Keys {
  /** s, two at least. */
  readonly times: Numbers;
  /** One point of n numbers for each key, one after the other. */
  readonly values: Numbers;
}

/** Keys that have been looked at, and how many numbers a point has. */
export interface CheckedKeys {
  readonly count: number;
  readonly size: number;
  readonly times: Float64Array;
  readonly values: Float64Array;
}

/** @throws MotionError `wrong-size`, `not-finite`, `not-increasing` */
export function checkedKeys({ times, values }: Keys, path = 'keys'): CheckedKeys {
  const moments = checkedTimes(times, `${path}.times`);
  const count = moments.length;
  const size = values.length / count;
  if (!(Number.isInteger(size) && size > 0)) {
    throw new MotionError('wrong-size', `has ${values.length} numbers for ${count} keys.`, {
      path: `${path}.values`,
      remedy: 'Give one point of the same size for every key.',
    });
  }
  return { count, size, times: moments, values: checkedNumbers(values, values.length, `${path}.values`) };
}

/** One vector of `size` numbers, or zeros where none is given. @throws MotionError */
export function checkedVector(vector: Numbers | undefined, size: number, path: string): Float64Array {
  return vector === undefined ? new Float64Array(size) : checkedNumbers(vector, size, path);
}
