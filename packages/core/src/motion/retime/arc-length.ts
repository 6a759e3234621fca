import { MotionError } from '../../errors.js';
import type { Curve } from '../representation/curve.js';
import { checkedNumbers } from '../representation/curve.js';
import type { RotationCurve } from '../representation/rotation-curve.js';
import { type RatePath, ratePathOf } from './path-rates.js';

/** Gauss-Legendre nodes and weights of order 8 on [-1, 1], the positive half (Abramowitz and Stegun, table 25.4). */
const NODES = [0.1834346424956498, 0.525532409916329, 0.7966664774136267, 0.9602898564975363];
const WEIGHTS = [0.362683783378362, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763];
/** Halvings of a piece; past them there is a kink within rounding of one place. */
const DEEPEST = 48;

/**
 * The way that a motion goes from one moment to another, the integral of its speed: of |x'| for a curve (all coordinates together), of the angular
 * speed for a rotation, which is the length in SO(3) (rad).
 * @param options.from - s; the whole range unless said.
 * @param options.tolerance - Error bound; 1e-12 of the way and 1e-14 unless said, and no less than what rounding of moments is worth at that speed.
 * @throws MotionError `out-of-range`, `not-finite`
 */
export function arcLength(
  motion: Curve | RotationCurve,
  options: { readonly from?: number; readonly to?: number; readonly tolerance?: number } = {},
): number {
  const path = ratePathOf(motion);
  const { knots } = path;
  const start = knots[0];
  const end = knots[knots.length - 1];
  const { from = start, to = end, tolerance = 0 } = options;
  checkedNumbers([from, to, tolerance], 3, 'options');
  if (!(from >= start && to <= end && from <= to)) {
    throw new MotionError('out-of-range', `goes from ${from} s to ${to} s of ${start} s to ${end} s.`, {
      path: 'options',
      remedy: 'Give moments in the range of the motion, in their order.',
    });
  }
  let length = 0;
  for (let s = 0; s + 1 < knots.length; s++) {
    const a = Math.max(knots[s], from);
    const b = Math.min(knots[s + 1], to);
    if (b > a) length += lengthOfPart(path, s, a, b, tolerance / (knots.length - 1));
  }
  return length;
}

/** Relative error that halving stops at, and the absolute one, rad or units. */
const RELATIVE = 1e-13;
const ABSOLUTE = 1e-15;
/** Roundings of a moment that the way is not told apart by. */
const MOMENTS = 8;

/** What rounding of the moments from a to b is worth at the mean speed of a motion that goes `length` between them. */
export function roundingOfWay(a: number, b: number, length: number): number {
  const moments = MOMENTS * Number.EPSILON * Math.max(Math.abs(a), Math.abs(b));
  return b > a ? (moments * length) / (b - a) : 0;
}

/**
 * The way within one piece by Gauss-Legendre of order 8, on halves until halving no longer tells. Where the motion turns back in its own way the
 * speed has a kink, which halving closes in on.
 */
export function lengthOfPart(path: RatePath, piece: number, a: number, b: number, tolerance = 0): number {
  const whole = gauss(path, piece, a, b);
  return halved(path, piece, a, b, whole, Math.max(tolerance, RELATIVE * whole, ABSOLUTE), DEEPEST);
}

function halved(
  path: RatePath,
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
  const bound = Math.max(tolerance, roundingOfWay(a, b, left + right));
  const agrees = Math.abs(left + right - whole) <= bound;
  const small = left + right <= bound;
  if (depth === 0 || small || (agrees && !turns(path, piece, a, b, (left + right) / (b - a))))
    return left + right;
  // Smooth halves are 2^-16 as wrong, so that those by a kink may have the rest: the bound goes down slower than by halves.
  return (
    halved(path, piece, a, middle, left, 0.6 * tolerance, depth - 1) +
    halved(path, piece, middle, b, right, 0.6 * tolerance, depth - 1)
  );
}

function gauss(path: RatePath, piece: number, a: number, b: number): number {
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

/** A speed at an end, against the mean speed, that says nothing about the direction. */
const AT_REST = 1e-3;

/**
 * Whether the motion turns by a right angle or more from a to b, or nearly rests at one of them: it may then come to rest on the way. A kink of the
 * speed beyond the outermost node is seen by no rule of the kind above.
 */
function turns(path: RatePath, piece: number, a: number, b: number, mean: number): boolean {
  const { first, last, second } = scratchFor(path.size);
  path.write(piece, a, first, second);
  path.write(piece, b, last, second);
  let along = 0;
  let before = 0;
  let after = 0;
  for (let c = 0; c < path.size; c++) {
    along += first[c] * last[c];
    before += first[c] * first[c];
    after += last[c] * last[c];
  }
  return !(along > 0 && Math.min(before, after) > (AT_REST * mean) ** 2);
}

interface Scratch {
  readonly first: Float64Array;
  readonly last: Float64Array;
  readonly second: Float64Array;
}

let scratch: Scratch | undefined;

function scratchFor(size: number): Scratch {
  if (scratch === undefined || scratch.first.length < size) {
    const [first, last, second] = Array.from({ length: 3 }, () => new Float64Array(size));
    scratch = { first, last, second };
  }
  return scratch;
}

/** |r| at a moment of a piece. */
export function speedAt(path: RatePath, piece: number, moment: number): number {
  const { first: rate, second } = scratchFor(path.size);
  path.write(piece, moment, rate, second);
  let sum = 0;
  for (let c = 0; c < path.size; c++) sum += rate[c] * rate[c];
  return Math.sqrt(sum);
}
