/** Keyframes inserted where two neighbours are too far apart for one chart of rotation vectors. */
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import { quatFromRotationVector } from '../../rotation/rotation-vector/exponential.js';
import { rotationVectorFromQuat } from '../../rotation/rotation-vector/log.js';
import { angularVelocityFromRate } from '../../rotation/rotation-vector/rates.js';
import { hermiteCurve } from '../curves/hermite.js';
import { createCurvePoint, evaluateCurve } from '../representation/curve.js';
import {
  type ChartKey,
  commonChart,
  createChartKey,
  inChart,
  nearestKey,
  WELL_CONDITIONED_LENGTH,
} from './chart-key.js';

const TWO_PI = 2 * Math.PI;
/** Largest rotation between inserted keyframes, rad. */
const MAX_ANGLE = TWO_PI / 3;
/** Largest factor by which J^-1 scales a tangent at {@link WELL_CONDITIONED_LENGTH}: x/sin x at half of it. */
const MAX_INVERSE_JACOBIAN = (0.5 * WELL_CONDITIONED_LENGTH) / Math.sin(0.5 * WELL_CONDITIONED_LENGTH);

/** Two neighbours, with the revolutions of the path between them. */
export interface KeyPair {
  readonly from: ChartKey;
  readonly to: ChartKey;
}

/** A path from one orientation to another over a parameter in [0, 1]. */
interface RotationPath {
  /** Length of the path, rad. */
  readonly length: number;
  readonly at: (parameter: number) => PathPoint;
}

interface PathPoint {
  /** Rotation vector, in any chart. */
  readonly vector: readonly number[];
  /** Angular velocity with respect to the parameter, body axes, rad. */
  readonly angularVelocity: readonly number[];
}

/**
 * Two keyframes connected by the straight line of their rotation vectors, with inserted keyframes where they are more than 2 pi
 * apart or ill conditioned in their common chart.
 */
export function pairsByRotationVector(a: ChartKey, b: ChartKey): KeyPair[] {
  const chart = commonChart([a, b]);
  const from = inChart(a, chart);
  const to = inChart(b, chart);
  const path = vec3.subtract(to, from);
  const length = vec3.norm(path);
  if (
    length <= TWO_PI &&
    vec3.norm(from) <= WELL_CONDITIONED_LENGTH &&
    vec3.norm(to) <= WELL_CONDITIONED_LENGTH
  ) {
    return [{ from: a, to: b }];
  }
  return insertKeys(a, b, {
    length,
    at(parameter) {
      const vector = vec3.addScaled(from, path, parameter);
      return { vector, angularVelocity: angularVelocityFromRate(vector, path, 'body') };
    },
  });
}

/**
 * Two keyframes connected by the shortest rotation plus `revolutions` about its axis. With revolutions, keyframes are inserted on
 * q_a exp(s d).
 */
export function pairsByOrientation(a: ChartKey, b: ChartKey, revolutions: number): KeyPair[] {
  const from = { ...a, revolutions: 0 };
  if (revolutions === 0) {
    const to = nearestKey(b, inChart(from, 0));
    const chart = commonChart([from, to]);
    if (
      vec3.norm(inChart(from, chart)) <= WELL_CONDITIONED_LENGTH &&
      vec3.norm(inChart(to, chart)) <= WELL_CONDITIONED_LENGTH
    ) {
      return [{ from, to }];
    }
  }
  const start = quatFromRotationVector(inChart(from, 0));
  const end = quatFromRotationVector(inChart({ ...b, revolutions: 0 }, 0));
  const rotation = rotationVectorFromQuat(quat.multiply(quat.conjugate(start), end));
  const short = vec3.norm(rotation);
  const axis = short > 0 ? vec3.scale(rotation, 1 / short) : meanAxis(a, b);
  const path = vec3.scale(axis, short + TWO_PI * revolutions);
  return insertKeys(from, b, {
    length: vec3.norm(path),
    at: (parameter) => ({
      vector: rotationVectorFromQuat(
        quat.multiply(start, quatFromRotationVector(vec3.scale(path, parameter))),
      ),
      angularVelocity: path,
    }),
  });
}

/** Axis of a rotation by a multiple of 2 pi: that of the given velocities, x where both are zero. */
function meanAxis(a: ChartKey, b: ChartKey): number[] {
  const sum = vec3.add(a.leaving, b.arriving);
  return vec3.norm(sum) > 0 ? vec3.normalize(sum) : [1, 0, 0];
}

/**
 * Pairs with keyframes inserted at parameters s of a path, s a cubic in time from 0 to 1 whose end rates fit the angular
 * velocities at both ends: about one axis the curve is the same as without inserted keyframes.
 */
function insertKeys(a: ChartKey, b: ChartKey, path: RotationPath): KeyPair[] {
  const parameter = hermiteCurve({
    times: [a.time, b.time],
    values: [0, 1],
    tangents: [parameterRate(path, 0, a.leaving), parameterRate(path, 1, b.arriving)],
  });
  // The rate is bounded by the steepest leg of the Bezier polygon.
  const { controls } = parameter;
  const maxRate = 3 * Math.max(...[1, 2, 3].map((k) => Math.abs(controls[k] - controls[k - 1])));
  const pieces = Math.max(2, Math.ceil((maxRate * path.length) / MAX_ANGLE));
  const point = createCurvePoint(1);
  const chain = [a];
  for (let n = 1; n < pieces; n++) {
    const time = a.time + (n / pieces) * (b.time - a.time);
    evaluateCurve(parameter, time, point);
    const { vector, angularVelocity } = path.at(point.value[0]);
    const velocity = vec3.scale(angularVelocity, point.first[0]);
    chain.push(createChartKey(time, vector, velocity, velocity));
  }
  chain.push(b);
  return chain.slice(1).map((key, n) => {
    const from = { ...chain[n], revolutions: 0 };
    return { from, to: nearestKey(key, inChart(from, 0)) };
  });
}

/**
 * The parameter rate s' that fits the angular velocity w: least squares of angularVelocity s' = w. Near the shell, where a radial path
 * hardly rotates, it is limited to the conditioning of {@link WELL_CONDITIONED_LENGTH}.
 */
function parameterRate({ length, at }: RotationPath, parameter: number, w: readonly number[]): number {
  const { angularVelocity } = at(parameter);
  const rateSquared = vec3.normSquared(angularVelocity);
  return vec3.dot(angularVelocity, w) / Math.max(rateSquared, (length / MAX_INVERSE_JACOBIAN) ** 2);
}
