import * as quat from '../../math/geometry/quat.js';
import { quatFromRotationVector } from '../../rotation/rotation-vector/exponential.js';
import { type CurveOptions, createCurvePoint, evaluateCurve } from '../representation/curve.js';
import type { RotationCurve } from '../representation/rotation-curve.js';
import { checkedRotationKeys, quaternionAt, type RotationKeys } from '../representation/rotation-keys.js';
import { rotationVectorCurve } from '../rotations/rotation-vector-curve.js';
import { type OrientationKeys, orientationHermite } from '../rotations/rotation-vector-hermite.js';
import { checkedCorners, checkedTolerances } from './fit-curve.js';
import { findKeys } from './knot-search.js';
import { rotationProblem, type TurnState, turnsBetween } from './rotation-problem.js';

export interface FitRotationsOptions extends CurveOptions {
  /** The most that an orientation may be off, rad. */
  readonly tolerance: number;
  /** Samples, by their index, that are keys with a corner: met exactly, with an angular velocity of their own on each side. */
  readonly corners?: readonly number[];
}

/** Keys that fit orientations, and the curve that they make. */
export interface RotationFit {
  /** For {@link orientationHermite}: body axes, turns counted. */
  readonly keys: Required<OrientationKeys>;
  readonly curve: RotationCurve;
  /** The largest angle between the curve and a sample, rad. */
  readonly deviation: number;
}

/**
 * Few keys of a Hermite curve of rotation vectors ({@link orientationHermite}) that is within the tolerance of every sample, measured by the angle
 * between orientations; its angular velocity goes on at keys but at corners. Samples are less than half a turn apart; what they turn between two keys
 * is counted.
 * @throws MotionError `wrong-size`, `not-finite`, `not-increasing`, `not-unit`, `out-of-range`
 */
export function fitRotations(samples: RotationKeys, options: FitRotationsOptions): RotationFit {
  const { count, times, quaternions } = checkedRotationKeys(samples);
  const [tolerance] = checkedTolerances(options.tolerance, 1);
  const corners = checkedCorners(options.corners, count);
  const keys: { sample: number; arriving: TurnState; leaving: TurnState }[] = [];
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
    turns: Float64Array.from(keys.slice(1), (b, i) => {
      const a = keys[i];
      return turnsBetween(quaternions, a.sample, a.leaving.quaternion, b.sample, b.arriving.quaternion);
    }),
  };
  const vectors = orientationHermite(orientations, options);
  const point = createCurvePoint(3);
  let deviation = 0;
  for (let k = 0; k < count; k++) {
    const played = quatFromRotationVector(evaluateCurve(vectors, times[k], point).value);
    deviation = Math.max(deviation, quat.angleBetween(played, quaternionAt(quaternions, k)));
  }
  return { keys: orientations, curve: rotationVectorCurve(vectors, { anyChart: true }), deviation };
}
