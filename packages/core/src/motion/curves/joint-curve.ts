/** Catmull-Rom curves over joint coordinates, with chart changes that keep rotation vectors away from their singularity at 2 pi. */
import { requireNumbers } from '../../checks.js';
import { MotionError } from '../../errors.js';
import { distance, length as lengthOf, norm } from '../../math/geometry/vec3.js';
import { regularize } from '../../rotation/rotation-vector/charts.js';
import { nearestRotationVector } from '../../rotation/rotation-vector/log.js';
import { type Curve, requireTimes } from '../representation/curve.js';
import { deferredCurve } from '../representation/deferred-curve.js';
import { type JointKeys, MAX_ROTATION_VECTOR, writeBezierPoints } from './joint-points.js';

/** Chord to the next key, over that in the chart within pi, above which that chart is taken: the curve would make a detour. One of less than a quarter turn makes none. */
const DETOUR = 1.25;
const SHORT = 0.5 * Math.PI;

/** Sum of the lengths of two rotation vectors, with room for rounding, up to which both are the nearest of their equivalents to each other: below pi. */
const NEAREST_ITSELF = 3;

/** Largest quotient of a key and a time between keys whose Bezier points are surely finite. */
const MAX_RATE = 1e290;

/** A curve, and the keys at which its rotation vector changes chart. */
export interface JointCurve {
  readonly curve: Curve;
  /** Indices of keys. */
  readonly chartChanges: readonly number[];
}

/**
 * The Catmull-Rom curve through keys: cubic Bezier pieces with derivatives (K_{i+1} - K_{i-1}) / (t_{i+1} - t_{i-1}), at the ends the slope of the
 * chord to the neighbour. It passes through every key to the last bit, but for rotation vectors that become equivalent ones (a first one longer than pi
 * may, too), and is C1. It keeps the keys alone; its Bezier points are made when they are
 * first read.
 *
 * Each rotation vector is the equivalent one nearest to that of the key before. Where it is longer than 3/2 pi, or the same rotation within pi is
 * much nearer to the next key, the following pieces use that, with the derivative of the reparameterization: the vector jumps by 2 pi, rotation
 * and angular velocity are continuous. Up to 3/2 pi the derivative there is that of the chart within pi.
 *
 * @param times - s, strictly increasing. These and `values` are the curve's from now on: they are not copied.
 * @param values - `size` numbers a key. Rotation vectors are replaced in place by those at the end of the incoming piece.
 * @param rotation - Index of the first component of the rotation vector; -1 without one.
 * @throws MotionError `wrong-size`, `not-finite`, `not-increasing`.
 */
export function catmullRomJointCurve(
  times: Float64Array,
  values: Float64Array,
  size: number,
  rotation: number,
): JointCurve {
  requireTimes(times, 'times');
  requireNumbers(values, times.length * size, 'values', MotionError);
  let largest = 0;
  for (let k = 0; k < values.length; k++) {
    const value = values[k] + 0;
    values[k] = value;
    if (value > largest) largest = value;
    else if (-value > largest) largest = -value;
  }
  let shortest = Infinity;
  for (let i = 1; i < times.length; i++) shortest = Math.min(shortest, times[i] - times[i - 1]);
  const chartChanges = rotation < 0 ? [] : continueRotations(values, size, rotation);
  const keys: JointKeys = { times, values, size, rotation, chartChanges };
  const curve = deferredCurve({ size, degree: 3, knots: times }, (out, at, stride) =>
    writeBezierPoints(keys, out, at, stride),
  );
  if (!(Math.max(largest, 1) / shortest < MAX_RATE)) {
    const count = 4 * size * (times.length - 1);
    requireNumbers(curve.controls, count, 'controls', MotionError);
  }
  return { curve, chartChanges };
}

/** Replaces each rotation vector by the nearest of its equivalents. @returns the keys at which the chart changes. */
function continueRotations(values: Float64Array, size: number, rotation: number): number[] {
  const chartChanges: number[] = [];
  // Where the piece before a key starts.
  const previous = new Float64Array(3);
  const vector = new Float64Array(3);
  const within = new Float64Array(3);
  const following = new Float64Array(3);
  let before = 0;
  const last = values.length - size + rotation;
  for (let o = rotation; o <= last; o += size) {
    let length = lengthOf(values[o], values[o + 1], values[o + 2]);
    // The equivalents are 2 pi apart: of two vectors whose lengths add up to less than pi each is the nearest to the other.
    if (length + before > NEAREST_ITSELF) {
      for (let c = 0; c < 3; c++) vector[c] = values[o + c];
      if (o > rotation) nearestRotationVector(vector, previous, vector);
      for (let c = 0; c < 3; c++) values[o + c] = vector[c] + 0;
      length = norm(vector);
      if (length > Math.PI && o < last) {
        regularize(vector, within);
        for (let c = 0; c < 3; c++) following[c] = values[o + size + c];
        const isFirst = o === rotation;
        if ((length > MAX_ROTATION_VECTOR && !isFirst) || makesDetour(vector, within, following)) {
          // Before the first key there is no piece.
          if (isFirst) for (let c = 0; c < 3; c++) values[o + c] = within[c] + 0;
          else chartChanges.push((o - rotation) / size);
          for (let c = 0; c < 3; c++) vector[c] = within[c];
          length = norm(vector);
        }
      }
      for (let c = 0; c < 3; c++) previous[c] = vector[c];
    } else {
      previous[0] = values[o];
      previous[1] = values[o + 1];
      previous[2] = values[o + 2];
    }
    before = length;
  }
  return chartChanges;
}

/** Whether the way to the next key is longer from a rotation vector than from that of the same rotation within pi. */
function makesDetour(vector: Float64Array, within: Float64Array, following: Float64Array): boolean {
  const chord = distance(nearestRotationVector(following, vector, nearest), vector);
  if (chord < SHORT) return false;
  return chord > DETOUR * distance(nearestRotationVector(following, within, nearest), within);
}

const nearest = /* @__PURE__ */ new Float64Array(3);
