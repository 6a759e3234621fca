/**
 * Curves in R^n: piecewise polynomials in Bezier form, the common representation of all Euclidean kinds.
 *
 * Bezier points instead of powers of t: ends are met to the last bit, pieces that share a point have no jump, and each piece lies
 * in the convex hull of its points, so that a convex joint limit satisfied by the points is satisfied everywhere.
 */
import { type FieldsOf, requireFields, requireNumbers, requireWhole } from '../../checks.js';
import { MotionError } from '../../errors.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import {
  createWrappedTime,
  type Extrapolation,
  type OutsideRange,
  outsideRange,
  wrapTime,
} from './time-range.js';

/** Data of a {@link Curve}. */
export interface CurveData<T extends Numbers = Numbers> {
  readonly size: number;
  readonly degree: number;
  readonly knots: T;
  readonly controls: T;
  readonly outside?: OutsideRange;
}

/**
 * A piecewise polynomial R -> R^n. Immutable plain data that can be cloned to a worker; for JSON use `curveToData`.
 */
export interface Curve {
  /** Dimension n. */
  readonly size: number;
  /** Degree of every piece, 1 to 7. */
  readonly degree: number;
  /** Knots, s, strictly increasing: one more than pieces. */
  readonly knots: Numbers;
  /** Bezier points: coordinate c of point k of piece s is at ((degree + 1) s + k) n + c. A curve through keys may make them when they are first read. */
  readonly controls: Numbers;
  readonly outside: OutsideRange;
}

/** Value, first and second derivative at a time: n numbers each, per s and per s^2. */
export interface CurvePoint<T extends MutableNumbers = MutableNumbers> {
  readonly value: T;
  readonly first: T;
  readonly second: T;
}

export interface CurveOptions {
  /** Extrapolation outside the range; `clamp` by default. */
  readonly outside?: Extrapolation | Partial<OutsideRange>;
}

const CURVE_OPTIONS: FieldsOf<CurveOptions> = { outside: true };

/**
 * Refuses unknown options of a function that makes a curve.
 * @param known - All of its options; by default those of every curve.
 * @returns the options of every curve alone, for the function that makes the curve inside.
 */
export function curveOptions<Options extends CurveOptions>(
  options: Options,
  known: object = CURVE_OPTIONS,
): CurveOptions {
  requireFields(options, known, 'options', MotionError);
  return options.outside === undefined ? {} : { outside: options.outside };
}

export const MAX_DEGREE = 7;

/**
 * A curve of Bezier pieces.
 * @param data.controls - (degree + 1) points of `size` numbers for each piece.
 * @throws MotionError `wrong-size`, `not-finite`, `not-increasing`, `out-of-range`, `unknown-name` for an unknown option.
 */
export function createCurve(data: CurveData, options: CurveOptions = {}): Curve {
  const { size, degree } = data;
  requireFields(options, CURVE_OPTIONS, 'options', MotionError);
  requireWhole(size, 'size', MotionError, 1);
  requireWhole(degree, 'degree', MotionError, 1, MAX_DEGREE);
  const knots = checkedTimes(data.knots, 'knots');
  const controls = checkedNumbers(data.controls, (knots.length - 1) * (degree + 1) * size, 'controls');
  return { size, degree, knots, controls, outside: outsideRange(options.outside ?? data.outside) };
}

/**
 * A curve with plain arrays instead of typed ones, for JSON: `createCurve(JSON.parse(JSON.stringify(curveToData(curve))))` equals
 * the curve to the last bit.
 */
export function curveToData({ size, degree, knots, controls, outside }: Curve): CurveData<number[]> {
  return { size, degree, knots: Array.from(knots), controls: Array.from(controls), outside };
}

/** Start time of a curve, s. */
export function curveStart(curve: Curve): number {
  return curve.knots[0];
}

/** End time of a curve, s. */
export function curveEnd(curve: Curve): number {
  return curve.knots[curve.knots.length - 1];
}

/** A zero point, an output for {@link evaluateCurve}. */
export function createCurvePoint(size: number): CurvePoint<Float64Array> {
  return {
    value: new Float64Array(size),
    first: new Float64Array(size),
    second: new Float64Array(size),
  };
}

const wrapped = /* @__PURE__ */ createWrappedTime();

/**
 * Value, velocity and acceleration at `time` (s). At a knot the piece that begins there is used.
 * @throws MotionError `not-finite` for a time that is NaN or infinite.
 */
export function evaluateCurve<P extends CurvePoint = CurvePoint<Float64Array>>(
  curve: Curve,
  time: number,
  out: P = createCurvePoint(curve.size) as CurvePoint as P,
): P {
  const { size, knots, outside } = curve;
  const start = knots[0];
  const end = knots[knots.length - 1];
  const { time: inside, rate, cycles, beyond } = wrapTime(time, start, end, outside, wrapped);
  const piece = pieceAt(knots, inside);
  writePiece(curve, piece, inside, out.value, out.first, out.second, 0);
  if (rate === 1 && cycles === 0 && beyond === 0) return out;
  const last = curve.controls.length - size;
  for (let c = 0; c < size; c++) {
    if (cycles !== 0) out.value[c] += cycles * (curve.controls[last + c] - curve.controls[c]);
    if (beyond !== 0) out.value[c] += beyond * out.first[c];
    out.first[c] *= rate;
    out.second[c] *= beyond === 0 ? rate * rate : 0;
  }
  return out;
}

/** Index of the piece that contains `time`, by binary search: the last one that begins at or before it. */
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
 * Writes value, and optionally first and second derivative, of one piece at `time` (s) to `offset` of each array. Derivatives are
 * sums of differences of points, so that a curve far from zero loses no digits.
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
  const start = knots[piece];
  const span = knots[piece + 1] - start;
  writeWeights(degree, (time - start) / span);
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

/** Bernstein weights at u in [0, 1], by degree elevation: b_k <- (1 - u) b_k + u b_{k-1}. */
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

/** A copy as Float64Array of at least two strictly increasing finite times. @throws MotionError */
export function checkedTimes(times: Numbers, path: string): Float64Array {
  requireTimes(times, path);
  return new Float64Array(times);
}

/** Refuses times that are not at least two, strictly increasing and finite. @throws MotionError */
export function requireTimes(times: Numbers, path: string): void {
  requireLength(times, path);
  if (times.length < 2) {
    throw new MotionError('wrong-size', `has ${times.length === 1 ? 'one time' : 'no time'}.`, {
      path,
      remedy: 'A curve needs at least two keyframes.',
    });
  }
  requireNumbers(times, times.length, path, MotionError);
  for (let i = 1; i < times.length; i++) {
    if (times[i] > times[i - 1]) continue;
    const what =
      times[i] === times[i - 1] ? 'repeats the time before it' : 'is earlier than the time before it';
    throw new MotionError('not-increasing', `${what} (${times[i]} s after ${times[i - 1]} s).`, {
      path: `${path}[${i}]`,
      remedy: 'Sort the keyframes by time and keep one at each time.',
    });
  }
}

/** A copy as Float64Array of exactly `count` finite numbers. @throws MotionError */
export function checkedNumbers(values: Numbers, count: number, path: string): Float64Array {
  requireLength(values, path);
  requireNumbers(values, count, path, MotionError);
  return new Float64Array(values);
}

/** JSON turns typed arrays into objects without a length. @throws MotionError `wrong-size` */
export function requireLength(numbers: Numbers, path: string): void {
  if (typeof numbers?.length === 'number') return;
  throw new MotionError('wrong-size', 'has no length.', {
    path,
    remedy:
      'Give a plain array or a typed one; for JSON, turn typed arrays into plain ones first (curveToData, motionToData).',
  });
}
