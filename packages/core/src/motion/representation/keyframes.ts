/** Keyframes: values at times. */
import { MotionError } from '../../errors.js';
import type { Numbers } from '../../math/linear/types.js';
import { checkedNumbers, checkedTimes } from './curve.js';

/** Values at strictly increasing times. */
export interface Keys {
  /** s, at least two. */
  readonly times: Numbers;
  /** One point of n numbers for each keyframe, one after the other. */
  readonly values: Numbers;
}

/** Checked keyframes, with the dimension of their points. */
export interface CheckedKeys {
  readonly count: number;
  readonly size: number;
  readonly times: Float64Array;
  readonly values: Float64Array;
}

/** @throws MotionError `wrong-size`, `not-finite`, `not-increasing` */
export function checkedKeys({ times, values }: Keys, path = 'keys'): CheckedKeys {
  const checked = checkedTimes(times, `${path}.times`);
  const count = checked.length;
  const size = values.length / count;
  if (!(Number.isInteger(size) && size > 0)) {
    throw new MotionError('wrong-size', `has ${values.length} numbers for ${count} keyframes.`, {
      path: `${path}.values`,
      remedy: 'Give one point of the same size for every key.',
    });
  }
  return { count, size, times: checked, values: checkedNumbers(values, values.length, `${path}.values`) };
}

/** One vector of `size` numbers, or zeros where none is given. @throws MotionError */
export function checkedVector(vector: Numbers | undefined, size: number, path: string): Float64Array {
  return vector === undefined ? new Float64Array(size) : checkedNumbers(vector, size, path);
}
