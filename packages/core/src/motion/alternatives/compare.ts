/** Looking at rotation curves side by side: how far apart they run, how they turn, and whether they care for the frame. */
import { MotionError } from '../../errors.js';
import * as quat from '../../math/geometry/quat.js';
import type { Quat } from '../../math/linear/types.js';
import type { RotationFrame } from '../../rotation/rotation-vector/frame.js';
import { checkWhole } from '../representation/curve.js';
import { evaluateRotation, type RotationCurve } from '../representation/rotation-curve.js';
import { checkedQuaternions, type RotationKeys } from '../representation/rotation-keys.js';
import {
  composeRotationStates,
  createRotationState,
  stationaryState,
} from '../representation/rotation-state.js';

/** How a curve turns, moment by moment. */
export interface RotationSamples {
  /** s */
  readonly times: Float64Array;
  /** Four numbers a moment; signs as the curve has them. */
  readonly quaternions: Float64Array;
  /** Three numbers a moment, rad/s. */
  readonly angularVelocities: Float64Array;
  /** Three numbers a moment, rad/s^2. */
  readonly angularAccelerations: Float64Array;
}

/**
 * The curve at `count` moments spread evenly from its start to its end, both among them.
 *
 * @param frame - Axes of velocity and acceleration; `body` by default.
 * @throws MotionError `out-of-range` for fewer than two moments.
 */
export function sampleRotation(
  curve: RotationCurve,
  count: number,
  frame: RotationFrame = 'body',
): RotationSamples {
  checkWhole(count, 2, Number.POSITIVE_INFINITY, 'count');
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

/** How far two rotation curves are apart. */
export interface RotationDeviation {
  /** Largest geodesic angle, rad, and when. */
  readonly largest: number;
  readonly at: number;
  /** Root of the mean square angle, rad. */
  readonly rms: number;
}

/**
 * The angle between two rotation curves over the time that both have, at `count` moments spread evenly.
 * @throws MotionError `out-of-range` where they have no time in common.
 */
export function compareRotations(a: RotationCurve, b: RotationCurve, count = 1001): RotationDeviation {
  checkWhole(count, 2, Number.POSITIVE_INFINITY, 'count');
  const start = Math.max(a.knots[0], b.knots[0]);
  const end = Math.min(a.knots[a.knots.length - 1], b.knots[b.knots.length - 1]);
  if (!(end > start)) {
    throw new MotionError('out-of-range', 'has no time in common with the other curve.', {
      path: 'curves',
      remedy: 'Compare curves whose times overlap.',
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

/** Another choice of axes: R becomes world R body. */
export interface FrameChange {
  /** Turns the world axes; unit quaternion, default none. */
  readonly world?: Quat;
  /** Turns the body axes; unit quaternion, default none. */
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
  const turned = checkedQuaternions(quaternions, count, 'keys.quaternions');
  for (let i = 0; i < count; i++) {
    const q = turned.subarray(4 * i, 4 * i + 4);
    quat.multiply(world, quat.multiply(q, body), q);
  }
  return { times, quaternions: turned };
}

/**
 * How much a way to interpolate cares for the frame: between the curve of keys in other axes and the curve of the keys, then seen in those axes.
 * Zero for slerp, squad, spherical Bezier, B-splines and C2 splines; not for rotation vectors, Euler angles and four numbers normalized.
 */
export function frameDependence(
  interpolate: (keys: RotationKeys) => RotationCurve,
  keys: RotationKeys,
  change: FrameChange,
  count = 1001,
): RotationDeviation {
  const turned = interpolate(changeKeyFrame(keys, change));
  return compareRotations(turned, changeFrame(interpolate(keys), change), count);
}

function axesOf({ world = [0, 0, 0, 1], body = [0, 0, 0, 1] }: FrameChange): Float64Array[] {
  return [checkedQuaternions(world, 1, 'frame.world'), checkedQuaternions(body, 1, 'frame.body')];
}
