/**
 * Constraints that rate and acceleration limits put on an interval [s_0, s_1] of the path parameter. The squared velocity
 * b = s'^2 is linear there, from x to y, so s'' = (y - x)/(2 (s_1 - s_0)) is constant. With r the rate of the motion with respect to s,
 *
 *   |rate|^2 = |r|^2 b,   acceleration = r' b + r s''.
 *
 * Both are polynomials in s with Bernstein coefficients linear in (x, y): limits that the coefficients satisfy hold on the whole
 * interval, not only at samples.
 */

import { pointsOfPiece } from '../convert/pieces.js';
import { derivePoints, slicePoints, squarePoints } from '../representation/bernstein.js';
import { type Curve, pieceAt } from '../representation/curve.js';
import type { PathRates } from './path-rates.js';

/** Constraints of one interval. Each contains (0, 0), and their intersection is convex. */
export interface IntervalConstraints {
  /** p, q, ...: p x + q y <= 1. */
  readonly lines: number[];
  /** a, b, c, ...: a x^2 + 2 b x y + c y^2 <= 1. */
  readonly ellipses: number[];
}

/** Relative margin subtracted from squared limits, so that they hold despite rounding. */
const MARGIN = 1e-9;

/**
 * Effect of rounding of times on s'' of an interval played at its original speed: a second difference over its
 * length.
 */
function secondDifferenceRounding(from: number, to: number): number {
  return (8 * Number.EPSILON * Math.max(Math.abs(from), Math.abs(to))) / (to - from) ** 2;
}

/** An acceleration limit minus the effect of rounding on s''; at least half of it. */
function tighten(limit: number, rates: Float64Array, size: number, noise: number): number {
  let largest = 0;
  for (let o = 0; o < rates.length; o += size) {
    let square = 0;
    for (let c = 0; c < size; c++) square += rates[o + c] * rates[o + c];
    largest = Math.max(largest, square);
  }
  return Math.max(limit - noise * Math.sqrt(largest), 0.5 * limit);
}

/**
 * |x'_c| <= rate and |x''_c| <= acceleration for one coordinate of a curve on [from, to], within one piece.
 * Infinity: no limit.
 */
export function addCoordinateConstraints(
  curve: Curve,
  coordinate: number,
  from: number,
  to: number,
  rate: number,
  acceleration: number,
  out: IntervalConstraints,
): void {
  const { size, degree, knots } = curve;
  const piece = pieceAt(knots, from);
  const begin = knots[piece];
  const span = knots[piece + 1] - begin;
  const all = pointsOfPiece(curve, piece);
  const own = Float64Array.from({ length: degree + 1 }, (_, k) => all[k * size + coordinate]);
  const points = slicePoints(
    own,
    1,
    (from - begin) / span,
    to === knots[piece + 1] ? 1 : (to - begin) / span,
  );
  const rates = derivePoints(points, 1, to - from);
  addRate(squarePoints(rates, 1), rate, out);
  const tightened = tighten(acceleration, rates, 1, secondDifferenceRounding(from, to));
  addAcceleration(rates, derivePoints(rates, 1, to - from), 1, to - from, tightened, 0, 0, out);
}

/**
 * Model of a rotation on an interval: a cubic of its angular velocity, with bounds of its error and of the error of
 * its rate.
 */
export interface RateModel {
  /** Bezier points of the angular velocity, four times three. */
  readonly points: Float64Array;
  readonly error: number;
  readonly rateError: number;
}

/**
 * Parameters at which the model is compared with the motion: errors of a Hermite cubic and of its rate are largest
 * at the middle and near these.
 */
const SAMPLES = [0.22, 0.5, 0.78];
/** Safety factor on the largest sampled error. */
const SAFETY = 2;

/** The Hermite cubic of the rates at both ends of [from, to], within one piece. */
export function fitRateModel(path: PathRates, piece: number, from: number, to: number): RateModel {
  const { size } = path;
  const span = to - from;
  const rate = new Float64Array(size);
  const second = new Float64Array(size);
  const points = new Float64Array(4 * size);
  path.write(piece, from, rate, second);
  for (let c = 0; c < size; c++) {
    points[c] = rate[c];
    points[size + c] = rate[c] + (span / 3) * second[c];
  }
  path.write(piece, to, rate, second);
  for (let c = 0; c < size; c++) {
    points[3 * size + c] = rate[c];
    points[2 * size + c] = rate[c] - (span / 3) * second[c];
  }
  const seconds = derivePoints(points, size, span);
  let error = 0;
  let rateError = 0;
  for (const u of SAMPLES) {
    path.write(piece, from + u * span, rate, second);
    error = Math.max(error, distance(pointAt(points, size, u), rate));
    rateError = Math.max(rateError, distance(pointAt(seconds, size, u), second));
  }
  return { points, error: SAFETY * error, rateError: SAFETY * rateError };
}

/** |w| <= rate and |w'| <= acceleration for a rotation. */
export function addRotationConstraints(
  { points, error, rateError }: RateModel,
  from: number,
  to: number,
  rate: number,
  acceleration: number,
  out: IntervalConstraints,
): void {
  const squares = squarePoints(points, 3);
  let largest = 0;
  for (let k = 0; k < 12; k += 3)
    largest = Math.max(largest, Math.hypot(points[k], points[k + 1], points[k + 2]));
  for (let k = 0; k < squares.length; k++) squares[k] += error * (2 * largest + error);
  addRate(squares, rate, out);
  const span = to - from;
  const tightened = tighten(acceleration, points, 3, secondDifferenceRounding(from, to));
  addAcceleration(points, derivePoints(points, 3, span), 3, span, tightened, error, rateError, out);
}

/**
 * |q b + r s''| <= acceleration at one end of an interval, with the r and q of the other piece at a knot there: a time rounded
 * across the knot satisfies the limit too.
 */
export function addJoinConstraint(
  rate: Float64Array,
  second: Float64Array,
  from: number,
  to: number,
  atEnd: boolean,
  acceleration: number,
  { ellipses }: IntervalConstraints,
): void {
  if (acceleration === Number.POSITIVE_INFINITY) return;
  const tightened = tighten(acceleration, rate, rate.length, secondDifferenceRounding(from, to));
  const scale = 1 / ((1 - MARGIN) * tightened * tightened);
  const terms = [0, 0, 0];
  for (let c = 0; c < rate.length; c++) {
    const tangential = rate[c] / (2 * (to - from));
    const u = (atEnd ? 0 : second[c]) - tangential;
    const v = (atEnd ? second[c] : 0) + tangential;
    terms[0] += scale * u * u;
    terms[1] += scale * u * v;
    terms[2] += scale * v * v;
  }
  ellipses.push(...terms);
}

/** |r|^2 b <= limit^2: c_k = ((d + 1 - k) f_k x + k f_{k-1} y)/(d + 1), f the coefficients of |r|^2. */
function addRate(squares: Float64Array, limit: number, { lines }: IntervalConstraints): void {
  if (limit === Number.POSITIVE_INFINITY) return;
  const scale = 1 / ((1 - MARGIN) * limit * limit);
  const raised = squares.length;
  for (let k = 0; k <= raised; k++) {
    lines.push(
      k < raised ? (scale * (raised - k) * squares[k]) / raised : 0,
      k > 0 ? (scale * k * squares[k - 1]) / raised : 0,
    );
  }
}

/** Weight in (n + e)^2 <= (1 + D) n^2 + (1 + 1/D) e^2, n the model and e its error. */
const ERROR_WEIGHT = 1e-4;

/**
 * |q b + r s''| <= limit. With e the degree of r, the Bernstein coefficients are
 *
 *   G_k = ((e - k) Q_k x + k Q_{k-1} y)/e + R_k (y - x)/(2 h) = U_k x + V_k y,
 *
 * each plus the model error `error` |y - x|/(2 h) + `rateError` max(x, y), whose square is at most twice the sum of squares.
 */
function addAcceleration(
  rates: Float64Array,
  seconds: Float64Array,
  size: number,
  span: number,
  limit: number,
  error: number,
  rateError: number,
  { ellipses }: IntervalConstraints,
): void {
  if (limit === Number.POSITIVE_INFINITY) return;
  const degree = rates.length / size - 1;
  const exact = error === 0 && rateError === 0;
  const scale = (exact ? 1 : 1 + ERROR_WEIGHT) / ((1 - MARGIN) * limit * limit);
  const errorScale = exact ? 0 : (2 * (1 + 1 / ERROR_WEIGHT)) / ((1 - MARGIN) * limit * limit);
  const tangentialError = errorScale * (error / (2 * span)) ** 2;
  const rateErrorTerm = errorScale * rateError ** 2;
  for (let k = 0; k <= degree; k++) {
    let xx = 0;
    let xy = 0;
    let yy = 0;
    for (let c = 0; c < size; c++) {
      const tangential = rates[k * size + c] / (2 * span);
      const u = (k < degree ? ((degree - k) / degree) * seconds[k * size + c] : 0) - tangential;
      const v = (k > 0 ? (k / degree) * seconds[(k - 1) * size + c] : 0) + tangential;
      xx += u * u;
      xy += u * v;
      yy += v * v;
    }
    ellipses.push(
      scale * xx + tangentialError + rateErrorTerm,
      scale * xy - tangentialError,
      scale * yy + tangentialError + rateErrorTerm,
    );
  }
}

function pointAt(points: Float64Array, size: number, u: number): Float64Array {
  const work = points.slice();
  for (let left = points.length - size; left > 0; left -= size) {
    for (let k = 0; k < left; k++) work[k] = (1 - u) * work[k] + u * work[k + size];
  }
  return work;
}

function distance(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let c = 0; c < b.length; c++) sum += (a[c] - b[c]) ** 2;
  return Math.sqrt(sum);
}
