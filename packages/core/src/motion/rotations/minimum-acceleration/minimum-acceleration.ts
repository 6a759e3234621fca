import { MotionError } from '../../../errors.js';
import * as quat from '../../../math/geometry/quat.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Numbers } from '../../../math/linear/types.js';
import { checkedNumbers, curveOptions, pieceAt } from '../../representation/curve.js';
import type { RotationCurve } from '../../representation/rotation-curve.js';
import {
  alignSigns,
  checkedRotationKeys,
  quaternionAt,
  type RotationKeys,
  relativeRotationVectors,
  type ShortestArcOptions,
  shortestArcOptions,
} from '../../representation/rotation-keys.js';
import { outsideRange } from '../../representation/time-range.js';
import { findMinimum } from './continuation.js';
import type { Problem, ShootingResult } from './newton.js';
import { ORDER } from './taylor-series.js';

export interface MinimumAccelerationKeys extends RotationKeys {
  /** Angular velocity at each keyframe, body axes, rad/s; null or undefined where it is free. Default: all free. */
  readonly angularVelocities?: readonly (Numbers | null | undefined)[];
}

/**
 * The interpolant that minimizes the integral of |w'|^2, w the angular velocity: four times that of the squared tangential
 * acceleration of the unit quaternion, which Barr, Currin, Gabriel and Hughes (1992) minimize. Velocities may be prescribed at
 * some keyframes; at the others the angular acceleration is continuous, and at free ends zero. Keyframes about one axis give the
 * cubic spline of their angles. Invariant under changes of the world and the body frame. Global: every keyframe affects the curve
 * up to the next prescribed velocity.
 *
 * Between keyframes w''' = w'' x w in body axes (a Riemannian cubic, Noakes, Heinzinger and Paden 1989). The curve is stored as
 * Taylor series of that equation, exact to rounding. It is a local minimum, the one near constant speed between keyframes,
 * confirmed by the second variation. Curves with extra revolutions between keyframes can cost less and are not searched.
 * @throws MotionError; `unsupported` where no minimum is found: large rotations in short times with opposing
 * velocities.
 */
export function minimumAccelerationCurve(
  keys: MinimumAccelerationKeys,
  options: ShortestArcOptions = {},
): RotationCurve {
  const { outside } = curveOptions(options, shortestArcOptions);
  const { count, times, quaternions } = checkedRotationKeys(keys);
  if (options.shortest ?? true) alignSigns(quaternions);
  const deltas = relativeRotationVectors(quaternions);
  const deltaRotations = new Float64Array(4 * (count - 1));
  for (let s = 0; s + 1 < count; s++) {
    const rotation = deltaRotations.subarray(4 * s, 4 * s + 4);
    quat.multiply(quat.conjugate(quaternionAt(quaternions, s)), quaternionAt(quaternions, s + 1), rotation);
  }
  const spans = Array.from(times.subarray(1), (t, s) => t - times[s]);
  const problem: Problem = {
    spans,
    deltas,
    deltaRotations,
    prescribed: checkedVelocities(keys.angularVelocities, count),
  };
  const result = findMinimum(problem);
  if (result === undefined) {
    throw new MotionError('unsupported', 'have no curve of minimum acceleration that could be found.', {
      path: 'keys',
      remedy:
        'Put keyframes closer together, or give angular velocities nearer to the rotation between the keyframes.',
    });
  }
  const { starts, coefficients } = storeSeries(problem, result, times, quaternions);
  const end = times[count - 1];
  return {
    kind: 'minimum acceleration',
    knots: times,
    outside: outsideRange(outside),
    evaluateInside(time, out) {
      const { quaternion, angularVelocity, angularAcceleration } = out;
      const s = pieceAt(starts, time);
      const span = starts[s + 1] - starts[s];
      const x = (time - starts[s]) / span;
      for (let i = 0, o = s * STEP_SIZE; i < 4; i++, o += TERMS) {
        let sum = 0;
        for (let k = ORDER; k >= 0; k--) sum = sum * x + coefficients[o + k];
        quaternion[i] = sum;
      }
      for (let i = 0, o = s * STEP_SIZE + 4 * TERMS; i < 3; i++, o += TERMS) {
        let sum = 0;
        let rate = 0;
        for (let k = ORDER; k >= 0; k--) {
          rate = rate * x + sum;
          sum = sum * x + coefficients[o + k];
        }
        angularVelocity[i] = sum;
        angularAcceleration[i] = rate / span;
      }
      // The end is met to the last bit.
      if (time === end) {
        quat.copy(quaternionAt(quaternions, count - 1), quaternion);
        vec3.copy(result.velocities.subarray(3 * count - 3), angularVelocity);
      }
      return out;
    },
  };
}

/** Coefficients of one Taylor step: those of the quaternion, then of the angular velocity, component by component. */
const TERMS = ORDER + 1;
const STEP_SIZE = 7 * TERMS;

/** Taylor steps of all pieces, each over a parameter from 0 to 1, with velocities in rad/s. */
function storeSeries(
  { spans }: Problem,
  { trajectories, velocities }: ShootingResult,
  times: Float64Array,
  quaternions: Float64Array,
): { starts: Float64Array; coefficients: Float64Array } {
  const count = trajectories.reduce((sum, { steps }) => sum + steps.length, 0);
  const starts = new Float64Array(count + 1);
  const coefficients = new Float64Array(count * STEP_SIZE);
  const rotated = [0, 0, 0, 1];
  let n = 0;
  for (const [s, { steps }] of trajectories.entries()) {
    const key = quaternionAt(quaternions, s);
    for (const { series, from, length } of steps) {
      starts[n] = times[s] + from * spans[s];
      for (let k = 0, power = 1; k < TERMS; k++, power *= length) {
        quat.multiply(key, series.q.subarray(4 * k, 4 * k + 4), rotated);
        for (let i = 0; i < 4; i++) coefficients[n * STEP_SIZE + i * TERMS + k] = power * rotated[i];
        for (let i = 0; i < 3; i++) {
          coefficients[n * STEP_SIZE + (4 + i) * TERMS + k] = (power / spans[s]) * series.w[3 * k + i];
        }
      }
      // Velocities at keyframes are met to the last bit too.
      for (let i = 0; from === 0 && i < 3; i++) {
        coefficients[n * STEP_SIZE + (4 + i) * TERMS] = velocities[3 * s + i];
      }
      n++;
    }
  }
  starts[n] = times[times.length - 1];
  return { starts, coefficients };
}

/** @throws MotionError `wrong-size`, `not-finite` */
function checkedVelocities(
  velocities: MinimumAccelerationKeys['angularVelocities'],
  count: number,
): (Float64Array | undefined)[] {
  if (velocities === undefined) return new Array<undefined>(count).fill(undefined);
  if (velocities.length !== count) {
    throw new MotionError('wrong-size', `has ${velocities.length} entries for ${count} keyframes.`, {
      path: 'keys.angularVelocities',
      remedy: 'Give one angular velocity for every keyframe, or null where it is free.',
    });
  }
  return velocities.map((v, i) =>
    v == null ? undefined : checkedNumbers(v, 3, `keys.angularVelocities[${i}]`),
  );
}
