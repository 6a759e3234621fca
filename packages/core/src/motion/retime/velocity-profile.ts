/** Velocity profile: the largest squared velocities at the ends of intervals that satisfy all constraints. */
import type { IntervalConstraints } from './interval-constraints.js';

/**
 * Time-optimal path parameterization by reachability analysis (Pham and Pham 2018, TOPP-RA), with constraints that hold on whole
 * intervals: b = s'^2 at each end of the intervals, at most 1 (never faster than the original motion). The backward pass computes
 * the largest b from which the next interval is feasible (controllable), the forward pass the largest b that can be reached.
 *
 * Each interval has a convex feasible set that contains (0, 0), so any b below the bound is controllable: by (x, y)
 * scaled down.
 * @param intervals - One for each two consecutive ends.
 * @param maxSquares - The maximum velocity curve: largest b at each end, at most 1.
 */
export function velocityProfile(
  intervals: readonly IntervalConstraints[],
  maxSquares: Float64Array,
): Float64Array {
  const profile = maxSquares.slice();
  // Constraints on one end first, then those that couple both.
  for (const shared of [false, true]) {
    for (let i = 0; i < intervals.length; i++) applyRateConstraints(intervals[i], profile, i, shared);
  }
  for (let i = intervals.length - 1; i >= 0; i--) backwardPass(intervals[i], profile, i);
  for (let i = 0; i < intervals.length; i++)
    profile[i + 1] = maxReachable(intervals[i], profile[i], profile[i + 1]);
  return profile;
}

/** Projects both ends below every line p x + q y <= 1, the larger one first, so that they then are independent. */
function applyRateConstraints(
  { lines }: IntervalConstraints,
  profile: Float64Array,
  i: number,
  shared: boolean,
): void {
  for (let k = 0; k < lines.length; k += 2) {
    const p = Math.max(0, lines[k]);
    const q = Math.max(0, lines[k + 1]);
    if ((p > 0 && q > 0) !== shared) continue;
    const x = profile[i];
    const y = profile[i + 1];
    if (p * x + q * y <= 1) continue;
    // The larger one is reduced, but not below the value at which both are equal; any remaining excess scales both.
    const equal = 1 / (p + q);
    if (x > y) profile[i] = Math.max(Math.min(p > 0 ? (1 - q * y) / p : x, x), Math.min(equal, x));
    else profile[i + 1] = Math.max(Math.min(q > 0 ? (1 - p * x) / q : y, y), Math.min(equal, y));
    const sum = p * profile[i] + q * profile[i + 1];
    if (sum > 1) {
      profile[i] /= sum;
      profile[i + 1] /= sum;
    }
  }
}

/**
 * Fraction of the largest feasible end value that is kept when the start value is maximized. Constraints that trade one for the
 * other, as where the motion itself is nearly at rest, would otherwise leave the end at zero.
 */
const KEPT_FRACTION = 0.9;

/**
 * Backward pass of one interval: bounds the end by its largest feasible value and the start by its largest
 * controllable value.
 */
function backwardPass(interval: IntervalConstraints, profile: Float64Array, i: number): void {
  if (interval.ellipses.length === 0) return;
  const next = profile[i + 1];
  if (next === 0) {
    profile[i] = Math.min(profile[i], 1 / gauge(interval, 1, 0));
    return;
  }
  const endSquare = (angle: number): number => Math.sin(angle) * rayLength(interval, angle, next);
  const startSquare = (angle: number): number => Math.cos(angle) * rayLength(interval, angle, next);
  const top = maximize(endSquare, 0, 0.5 * Math.PI);
  profile[i + 1] = endSquare(top);
  // Along the boundary y increases up to there.
  let low = 0;
  let high = top;
  for (let n = 0; n < STEPS; n++) {
    const middle = 0.5 * (low + high);
    if (endSquare(middle) < KEPT_FRACTION * profile[i + 1]) low = middle;
    else high = middle;
  }
  profile[i] = Math.min(profile[i], startSquare(maximize(startSquare, high, top)));
}

const GOLDEN = 0.5 * (Math.sqrt(5) - 1);
const STEPS = 60;

/** Maximizer of a unimodal function on [low, high], by golden-section search. */
function maximize(f: (x: number) => number, low: number, endSquare: number): number {
  let [from, to] = [low, endSquare];
  let a = to - GOLDEN * (to - from);
  let b = from + GOLDEN * (to - from);
  let atA = f(a);
  let atB = f(b);
  for (let n = 0; n < STEPS; n++) {
    if (atA > atB) {
      [to, b, atB] = [b, a, atA];
      a = to - GOLDEN * (to - from);
      atA = f(a);
    } else {
      [from, a, atA] = [a, b, atB];
      b = from + GOLDEN * (to - from);
      atB = f(b);
    }
  }
  const inside = atA > atB ? a : b;
  const ends = f(low) > f(endSquare) ? low : endSquare;
  return f(ends) >= f(inside) ? ends : inside;
}

/** Length of the ray at an angle from the x axis to the boundary of the feasible set, y = next or x, y = 1. */
function rayLength(interval: IntervalConstraints, angle: number, next: number): number {
  const c = Math.cos(angle);
  const s = Math.sin(angle);
  return 1 / Math.max(c, s, s / next, gauge(interval, c, s));
}

/** Gauge of (x, y) for the acceleration constraints: feasible up to 1. */
function gauge({ ellipses }: IntervalConstraints, x: number, y: number): number {
  let square = 0;
  for (let k = 0; k < ellipses.length; k += 3) {
    square = Math.max(square, ellipses[k] * x * x + 2 * ellipses[k + 1] * x * y + ellipses[k + 2] * y * y);
  }
  return Math.sqrt(square);
}

/**
 * Relative rounding of squared acceleration limits: an ellipse that degenerates to a line in x would amplify it. The
 * margin of the limits is larger.
 */
const ROUNDING = 2e-10;

/** Forward pass of one interval: the largest y <= next such that (x, y) is feasible, for a controllable x. */
function maxReachable({ ellipses }: IntervalConstraints, x: number, next: number): number {
  let y = next;
  for (let k = 0; k < ellipses.length; k += 3) {
    const [a, b, c] = [ellipses[k], ellipses[k + 1] * x, ellipses[k + 2]];
    if (!(c > 0)) continue;
    // The upper root of c y^2 + 2 b y + a x^2 - 1, without cancellation.
    const rest = 1 + ROUNDING - a * x * x;
    const root = Math.sqrt(Math.max(0, b * b + c * rest));
    y = Math.min(y, b > 0 ? rest / (root + b) : (root - b) / c);
  }
  return Math.max(0, y);
}
