/**
 * What limits on rates and accelerations say about one cell [s_0, s_1] of moments, on which the squared rate of time b = s'^2 goes in a line from x to
 * y and so s'' = (y - x)/(2 (s_1 - s_0)) is constant. With r the rate of the motion by s, its rate by time squared is |r|^2 b, and its acceleration
 * r' b + r s''. Both are polynomials in s whose Bernstein coefficients are linear in (x, y): where those are within the limits, so is everything
 * between them. Sampling has no part in it.
 */

import { pointsOfPiece } from '../convert/pieces.js';
import { derivePoints, partOfPoints, squarePoints } from '../representation/bernstein.js';
import { type Curve, pieceAt } from '../representation/curve.js';
import type { RatePath } from './path-rates.js';

/** Constraints of one cell. Each admits (0, 0), and all of them a convex set. */
export interface CellConstraints {
  /** p, q, ...: p x + q y <= 1. */
  readonly lines: number[];
  /** a, b, c, ...: a x^2 + 2 b x y + c y^2 <= 1. */
  readonly ellipses: number[];
}

/** Limits are undercut by this, against their square, so that they hold in spite of rounding. */
const MARGIN = 1e-9;

/** What rounding of moments does to s'' of a cell that is played no faster than it was: a second difference over its length. */
function noiseOf(from: number, to: number): number {
  return (8 * Number.EPSILON * Math.max(Math.abs(from), Math.abs(to))) / (to - from) ** 2;
}

/** A limit on acceleration, less what rounding of s'' may add to it; at least half of it stays. */
function undercut(limit: number, rates: Float64Array, size: number, noise: number): number {
  let largest = 0;
  for (let o = 0; o < rates.length; o += size) {
    let square = 0;
    for (let c = 0; c < size; c++) square += rates[o + c] * rates[o + c];
    largest = Math.max(largest, square);
  }
  return Math.max(limit - noise * Math.sqrt(largest), 0.5 * limit);
}

/** |x'_c| <= rate and |x''_c| <= acceleration for one coordinate of a curve on [from, to], inside one piece. Infinity: no limit. */
export function addCoordinate(
  curve: Curve,
  coordinate: number,
  from: number,
  to: number,
  rate: number,
  acceleration: number,
  out: CellConstraints,
): void {
  const { size, degree, knots } = curve;
  const piece = pieceAt(knots, from);
  const begin = knots[piece];
  const span = knots[piece + 1] - begin;
  const all = pointsOfPiece(curve, piece);
  const own = Float64Array.from({ length: degree + 1 }, (_, k) => all[k * size + coordinate]);
  const points = partOfPoints(
    own,
    1,
    (from - begin) / span,
    to === knots[piece + 1] ? 1 : (to - begin) / span,
  );
  const rates = derivePoints(points, 1, to - from);
  addRate(squarePoints(rates, 1), rate, out);
  const least = undercut(acceleration, rates, 1, noiseOf(from, to));
  addAcceleration(rates, derivePoints(rates, 1, to - from), 1, to - from, least, 0, 0, out);
}

/** What a cell of a rotation is taken for: a cubic of its angular velocity, and how far that may be from it and from its rate. */
export interface RateModel {
  /** Bezier points of the angular velocity, four times three. */
  readonly points: Float64Array;
  readonly off: number;
  readonly offSecond: number;
}

/** Where the model is compared with the motion: the errors of a Hermite cubic and of its rate are largest at the middle and near these. */
const LOOKS = [0.22, 0.5, 0.78];
/** The error that is allowed for against the largest seen. */
const SAFETY = 2;

/** The Hermite cubic of the rates at both ends of [from, to], inside one piece. */
export function modelOf(path: RatePath, piece: number, from: number, to: number): RateModel {
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
  let off = 0;
  let offSecond = 0;
  for (const u of LOOKS) {
    path.write(piece, from + u * span, rate, second);
    off = Math.max(off, distance(pointAt(points, size, u), rate));
    offSecond = Math.max(offSecond, distance(pointAt(seconds, size, u), second));
  }
  return { points, off: SAFETY * off, offSecond: SAFETY * offSecond };
}

/** |w| <= rate and |w'| <= acceleration for a rotation. */
export function addRotation(
  { points, off, offSecond }: RateModel,
  from: number,
  to: number,
  rate: number,
  acceleration: number,
  out: CellConstraints,
): void {
  const squares = squarePoints(points, 3);
  let largest = 0;
  for (let k = 0; k < 12; k += 3)
    largest = Math.max(largest, Math.hypot(points[k], points[k + 1], points[k + 2]));
  for (let k = 0; k < squares.length; k++) squares[k] += off * (2 * largest + off);
  addRate(squares, rate, out);
  const span = to - from;
  const least = undercut(acceleration, points, 3, noiseOf(from, to));
  addAcceleration(points, derivePoints(points, 3, span), 3, span, least, off, offSecond, out);
}

/**
 * |q b + r s''| <= acceleration at one end of a cell, for the r and q on the other side of a join there: a moment that rounding takes over the
 * join is within the limit too.
 */
export function addNeighbour(
  rate: Float64Array,
  second: Float64Array,
  from: number,
  to: number,
  atEnd: boolean,
  acceleration: number,
  { ellipses }: CellConstraints,
): void {
  if (acceleration === Number.POSITIVE_INFINITY) return;
  const least = undercut(acceleration, rate, rate.length, noiseOf(from, to));
  const scale = 1 / ((1 - MARGIN) * least * least);
  const terms = [0, 0, 0];
  for (let c = 0; c < rate.length; c++) {
    const steer = rate[c] / (2 * (to - from));
    const u = (atEnd ? 0 : second[c]) - steer;
    const v = (atEnd ? second[c] : 0) + steer;
    terms[0] += scale * u * u;
    terms[1] += scale * u * v;
    terms[2] += scale * v * v;
  }
  ellipses.push(...terms);
}

/** |r|^2 b <= limit^2: c_k = ((d + 1 - k) f_k x + k f_{k-1} y)/(d + 1), f the coefficients of |r|^2. */
function addRate(squares: Float64Array, limit: number, { lines }: CellConstraints): void {
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

/** Weight of the exact part where an error is allowed for: (n + e)^2 <= (1 + D) n^2 + (1 + 1/D) e^2. */
const SPLIT = 1e-4;

/**
 * |q b + r s''| <= limit: with e the degree of r, G_k = ((e - k) Q_k x + k Q_{k-1} y)/e + R_k (y - x)/(2 h) = U_k x + V_k y. To each comes the
 * error e = off |y - x|/(2 h) + offSecond max(x, y), whose square is at most twice that of either.
 */
function addAcceleration(
  rates: Float64Array,
  seconds: Float64Array,
  size: number,
  span: number,
  limit: number,
  off: number,
  offSecond: number,
  { ellipses }: CellConstraints,
): void {
  if (limit === Number.POSITIVE_INFINITY) return;
  const degree = rates.length / size - 1;
  const exact = off === 0 && offSecond === 0;
  const scale = (exact ? 1 : 1 + SPLIT) / ((1 - MARGIN) * limit * limit);
  const share = exact ? 0 : (2 * (1 + 1 / SPLIT)) / ((1 - MARGIN) * limit * limit);
  const turn = share * (off / (2 * span)) ** 2;
  const grow = share * offSecond ** 2;
  for (let k = 0; k <= degree; k++) {
    let xx = 0;
    let xy = 0;
    let yy = 0;
    for (let c = 0; c < size; c++) {
      const steer = rates[k * size + c] / (2 * span);
      const u = (k < degree ? ((degree - k) / degree) * seconds[k * size + c] : 0) - steer;
      const v = (k > 0 ? (k / degree) * seconds[(k - 1) * size + c] : 0) + steer;
      xx += u * u;
      xy += u * v;
      yy += v * v;
    }
    ellipses.push(scale * xx + turn + grow, scale * xy - turn, scale * yy + turn + grow);
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
