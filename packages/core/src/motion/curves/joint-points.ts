/** Bezier points of Catmull-Rom curves through joint coordinates. */
import { norm } from '../../math/geometry/vec3.js';
import { regularize, reparameterizeTangent, shellIndex } from '../../rotation/rotation-vector/charts.js';
import { nearestRotationVector } from '../../rotation/rotation-vector/log.js';

/**
 * Length of a rotation vector above which clips reparameterize it to at most pi: tangential derivatives are stretched by 3.4 there, and without bound
 * at 2 pi. Limbs do not reach it; the heading of a body that walks in a circle does.
 */
export const MAX_ROTATION_VECTOR: number = 1.5 * Math.PI;

/** Coordinates at keys. */
export interface JointKeys {
  /** s, strictly increasing. */
  readonly times: Float64Array;
  /** `size` numbers a key: the coordinates at the end of the incoming piece. No -0, which JSON does not have. */
  readonly values: Float64Array;
  readonly size: number;
  /** Index of the first component of the rotation vector; -1 without one. */
  readonly rotation: number;
  /** Inner keys, ascending, at which the outgoing piece starts with the rotation vector within pi. */
  readonly chartChanges: readonly number[];
}

/**
 * Bezier points of the Catmull-Rom curve: derivatives at the keys are (K_{i+1} - K_{i-1}) / (t_{i+1} - t_{i-1}), at the ends the slope of the chord to the
 * neighbour.
 *
 * @param out - Gets point p of piece s, `size` numbers, from at + (4 s + p) stride on.
 */
export function writeBezierPoints(
  { times, values, size, rotation, chartChanges }: JointKeys,
  out: Float64Array,
  at: number,
  stride: number,
): void {
  const count = times.length;
  const rate = new Float64Array(size);
  const block = (array: Float64Array, key: number): Float64Array =>
    array.subarray(size * key + rotation, size * key + rotation + 3);
  // Of this key and of the one before it, where the outgoing piece starts.
  let own = values.slice(0, size);
  let before = own.slice();
  let changeIndex = 0;
  for (let i = 0; i < count; i++) {
    const preceding = Math.max(i - 1, 0);
    const following = Math.min(i + 1, count - 1);
    const h = times[following] - times[preceding];
    const changesChart = chartChanges[changeIndex] === i;
    [own, before] = [before, own];
    for (let c = 0; c < size; c++) {
      own[c] = values[size * i + c];
      rate[c] = (values[size * following + c] - before[c]) / h;
    }
    if (changesChart) {
      const vector = block(values, i);
      regularize(vector, within);
      const isFar = norm(vector) > MAX_ROTATION_VECTOR;
      // The keys beside it in the chart of the next pieces; where the way back from that is steep, in the one before.
      const center = isFar ? vector : within;
      const past = nearestRotationVector(before.subarray(rotation, rotation + 3), center, preceded);
      nearestRotationVector(block(values, following), center, next);
      for (let c = 0; c < 3; c++) next[c] = (next[c] - past[c]) / h;
      // Of more than pi the shell is the first; within pi it is opposite.
      if (!isFar) reparameterizeTangent(within, next, 1, next);
      rate.set(next, rotation);
    }
    if (i > 0) {
      const third = (times[i] - times[preceding]) / 3;
      const o = at + 4 * stride * preceding;
      for (let c = 0; c < size; c++) {
        out[o + 2 * stride + c] = own[c] - third * rate[c];
        out[o + 3 * stride + c] = own[c];
      }
    }
    if (changesChart) {
      changeIndex++;
      const vector = block(values, i);
      reparameterizeTangent(vector, rate.subarray(rotation, rotation + 3), shellIndex(vector), next);
      rate.set(next, rotation);
      regularize(vector, next);
      for (let c = 0; c < 3; c++) own[rotation + c] = next[c] + 0;
    }
    if (i + 1 < count) {
      const third = (times[following] - times[i]) / 3;
      const o = at + 4 * stride * i;
      for (let c = 0; c < size; c++) {
        out[o + c] = own[c];
        out[o + stride + c] = own[c] + third * rate[c];
      }
    }
  }
}

const next = /* @__PURE__ */ new Float64Array(3);
const preceded = /* @__PURE__ */ new Float64Array(3);
const within = /* @__PURE__ */ new Float64Array(3);
