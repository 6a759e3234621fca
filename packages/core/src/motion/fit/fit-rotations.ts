import * as quat from '../../math/geometry/quat.js';
import { quatFromRotationVector } from '../../rotation/rotation-vector/exponential.js';
import { type CurveOptions, createCurvePoint, curveOptions, evaluateCurve } from '../representation/curve.js';
import type { RotationCurve } from '../representation/rotation-curve.js';
import { checkedRotationKeys, quaternionAt, type RotationKeys } from '../representation/rotation-keys.js';
import { rotationVectorCurve } from '../rotations/rotation-vector-curve.js';
import { type OrientationKeys, orientationHermite } from '../rotations/rotation-vector-hermite.js';
import { checkedCorners, checkedTolerances, FIT_OPTIONS } from './fit-curve.js';
import { findKeys } from './knot-search.js';
import { type RotationKeyState, revolutionsBetween, rotationProblem } from './rotation-problem.js';

export interface FitRotationsOptions extends CurveOptions {
  /** Largest error of an orientation, rad. */
  readonly tolerance: number;
  /** Indices of samples that are keyframes with a corner: interpolated exactly, with one-sided angular velocities. */
  readonly corners?: readonly number[];
}

/** Keyframes fitted to orientations, and their curve. */
export interface RotationFit {
  /** For {@link orientationHermite}: body axes, with revolutions counted. */
  readonly keys: Required<OrientationKeys>;
  readonly curve: RotationCurve;
  /** Largest angle between the curve and a sample, rad. */
  readonly deviation: number;
}

/**
 * Few keyframes of a Hermite curve of rotation vectors ({@link orientationHermite}) that is within the tolerance of every sample,
 * measured by the angle between orientations; its angular velocity is continuous except at corners. Consecutive samples must be
 * less than pi apart; revolutions between two keyframes are counted.
 * @throws MotionError `wrong-size`, `not-finite`, `not-increasing`, `not-unit`, `out-of-range`
 */
export function fitRotations(samples: RotationKeys, options: FitRotationsOptions): RotationFit {
  const ofCurve = curveOptions(options, FIT_OPTIONS);
  const { count, times, quaternions } = checkedRotationKeys(samples);
  const [tolerance] = checkedTolerances(options.tolerance, 1);
  const corners = checkedCorners(options.corners, count);
  const keys: { sample: number; arriving: RotationKeyState; leaving: RotationKeyState }[] = [];
  for (const [i, to] of corners.slice(1).entries()) {
    const from = corners[i];
    const problem = rotationProblem(
      times.subarray(from, to + 1),
      quaternions.subarray(4 * from, 4 * to + 4),
      tolerance,
      i > 0,
      to < count - 1,
    );
    const found = findKeys(problem);
    for (const [n, key] of found.keys.entries()) {
      const state = found.states[n];
      if (n === 0 && i > 0) keys[keys.length - 1] = { ...keys[keys.length - 1], leaving: state };
      else keys.push({ sample: from + key, arriving: state, leaving: state });
    }
  }
  const orientations = {
    times: Float64Array.from(keys, ({ sample }) => times[sample]),
    quaternions: Float64Array.from(keys.flatMap(({ leaving }) => leaving.quaternion)),
    angularVelocities: Float64Array.from(keys.flatMap(({ leaving }) => leaving.velocity)),
    arriving: Float64Array.from(keys.flatMap(({ arriving }) => arriving.velocity)),
    frame: 'body' as const,
    revolutions: Float64Array.from(keys.slice(1), (b, i) => {
      const a = keys[i];
      return revolutionsBetween(quaternions, a.sample, a.leaving.quaternion, b.sample, b.arriving.quaternion);
    }),
  };
  const vectors = orientationHermite(orientations, ofCurve);
  const point = createCurvePoint(3);
  let deviation = 0;
  for (let k = 0; k < count; k++) {
    const played = quatFromRotationVector(evaluateCurve(vectors, times[k], point).value);
    deviation = Math.max(deviation, quat.angleBetween(played, quaternionAt(quaternions, k)));
  }
  return { keys: orientations, curve: rotationVectorCurve(vectors, { anyChart: true }), deviation };
}
