/** Sample times of terms: Gauss-Legendre quadrature for integrals, collocation points for equalities, interval points for inequalities. */
import { breakTolerance } from './knots.js';
import type { SplineBasis } from './spline-basis.js';

/** A sample time, s, with its quadrature weight, s; weight 1 for a term at a single time and for constraints. */
export interface SamplePoint {
  readonly time: number;
  readonly weight: number;
}

/** Gauss-Legendre points and weights on [-1, 1], by their number n. */
const GAUSS: readonly (readonly (readonly [number, number])[])[] = [
  [],
  [[0, 2]],
  [
    [-Math.sqrt(1 / 3), 1],
    [Math.sqrt(1 / 3), 1],
  ],
  [
    [-Math.sqrt(3 / 5), 5 / 9],
    [0, 8 / 9],
    [Math.sqrt(3 / 5), 5 / 9],
  ],
  [
    [-Math.sqrt(3 / 7 + (2 / 7) * Math.sqrt(6 / 5)), (18 - Math.sqrt(30)) / 36],
    [-Math.sqrt(3 / 7 - (2 / 7) * Math.sqrt(6 / 5)), (18 + Math.sqrt(30)) / 36],
    [Math.sqrt(3 / 7 - (2 / 7) * Math.sqrt(6 / 5)), (18 + Math.sqrt(30)) / 36],
    [Math.sqrt(3 / 7 + (2 / 7) * Math.sqrt(6 / 5)), (18 - Math.sqrt(30)) / 36],
  ],
];

/** Gauss-Legendre points in every knot interval, clipped to [from, to]: exact for polynomials of degree 2 n - 1. */
export function gaussPoints(
  { intervals, breaks }: SplineBasis,
  from: number,
  to: number,
  points: 1 | 2 | 3 | 4,
): SamplePoint[] {
  const found: SamplePoint[] = [];
  for (let k = 0; k < intervals; k++) {
    const low = Math.max(from, breaks[k]);
    const high = Math.min(to, breaks[k + 1]);
    // Skip intervals that exist by rounding only.
    if (!(high - low > 1e-9 * (breaks[k + 1] - breaks[k]))) continue;
    const middle = 0.5 * (low + high);
    const half = 0.5 * (high - low);
    for (const [x, w] of GAUSS[points]) found.push({ time: middle + half * x, weight: w * half });
  }
  return found;
}

/** Fractions of a knot interval: collocation points keep this distance from the ends of a span, and a longer gap gets points in between. */
const MIN_GAP = 0.2;
const MAX_GAP = 0.45;

/** How densely a quantity is collocated. */
interface CollocationRule {
  /** Derivative of the motion on which the quantity depends. */
  readonly order: number;
  /** Largest number of additional points at an end, and at an end of the motion. */
  readonly maxExtra: number;
  readonly maxExtraAtEnds: number;
  /** How many fewer at the start and the end of the span. */
  readonly fewerAtEnds: readonly [number, number];
}

/**
 * Collocation points of an equality over a span: one for each degree of freedom of the spline, that is one per knot interval.
 *
 * A spline of odd degree is collocated at knots, one of even degree at interval midpoints: at the other points an oscillation from knot to
 * knot vanishes and would stay unconstrained. Beyond the last sample the spline is unconstrained, so both ends of the span are sampled.
 * Where the spline is less smooth it has more degrees of freedom and gets as many additional points: at the ends of the motion, and on both
 * sides of a break that is only twice continuously differentiable.
 *
 * @param order - Derivative of the motion on which the quantity depends.
 * @param maxExtra - Largest number of additional points at an end.
 * @param fewerAtEnds - How many fewer at the start and the end of the span, where other constraints say as much.
 * @param maxExtraAtEnds - Largest number of additional points at an end of the motion.
 */
export function collocationPoints(
  basis: SplineBasis,
  from: number,
  to: number,
  order = 0,
  maxExtra = 1,
  fewerAtEnds: readonly [number, number] = [0, 0],
  maxExtraAtEnds = maxExtra,
): SamplePoint[] {
  const rule = { order, maxExtra, maxExtraAtEnds, fewerAtEnds };
  const { breaks, intervals, multiplicity } = basis;
  const tolerance = breakTolerance(basis);
  const times = [from];
  for (let k = 0; k < intervals; k++) {
    // A segment extends as far as the spline is smooth.
    const low = k;
    while (k + 1 < intervals && multiplicity[k + 1] === 1) k++;
    if (!(breaks[k + 1] > from + tolerance && breaks[low] < to - tolerance)) continue;
    addSegment(basis, low, k + 1, from, to, rule, times);
  }
  if (times[times.length - 1] < to) times.push(to);
  return times.map((time) => ({ time, weight: 1 }));
}

/** Appends the points of the segment between breaks `low` and `high`, clipped to the span, without its start and with its end. */
function addSegment(
  basis: SplineBasis,
  low: number,
  high: number,
  from: number,
  to: number,
  rule: CollocationRule,
  times: number[],
): void {
  const { degree, breaks } = basis;
  const isOdd = (degree - rule.order) % 2 === 1;
  // Ends that coincide with a break up to rounding are that break.
  const tolerance = breakTolerance(basis);
  const start = breaks[low] > from + tolerance ? breaks[low] : from;
  const end = breaks[high] < to - tolerance ? breaks[high] : to;
  const inside: number[] = [];
  for (let k = low; k < high; k++) {
    const step = breaks[k + 1] - breaks[k];
    const time = isOdd ? breaks[k] : breaks[k] + 0.5 * step;
    if (time - start > MIN_GAP * step && end - time > MIN_GAP * step) inside.push(time);
  }
  const all = [start, ...inside, end];
  const last = all.length - 1;
  const first = breaks[low + 1] - breaks[low];
  const final = breaks[high] - breaks[high - 1];
  const after = extraAfter(basis, start, start === from, rule);
  const before = extraBefore(basis, end, end === to, rule);
  if (last === 1) {
    times.push(...evenlyBetween(start, end, after + before, first), end);
    return;
  }
  times.push(...evenlyBetween(start, all[1], after, first), ...all.slice(1, last));
  times.push(...evenlyBetween(all[last - 1], end, before, final), end);
}

function evenlyBetween(a: number, b: number, count: number, step: number): number[] {
  if (!(b - a > MAX_GAP * step)) return [];
  return Array.from({ length: count }, (_, k) => a + ((k + 1) / (count + 1)) * (b - a));
}

/** Additional points inside the end of a span or segment. */
function extraAt(
  basis: SplineBasis,
  time: number,
  { order, maxExtra, maxExtraAtEnds }: CollocationRule,
): number {
  const { degree, breaks, multiplicity } = basis;
  const tolerance = breakTolerance(basis);
  const k = breaks.findIndex((other) => Math.abs(time - other) <= tolerance);
  if (k < 0 || multiplicity[k] < degree - 2) return 0;
  const most = k === 0 || k === breaks.length - 1 ? maxExtraAtEnds : maxExtra;
  return Math.max(0, Math.min(most, Math.floor((degree - order - 1) / 2)));
}

function extraAfter(basis: SplineBasis, time: number, isEnd: boolean, rule: CollocationRule): number {
  // At an interior break both segments share value, first and second derivative, so two of three would be counted twice.
  return Math.max(0, extraAt(basis, time, rule) - (isEnd ? rule.fewerAtEnds[0] : rule.order > 0 ? 0 : 1));
}

function extraBefore(basis: SplineBasis, time: number, isEnd: boolean, rule: CollocationRule): number {
  return Math.max(0, extraAt(basis, time, rule) - (isEnd ? rule.fewerAtEnds[1] : rule.order > 1 ? 0 : 1));
}

/** Number of sample points of an interval: for bounds on values; on rates; on rates in intervals next to a less smooth break. */
const VALUE_POINTS = 2;
const RATE_POINTS = 3;
const DENSE_RATE_POINTS = 6;

/**
 * Sample points of an inequality over a span: its ends and two points in each knot interval, at quarters.
 *
 * Rates and accelerations are sampled three times, at odd sixths, as they may swing from bound to bound between knots. Intervals at the
 * start or end of the motion, or next to a break that is only twice continuously differentiable, are sampled six times, and so are such
 * breaks: there the spline has a polynomial of its own that oscillates within the interval (with quarters a torque reached 1.3 times its
 * bound). Quantities bounded by value alone do not, since their accelerations are penalized.
 *
 * @param density - Factor of the number of points in each interval: more points bound a spline better without taking any freedom from it.
 * @param order - Derivative of the motion on which the bound depends.
 */
export function inequalityPoints(
  { intervals, breaks, multiplicity }: SplineBasis,
  density: ArrayLike<number>,
  from: number,
  to: number,
  order = 0,
): SamplePoint[] {
  const isRefined = (k: number): boolean => order > 0 && multiplicity[k] > 1;
  const times = [from];
  for (let k = 0; k < intervals; k++) {
    const count =
      density[k] *
      (isRefined(k) || isRefined(k + 1) ? DENSE_RATE_POINTS : order > 0 ? RATE_POINTS : VALUE_POINTS);
    for (let n = isRefined(k) ? -1 : 0; n < count; n++) {
      const fraction = n < 0 ? 0 : (2 * n + 1) / (2 * count);
      const time = breaks[k] + fraction * (breaks[k + 1] - breaks[k]);
      if (time > from && time < to) times.push(time);
    }
  }
  times.push(to);
  return times.map((time) => ({ time, weight: 1 }));
}
