/**
 * Deviation between rotation curves, their samples, and the dependence of an interpolant on the frame. For
 * benchmarks and examples.
 */
import { requireWhole } from '../../checks.js';
import { MotionError } from '../../errors.js';
import * as quat from '../../math/geometry/quat.js';
import type { Quat } from '../../math/linear/types.js';
import type { RotationFrame } from '../../rotation/rotation-vector/frame.js';
import { evaluateRotation, type RotationCurve } from '../representation/rotation-curve.js';
import { checkedQuaternions, type RotationKeys } from '../representation/rotation-keys.js';
import {
  composeRotationStates,
  createRotationState,
  stationaryState,
} from '../representation/rotation-state.js';

/** Samples of a rotation curve. */
export interface RotationSamples {
  /** s */
  readonly times: Float64Array;
  /** Four numbers for each time; signs as the curve has them. */
  readonly quaternions: Float64Array;
  /** Three numbers for each time, rad/s. */
  readonly angularVelocities: Float64Array;
  /** Three numbers for each time, rad/s^2. */
  readonly angularAccelerations: Float64Array;
}

/**
 * The curve at `count` times spaced evenly from its start to its end, both included.
 *
 * @param frame - Axes of velocity and acceleration; `body` by default.
 * @throws MotionError `out-of-range` for fewer than two samples.
 */
export function sampleRotation(
  curve: RotationCurve,
  count: number,
  frame: RotationFrame = 'body',
): RotationSamples {
  requireWhole(count, 'count', MotionError, 2);
  const start = curve.knots[0];
  const end = curve.knots[curve.knots.length - 1];
  const times = Float64Array.from({ length: count }, (_, n) =>
    n + 1 === count ? end : start + (n / (count - 1)) * (end - start),
  );
  const samples = {
    times,
    quaternions: new Float64Array(4 * count),
    angularVelocities: new Float64Array(3 * count),
    angularAccelerations: new Float64Array(3 * count),
  };
  const state = createRotationState();
  for (let n = 0; n < count; n++) {
    evaluateRotation(curve, times[n], state, frame);
    for (let k = 0; k < 4; k++) samples.quaternions[4 * n + k] = state.quaternion[k];
    for (let k = 0; k < 3; k++) {
      samples.angularVelocities[3 * n + k] = state.angularVelocity[k];
      samples.angularAccelerations[3 * n + k] = state.angularAcceleration[k];
    }
  }
  return samples;
}

/** Deviation of two rotation curves. */
export interface RotationDeviation {
  /** Largest geodesic angle, rad, and its time. */
  readonly largest: number;
  readonly at: number;
  /** Root mean square angle, rad. */
  readonly rms: number;
}

/**
 * The angle between two rotation curves over their common range, at `count` times spaced evenly.
 * @throws MotionError `out-of-range` where the ranges do not overlap.
 */
export function compareRotations(a: RotationCurve, b: RotationCurve, count = 1001): RotationDeviation {
  requireWhole(count, 'count', MotionError, 2);
  const start = Math.max(a.knots[0], b.knots[0]);
  const end = Math.min(a.knots[a.knots.length - 1], b.knots[b.knots.length - 1]);
  if (!(end > start)) {
    throw new MotionError('out-of-range', 'has no common range with the other curve.', {
      path: 'curves',
      remedy: 'Compare curves whose ranges overlap.',
    });
  }
  const [p, q] = [createRotationState(), createRotationState()];
  let largest = 0;
  let at = start;
  let sum = 0;
  for (let n = 0; n < count; n++) {
    const time = Math.min(end, start + (n / (count - 1)) * (end - start));
    const angle = quat.angleBetween(
      evaluateRotation(a, time, p).quaternion,
      evaluateRotation(b, time, q).quaternion,
    );
    sum += angle * angle;
    if (!(angle <= largest)) {
      largest = angle;
      at = time;
    }
  }
  return { largest, at, rms: Math.sqrt(sum / count) };
}

/** A change of frame: R becomes world R body. */
export interface FrameChange {
  /** Rotation of the world axes; unit quaternion, default identity. */
  readonly world?: Quat;
  /** Rotation of the body axes; unit quaternion, default identity. */
  readonly body?: Quat;
}

/** The same motion in other axes: world R(t) body. @throws MotionError */
export function changeFrame(curve: RotationCurve, change: FrameChange): RotationCurve {
  const [world, body] = axesOf(change).map((q) => stationaryState(q));
  return {
    kind: curve.kind,
    knots: curve.knots,
    outside: curve.outside,
    evaluateInside(time, out) {
      composeRotationStates(world, curve.evaluateInside(time, out), out);
      return composeRotationStates(out, body, out);
    },
  };
}

/** The same orientations in other axes: world q body. @throws MotionError */
export function changeKeyFrame({ times, quaternions }: RotationKeys, change: FrameChange): RotationKeys {
  const [world, body] = axesOf(change);
  const count = Math.floor(quaternions.length / 4);
  const rotated = checkedQuaternions(quaternions, count, 'keys.quaternions');
  for (let i = 0; i < count; i++) {
    const q = rotated.subarray(4 * i, 4 * i + 4);
    quat.multiply(world, quat.multiply(q, body), q);
  }
  return { times, quaternions: rotated };
}

/**
 * Frame dependence of an interpolation: the deviation between the interpolant of the keyframes in other axes and the interpolant
 * of the keyframes, changed to those axes. Zero for slerp, squad, spherical Bezier, B-splines and C2 splines; nonzero for
 * rotation vectors, Euler angles and normalized Hermite.
 */
export function frameDependence(
  interpolate: (keys: RotationKeys) => RotationCurve,
  keys: RotationKeys,
  change: FrameChange,
  count = 1001,
): RotationDeviation {
  const rotated = interpolate(changeKeyFrame(keys, change));
  return compareRotations(rotated, changeFrame(interpolate(keys), change), count);
}

function axesOf({ world = [0, 0, 0, 1], body = [0, 0, 0, 1] }: FrameChange): Float64Array[] {
  return [checkedQuaternions(world, 1, 'frame.world'), checkedQuaternions(body, 1, 'frame.body')];
}
