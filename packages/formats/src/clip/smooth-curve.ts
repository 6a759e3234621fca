/** Catmull-Rom curves over the coordinates of a joint, in charts where rotation vectors are well behaved. */
import { type Curve, createCurve } from 'poise/motion';
import { nearestRotationVector, regularize, reparameterizeTangent, shellIndex } from 'poise/rotation';
import { FARTHEST } from './charts.js';

/** A curve, and the keys at which its rotation vector is written anew. */
export interface SmoothCurve {
  readonly curve: Curve;
  /** Indices of keys. */
  readonly chartChanges: readonly number[];
}

/**
 * The Catmull-Rom curve through keys: cubic Bezier pieces, rates (K_{i+1} - K_{i-1}) / (t_{i+1} - t_{i-1}), at an end those of the way to the
 * neighbour. It meets every key to the last bit, and has no corner.
 *
 * A rotation vector is the one nearest to that of the key before. Where it is longer than 3/2 pi, the pieces behind that key are written with
 * the same rotation within pi, rates by the derivative of that: the numbers jump by a whole turn, rotation and angular velocity go on.
 *
 * @param values - `size` numbers a key. Rotation vectors are rewritten in place, as the curve arrives at them.
 * @param rotation - Index of the first number of the rotation vector, -1 where there is none.
 */
export function smoothCurve(
  times: Float64Array,
  values: Float64Array,
  size: number,
  rotation: number,
): SmoothCurve {
  const count = times.length;
  const leaving = values.slice();
  const chartChanges: number[] = [];
  const block = (array: Float64Array, key: number): Float64Array =>
    array.subarray(size * key + rotation, size * key + rotation + 3);
  for (let i = 0; rotation >= 0 && i < count; i++) {
    const vector = block(values, i);
    if (i > 0) nearestRotationVector(vector, block(leaving, i - 1), vector);
    block(leaving, i).set(vector);
    if (Math.hypot(vector[0], vector[1], vector[2]) <= FARTHEST || i === 0 || i === count - 1) continue;
    regularize(vector, block(leaving, i));
    chartChanges.push(i);
  }

  const controls = new Float64Array(4 * size * (count - 1));
  const rate = new Float64Array(size);
  const turned = new Float64Array(3);
  const after = new Float64Array(3);
  let change = 0;
  for (let i = 0; i < count; i++) {
    const before = Math.max(i - 1, 0);
    const behind = Math.min(i + 1, count - 1);
    const h = times[behind] - times[before];
    const changes = chartChanges[change] === i;
    for (let c = 0; c < size; c++) {
      const from = i === 0 ? values[c] : leaving[size * before + c];
      rate[c] = (values[size * behind + c] - from) / h;
    }
    if (changes) {
      // The key behind stands in the chart of the pieces to come.
      nearestRotationVector(block(values, behind), block(values, i), after);
      for (let c = 0; c < 3; c++) {
        rate[rotation + c] = (after[c] - leaving[size * before + rotation + c]) / h;
      }
    }
    if (i > 0) {
      const third = (times[i] - times[before]) / 3;
      const o = 4 * size * before;
      for (let c = 0; c < size; c++) {
        controls[o + 2 * size + c] = values[size * i + c] - third * rate[c];
        controls[o + 3 * size + c] = values[size * i + c];
      }
    }
    if (changes) {
      change++;
      const vector = block(values, i);
      reparameterizeTangent(vector, rate.subarray(rotation, rotation + 3), shellIndex(vector), turned);
      rate.set(turned, rotation);
    }
    if (i + 1 < count) {
      const third = (times[behind] - times[i]) / 3;
      const o = 4 * size * i;
      for (let c = 0; c < size; c++) {
        controls[o + c] = leaving[size * i + c];
        controls[o + size + c] = leaving[size * i + c] + third * rate[c];
      }
    }
  }
  return { curve: createCurve({ size, degree: 3, knots: times, controls }), chartChanges };
}
