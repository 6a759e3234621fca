import { jointTypes } from '../../figure/joints/joint-types.js';
import { diskShape } from '../../figure/limits/disk.js';
import type { LimitComponent } from '../../figure/limits/limit.js';
import type { Figure } from '../../figure/model/figure.js';
import type { LimitShape } from '../../math/optimization/active-limits.js';
import { writeRightJacobianInverse } from '../../rotation/rotation-vector/kernels.js';
import type { Problem } from '../problem/problem.js';
import type { Unknowns } from './rotation-parameterization.js';

/** Largest change of an angle in one step, rad: the linearization is not valid beyond it. */
const MAX_ANGLE_STEP = 0.5;
/** Largest translation in one step, length scales. */
const MAX_TRANSLATION_STEP = 2;

/** Rate limit of the joints of one bone. */
export interface RateLimit {
  /** rad/s */
  readonly angular: number;
  /** m/s */
  readonly linear: number;
}

/**
 * A nonlinear convex constraint g(p) <= 0 on the velocity of one joint: p = base + `horizon` M x, x the `width` unknowns at `column`.
 * For a limit, p is the joint's coordinates extrapolated over the time `horizon`; for a rate, it is the velocity.
 */
export interface NonlinearConstraint {
  readonly kind: 'limit' | 'rate';
  /** Index of the limit or rate in the result. */
  readonly index: number;
  readonly column: number;
  readonly width: number;
  /** Dimension of p. */
  readonly size: number;
  readonly shape: LimitShape;
  readonly parameters: number[];
  readonly base: Float64Array;
  /** M: coordinate rates by scaled joint velocities, or v by the rates of a parameterization; size x width, row by row. */
  readonly map: Float64Array;
  /** First coordinate in the pose. */
  readonly coordinate: number;
  /** Whether M is N(q) of a rotation vector. */
  readonly isRotationVector: boolean;
  horizon: number;
  /** Whether it is disabled in this step: an infinite rate, or a zero rate, enforced by the column bounds. */
  disabled: boolean;
  /** Boundary point of the linearization. */
  readonly boundary: Float64Array;
  linearized: boolean;
  multiplier: number;
}

/** No limit behind a bound. */
export const NO_LIMIT = -1;

/** Velocity constraints of a step, over the unknowns of the control. */
export interface Bounds {
  /** Lower and upper bound of each column's scaled velocity. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** Index of the limit behind each bound; NO_LIMIT where it is the rate. */
  readonly lowerLimit: Int32Array;
  readonly upperLimit: Int32Array;
  /** Index of each column's rate in the result. */
  readonly rateOf: Int32Array;
  readonly nonlinear: readonly NonlinearConstraint[];
  readonly rates: readonly RateBound[];
  readonly limits: readonly LimitComponent[];
  /** First column of each limit. */
  readonly limitColumns: Int32Array;
  /** Fraction of the allowed velocities available to the present level; see {@link RESERVED_FRACTION}. */
  fraction: number;
}

/**
 * Fraction of the allowed velocities that a level reserves for each later level. Without it, a level that ends on the boundary of a
 * nonlinear constraint leaves the next one a feasible set without interior, where multipliers are unbounded.
 */
export const RESERVED_FRACTION = 0.002;

/** Rate limit of one column, or of the norm of three. */
export interface RateBound {
  readonly bone: number;
  readonly column: number;
  readonly size: number;
  readonly coordinate: number;
  readonly kind: 'angular' | 'linear';
  readonly limit: number;
  /** Metres per unit of the scaled velocity; 1 for an angle. */
  readonly scale: number;
}

export function createBounds(
  problem: Problem,
  rateLimits: readonly RateLimit[],
  { columns, columnOf, parameterized }: Unknowns,
): Bounds {
  const { figure, coordinates, limits, jacobian } = problem;
  const nonlinear: NonlinearConstraint[] = [];
  const rates: RateBound[] = [];
  const rateOf = new Int32Array(columns).fill(NO_LIMIT);
  for (let k = 0; k < coordinates.length; ) {
    const coordinate = coordinates[k];
    const column = columnOf[k];
    const bone = figure.boneOfCoordinate[coordinate];
    const kind = problem.translates[k] === 1 ? 'linear' : 'angular';
    const scale = jacobian.columnScale[k];
    const size = isVector(figure, bone, coordinate) && coordinates[k + 2] === coordinate + 2 ? 3 : 1;
    const limit = rateLimits[bone][kind];
    rateOf[column] = rates.length;
    if (size === 3) {
      // With a parameterization v = B x, and B is rewritten in each step.
      const map = parameterized?.joints.find(({ from }) => from === k)?.map ?? diagonal(3, scale);
      const width = map.length / 3;
      rateOf.fill(rates.length, column, column + width);
      const set = createNonlinearConstraint(
        'rate',
        rates.length,
        column,
        map,
        diskShape,
        [limit],
        coordinate,
        false,
      );
      set.horizon = 1;
      nonlinear.push(set);
    }
    rates.push({ bone, column, size, coordinate, kind, limit, scale });
    k += size;
  }
  const limitColumns = Int32Array.from(limits, ({ column }) => columnOf[column]);
  limits.forEach(({ limit, shape, column }, index) => {
    if (limit.kind === 'interval') return;
    const isRotationVector = isVector(figure, limit.bone, limit.coordinate) && limit.size === 3;
    const parameters = Array.from(limit.parameters);
    const map = diagonal(limit.size, jacobian.columnScale[column]);
    nonlinear.push(
      createNonlinearConstraint(
        'limit',
        index,
        limitColumns[index],
        map,
        shape,
        parameters,
        limit.coordinate,
        isRotationVector,
      ),
    );
  });
  return {
    lower: new Float64Array(columns),
    upper: new Float64Array(columns),
    lowerLimit: new Int32Array(columns),
    upperLimit: new Int32Array(columns),
    rateOf,
    nonlinear,
    rates,
    limits: limits.map(({ limit }) => limit),
    limitColumns,
    fraction: 1,
  };
}

function diagonal(size: number, scale: number): Float64Array {
  return Float64Array.from({ length: size * size }, (_, k) => (k % (size + 1) === 0 ? scale : 0));
}

/**
 * Whether three coordinates from here are one vector: a rotation vector, or the position of a free joint. Their rate limit is on the
 * norm |v|, which is independent of the axes.
 */
function isVector(figure: Figure, bone: number, coordinate: number): boolean {
  const { joint, coordinate: first } = figure.bones[bone];
  const type = jointTypes[joint.type];
  return type.rotationVector >= 0 && (coordinate - first) % 3 === 0;
}

function createNonlinearConstraint(
  kind: NonlinearConstraint['kind'],
  index: number,
  column: number,
  map: Float64Array,
  shape: LimitShape,
  parameters: number[],
  coordinate: number,
  isRotationVector: boolean,
): NonlinearConstraint {
  const size = kind === 'rate' ? 3 : Math.sqrt(map.length);
  return {
    kind,
    index,
    column,
    width: map.length / size,
    size,
    shape,
    parameters,
    base: new Float64Array(3),
    map,
    coordinate,
    isRotationVector,
    horizon: 0,
    disabled: false,
    boundary: new Float64Array(3),
    linearized: false,
    multiplier: 0,
  };
}

/**
 * Updates the velocity constraints at a feasible pose for a step of `dt`: a convex set that contains zero.
 *
 * - A limit S: q + horizon q' must lie in S, horizon = dt / (1 - exp(-k dt)), 1/k for dt = 0. One step then covers at most the fraction
 *   1 - exp(-k dt) of the distance to any point of S: the joint slows down towards the limit as exp(-k t). q + dt q' lies between q and
 *   a point of the convex set S, so it is in S for any shape of S and any step. (The velocity damper of Faverjon and Tournassoud, 1987,
 *   made exact for nonlinear constraints and for steps of any length.)
 * - A rate: |v| at most its limit, and at most MAX_ANGLE_STEP or MAX_TRANSLATION_STEP in one step.
 *
 * @param unit - Unit of time of the velocities, s; it keeps the precision of long steps.
 * @returns the horizon.
 */
export function updateBounds(
  problem: Problem,
  bounds: Bounds,
  pose: Float64Array,
  dt: number,
  gain: number,
  unit: number,
): number {
  const { limits, jacobian, lengthScale } = problem;
  const { lower, upper, lowerLimit, upperLimit, limitColumns, rates, nonlinear } = bounds;
  const horizon = (dt > 0 ? dt / -Math.expm1(-gain * dt) : 1 / gain) / unit;
  lower.fill(Number.NEGATIVE_INFINITY);
  upper.fill(Number.POSITIVE_INFINITY);
  lowerLimit.fill(NO_LIMIT);
  upperLimit.fill(NO_LIMIT);
  for (let n = 0; n < rates.length; n++) {
    const { column, size, kind, limit, scale } = rates[n];
    if (size !== 1) continue;
    const step = (kind === 'linear' ? MAX_TRANSLATION_STEP * lengthScale : MAX_ANGLE_STEP) / dt;
    upper[column] = (unit * Math.min(limit, step)) / scale;
    lower[column] = -upper[column];
  }
  for (let n = 0; n < limits.length; n++) {
    const { limit, column: from } = limits[n];
    if (limit.kind !== 'interval') continue;
    const column = limitColumns[n];
    const x = pose[limit.coordinate];
    const scale = horizon * jacobian.columnScale[from];
    const above = Math.max(0, limit.parameters[1] - x) / scale;
    const below = Math.min(0, limit.parameters[0] - x) / scale;
    if (above < upper[column]) {
      upper[column] = above;
      upperLimit[column] = n;
    }
    if (below > lower[column]) {
      lower[column] = below;
      lowerLimit[column] = n;
    }
  }
  for (let n = 0; n < nonlinear.length; n++) {
    const set = nonlinear[n];
    set.linearized = false;
    set.multiplier = 0;
    if (set.kind === 'rate') {
      const { kind, limit } = rates[set.index];
      const step = (kind === 'linear' ? MAX_TRANSLATION_STEP * lengthScale : MAX_ANGLE_STEP) / dt;
      set.parameters[0] = unit * Math.min(limit, step);
      // A disk needs a positive radius.
      const fixed = set.parameters[0] === 0;
      set.disabled = fixed || !(set.parameters[0] < Number.POSITIVE_INFINITY);
      for (let k = set.column; fixed && k < set.column + set.width; k++) {
        lower[k] = 0;
        upper[k] = 0;
      }
      continue;
    }
    set.horizon = horizon;
    const i = set.coordinate;
    for (let k = 0; k < set.size; k++) set.base[k] = pose[i + k];
    if (set.isRotationVector) writeRightJacobianInverse(pose[i], pose[i + 1], pose[i + 2], set.map, 0);
  }
  return horizon;
}

/** p = base + horizon/fraction M x, x from `velocity`: feasible where x is in that fraction of the allowed velocities. */
export function writePoint(
  set: NonlinearConstraint,
  fraction: number,
  velocity: Float64Array,
  out: Float64Array,
): void {
  const { base, map, column, width, size } = set;
  const horizon = set.horizon / fraction;
  for (let r = 0; r < size; r++) {
    let sum = 0;
    for (let k = 0; k < width; k++) sum += map[width * r + k] * velocity[column + k];
    out[r] = base[r] + horizon * sum;
  }
}
