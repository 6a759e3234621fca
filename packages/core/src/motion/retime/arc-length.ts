import { requireFields } from '../../checks.js';
import { MotionError } from '../../errors.js';
import type { Curve } from '../representation/curve.js';
import { checkedNumbers } from '../representation/curve.js';
import type { RotationCurve } from '../representation/rotation-curve.js';
import { type PathRates, pathRatesOf } from './path-rates.js';

/** Gauss-Legendre nodes and weights of order 8 on [-1, 1], the positive half (Abramowitz and Stegun, table 25.4). */
const NODES = [0.1834346424956498, 0.525532409916329, 0.7966664774136267, 0.9602898564975363];
const WEIGHTS = [0.362683783378362, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763];
/** Largest bisection depth; beyond it a kink is located to rounding. */
const MAX_DEPTH = 48;

/**
 * Arc length of a motion, the integral of its speed: of |x'| for a curve (all coordinates together), of the angular speed for a
 * rotation, which is the length in SO(3) (rad).
 * @param options.from - s; `from` and `to` default to the whole range.
 * @param options.tolerance - Error bound; by default 1e-12 relative and 1e-14 absolute, and never below the rounding
 * of times at that speed.
 * @throws MotionError `out-of-range`, `not-finite`
 */
export function arcLength(
  motion: Curve | RotationCurve,
  options: { readonly from?: number; readonly to?: number; readonly tolerance?: number } = {},
): number {
  const path = pathRatesOf(motion);
  const { knots } = path;
  const start = knots[0];
  const end = knots[knots.length - 1];
  requireFields(options, { from: true, to: true, tolerance: true }, 'options', MotionError);
  const { from = start, to = end, tolerance = 0 } = options;
  checkedNumbers([from, to, tolerance], 3, 'options');
  if (!(from >= start && to <= end && from <= to)) {
    throw new MotionError('out-of-range', `are ${from} s to ${to} s in a range of ${start} s to ${end} s.`, {
      path: 'options',
      remedy: 'Give from <= to, both in the range of the motion.',
    });
  }
  let length = 0;
  for (let s = 0; s + 1 < knots.length; s++) {
    const a = Math.max(knots[s], from);
    const b = Math.min(knots[s + 1], to);
    if (b > a) length += lengthOfInterval(path, s, a, b, tolerance / (knots.length - 1));
  }
  return length;
}

/** Relative and absolute error (rad or units) of the adaptive integration. */
const RELATIVE = 1e-13;
const ABSOLUTE = 1e-15;
/** Multiple of the rounding of a time below which lengths are not resolved. */
const TIME_ROUNDINGS = 8;

/** Length equivalent to the rounding of times from a to b at the mean speed of a motion of this length. */
export function lengthRounding(a: number, b: number, length: number): number {
  const timeRounding = TIME_ROUNDINGS * Number.EPSILON * Math.max(Math.abs(a), Math.abs(b));
  return b > a ? (timeRounding * length) / (b - a) : 0;
}

/**
 * Arc length within one piece by adaptive Gauss-Legendre quadrature of order 8 with bisection. Where the motion reverses its
 * direction the speed has a kink, which bisection isolates.
 */
export function lengthOfInterval(
  path: PathRates,
  piece: number,
  a: number,
  b: number,
  tolerance = 0,
): number {
  const whole = gauss(path, piece, a, b);
  return integrateAdaptively(
    path,
    piece,
    a,
    b,
    whole,
    Math.max(tolerance, RELATIVE * whole, ABSOLUTE),
    MAX_DEPTH,
  );
}

function integrateAdaptively(
  path: PathRates,
  piece: number,
  a: number,
  b: number,
  whole: number,
  tolerance: number,
  depth: number,
): number {
  const middle = 0.5 * (a + b);
  const left = gauss(path, piece, a, middle);
  const right = gauss(path, piece, middle, b);
  const bound = Math.max(tolerance, lengthRounding(a, b, left + right));
  const agrees = Math.abs(left + right - whole) <= bound;
  const small = left + right <= bound;
  if (depth === 0 || small || (agrees && !mayReverse(path, piece, a, b, (left + right) / (b - a))))
    return left + right;
  // The error of smooth halves is 2^-16 times smaller, so halves with a kink may use the rest: the bound shrinks
  // by less than one half.
  return (
    integrateAdaptively(path, piece, a, middle, left, 0.6 * tolerance, depth - 1) +
    integrateAdaptively(path, piece, middle, b, right, 0.6 * tolerance, depth - 1)
  );
}

function gauss(path: PathRates, piece: number, a: number, b: number): number {
  const middle = 0.5 * (a + b);
  const half = 0.5 * (b - a);
  let sum = 0;
  for (let k = 0; k < NODES.length; k++) {
    sum +=
      WEIGHTS[k] *
      (speedAt(path, piece, middle - half * NODES[k]) + speedAt(path, piece, middle + half * NODES[k]));
  }
  return half * sum;
}

/** Speed at an end, relative to the mean speed, too small to define a direction. */
const NEGLIGIBLE_SPEED = 1e-3;

/**
 * Whether the velocity rotates by 90 degrees or more from a to b, or nearly vanishes at an end: the motion may then come to rest
 * between. A kink of the speed beyond the outermost node is invisible to the quadrature.
 */
function mayReverse(path: PathRates, piece: number, a: number, b: number, mean: number): boolean {
  const { first, last, second } = scratchOf(path.size);
  path.write(piece, a, first, second);
  path.write(piece, b, last, second);
  let dot = 0;
  let before = 0;
  let after = 0;
  for (let c = 0; c < path.size; c++) {
    dot += first[c] * last[c];
    before += first[c] * first[c];
    after += last[c] * last[c];
  }
  return !(dot > 0 && Math.min(before, after) > (NEGLIGIBLE_SPEED * mean) ** 2);
}

interface Scratch {
  readonly first: Float64Array;
  readonly last: Float64Array;
  readonly second: Float64Array;
}

let scratch: Scratch | undefined;

function scratchOf(size: number): Scratch {
  if (scratch === undefined || scratch.first.length < size) {
    const [first, last, second] = Array.from({ length: 3 }, () => new Float64Array(size));
    scratch = { first, last, second };
  }
  return scratch;
}

/** |r| at a time of a piece. */
export function speedAt(path: PathRates, piece: number, time: number): number {
  const { first: rate, second } = scratchOf(path.size);
  path.write(piece, time, rate, second);
  let sum = 0;
  for (let c = 0; c < path.size; c++) sum += rate[c] * rate[c];
  return Math.sqrt(sum);
}
