import { type FieldsOf, requireFields, requireOneOf, requireWhole } from '../../checks.js';
import { MotionError } from '../../errors.js';
import type { Numbers } from '../../math/linear/types.js';
import {
  type Curve,
  type CurveOptions,
  createCurve,
  curveOptions,
  pieceAt,
} from '../representation/curve.js';
import type { RotationCurve } from '../representation/rotation-curve.js';
import {
  addCoordinateConstraints,
  addJoinConstraint,
  addRotationConstraints,
  fitRateModel,
  type IntervalConstraints,
  type RateModel,
} from './interval-constraints.js';
import { type PathRates, pathRatesOf } from './path-rates.js';
import { velocityProfile } from './velocity-profile.js';

/** A motion with limits of rate and acceleration. */
export interface LimitedMotion {
  readonly motion: Curve | RotationCurve;
  /**
   * Limit of the angular speed of a rotation, rad/s, or of |rate| of each coordinate of a curve, one number for all
   * or one for each; Infinity for none.
   */
  readonly rate?: number | Numbers;
  /** Likewise for angular acceleration, rad/s^2, or |second rate| of each coordinate. */
  readonly acceleration?: number | Numbers;
}

export interface SpeedLimitOptions extends CurveOptions {
  /**
   * Intervals that each piece is divided into; the time lost to conservative bounds decreases with its square.
   * Default 64.
   */
  readonly resolution?: number;
  /**
   * Start or end at rest (`start`, `end`, `both`). Default `neither`: with the motion's own rate, if within the
   * limits.
   */
  readonly atRest?: 'start' | 'end' | 'both' | 'neither';
}

const OPTIONS: FieldsOf<SpeedLimitOptions> = { outside: true, resolution: true, atRest: true };
const LIMITED_MOTION: FieldsOf<LimitedMotion> = { motion: true, rate: true, acceleration: true };

/** A motion with its limits, one for each coordinate of a curve and one for a rotation. */
interface Limited {
  readonly motion: Curve | RotationCurve;
  readonly path: PathRates;
  readonly rates: Float64Array;
  readonly accelerations: Float64Array;
}

/**
 * Time-optimal path parameterization (TOPP) of motions that are played together, under limits of rate and acceleration that hold
 * everywhere, not only at samples; never faster than the original. s' is continuous where accelerations are limited, s''
 * piecewise constant. At a corner with limited acceleration the timing comes to rest, the only feasible choice.
 *
 * Limits of curves are bounded by Bernstein coefficients, those of rotations by a cubic of the angular velocity on each interval
 * with twice the error sampled at three times of it.
 * @param limited - Motions over one range of time.
 * @returns a curve of one number, pieces of degree 2, that begins when the motions do.
 * @throws MotionError `wrong-size`, `out-of-range`
 */
export function speedLimitTiming(limited: readonly LimitedMotion[], options: SpeedLimitOptions = {}): Curve {
  const ofCurve = curveOptions(options, OPTIONS);
  const { resolution = 64, atRest = 'neither' } = options;
  requireWhole(resolution, 'resolution', MotionError, 2, 1 << 20);
  requireOneOf(atRest, ['start', 'end', 'both', 'neither'], 'atRest', MotionError);
  const all = checkedLimits(limited);
  const { ends, intervals } = discretize(all, resolution);
  const maxSquares = new Float64Array(ends.length).fill(1);
  for (const i of cornerEnds(all, ends)) maxSquares[i] = 0;
  if (atRest === 'start' || atRest === 'both') maxSquares[0] = 0;
  if (atRest === 'end' || atRest === 'both') maxSquares[maxSquares.length - 1] = 0;
  const squares = velocityProfile(intervals, maxSquares);
  // s = s_0 + v_0 t + a t^2/2: the interval takes 2 h/(v_0 + v_1).
  const times = [ends[0]];
  const controls: number[] = [];
  for (let i = 0; i < intervals.length; i++) {
    const span = ends[i + 1] - ends[i];
    const from = Math.sqrt(squares[i]);
    const to = Math.sqrt(squares[i + 1]);
    if (!(from + to > 0)) {
      throw new MotionError('unsupported', `has to stop at ${ends[i]} s and at ${ends[i + 1]} s.`, {
        path: 'limited',
        remedy: 'Remove corners that are this close, or acceleration limits there.',
      });
    }
    times.push(times[i] + (2 * span) / (from + to));
    controls.push(ends[i], ends[i] + (span * from) / (from + to), ends[i + 1]);
  }
  return createCurve({ size: 1, degree: 2, knots: times, controls }, ofCurve);
}

/** @throws MotionError */
function checkedLimits(limited: readonly LimitedMotion[]): Limited[] {
  if (limited.length === 0) {
    throw new MotionError('wrong-size', 'has no motion.', {
      path: 'limited',
      remedy: 'Give at least one motion.',
    });
  }
  const all = limited.map((each, i) => {
    requireFields(each, LIMITED_MOTION, `limited[${i}]`, MotionError);
    const { motion, rate, acceleration } = each;
    const path = pathRatesOf(motion);
    const count = 'controls' in motion ? motion.size : 1;
    return {
      motion,
      path,
      rates: checkedLimit(rate, count, `limited[${i}].rate`),
      accelerations: checkedLimit(acceleration, count, `limited[${i}].acceleration`),
    };
  });
  return withSharedKnots(all);
}

/** Relative distance up to which knots of several motions are merged. */
const SAME_TIME = 1e-13;

/**
 * The motions with knots merged with those of preceding motions within rounding: an interval between them would be
 * too short to constrain.
 * @throws MotionError `out-of-range` for motions over different ranges.
 */
function withSharedKnots(all: readonly Limited[]): Limited[] {
  let joins = Array.from(all[0].path.knots);
  const [start, end] = [joins[0], joins[joins.length - 1]];
  const rounding = 2 * Number.EPSILON * Math.max(Math.abs(start), Math.abs(end));
  const tolerance = Math.max(SAME_TIME * (end - start), rounding);
  return all.map((limited, i) => {
    const { motion, path } = limited;
    const last = path.knots.length - 1;
    if (!(Math.abs(path.knots[0] - start) <= tolerance && Math.abs(path.knots[last] - end) <= tolerance)) {
      throw new MotionError('out-of-range', 'begins or ends at other times than the first motion.', {
        path: `limited[${i}].motion`,
        remedy: 'Give motions over one range; sliceCurve cuts a curve to it.',
      });
    }
    const knots = Array.from(path.knots, (time) => {
      const before = pieceAt(joins, time);
      return [joins[before], joins[before + 1]].find((join) => Math.abs(join - time) <= tolerance) ?? time;
    });
    // Close knots of one motion are not merged, but the ends are.
    if (knots.some((time, k) => k > 0 && time <= knots[k - 1])) {
      for (let k = 1; k < last; k++) knots[k] = path.knots[k];
    }
    joins = [...new Set([...joins, ...knots])].sort((a, b) => a - b);
    return {
      ...limited,
      motion: 'controls' in motion ? { ...motion, knots } : motion,
      path: { ...path, knots },
    };
  });
}

/** @throws MotionError unless every limit is positive. */
function checkedLimit(limit: number | Numbers | undefined, count: number, path: string): Float64Array {
  const limits =
    typeof limit === 'object'
      ? Float64Array.from(limit)
      : new Float64Array(count).fill(limit ?? Number.POSITIVE_INFINITY);
  if (limits.length !== count) {
    throw new MotionError('wrong-size', `has ${limits.length} numbers instead of ${count}.`, {
      path,
      remedy: 'Give one limit, or one for each coordinate.',
    });
  }
  const bad = limits.findIndex((x) => !(x > 0));
  if (bad < 0) return limits;
  throw new MotionError('out-of-range', `is ${limits[bad]}.`, {
    path: `${path}[${bad}]`,
    remedy: 'Give a positive limit, or Infinity for none.',
  });
}

/**
 * Bisections of an interval whose angular velocity is not yet a cubic, and the required accuracy relative to the
 * limit.
 */
const MAX_HALVINGS = 6;
const RATE_TOLERANCE = 1e-6;
const ACCELERATION_TOLERANCE = 1e-5;

function discretize(
  all: readonly Limited[],
  resolution: number,
): { ends: Float64Array; intervals: IntervalConstraints[] } {
  const joins = [...new Set(all.flatMap(({ path }) => Array.from(path.knots)))].sort((a, b) => a - b);
  const ends = [joins[0]];
  const intervals: IntervalConstraints[] = [];
  const addInterval = (from: number, to: number, depth: number): void => {
    const models: RateModel[] = [];
    for (const { motion, path, rates, accelerations } of all) {
      if ('controls' in motion) continue;
      const model = fitRateModel(path, pieceAt(path.knots, from), from, to);
      models.push(model);
      const coarse =
        model.error > RATE_TOLERANCE * rates[0] ||
        model.rateError > ACCELERATION_TOLERANCE * accelerations[0];
      if (coarse && depth < MAX_HALVINGS) {
        const middle = 0.5 * (from + to);
        addInterval(from, middle, depth + 1);
        addInterval(middle, to, depth + 1);
        return;
      }
    }
    const interval: IntervalConstraints = { lines: [], ellipses: [] };
    let next = 0;
    for (const limits of all) {
      const { motion, rates, accelerations } = limits;
      if ('controls' in motion) {
        for (let c = 0; c < motion.size; c++)
          addCoordinateConstraints(motion, c, from, to, rates[c], accelerations[c], interval);
      } else addRotationConstraints(models[next++], from, to, rates[0], accelerations[0], interval);
      addNeighbours(limits, from, to, interval);
    }
    intervals.push(interval);
    ends.push(to);
  };
  for (let s = 0; s + 1 < joins.length; s++) {
    const span = joins[s + 1] - joins[s];
    // Finer at the knots, where a rate may jump: the time lost by slowing down before it is proportional to the last interval.
    const fractions = [0, 1 / 16, ...Array.from({ length: resolution - 1 }, (_, k) => k + 1)];
    fractions.push(resolution - 1 / 16, resolution);
    for (let k = 1; k < fractions.length; k++) {
      const from = joins[s] + (span * fractions[k - 1]) / resolution;
      const to = k + 1 === fractions.length ? joins[s + 1] : joins[s] + (span * fractions[k]) / resolution;
      if (to > from) addInterval(from, to, 0);
    }
  }
  return { ends: Float64Array.from(ends), intervals };
}

/** Adds the acceleration limits of the pieces before and after an interval, at knots where it starts or ends. */
function addNeighbours(
  { motion, path, accelerations }: Limited,
  from: number,
  to: number,
  interval: IntervalConstraints,
): void {
  const { knots, size } = path;
  const piece = pieceAt(knots, from);
  const rate = new Float64Array(size);
  const second = new Float64Array(size);
  for (const [other, join, atEnd] of [
    [piece - 1, from, false],
    [piece + 1, to, true],
  ] as const) {
    if (other < 0 || other > knots.length - 2 || join !== knots[atEnd ? other : piece]) continue;
    path.write(other, join, rate, second);
    if ('evaluateInside' in motion)
      addJoinConstraint(rate, second, from, to, atEnd, accelerations[0], interval);
    else {
      for (let c = 0; c < size; c++) {
        const one = [rate.subarray(c, c + 1), second.subarray(c, c + 1)] as const;
        addJoinConstraint(...one, from, to, atEnd, accelerations[c], interval);
      }
    }
  }
}

/** Jump of a rate at a knot, relative to the largest rate at any knot, that counts as a corner. */
const CORNER = 1e-9;

/** Indices of interval ends where a rate with a limited acceleration jumps. */
function cornerEnds(all: readonly Limited[], ends: Float64Array): number[] {
  const found: number[] = [];
  for (const { motion, path, accelerations } of all) {
    const { knots, size } = path;
    const before = new Float64Array(size);
    const after = new Float64Array(size);
    const second = new Float64Array(size);
    const jumps = new Float64Array(knots.length);
    let largest = 0;
    for (let join = 1; join + 1 < knots.length; join++) {
      path.write(join - 1, knots[join], before, second);
      path.write(join, knots[join], after, second);
      largest = Math.max(largest, ...before.map(Math.abs), ...after.map(Math.abs));
      for (let c = 0; c < size; c++) {
        const limited = accelerations['controls' in motion ? c : 0] < Number.POSITIVE_INFINITY;
        if (limited) jumps[join] = Math.max(jumps[join], Math.abs(after[c] - before[c]));
      }
    }
    for (const [join, jump] of jumps.entries())
      if (jump > CORNER * largest) found.push(ends.indexOf(knots[join]));
  }
  return found;
}
