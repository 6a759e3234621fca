/** Builds a clip from states at keys: quintics that interpolate value, first and second derivative at both ends of every piece. */
import type { Figure } from '../../figure/model/figure.js';
import { rotationVectors } from '../../figure/model/regularize.js';
import type { Vec3 } from '../../math/linear/types.js';
import { createMotion, type Motion } from '../../motion/motion.js';
import { type CurvePoint, createCurve } from '../../motion/representation/curve.js';
import { nearestRotationVector, rotationVectorFromQuat } from '../../rotation/rotation-vector/log.js';
import {
  rateFromAngularVelocity,
  secondRateFromAngularAcceleration,
} from '../../rotation/rotation-vector/rates.js';
import type { ClipState, ClipStateAt } from './clip-state.js';

const DEGREE = 5;
/** A rotation vector of at least this length is replaced by its shorter equivalent at the start of a piece, rad. */
const MAX_ANGLE = 1.5 * Math.PI;

/** Each piece interpolates the right limit at its start and the left limit at its end, so that polynomials up to degree five are reproduced. */
export function clipFromStates(
  figure: Figure,
  times: readonly number[],
  states: ClipStateAt,
  { name, outside }: Pick<Motion, 'name' | 'outside'>,
): Motion {
  const { dof } = figure;
  const vectors = rotationVectors(figure);
  const stride = (DEGREE + 1) * dof;
  const controls = new Float64Array((times.length - 1) * stride);
  const near = new Float64Array(dof);
  for (let s = 0; s + 1 < times.length; s++) {
    const h = times[s + 1] - times[s];
    const a = coordinatesOf(states(times[s], 'after'), vectors, near, true);
    near.set(a.value);
    const b = coordinatesOf(states(times[s + 1], 'before'), vectors, near, false);
    near.set(b.value);
    writeQuintic(controls, s * stride, h, a, b);
  }
  const curve = createCurve({ size: dof, degree: DEGREE, knots: Float64Array.from(times), controls });
  return createMotion(figure, { name, outside, tracks: [{ coordinate: 0, curve }] });
}

/** Bezier points of the quintics between two ends with value, first and second derivative, h seconds apart. @param at - Index of the first. */
export function writeQuintic(
  controls: Float64Array,
  at: number,
  h: number,
  a: CurvePoint,
  b: CurvePoint,
): void {
  const size = a.value.length;
  const firstStep = h / 5;
  const secondStep = (h * h) / 20;
  for (let i = 0; i < size; i++) {
    const o = at + i;
    controls[o] = a.value[i];
    controls[o + size] = a.value[i] + firstStep * a.first[i];
    controls[o + 2 * size] = a.value[i] + 2 * firstStep * a.first[i] + secondStep * a.second[i];
    controls[o + 3 * size] = b.value[i] - 2 * firstStep * b.first[i] + secondStep * b.second[i];
    controls[o + 4 * size] = b.value[i] - firstStep * b.first[i];
    controls[o + 5 * size] = b.value[i];
  }
}

/** Coordinates and derivatives; rotation vectors of the branch nearest to `near`. */
function coordinatesOf(
  state: ClipState,
  vectors: Int32Array,
  near: Float64Array,
  isStart: boolean,
): Pick<ClipState, 'value' | 'first' | 'second'> {
  const value = state.value.slice();
  const first = state.first.slice();
  const second = state.second.slice();
  vectors.forEach((i, b) => {
    const { quaternion, angularVelocity, angularAcceleration } = state.rotations[b];
    const shortest = triple(rotationVectorFromQuat(quaternion));
    let v = triple(nearestRotationVector(shortest, triple(near.subarray(i, i + 3))));
    if (isStart && Math.hypot(...v) > MAX_ANGLE) v = shortest;
    const rate = triple(rateFromAngularVelocity(v, triple(angularVelocity), 'body'));
    value.set(v, i);
    first.set(rate, i);
    second.set(secondRateFromAngularAcceleration(v, rate, triple(angularAcceleration), 'body'), i);
  });
  return { value, first, second };
}

function triple(v: Vec3): [number, number, number] {
  return [v[0], v[1], v[2]];
}

/** The keys of a clip within a span, its ends included; no two nearer than a billionth of it. */
export function keysWithin(motion: Motion, from: number, to: number): number[] {
  const all = new Set<number>([from, to]);
  for (const { curve } of motion.tracks) {
    for (let k = 0; k < curve.knots.length; k++) {
      if (curve.knots[k] > from && curve.knots[k] < to) all.add(curve.knots[k]);
    }
  }
  return distinctTimes([...all], to - from);
}

/** Sorts times and removes duplicates up to rounding. */
export function distinctTimes(times: readonly number[], length: number): number[] {
  const sorted = [...times].sort((a, b) => a - b);
  const tolerance = 1e-9 * length;
  const kept = sorted.filter((time, k) => k === 0 || time - sorted[k - 1] > tolerance);
  kept[kept.length - 1] = sorted[sorted.length - 1];
  return kept;
}
