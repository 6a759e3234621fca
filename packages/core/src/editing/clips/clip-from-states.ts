/** A clip from states at keys: quintics that have value, first and second rate at both ends of every piece. */
import type { Figure } from '../../figure/model/figure.js';
import { rotationVectors } from '../../figure/model/regularize.js';
import type { Vec3 } from '../../math/linear/types.js';
import { createMotion, type Motion } from '../../motion/motion.js';
import { createCurve } from '../../motion/representation/curve.js';
import { nearestRotationVector, rotationVectorFromQuat } from '../../rotation/rotation-vector/log.js';
import {
  rateFromAngularVelocity,
  secondRateFromAngularAcceleration,
} from '../../rotation/rotation-vector/rates.js';
import type { BodyState, States } from './clip-state.js';

const DEGREE = 5;
/** A rotation vector is written anew, a turn shorter, where a piece begins with one as long as this. */
const FARTHEST = 1.5 * Math.PI;

/** Each piece has the states just after its start and just before its end, so that polynomials up to degree five stay what they are. */
export function buildClip(
  figure: Figure,
  times: readonly number[],
  states: States,
  { name, outside }: Pick<Motion, 'name' | 'outside'>,
): Motion {
  const { dof } = figure;
  const vectors = rotationVectors(figure);
  const stride = (DEGREE + 1) * dof;
  const controls = new Float64Array((times.length - 1) * stride);
  const near = new Float64Array(dof);
  for (let s = 0; s + 1 < times.length; s++) {
    const h = times[s + 1] - times[s];
    const a = numbersOf(states(times[s], 'after'), vectors, near, true);
    near.set(a.value);
    const b = numbersOf(states(times[s + 1], 'before'), vectors, near, false);
    near.set(b.value);
    for (let i = 0; i < dof; i++) {
      const at = s * stride + i;
      const run = h / 5;
      const bend = (h * h) / 20;
      controls[at] = a.value[i];
      controls[at + dof] = a.value[i] + run * a.first[i];
      controls[at + 2 * dof] = a.value[i] + 2 * run * a.first[i] + bend * a.second[i];
      controls[at + 3 * dof] = b.value[i] - 2 * run * b.first[i] + bend * b.second[i];
      controls[at + 4 * dof] = b.value[i] - run * b.first[i];
      controls[at + 5 * dof] = b.value[i];
    }
  }
  const curve = createCurve({ size: dof, degree: DEGREE, knots: Float64Array.from(times), controls });
  return createMotion(figure, { name, outside, tracks: [{ coordinate: 0, curve }] });
}

/** Coordinates with their rates, rotation vectors of the branch nearest to `near`. */
function numbersOf(
  state: BodyState,
  vectors: Int32Array,
  near: Float64Array,
  begins: boolean,
): Pick<BodyState, 'value' | 'first' | 'second'> {
  const value = state.value.slice();
  const first = state.first.slice();
  const second = state.second.slice();
  vectors.forEach((i, b) => {
    const { quaternion, angularVelocity, angularAcceleration } = state.turns[b];
    const shortest = triple(rotationVectorFromQuat(quaternion));
    let v = triple(nearestRotationVector(shortest, triple(near.subarray(i, i + 3))));
    if (begins && Math.hypot(...v) > FARTHEST) v = shortest;
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
  return apart([...all], to - from);
}

/** Ascending, without those that rounding alone tells from the one before. */
export function apart(times: readonly number[], length: number): number[] {
  const sorted = [...times].sort((a, b) => a - b);
  const least = 1e-9 * length;
  const kept = sorted.filter((time, k) => k === 0 || time - sorted[k - 1] > least);
  kept[kept.length - 1] = sorted[sorted.length - 1];
  return kept;
}
