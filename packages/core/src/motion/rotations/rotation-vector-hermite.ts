import { requireOneOf, requireWhole } from '../../checks.js';
import { MotionError } from '../../errors.js';
import * as quat from '../../math/geometry/quat.js';
import type { Numbers } from '../../math/linear/types.js';
import { quatFromRotationVector } from '../../rotation/rotation-vector/exponential.js';
import type { RotationFrame } from '../../rotation/rotation-vector/frame.js';
import { rotationVectorFromQuat } from '../../rotation/rotation-vector/log.js';
import { angularVelocityFromRate, rateFromAngularVelocity } from '../../rotation/rotation-vector/rates.js';
import { type Curve, type CurveOptions, checkedNumbers, createCurve } from '../representation/curve.js';
import { checkedKeys } from '../representation/keyframes.js';
import { checkedRotationKeys, quaternionAt, type RotationKeys } from '../representation/rotation-keys.js';
import { type ChartKey, commonChart, createChartKey, inChart } from './chart-key.js';
import { type KeyPair, pairsByOrientation, pairsByRotationVector } from './inserted-keys.js';

/** Rotation vector keyframes with tangents. */
export interface RotationVectorKeys {
  /** s, strictly increasing, two at least. */
  readonly times: Numbers;
  /**
   * Rotation vectors (rad), three numbers each, of any length: (4 pi + 0.3) n is two revolutions and 0.3 rad about n, and
   * revolutions between two keyframes are kept.
   */
  readonly values: Numbers;
  /** Leaving tangents, three numbers each; also the arriving ones unless `arriving` is given. */
  readonly tangents: Numbers;
  readonly arriving?: Numbers;
  /**
   * Unit of the tangents: rates v' of the rotation vectors (`rate`, the default), or angular velocities (rad/s) in `body` or
   * `world` axes, converted exactly.
   */
  readonly tangentsAs?: 'rate' | RotationFrame;
}

/**
 * A cubic Hermite curve of rotation vectors that changes chart at keyframes (Grassia 1997, sections 3.2.2 and 4.2): on each piece
 * keyframes and tangents are reparameterized together by the multiple of 2 pi in their mean length, v' = (1 - 2 pi k/theta) v,
 * tangents by its derivative. Orientation and angular velocity are continuous at keyframes. Two keyframes more than 2 pi apart,
 * or too far apart for one chart, get keyframes inserted on the path between them.
 *
 * @returns a curve whose pieces may be in different charts: `rotationVectorCurve` with `anyChart`, or a clip, plays it. Its
 * numbers may jump by multiples of 2 pi at keyframes; the orientation does not.
 * @throws MotionError
 */
export function rotationVectorHermite(keys: RotationVectorKeys, options: CurveOptions = {}): Curve {
  const list = chartKeys(keys);
  return curveThrough(
    list.slice(1).flatMap((to, i) => pairsByRotationVector(list[i], to)),
    options,
  );
}

/** Orientation keyframes with angular velocities. */
export interface OrientationKeys extends RotationKeys {
  /** Leaving angular velocity (rad/s), three numbers each; also the arriving one unless `arriving` is given. */
  readonly angularVelocities: Numbers;
  readonly arriving?: Numbers;
  /** Frame of the angular velocities. Default `body`. */
  readonly frame?: RotationFrame;
  /**
   * Revolutions to the next keyframe beyond the shortest rotation, about its axis; one integer for each but the
   * last. Default 0.
   */
  readonly revolutions?: Numbers;
}

/**
 * {@link rotationVectorHermite} through orientations: consecutive keyframes by the shortest rotation, whatever their signs, plus
 * the given revolutions (1 is one revolution more, -1 the longer arc).
 * @throws MotionError
 */
export function orientationHermite(keys: OrientationKeys, options: CurveOptions = {}): Curve {
  const { count, times, quaternions } = checkedRotationKeys(keys);
  const revolutions = checkedNumbers(
    keys.revolutions ?? new Float64Array(count - 1),
    count - 1,
    'keys.revolutions',
  );
  for (let i = 0; i + 1 < count; i++) {
    requireWhole(revolutions[i], `keys.revolutions[${i}]`, MotionError, Number.NEGATIVE_INFINITY);
  }
  const values = new Float64Array(3 * count);
  for (let i = 0; i < count; i++) {
    values.set(rotationVectorFromQuat(quaternionAt(quaternions, i)), 3 * i);
  }
  const { angularVelocities: tangents, arriving, frame: tangentsAs = 'body' } = keys;
  const list = chartKeys({
    times,
    values,
    tangents,
    tangentsAs,
    ...(arriving === undefined ? {} : { arriving }),
  });
  return curveThrough(
    list.slice(1).flatMap((to, i) => pairsByOrientation(list[i], to, revolutions[i])),
    options,
  );
}

/** Cubics of the pairs, each in its own chart. */
function curveThrough(pairs: readonly KeyPair[], options: CurveOptions): Curve {
  const controls = new Float64Array(12 * pairs.length);
  for (const [s, { from: a, to: b }] of pairs.entries()) {
    const chart = commonChart([a, b]);
    const third = (b.time - a.time) / 3;
    const from = inChart(a, chart);
    const to = inChart(b, chart);
    const leaving = rateFromAngularVelocity(from, a.leaving, 'body');
    const arriving = rateFromAngularVelocity(to, b.arriving, 'body');
    for (let k = 0; k < 3; k++) {
      controls[12 * s + k] = from[k];
      controls[12 * s + 3 + k] = from[k] + third * leaving[k];
      controls[12 * s + 6 + k] = to[k] - third * arriving[k];
      controls[12 * s + 9 + k] = to[k];
    }
  }
  const knots = [pairs[0].from.time, ...pairs.map(({ to }) => to.time)];
  return createCurve({ size: 3, degree: 3, knots, controls }, options);
}

/** Cubic Bezier pieces of rotation vectors. */
export interface RotationVectorBezierPoints {
  /** Times of the shared points, s. */
  readonly times: Numbers;
  /** K_0, two handles, K_1, two handles, ..., K_last: rotation vectors of any length. */
  readonly points: Numbers;
}

/**
 * A cubic Bezier curve of rotation vectors that changes chart at keyframes: {@link rotationVectorHermite} with the tangents 3
 * (handle - key) / h. In one chart it is the plain Bezier curve.
 * @throws MotionError
 */
export function rotationVectorBezier(
  { times, points }: RotationVectorBezierPoints,
  options: CurveOptions = {},
): Curve {
  const count = times.length;
  const all = checkedNumbers(points, 3 * Math.max(1, 3 * count - 2), 'points');
  const point = (i: number, k: number): number => all[3 * i + k];
  const values = new Float64Array(3 * count);
  const tangents = new Float64Array(3 * count);
  const arriving = new Float64Array(3 * count);
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 3; k++) {
      const key = point(3 * i, k);
      values[3 * i + k] = key;
      if (i + 1 < count) tangents[3 * i + k] = (3 * (point(3 * i + 1, k) - key)) / (times[i + 1] - times[i]);
      if (i > 0) arriving[3 * i + k] = (3 * (key - point(3 * i - 1, k))) / (times[i] - times[i - 1]);
    }
  }
  return rotationVectorHermite({ times, values, tangents, arriving }, options);
}

/** Keyframes with angular velocities in body axes. @throws MotionError */
function chartKeys({
  times,
  values,
  tangents,
  arriving,
  tangentsAs = 'rate',
}: RotationVectorKeys): ChartKey[] {
  const checked = checkedKeys({ times, values });
  const { count } = checked;
  if (checked.size !== 3) {
    throw new MotionError('wrong-size', `has ${checked.size} numbers for each keyframe.`, {
      path: 'keys.values',
      remedy: 'Give rotation vectors, three numbers for each keyframe.',
    });
  }
  requireOneOf(tangentsAs, ['rate', 'body', 'world'], 'keys.tangentsAs', MotionError);
  const leaving = checkedNumbers(tangents, 3 * count, 'keys.tangents');
  const before = arriving === undefined ? leaving : checkedNumbers(arriving, 3 * count, 'keys.arriving');
  const velocity = (v: Float64Array, tangent: Float64Array): Numbers => {
    if (tangentsAs === 'body') return tangent;
    if (tangentsAs === 'rate') return angularVelocityFromRate(v, tangent, 'body');
    return quat.rotate(quat.conjugate(quatFromRotationVector(v)), tangent);
  };
  return Array.from({ length: count }, (_, i) => {
    const v = checked.values.subarray(3 * i, 3 * i + 3);
    return createChartKey(
      checked.times[i],
      v,
      velocity(v, before.subarray(3 * i, 3 * i + 3)),
      velocity(v, leaving.subarray(3 * i, 3 * i + 3)),
    );
  });
}
