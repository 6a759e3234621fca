import { jointTypes } from '../../figure/joints/joint-types.js';
import { diskShape } from '../../figure/limits/disk.js';
import type { LimitPart, LimitShape } from '../../figure/limits/limit.js';
import type { Figure } from '../../figure/model/figure.js';
import { writeRightJacobianInverse } from '../../rotation/rotation-vector/kernels.js';
import type { Problem } from '../problem/problem.js';
import type { Unknowns } from './rotation-parameterization.js';

/** Largest change of an angle in one step, rad: beyond it the Jacobian says nothing. */
const LARGEST_STEP = 0.5;
/** The same of a translation, length scales. */
const LARGEST_SLIDE = 2;

/** Speed limit of the joints of one bone. */
export interface RateLimit {
  /** rad/s */
  readonly angular: number;
  /** m/s */
  readonly linear: number;
}

/**
 * A convex set that the velocity of one joint must stay in: p = base + `reach` M x in g(p) <= 0, x the `width` unknowns at
 * `column`. For a limit p is where the joint would come if it moved on for the time `reach`; for a rate it is the velocity.
 */
export interface CurvedSet {
  readonly kind: 'limit' | 'rate';
  /** Which limit or rate of the result. */
  readonly index: number;
  readonly column: number;
  readonly width: number;
  /** Numbers of p. */
  readonly size: number;
  readonly shape: LimitShape;
  readonly parameters: number[];
  readonly base: Float64Array;
  /** M: coordinate rates by scaled joint velocities, or nu by the rates of a form; size x width row by row. */
  readonly map: Float64Array;
  /** First coordinate of the set in the pose. */
  readonly coordinate: number;
  /** Whether M is N(q) of a rotation vector. */
  readonly turned: boolean;
  reach: number;
  /** Whether it is off in this step: a rate that is infinite, or zero, which the columns hold. */
  off: boolean;
  /** Point of the boundary that the set is linearized at, once it has been left. */
  readonly boundary: Float64Array;
  met: boolean;
  multiplier: number;
}

/** Behind a bound: no limit. */
export const NOTHING = -1;

/** The velocities that a step allows, over the unknowns of the control. */
export interface Bounds {
  /** Least and greatest scaled velocity of each column. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** Which limit stands behind each bound, NOTHING where it is the rate. */
  readonly lowerLimit: Int32Array;
  readonly upperLimit: Int32Array;
  /** The rate of the result that a column has. */
  readonly rateOf: Int32Array;
  readonly curved: readonly CurvedSet[];
  readonly rates: readonly RateBound[];
  readonly limits: readonly LimitPart[];
  /** The column of each limit, the first of several. */
  readonly limitColumns: Int32Array;
  /** Part of the allowed velocities that the present level may use; see {@link SPARED}. */
  part: number;
}

/**
 * Part of the allowed velocities that a level leaves to each level after it. Without it a level that ends on the boundary of a
 * curved set would leave the next one a set without an inside, where multipliers grow without bound.
 */
export const SPARED = 0.002;

/** One rate limit: of a column, or of the length of three. */
export interface RateBound {
  readonly bone: number;
  readonly column: number;
  readonly size: number;
  readonly coordinate: number;
  readonly kind: 'angular' | 'linear';
  readonly limit: number;
  /** Metres for a unit of the scaled velocity, 1 for an angle. */
  readonly scale: number;
}

export function createBounds(
  problem: Problem,
  rateLimits: readonly RateLimit[],
  { columns, columnOf, inForm }: Unknowns,
): Bounds {
  const { figure, coordinates, parts, jacobian } = problem;
  const curved: CurvedSet[] = [];
  const rates: RateBound[] = [];
  const rateOf = new Int32Array(columns).fill(NOTHING);
  for (let k = 0; k < coordinates.length; ) {
    const coordinate = coordinates[k];
    const column = columnOf[k];
    const bone = figure.boneOfCoordinate[coordinate];
    const kind = problem.translates[k] === 1 ? 'linear' : 'angular';
    const scale = jacobian.columnScale[k];
    const size = isTriple(figure, bone, coordinate) && coordinates[k + 2] === coordinate + 2 ? 3 : 1;
    const limit = rateLimits[bone][kind];
    rateOf[column] = rates.length;
    if (size === 3) {
      // In a form nu = B x, and B is written anew in each step.
      const map = inForm?.joints.find(({ from }) => from === k)?.map ?? diagonal(3, scale);
      const width = map.length / 3;
      rateOf.fill(rates.length, column, column + width);
      const set = curvedSet('rate', rates.length, column, map, diskShape, [limit], coordinate, false);
      set.reach = 1;
      curved.push(set);
    }
    rates.push({ bone, column, size, coordinate, kind, limit, scale });
    k += size;
  }
  const limitColumns = Int32Array.from(parts, ({ column }) => columnOf[column]);
  parts.forEach(({ part, shape, column }, index) => {
    if (part.kind === 'interval') return;
    const turned = isTriple(figure, part.bone, part.coordinate) && part.size === 3;
    const parameters = Array.from(part.parameters);
    const map = diagonal(part.size, jacobian.columnScale[column]);
    curved.push(
      curvedSet('limit', index, limitColumns[index], map, shape, parameters, part.coordinate, turned),
    );
  });
  return {
    lower: new Float64Array(columns),
    upper: new Float64Array(columns),
    lowerLimit: new Int32Array(columns),
    upperLimit: new Int32Array(columns),
    rateOf,
    curved,
    rates,
    limits: parts.map(({ part }) => part),
    limitColumns,
    part: 1,
  };
}

function diagonal(size: number, scale: number): Float64Array {
  return Float64Array.from({ length: size * size }, (_, k) => (k % (size + 1) === 0 ? scale : 0));
}

/**
 * Whether three coordinates from here on turn or move together: a rotation vector, or the position of a free joint. Their
 * rate is limited by its length, |nu|, which no choice of axes changes.
 */
function isTriple(figure: Figure, bone: number, coordinate: number): boolean {
  const { joint, coordinate: first } = figure.bones[bone];
  const type = jointTypes[joint.type];
  return type.rotationVector >= 0 && (coordinate - first) % 3 === 0;
}

function curvedSet(
  kind: CurvedSet['kind'],
  index: number,
  column: number,
  map: Float64Array,
  shape: LimitShape,
  parameters: number[],
  coordinate: number,
  turned: boolean,
): CurvedSet {
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
    turned,
    reach: 0,
    off: false,
    boundary: new Float64Array(3),
    met: false,
    multiplier: 0,
  };
}

/**
 * The velocities allowed at an allowed pose, for a step of `dt`: a convex set that holds zero.
 *
 * - A limit S: q + reach q' must lie in S, reach = dt / (1 - exp(-k dt)), 1/k for dt = 0. So one step takes a joint at most the
 *   part 1 - exp(-k dt) of the way to any point of S: it slows down towards the limit as exp(-k t), and q + dt q', between q
 *   and a point of the convex set S, is in S, curved or not, however long the step. (The velocity damper of Faverjon
 *   and Tournassoud, 1987, made exact for curved sets and for steps of any length.)
 * - A rate: |nu| at most its limit, and at most LARGEST_STEP or LARGEST_SLIDE in one step.
 *
 * @param unit - Velocities are counted per `unit` seconds, so that long steps keep their digits.
 * @returns the reach.
 */
export function updateBounds(
  problem: Problem,
  bounds: Bounds,
  pose: Float64Array,
  dt: number,
  gain: number,
  unit: number,
): number {
  const { parts, jacobian, lengthScale } = problem;
  const { lower, upper, lowerLimit, upperLimit, limitColumns, rates, curved } = bounds;
  const reach = (dt > 0 ? dt / -Math.expm1(-gain * dt) : 1 / gain) / unit;
  lower.fill(Number.NEGATIVE_INFINITY);
  upper.fill(Number.POSITIVE_INFINITY);
  lowerLimit.fill(NOTHING);
  upperLimit.fill(NOTHING);
  for (let n = 0; n < rates.length; n++) {
    const { column, size, kind, limit, scale } = rates[n];
    if (size !== 1) continue;
    const step = (kind === 'linear' ? LARGEST_SLIDE * lengthScale : LARGEST_STEP) / dt;
    upper[column] = (unit * Math.min(limit, step)) / scale;
    lower[column] = -upper[column];
  }
  for (let n = 0; n < parts.length; n++) {
    const { part, column: from } = parts[n];
    if (part.kind !== 'interval') continue;
    const column = limitColumns[n];
    const x = pose[part.coordinate];
    const scale = reach * jacobian.columnScale[from];
    const above = Math.max(0, part.parameters[1] - x) / scale;
    const below = Math.min(0, part.parameters[0] - x) / scale;
    if (above < upper[column]) {
      upper[column] = above;
      upperLimit[column] = n;
    }
    if (below > lower[column]) {
      lower[column] = below;
      lowerLimit[column] = n;
    }
  }
  for (let n = 0; n < curved.length; n++) {
    const set = curved[n];
    set.met = false;
    set.multiplier = 0;
    if (set.kind === 'rate') {
      const { kind, limit } = rates[set.index];
      const step = (kind === 'linear' ? LARGEST_SLIDE * lengthScale : LARGEST_STEP) / dt;
      set.parameters[0] = unit * Math.min(limit, step);
      // No disk has the radius zero.
      const still = set.parameters[0] === 0;
      set.off = still || !(set.parameters[0] < Number.POSITIVE_INFINITY);
      for (let k = set.column; still && k < set.column + set.width; k++) {
        lower[k] = 0;
        upper[k] = 0;
      }
      continue;
    }
    set.reach = reach;
    const i = set.coordinate;
    for (let k = 0; k < set.size; k++) set.base[k] = pose[i + k];
    if (set.turned) writeRightJacobianInverse(pose[i], pose[i + 1], pose[i + 2], set.map, 0);
  }
  return reach;
}

/** p = base + reach/part M x, x from `velocity`: in the set where x is in that part of the allowed velocities. */
export function writePoint(set: CurvedSet, part: number, velocity: Float64Array, out: Float64Array): void {
  const { base, map, column, width, size } = set;
  const reach = set.reach / part;
  for (let r = 0; r < size; r++) {
    let sum = 0;
    for (let k = 0; k < width; k++) sum += map[width * r + k] * velocity[column + k];
    out[r] = base[r] + reach * sum;
  }
}
