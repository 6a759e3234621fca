/** Keys put in where two neighbours are too far apart for one chart of rotation vectors. */
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import { quatFromRotationVector } from '../../rotation/rotation-vector/exponential.js';
import { rotationVectorFromQuat } from '../../rotation/rotation-vector/log.js';
import { angularVelocityFromRate } from '../../rotation/rotation-vector/rates.js';
import { hermiteCurve } from '../curves/hermite.js';
import { createCurvePoint, evaluateCurve } from '../representation/curve.js';
import { type ChartKey, commonTurns, createChartKey, inChart, nearestTo, WELL_INSIDE } from './chart-key.js';

const TWO_PI = 2 * Math.PI;
/** Longest way between hidden keys. */
const STEP = TWO_PI / 3;
/** Most that J^-1 stretches a tangent by at the length {@link WELL_INSIDE}: x/sin x at half of it. */
const STRETCH = (0.5 * WELL_INSIDE) / Math.sin(0.5 * WELL_INSIDE);

/** Two neighbours, their turns counted so that what lies between them is what was asked for. */
export interface KeyPair {
  readonly from: ChartKey;
  readonly to: ChartKey;
}

/** A way from one orientation to another by a share in [0, 1]. */
interface Way {
  /** Length of the whole way, rad. */
  readonly length: number;
  readonly at: (share: number) => WayPoint;
}

interface WayPoint {
  /** Rotation vector, in any chart. */
  readonly vector: readonly number[];
  /** Turn per unit of share, body axes, rad. */
  readonly turn: readonly number[];
}

/**
 * Two keys by what their rotation vectors say, with hidden keys between them where they are more than a revolution apart, or where one would be
 * near the shell in their common chart: on the straight way between the two vectors.
 */
export function pairsAsWritten(a: ChartKey, b: ChartKey): KeyPair[] {
  const down = commonTurns([a, b]);
  const from = inChart(a, down);
  const to = inChart(b, down);
  const way = vec3.subtract(to, from);
  const length = vec3.norm(way);
  if (length <= TWO_PI && vec3.norm(from) <= WELL_INSIDE && vec3.norm(to) <= WELL_INSIDE) {
    return [{ from: a, to: b }];
  }
  return pairsAlong(a, b, {
    length,
    at(share) {
      const vector = vec3.addScaled(from, way, share);
      return { vector, turn: angularVelocityFromRate(vector, way, 'body') };
    },
  });
}

/**
 * Two keys by their orientations: the short way, and so many whole turns more about its axis. With turns there are hidden keys, on the
 * turn q_a exp(s d).
 */
export function pairsByTurns(a: ChartKey, b: ChartKey, turns: number): KeyPair[] {
  const from = { ...a, turns: 0 };
  if (turns === 0) {
    const to = nearestTo(b, inChart(from, 0));
    const down = commonTurns([from, to]);
    if (vec3.norm(inChart(from, down)) <= WELL_INSIDE && vec3.norm(inChart(to, down)) <= WELL_INSIDE) {
      return [{ from, to }];
    }
  }
  const start = quatFromRotationVector(inChart(from, 0));
  const end = quatFromRotationVector(inChart({ ...b, turns: 0 }, 0));
  const turn = rotationVectorFromQuat(quat.multiply(quat.conjugate(start), end));
  const short = vec3.norm(turn);
  const axis = short > 0 ? vec3.scale(turn, 1 / short) : meanAxis(a, b);
  const way = vec3.scale(axis, short + TWO_PI * turns);
  return pairsAlong(from, b, {
    length: vec3.norm(way),
    at: (share) => ({
      vector: rotationVectorFromQuat(quat.multiply(start, quatFromRotationVector(vec3.scale(way, share)))),
      turn: way,
    }),
  });
}

/** What a body turns about from an orientation to the same one: as it leaves or arrives, about x where it does neither. */
function meanAxis(a: ChartKey, b: ChartKey): number[] {
  const sum = vec3.add(a.leaving, b.arriving);
  return vec3.norm(sum) > 0 ? vec3.normalize(sum) : [1, 0, 0];
}

/**
 * Pairs with hidden keys at shares s of a way, s a cubic in time from 0 to 1 whose rates are the best that the way has for the angular
 * velocities at both ends: about one axis the curve is what it would be without them.
 */
function pairsAlong(a: ChartKey, b: ChartKey, way: Way): KeyPair[] {
  const share = hermiteCurve({
    times: [a.time, b.time],
    values: [0, 1],
    tangents: [shareRate(way, 0, a.leaving), shareRate(way, 1, b.arriving)],
  });
  // Shares change no faster than the steepest line between Bezier points.
  const { controls } = share;
  const steepest = 3 * Math.max(...[1, 2, 3].map((k) => Math.abs(controls[k] - controls[k - 1])));
  const pieces = Math.max(2, Math.ceil((steepest * way.length) / STEP));
  const point = createCurvePoint(1);
  const chain = [a];
  for (let n = 1; n < pieces; n++) {
    const time = a.time + (n / pieces) * (b.time - a.time);
    evaluateCurve(share, time, point);
    const { vector, turn } = way.at(point.value[0]);
    const velocity = vec3.scale(turn, point.first[0]);
    chain.push(createChartKey(time, vector, velocity, velocity));
  }
  chain.push(b);
  return chain.slice(1).map((key, n) => {
    const from = { ...chain[n], turns: 0 };
    return { from, to: nearestTo(key, inChart(from, 0)) };
  });
}

/**
 * The rate of the share that turns most nearly at the angular velocity w: least squares of turn s' = w. Near the shell, where a straight way
 * across turns next to nothing, it is held to what {@link WELL_INSIDE} allows.
 */
function shareRate({ length, at }: Way, share: number, w: readonly number[]): number {
  const { turn } = at(share);
  return vec3.dot(turn, w) / Math.max(vec3.normSquared(turn), (length / STRETCH) ** 2);
}
