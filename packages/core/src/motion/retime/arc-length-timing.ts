import { MotionError } from '../../errors.js';
import { type Curve, type CurveOptions, checkedNumbers, createCurve } from '../representation/curve.js';
import type { RotationCurve } from '../representation/rotation-curve.js';
import { lengthOfPart, roundingOfWay, speedAt } from './arc-length.js';
import { type RatePath, ratePathOf } from './path-rates.js';

export interface ArcLengthOptions extends CurveOptions {
  /** How long the retimed motion takes, s; as long as the motion itself unless said. */
  readonly duration?: number;
  /**
   * How far, along its way, the motion may be from where constant speed would have it: rad for rotations. Default 1e-9 of the whole way; far from 0 s
   * rounding of the moments, times the speed, comes on top.
   */
  readonly tolerance?: number;
  /**
   * What becomes of pieces that stand still: `skip` (default) leaves them out, so that the timing jumps over them; `keep` lets them last as long
   * as they did, and the rest goes at constant speed.
   */
  readonly standing?: 'skip' | 'keep';
}

/** A part of a piece: moments, and the way up to each. */
interface Part {
  readonly piece: number;
  readonly from: number;
  readonly to: number;
  readonly lengthFrom: number;
  readonly lengthTo: number;
}

/** A piece shorter than this, against the whole way, stands still. */
const STANDS = 1e-13;
const DEEPEST = 60;

/**
 * The timing by which a motion goes at constant speed: constant angular speed for a rotation, constant |x'| for a curve of points. s(t) is the
 * inverse of the way L(s), the integral of the speed: quintic pieces that have s, s' = c/|r| and s'' = -c^2 (r . r')/|r|^4 exactly at their ends,
 * halved until L(s(t)) is where it should be to within the tolerance. Where the motion comes to rest on its way, s' would have to be infinite; within
 * the tolerance of such a place the timing goes over it at a finite rate.
 * @returns a curve of one number that begins when the motion does.
 * @throws MotionError `out-of-range`; `unsupported` for a motion that never moves.
 */
export function arcLengthTiming(motion: Curve | RotationCurve, options: ArcLengthOptions = {}): Curve {
  const path = ratePathOf(motion);
  const { knots } = path;
  const last = knots.length - 1;
  const range = knots[last] - knots[0];
  const { standing = 'skip', duration = range } = options;
  if (standing !== 'skip' && standing !== 'keep') {
    throw new MotionError('out-of-range', `'${String(standing)}' is nothing to do with rest.`, {
      path: 'standing',
      remedy: "Say 'skip' or 'keep'.",
    });
  }
  const lengths = Array.from({ length: last }, (_, s) => lengthOfPart(path, s, knots[s], knots[s + 1]));
  const whole = lengths.reduce((sum, length) => sum + length, 0);
  if (!(whole > 0)) {
    throw new MotionError('unsupported', 'stands still all along.', {
      path: 'motion',
      remedy: 'Give a motion that moves: rest has no speed to keep.',
    });
  }
  const stands = lengths.map((length) => length <= STANDS * whole);
  const paused =
    standing === 'keep' ? sumOf(stands.map((still, s) => (still ? knots[s + 1] - knots[s] : 0))) : 0;
  requirePositive(duration - paused, 'duration', 'Give more time than the pauses take.');
  const tolerance = options.tolerance ?? 1e-9 * whole;
  requirePositive(tolerance, 'tolerance', 'Give a way that is more than nothing.');
  const speed = sumOf(lengths.filter((_, s) => !stands[s])) / (duration - paused);
  const times = [knots[0]];
  const controls: number[] = [];
  for (let s = 0; s < last; s++) {
    const begin = times[times.length - 1];
    if (stands[s]) {
      if (standing === 'skip') continue;
      times.push(begin + (knots[s + 1] - knots[s]));
      controls.push(...lineOf(knots[s], knots[s + 1]));
      continue;
    }
    const piece = { piece: s, from: knots[s], to: knots[s + 1], lengthFrom: 0, lengthTo: lengths[s] };
    for (const { part, points } of partsOf(path, piece, speed, tolerance)) {
      const end = begin + part.lengthTo / speed;
      // What is over within a rounding of time is jumped over.
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
  return createCurve({ size: 1, degree: 5, knots: times, controls }, options);
}

/** Cuts a piece into parts on each of which a quintic is good enough: those, and its Bezier points. */
function partsOf(
  path: RatePath,
  whole: Part,
  speed: number,
  tolerance: number,
): { readonly part: Part; readonly points: number[] }[] {
  const done: { part: Part; points: number[] }[] = [];
  const open: { part: Part; depth: number }[] = [{ part: whole, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { part, depth } = next;
    const length = part.lengthTo - part.lengthFrom;
    const bound = 0.5 * tolerance + roundingOfWay(part.from, part.to, length);
    const points = quintic(path, part, speed);
    if (points !== undefined && isForward(points) && staysOn(path, part, points, bound)) {
      done.push({ part, points });
      continue;
    }
    if (length <= bound || depth === DEEPEST) {
      // Wherever on this part it is, it is near enough.
      done.push({ part, points: lineOf(part.from, part.to) });
      continue;
    }
    const middle = 0.5 * (part.from + part.to);
    const lengthTo = part.lengthFrom + Math.min(lengthOfPart(path, part.piece, part.from, middle), length);
    open.push({ part: { ...part, from: middle, lengthFrom: lengthTo }, depth: depth + 1 });
    open.push({ part: { ...part, to: middle, lengthTo }, depth: depth + 1 });
  }
  return done;
}

/**
 * Bezier points of s(t) over the part: ends, s' = c/|r|, s'' = -c^2 (r . r')/|r|^4. Undefined where the motion turns by a right angle or more: it may
 * come to rest there, and between looks at it nobody would see.
 */
function quintic(path: RatePath, part: Part, speed: number): number[] | undefined {
  const { piece, from, to, lengthFrom, lengthTo } = part;
  const span = (lengthTo - lengthFrom) / speed;
  const rates = [from, to].map(() => new Float64Array(path.size));
  const second = new Float64Array(path.size);
  const [a, b] = [from, to].map((moment, end) => {
    path.write(piece, moment, rates[end], second);
    const square = dot(rates[end], rates[end]);
    const first = speed / Math.sqrt(square);
    const bend = -first * first * (dot(rates[end], second) / square);
    return { leg: 0.2 * span * first, bend: 0.05 * span * span * bend };
  });
  if (!(dot(rates[0], rates[1]) > 0)) return undefined;
  return [from, from + a.leg, from + 2 * a.leg + a.bend, to - 2 * b.leg + b.bend, to - b.leg, to];
}

function dot(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, x, c) => sum + x * b[c], 0);
}

function isForward(points: readonly number[]): boolean {
  return points.every((point, k) => k === 0 || point >= points[k - 1]);
}

/** Where the way of a part is looked at, shares of its time. */
const LOOKS = [0, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 1];

/**
 * Whether the part is within the bound of constant speed all along: by its error and the rate of that at some moments, and by the Bezier
 * points of the cubics through them in between. The error of a good quintic goes as (u (1 - u))^3.
 */
function staysOn(path: RatePath, part: Part, points: readonly number[], bound: number): boolean {
  const length = part.lengthTo - part.lengthFrom;
  let error = 0;
  let rate = 0;
  for (let n = 1; n < LOOKS.length; n++) {
    const u = LOOKS[n];
    const work = points.slice();
    let slope = 0;
    for (let r = 1; r < work.length; r++) {
      if (r === work.length - 1) slope = 5 * (work[1] - work[0]);
      for (let k = 0; k < work.length - r; k++) work[k] = (1 - u) * work[k] + u * work[k + 1];
    }
    const atEnd = u === 1;
    const way = atEnd ? length : lengthOfPart(path, part.piece, part.from, work[0], 2e-3 * bound);
    const nextError = way - u * length;
    const nextRate = atEnd ? 0 : speedAt(path, part.piece, work[0]) * slope - length;
    const third = (u - LOOKS[n - 1]) / 3;
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

/** @throws MotionError */
function requirePositive(value: number, path: string, remedy: string): void {
  checkedNumbers([value], 1, path);
  if (value > 0) return;
  throw new MotionError('out-of-range', `leaves ${value}.`, { path, remedy });
}
