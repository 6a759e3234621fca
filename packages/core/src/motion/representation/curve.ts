/**
 * Curves in R^n: piecewise polynomials that every Euclidean kind is made into.
 *
 * A curve keeps Bezier points and not powers of t: its ends are met to the last bit, neighbours that share a point have
 * no jump at all, and each piece lies inside the convex hull of its points, so that a convex joint limit that holds at
 * the points holds all along.
 */
import { MotionError } from '../../errors.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import {
  createPlacedTime,
  type Extrapolation,
  type OutsideRange,
  outsideRange,
  placeTime,
} from './time-range.js';

/** What a curve is made of; see {@link Curve}. */
export interface CurveData<T extends Numbers = Numbers> {
  readonly size: number;
  readonly degree: number;
  readonly knots: T;
  readonly controls: T;
  readonly outside?: OutsideRange;
}

/** A piecewise polynomial R -> R^n. Plain data: it can be cloned to a worker; for JSON there is {@link curveToData}. Immutable. */
export interface Curve {
  /** How many numbers it gives, n. */
  readonly size: number;
  /** Degree of every piece, 1 to 7. */
  readonly degree: number;
  /** Where pieces begin and end, s, strictly increasing: one more than there are pieces. */
  readonly knots: Numbers;
  /** Bezier points: coordinate c of point k of piece s is at ((degree + 1) s + k) n + c. */
  readonly controls: Numbers;
  readonly outside: OutsideRange;
}

/** Value, first and second derivative at a moment: n numbers each, per s and per s^2. */
export interface CurvePoint<T extends MutableNumbers = MutableNumbers> {
  readonly value: T;
  readonly first: T;
  readonly second: T;
}

export interface CurveOptions {
  /** Outside the range of the keys; `clamp` by default. */
  readonly outside?: Extrapolation | Partial<OutsideRange>;
}

export const MAX_DEGREE = 7;

/**
 * A curve of Bezier pieces.
 * @param data.controls - (degree + 1) points of `size` numbers for each piece.
 * @throws MotionError `wrong-size`, `not-finite`, `not-increasing`, `out-of-range`.
 */
export function createCurve(data: CurveData, options: CurveOptions = {}): Curve {
  const { size, degree } = data;
  checkWhole(size, 1, Number.POSITIVE_INFINITY, 'size');
  checkWhole(degree, 1, MAX_DEGREE, 'degree');
  const knots = checkedTimes(data.knots, 'knots');
  const controls = checkedNumbers(data.controls, (knots.length - 1) * (degree + 1) * size, 'controls');
  return { size, degree, knots, controls, outside: outsideRange(options.outside ?? data.outside) };
}

/**
 * A curve with plain arrays, for JSON, which does not keep typed ones: `createCurve(JSON.parse(JSON.stringify(curveToData(curve))))` is the
 * curve to the last bit.
 */
export function curveToData({ size, degree, knots, controls, outside }: Curve): CurveData<number[]> {
  return { size, degree, knots: Array.from(knots), controls: Array.from(controls), outside };
}

/** First moment of a curve, s. */
export function curveStart(curve: Curve): number {
  return curve.knots[0];
}

/** Last moment of a curve, s. */
export function curveEnd(curve: Curve): number {
  return curve.knots[curve.knots.length - 1];
}

/** Zeros for {@link evaluateCurve} to write to. */
export function createCurvePoint(size: number): CurvePoint<Float64Array> {
  return {
    value: new Float64Array(size),
    first: new Float64Array(size),
    second: new Float64Array(size),
  };
}

const placed = /* @__PURE__ */ createPlacedTime();

/**
 * Value, velocity and acceleration at `time` (s). At a join the piece that begins there counts.
 * @throws MotionError `not-finite` for a time that is none.
 */
export function evaluateCurve<P extends CurvePoint = CurvePoint<Float64Array>>(
  curve: Curve,
  time: number,
  out: P = createCurvePoint(curve.size) as CurvePoint as P,
): P {
  const { size, knots, outside } = curve;
  const start = knots[0];
  const end = knots[knots.length - 1];
  const { time: inside, rate, rounds, beyond } = placeTime(time, start, end, outside, placed);
  const piece = pieceAt(knots, inside);
  writePiece(curve, piece, inside, out.value, out.first, out.second, 0);
  if (rate === 1 && rounds === 0 && beyond === 0) return out;
  const last = curve.controls.length - size;
  for (let c = 0; c < size; c++) {
    if (rounds !== 0) out.value[c] += rounds * (curve.controls[last + c] - curve.controls[c]);
    if (beyond !== 0) out.value[c] += beyond * out.first[c];
    out.first[c] *= rate;
    out.second[c] *= beyond === 0 ? rate * rate : 0;
  }
  return out;
}

/** The piece that `time` falls in: the last one that begins at or before it, by halving. */
export function pieceAt(knots: Numbers, time: number): number {
  let low = 0;
  let high = knots.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (knots[middle] <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Bernstein weights of degree d - 2, d - 1 and d. */
const weights = /* @__PURE__ */ new Float64Array(3 * (MAX_DEGREE + 1));
const SECOND = 0;
const FIRST = MAX_DEGREE + 1;
const VALUE = 2 * (MAX_DEGREE + 1);

/**
 * Value, and where given first and second derivative, of one piece at `time` (s) to `offset` of each array. The
 * derivatives are sums of differences of points, so that a curve far from zero loses nothing.
 */
export function writePiece(
  curve: Curve,
  piece: number,
  time: number,
  value: MutableNumbers,
  first: MutableNumbers | undefined,
  second: MutableNumbers | undefined,
  offset: number,
): void {
  const { size, degree, knots, controls } = curve;
  const begin = knots[piece];
  const span = knots[piece + 1] - begin;
  writeWeights(degree, (time - begin) / span);
  const base = piece * (degree + 1) * size;
  const toFirst = degree / span;
  const toSecond = (toFirst * (degree - 1)) / span;
  for (let c = 0; c < size; c++) {
    let at = base + c;
    let sum = 0;
    let sum1 = 0;
    let sum2 = 0;
    let before = controls[at];
    let step = 0;
    sum = weights[VALUE] * before;
    for (let k = 1; k <= degree; k++) {
      at += size;
      const point = controls[at];
      const next = point - before;
      sum += weights[VALUE + k] * point;
      sum1 += weights[FIRST + k - 1] * next;
      if (k > 1) sum2 += weights[SECOND + k - 2] * (next - step);
      step = next;
      before = point;
    }
    value[offset + c] = sum;
    if (first !== undefined) first[offset + c] = toFirst * sum1;
    if (second !== undefined) second[offset + c] = toSecond * sum2;
  }
}

/** Weights at u in [0, 1], raised degree by degree: b_k <- (1 - u) b_k + u b_{k-1}. */
function writeWeights(degree: number, u: number): void {
  const rest = 1 - u;
  const w = weights;
  w[VALUE] = 1;
  for (let d = 1; d <= degree; d++) {
    if (d === degree - 1) for (let k = 0; k < d; k++) w[SECOND + k] = w[VALUE + k];
    if (d === degree) for (let k = 0; k < d; k++) w[FIRST + k] = w[VALUE + k];
    w[VALUE + d] = u * w[VALUE + d - 1];
    for (let k = d - 1; k > 0; k--) w[VALUE + k] = rest * w[VALUE + k] + u * w[VALUE + k - 1];
    w[VALUE] *= rest;
  }
}

/** A copy as Float64Array of at least two strictly increasing finite moments. @throws MotionError */
export function checkedTimes(times: Numbers, path: string): Float64Array {
  requireLength(times, path);
  if (times.length < 2) {
    throw new MotionError('wrong-size', `has ${times.length === 1 ? 'one moment' : 'no moment'}.`, {
      path,
      remedy: 'A curve needs two keys at least.',
    });
  }
  const copy = checkedNumbers(times, times.length, path);
  for (let i = 1; i < copy.length; i++) {
    if (copy[i] > copy[i - 1]) continue;
    const what =
      copy[i] === copy[i - 1] ? 'repeats the moment before it' : 'is earlier than the moment before it';
    throw new MotionError('not-increasing', `${what} (${copy[i]} s after ${copy[i - 1]} s).`, {
      path: `${path}[${i}]`,
      remedy: 'Sort the keys by time and keep one at each moment.',
    });
  }
  return copy;
}

/** A copy as Float64Array of exactly `count` finite numbers. @throws MotionError */
export function checkedNumbers(values: Numbers, count: number, path: string): Float64Array {
  requireLength(values, path);
  if (values.length !== count) {
    throw new MotionError('wrong-size', `has ${values.length} numbers where ${count} belong.`, {
      path,
      remedy: 'Give one point of the same size for every key.',
    });
  }
  for (let i = 0; i < count; i++) {
    if (Number.isFinite(values[i])) continue;
    throw new MotionError('not-finite', `is ${values[i]}.`, {
      path: `${path}[${i}]`,
      remedy: 'Give a finite number.',
    });
  }
  return Float64Array.from(values);
}

/** JSON makes objects of typed arrays, which would be read as nothing. @throws MotionError `wrong-size` */
export function requireLength(numbers: Numbers, path: string): void {
  if (typeof numbers?.length === 'number') return;
  throw new MotionError('wrong-size', 'has no length.', {
    path,
    remedy:
      'Give a plain array or a typed one; for JSON, turn typed arrays into plain ones first (curveToData, motionToData).',
  });
}

/** @throws MotionError `out-of-range` unless `value` is a whole number in [least, most]. */
export function checkWhole(value: number, least: number, most: number, path: string): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  const open = most === Number.POSITIVE_INFINITY;
  const range =
    open && least === Number.NEGATIVE_INFINITY
      ? ''
      : open
        ? ` of at least ${least}`
        : ` from ${least} to ${most}`;
  throw new MotionError('out-of-range', `is ${value}.`, { path, remedy: `Give a whole number${range}.` });
}
