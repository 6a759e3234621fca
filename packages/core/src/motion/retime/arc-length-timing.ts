import { type FieldsOf, requireOneOf, requirePositive } from '../../checks.js';
import { MotionError } from '../../errors.js';
import { dot } from '../../math/linear/vector.js';
import { type Curve, type CurveOptions, createCurve, curveOptions } from '../representation/curve.js';
import type { RotationCurve } from '../representation/rotation-curve.js';
import { lengthOfInterval, lengthRounding, speedAt } from './arc-length.js';
import { type PathRates, pathRatesOf } from './path-rates.js';

export interface ArcLengthOptions extends CurveOptions {
  /** Duration of the retimed motion, s; by default that of the motion. */
  readonly duration?: number;
  /**
   * Largest error of arc length from constant speed: rad for rotations. Default 1e-9 of the total length; far from 0 s the
   * rounding of times, multiplied by the speed, is added.
   */
  readonly tolerance?: number;
  /**
   * Handling of stationary pieces: `skip` (default) removes them, so that the timing jumps over them; `keep` keeps their
   * duration, and the rest has constant speed.
   */
  readonly standing?: 'skip' | 'keep';
}

const OPTIONS: FieldsOf<ArcLengthOptions> = {
  outside: true,
  duration: true,
  tolerance: true,
  standing: true,
};

/** A time interval of a piece, with the arc lengths at its ends. */
interface Interval {
  readonly piece: number;
  readonly from: number;
  readonly to: number;
  readonly lengthFrom: number;
  readonly lengthTo: number;
}

/** A piece shorter than this fraction of the total length is stationary. */
const NEGLIGIBLE_LENGTH = 1e-13;
const MAX_DEPTH = 60;

/**
 * The timing that gives a motion constant speed: constant angular speed for a rotation, constant |x'| for a curve of points. s(t)
 * is the inverse of the arc length L(s): quintic pieces that have s, s' = c/|r| and s'' = -c^2 (r . r')/|r|^4 exactly at their
 * ends, bisected until L(s(t)) is linear to within the tolerance. Where the motion comes to rest s' is unbounded; within the
 * tolerance of such a point the timing passes it at a finite rate.
 * @returns a curve of one number that begins when the motion does.
 * @throws MotionError `out-of-range`; `unsupported` for a motion that never moves.
 */
export function arcLengthTiming(motion: Curve | RotationCurve, options: ArcLengthOptions = {}): Curve {
  const ofCurve = curveOptions(options, OPTIONS);
  const path = pathRatesOf(motion);
  const { knots } = path;
  const last = knots.length - 1;
  const range = knots[last] - knots[0];
  const { standing = 'skip', duration = range } = options;
  requireOneOf(standing, ['skip', 'keep'], 'standing', MotionError);
  const lengths = Array.from({ length: last }, (_, s) => lengthOfInterval(path, s, knots[s], knots[s + 1]));
  const total = lengths.reduce((sum, length) => sum + length, 0);
  if (!(total > 0)) {
    throw new MotionError('unsupported', 'never moves.', {
      path: 'motion',
      remedy: 'Give a motion that moves.',
    });
  }
  const stationary = lengths.map((length) => length <= NEGLIGIBLE_LENGTH * total);
  const pauses =
    standing === 'keep' ? sumOf(stationary.map((still, s) => (still ? knots[s + 1] - knots[s] : 0))) : 0;
  requirePositive(duration, 'duration', MotionError, 's');
  if (!(duration > pauses)) {
    throw new MotionError('out-of-range', `is ${duration} s, but the pauses take ${pauses} s.`, {
      path: 'duration',
      remedy: 'Give more time than the pauses take.',
    });
  }
  const tolerance = options.tolerance ?? 1e-9 * total;
  requirePositive(tolerance, 'tolerance', MotionError);
  const speed = sumOf(lengths.filter((_, s) => !stationary[s])) / (duration - pauses);
  const times = [knots[0]];
  const controls: number[] = [];
  for (let s = 0; s < last; s++) {
    const begin = times[times.length - 1];
    if (stationary[s]) {
      if (standing === 'skip') continue;
      times.push(begin + (knots[s + 1] - knots[s]));
      controls.push(...lineOf(knots[s], knots[s + 1]));
      continue;
    }
    const piece = { piece: s, from: knots[s], to: knots[s + 1], lengthFrom: 0, lengthTo: lengths[s] };
    for (const { interval, points } of subdivide(path, piece, speed, tolerance)) {
      const end = begin + interval.lengthTo / speed;
      // Skip intervals shorter than the rounding of time.
      if (!(end > times[times.length - 1])) continue;
      times.push(end);
      controls.push(...points);
    }
  }
  const end = knots[0] + duration;
  while (times.length > 2 && times[times.length - 2] >= end) {
    times.pop();
    controls.length -= 6;
  }
  times[times.length - 1] = end;
  return createCurve({ size: 1, degree: 5, knots: times, controls }, ofCurve);
}

/**
 * Bisects a piece into intervals on each of which a quintic is within the tolerance. @returns those, with Bezier
 * points.
 */
function subdivide(
  path: PathRates,
  total: Interval,
  speed: number,
  tolerance: number,
): { readonly interval: Interval; readonly points: number[] }[] {
  const done: { interval: Interval; points: number[] }[] = [];
  const stack: { interval: Interval; depth: number }[] = [{ interval: total, depth: 0 }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { interval, depth } = next;
    const length = interval.lengthTo - interval.lengthFrom;
    const bound = 0.5 * tolerance + lengthRounding(interval.from, interval.to, length);
    const points = quintic(path, interval, speed);
    if (points !== undefined && isMonotone(points) && isWithinBound(path, interval, points, bound)) {
      done.push({ interval, points });
      continue;
    }
    if (length <= bound || depth === MAX_DEPTH) {
      // Any point of this interval is within the bound.
      done.push({ interval, points: lineOf(interval.from, interval.to) });
      continue;
    }
    const middle = 0.5 * (interval.from + interval.to);
    const lengthTo =
      interval.lengthFrom + Math.min(lengthOfInterval(path, interval.piece, interval.from, middle), length);
    stack.push({ interval: { ...interval, from: middle, lengthFrom: lengthTo }, depth: depth + 1 });
    stack.push({ interval: { ...interval, to: middle, lengthTo }, depth: depth + 1 });
  }
  return done;
}

/**
 * Bezier points of s(t) over the interval: ends, s' = c/|r|, s'' = -c^2 (r . r')/|r|^4. Undefined where the velocity rotates by
 * 90 degrees or more: the motion may come to rest there, unnoticed between samples.
 */
function quintic(path: PathRates, interval: Interval, speed: number): number[] | undefined {
  const { piece, from, to, lengthFrom, lengthTo } = interval;
  const span = (lengthTo - lengthFrom) / speed;
  const rates = [from, to].map(() => new Float64Array(path.size));
  const second = new Float64Array(path.size);
  const [a, b] = [from, to].map((time, end) => {
    path.write(piece, time, rates[end], second);
    const square = dot(rates[end], rates[end]);
    const first = speed / Math.sqrt(square);
    const curvature = -first * first * (dot(rates[end], second) / square);
    return { leg: 0.2 * span * first, curvature: 0.05 * span * span * curvature };
  });
  if (!(dot(rates[0], rates[1]) > 0)) return undefined;
  return [from, from + a.leg, from + 2 * a.leg + a.curvature, to - 2 * b.leg + b.curvature, to - b.leg, to];
}

function isMonotone(points: readonly number[]): boolean {
  return points.every((point, k) => k === 0 || point >= points[k - 1]);
}

/** Parameters at which the arc length of an interval is sampled. */
const SAMPLES = [0, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 1];

/**
 * Whether the interval is within the bound of constant speed everywhere: by the error and its rate at samples, and the Bezier
 * points of the cubics between them. The error of a good quintic is proportional to (u (1 - u))^3.
 */
function isWithinBound(
  path: PathRates,
  interval: Interval,
  points: readonly number[],
  bound: number,
): boolean {
  const length = interval.lengthTo - interval.lengthFrom;
  let error = 0;
  let rate = 0;
  for (let n = 1; n < SAMPLES.length; n++) {
    const u = SAMPLES[n];
    const work = points.slice();
    let slope = 0;
    for (let r = 1; r < work.length; r++) {
      if (r === work.length - 1) slope = 5 * (work[1] - work[0]);
      for (let k = 0; k < work.length - r; k++) work[k] = (1 - u) * work[k] + u * work[k + 1];
    }
    const atEnd = u === 1;
    const position = atEnd
      ? length
      : lengthOfInterval(path, interval.piece, interval.from, work[0], 2e-3 * bound);
    const nextError = position - u * length;
    const nextRate = atEnd ? 0 : speedAt(path, interval.piece, work[0]) * slope - length;
    const third = (u - SAMPLES[n - 1]) / 3;
    const hull = Math.max(
      Math.abs(error + third * rate),
      Math.abs(nextError),
      Math.abs(nextError - third * nextRate),
    );
    if (!(hull <= bound)) return false;
    error = nextError;
    rate = nextRate;
  }
  return true;
}

function lineOf(from: number, to: number): number[] {
  return [0, 1, 2, 3, 4, 5].map((k) => (k === 5 ? to : from + (k / 5) * (to - from)));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, x) => sum + x, 0);
}
