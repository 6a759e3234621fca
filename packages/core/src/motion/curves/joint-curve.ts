/** Catmull-Rom curves over joint coordinates, with chart changes that keep rotation vectors away from their singularity at 2 pi. */
import { norm } from '../../math/geometry/vec3.js';
import { regularize, reparameterizeTangent, shellIndex } from '../../rotation/rotation-vector/charts.js';
import { nearestRotationVector } from '../../rotation/rotation-vector/log.js';
import { type Curve, createCurveOwning } from '../representation/curve.js';

/**
 * Length of a rotation vector above which clips reparameterize it to at most pi: tangential derivatives are stretched by 3.4 there, and without bound
 * at 2 pi. Limbs do not reach it; the heading of a body that walks in a circle does.
 */
export const MAX_ROTATION_VECTOR: number = 1.5 * Math.PI;

/** Sum of the lengths of two rotation vectors, with room for rounding, up to which both are the nearest of their equivalents to each other: below pi. */
const NEAREST_ITSELF = 3;

/** A curve, and the keys at which its rotation vector changes chart. */
export interface JointCurve {
  readonly curve: Curve;
  /** Indices of keys. */
  readonly chartChanges: readonly number[];
}

/**
 * The Catmull-Rom curve through keys: cubic Bezier pieces with derivatives (K_{i+1} - K_{i-1}) / (t_{i+1} - t_{i-1}), at the ends the slope of the
 * chord to the neighbour. It passes through every key to the last bit and is C1.
 *
 * Each rotation vector is the equivalent one nearest to that of the key before. Where it is longer than 3/2 pi, the following pieces use the same
 * rotation within pi, with the derivative of that reparameterization: the vector jumps by 2 pi, rotation and angular velocity are continuous.
 *
 * @param values - `size` numbers a key. Rotation vectors are replaced in place by those at the end of the incoming piece.
 * @param rotation - Index of the first component of the rotation vector; -1 without one.
 */
export function catmullRomJointCurve(
  times: Float64Array,
  values: Float64Array,
  size: number,
  rotation: number,
): JointCurve {
  const count = times.length;
  const outgoing = values.slice();
  const chartChanges: number[] = [];
  const block = (array: Float64Array, key: number): Float64Array =>
    array.subarray(size * key + rotation, size * key + rotation + 3);
  // No view of the arrays for each key: a view costs more than the rest.
  const vector = new Float64Array(3);
  const previous = new Float64Array(3);
  let before = 0;
  for (let i = 0; rotation >= 0 && i < count; i++) {
    const o = size * i + rotation;
    for (let c = 0; c < 3; c++) vector[c] = values[o + c];
    let length = norm(vector);
    // The equivalents are 2 pi apart: of two vectors whose lengths add up to less than pi each is the nearest to the other.
    if (i > 0 && length + before > NEAREST_ITSELF) {
      nearestRotationVector(vector, previous, vector);
      length = norm(vector);
    }
    for (let c = 0; c < 3; c++) values[o + c] = previous[c] = vector[c];
    if (length > MAX_ROTATION_VECTOR && i > 0 && i < count - 1) {
      regularize(vector, previous);
      chartChanges.push(i);
    }
    for (let c = 0; c < 3; c++) outgoing[o + c] = previous[c];
    before = norm(previous);
  }

  const controls = new Float64Array(4 * size * (count - 1));
  const rate = new Float64Array(size);
  const rateAfter = new Float64Array(3);
  const next = new Float64Array(3);
  let changeIndex = 0;
  for (let i = 0; i < count; i++) {
    const preceding = Math.max(i - 1, 0);
    const following = Math.min(i + 1, count - 1);
    const h = times[following] - times[preceding];
    const changesChart = chartChanges[changeIndex] === i;
    for (let c = 0; c < size; c++) {
      const from = i === 0 ? values[c] : outgoing[size * preceding + c];
      rate[c] = (values[size * following + c] - from) / h;
    }
    if (changesChart) {
      // The following key is in the chart of the next pieces.
      nearestRotationVector(block(values, following), block(values, i), next);
      for (let c = 0; c < 3; c++) {
        rate[rotation + c] = (next[c] - outgoing[size * preceding + rotation + c]) / h;
      }
    }
    if (i > 0) {
      const third = (times[i] - times[preceding]) / 3;
      const o = 4 * size * preceding;
      for (let c = 0; c < size; c++) {
        controls[o + 2 * size + c] = values[size * i + c] - third * rate[c];
        controls[o + 3 * size + c] = values[size * i + c];
      }
    }
    if (changesChart) {
      changeIndex++;
      const vector = block(values, i);
      reparameterizeTangent(vector, rate.subarray(rotation, rotation + 3), shellIndex(vector), rateAfter);
      rate.set(rateAfter, rotation);
    }
    if (i + 1 < count) {
      const third = (times[following] - times[i]) / 3;
      const o = 4 * size * i;
      for (let c = 0; c < size; c++) {
        controls[o + c] = outgoing[size * i + c];
        controls[o + size + c] = outgoing[size * i + c] + third * rate[c];
      }
    }
  }
  return { curve: createCurveOwning({ size, degree: 3, knots: times, controls }), chartChanges };
}
