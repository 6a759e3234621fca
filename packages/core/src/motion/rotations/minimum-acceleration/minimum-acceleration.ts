import { MotionError } from '../../../errors.js';
import * as quat from '../../../math/geometry/quat.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Numbers } from '../../../math/linear/types.js';
import { type CurveOptions, checkedNumbers, pieceAt } from '../../representation/curve.js';
import type { RotationCurve } from '../../representation/rotation-curve.js';
import {
  alignSigns,
  checkedRotationKeys,
  quaternionAt,
  type RotationKeys,
  requireWays,
} from '../../representation/rotation-keys.js';
import { outsideRange } from '../../representation/time-range.js';
import { findMinimum } from './continuation.js';
import type { Problem, Shot } from './newton.js';
import { ORDER } from './taylor-series.js';

export interface MinimumAccelerationKeys extends RotationKeys {
  /** Angular velocity at each key, body axes, rad/s; null or undefined where it is free. Default: free at all. */
  readonly angularVelocities?: readonly (Numbers | null | undefined)[];
}

export interface MinimumAccelerationOptions extends CurveOptions {
  /** Take the short way between any two keys whatever their signs (default). Otherwise the signs say which way. */
  readonly shortest?: boolean;
}

/**
 * The curve through the keys with the least integral of |w'|^2, w the angular velocity: four times that of the squared tangential
 * acceleration of the unit quaternion, which Barr, Currin, Gabriel and Hughes (1992) minimise. Velocities may be given at some keys; at
 * the others the angular acceleration is continuous, and at free ends zero. Keys about one axis give the cubic spline of their angles.
 * The same motion in every frame, also in one that the body is seen from. Every key moves all of the curve up to the next given velocity.
 *
 * Between keys w''' = w'' x w in body axes (a Riemannian cubic, Noakes, Heinzinger and Paden 1989). The curve is stored as Taylor series of
 * that equation, so that evaluation is exact but for rounding. It is a local minimum, the one near constant speed from key to key; that it is
 * one, is checked by the second variation. A curve that spins on between keys can cost less and is not looked for.
 * @throws MotionError; `unsupported` where no minimum is found: large turns in short times against given velocities.
 */
export function minimumAccelerationCurve(
  keys: MinimumAccelerationKeys,
  options: MinimumAccelerationOptions = {},
): RotationCurve {
  const { count, times, quaternions } = checkedRotationKeys(keys);
  if (options.shortest ?? true) alignSigns(quaternions);
  const ways = requireWays(quaternions);
  const turns = new Float64Array(4 * (count - 1));
  for (let s = 0; s + 1 < count; s++) {
    const turn = turns.subarray(4 * s, 4 * s + 4);
    quat.multiply(quat.conjugate(quaternionAt(quaternions, s)), quaternionAt(quaternions, s + 1), turn);
  }
  const spans = Array.from(times.subarray(1), (t, s) => t - times[s]);
  const problem: Problem = { spans, ways, turns, given: checkedVelocities(keys.angularVelocities, count) };
  const shot = findMinimum(problem);
  if (shot === undefined) {
    throw new MotionError('unsupported', 'have no curve of least acceleration that could be found.', {
      path: 'keys',
      remedy: 'Put keys closer together, or give angular velocities nearer to the turn between the keys.',
    });
  }
  const { moments, terms } = storeSeries(problem, shot, times, quaternions);
  const end = times[count - 1];
  return {
    kind: 'minimum acceleration',
    knots: times,
    outside: outsideRange(options.outside),
    evaluateInside(time, out) {
      const { quaternion, angularVelocity, angularAcceleration } = out;
      const s = pieceAt(moments, time);
      const span = moments[s + 1] - moments[s];
      const x = (time - moments[s]) / span;
      for (let i = 0, o = s * TERMS; i < 4; i++, o += COUNT) {
        let sum = 0;
        for (let k = ORDER; k >= 0; k--) sum = sum * x + terms[o + k];
        quaternion[i] = sum;
      }
      for (let i = 0, o = s * TERMS + 4 * COUNT; i < 3; i++, o += COUNT) {
        let sum = 0;
        let rate = 0;
        for (let k = ORDER; k >= 0; k--) {
          rate = rate * x + sum;
          sum = sum * x + terms[o + k];
        }
        angularVelocity[i] = sum;
        angularAcceleration[i] = rate / span;
      }
      // The end is met to the last bit.
      if (time === end) {
        quat.copy(quaternionAt(quaternions, count - 1), quaternion);
        vec3.copy(shot.velocities.subarray(3 * count - 3), angularVelocity);
      }
      return out;
    },
  };
}

/** Numbers of one Taylor step: coefficients of the quaternion, then of the angular velocity, coordinate by coordinate. */
const COUNT = ORDER + 1;
const TERMS = 7 * COUNT;

/** Taylor steps of all pieces one after the other, over a parameter that runs from 0 to 1 in each; their values in rad/s. */
function storeSeries(
  { spans }: Problem,
  { flights, velocities }: Shot,
  times: Float64Array,
  quaternions: Float64Array,
): { moments: Float64Array; terms: Float64Array } {
  const count = flights.reduce((sum, { steps }) => sum + steps.length, 0);
  const moments = new Float64Array(count + 1);
  const terms = new Float64Array(count * TERMS);
  const whole = [0, 0, 0, 1];
  let n = 0;
  for (const [s, { steps }] of flights.entries()) {
    const key = quaternionAt(quaternions, s);
    for (const { series, from, length } of steps) {
      moments[n] = times[s] + from * spans[s];
      for (let k = 0, power = 1; k < COUNT; k++, power *= length) {
        quat.multiply(key, series.q.subarray(4 * k, 4 * k + 4), whole);
        for (let i = 0; i < 4; i++) terms[n * TERMS + i * COUNT + k] = power * whole[i];
        for (let i = 0; i < 3; i++) {
          terms[n * TERMS + (4 + i) * COUNT + k] = (power / spans[s]) * series.w[3 * k + i];
        }
      }
      // Velocities at keys are met to the last bit too.
      for (let i = 0; from === 0 && i < 3; i++) {
        terms[n * TERMS + (4 + i) * COUNT] = velocities[3 * s + i];
      }
      n++;
    }
  }
  moments[n] = times[times.length - 1];
  return { moments, terms };
}

/** @throws MotionError `wrong-size`, `not-finite` */
function checkedVelocities(
  velocities: MinimumAccelerationKeys['angularVelocities'],
  count: number,
): (Float64Array | undefined)[] {
  if (velocities === undefined) return new Array<undefined>(count).fill(undefined);
  if (velocities.length !== count) {
    throw new MotionError('wrong-size', `has ${velocities.length} entries for ${count} keys.`, {
      path: 'keys.angularVelocities',
      remedy: 'Give one angular velocity for every key, or null where it is free.',
    });
  }
  return velocities.map((v, i) =>
    v == null ? undefined : checkedNumbers(v, 3, `keys.angularVelocities[${i}]`),
  );
}
