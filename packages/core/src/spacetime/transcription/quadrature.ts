/** Where the terms of a trajectory problem look: moments with the weights of a quadrature. */
import { sliverOf } from './knots.js';
import type { SplineBasis } from './spline-basis.js';

/** A moment and how much of the span it stands for, s; 1 for a term at a single moment. */
export interface WeightedMoment {
  readonly time: number;
  readonly weight: number;
}

/** Points and weights of Gauss and Legendre on [-1, 1], by their number. */
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

/** A rule of {@link GAUSS} points in every knot interval, or what of it lies within [from, to]: exact for polynomials of degree 2 n - 1. */
export function gaussMoments(
  { intervals, breaks }: SplineBasis,
  from: number,
  to: number,
  points: 1 | 2 | 3 | 4,
): WeightedMoment[] {
  const found: WeightedMoment[] = [];
  for (let k = 0; k < intervals; k++) {
    const low = Math.max(from, breaks[k]);
    const high = Math.min(to, breaks[k + 1]);
    // A sliver that rounding has left counts for nothing.
    if (!(high - low > 1e-9 * (breaks[k + 1] - breaks[k]))) continue;
    const middle = 0.5 * (low + high);
    const half = 0.5 * (high - low);
    for (const [x, w] of GAUSS[points]) found.push({ time: middle + half * x, weight: w * half });
  }
  return found;
}

/** Of a knot interval: moments of the rule come no nearer to the ends of a span, and may be no farther without one between. */
const NEAREST = 0.2;
const FARTHEST = 0.45;

/** What a quantity goes by, and how many moments more an end of it may take. */
interface Law {
  readonly order: number;
  readonly most: number;
  /** How many fewer at the start and the end of the span. */
  readonly less: readonly [number, number];
}

/**
 * Where a quantity has to be what it is to be over a span: as often as a spline has numbers to give, one in each knot interval.
 *
 * A spline of odd degree is looked at where its knots are, one of even degree half way between: at the other places a wiggle from knot to
 * knot is zero, and nothing would hold it. What lies beyond the outermost would be anybody's, so the ends of the span are looked at too; and where
 * the spline is less smooth it has more to give, which as many moments more take up: at the ends of the motion, and on both sides of a break that is
 * only twice continuously differentiable.
 *
 * @param order - Which derivative of the motion the quantity goes by.
 * @param most - Moments more at an end, at most.
 * @param less - How many fewer at the start and the end of the span, where something else says as much.
 */
export function holdMoments(
  basis: SplineBasis,
  from: number,
  to: number,
  order = 0,
  most = 1,
  less: readonly [number, number] = [0, 0],
): WeightedMoment[] {
  const { breaks, intervals, multiplicity } = basis;
  const sliver = sliverOf(basis);
  const times = [from];
  for (let k = 0; k < intervals; k++) {
    // A piece goes on as long as the spline is smooth.
    const low = k;
    while (k + 1 < intervals && multiplicity[k + 1] === 1) k++;
    if (!(breaks[k + 1] > from + sliver && breaks[low] < to - sliver)) continue;
    addPiece(basis, low, k + 1, from, to, { order, most, less }, times);
  }
  if (times[times.length - 1] < to) times.push(to);
  return times.map((time) => ({ time, weight: 1 }));
}

/** Moments after the last of `times` in the piece from break `low` to break `high`, or what of it the span holds, its end included. */
function addPiece(
  basis: SplineBasis,
  low: number,
  high: number,
  from: number,
  to: number,
  law: Law,
  times: number[],
): void {
  const { degree, breaks } = basis;
  const isOdd = (degree - law.order) % 2 === 1;
  // A span that passes a break by rounding begins or ends there.
  const sliver = sliverOf(basis);
  const start = breaks[low] > from + sliver ? breaks[low] : from;
  const end = breaks[high] < to - sliver ? breaks[high] : to;
  const inside: number[] = [];
  for (let k = low; k < high; k++) {
    const step = breaks[k + 1] - breaks[k];
    const time = isOdd ? breaks[k] : breaks[k] + 0.5 * step;
    if (time - start > NEAREST * step && end - time > NEAREST * step) inside.push(time);
  }
  const all = [start, ...inside, end];
  const last = all.length - 1;
  const first = breaks[low + 1] - breaks[low];
  const final = breaks[high] - breaks[high - 1];
  const after = spareAfter(basis, start, start === from, law);
  const before = spareBefore(basis, end, end === to, law);
  if (last === 1) {
    times.push(...between(start, end, after + before, first), end);
    return;
  }
  times.push(...between(start, all[1], after, first), ...all.slice(1, last));
  times.push(...between(all[last - 1], end, before, final), end);
}

function between(a: number, b: number, count: number, step: number): number[] {
  if (!(b - a > FARTHEST * step)) return [];
  return Array.from({ length: count }, (_, k) => a + ((k + 1) / (count + 1)) * (b - a));
}

/** How many moments more the end of a span or piece takes, inside of it. */
function spareAt(basis: SplineBasis, time: number, { order, most }: Law): number {
  const { degree, breaks, multiplicity } = basis;
  const sliver = sliverOf(basis);
  const k = breaks.findIndex((other) => Math.abs(time - other) <= sliver);
  if (k < 0 || multiplicity[k] < degree - 2) return 0;
  return Math.max(0, Math.min(most, Math.floor((degree - order - 1) / 2)));
}

function spareAfter(basis: SplineBasis, time: number, isEnd: boolean, law: Law): number {
  // Within a span both pieces have value, rate and second rate in common: two of three are counted twice.
  return Math.max(0, spareAt(basis, time, law) - (isEnd ? law.less[0] : law.order > 0 ? 0 : 1));
}

function spareBefore(basis: SplineBasis, time: number, isEnd: boolean, law: Law): number {
  return Math.max(0, spareAt(basis, time, law) - (isEnd ? law.less[1] : law.order > 1 ? 0 : 1));
}

/** Of a knot interval: where a bound of values is looked at, where one of rates, and where where these may swing within the interval. */
const QUARTERS = [1 / 4, 3 / 4];
const SIXTHS = [1 / 6, 3 / 6, 5 / 6];
const TWELFTHS = [1 / 12, 3 / 12, 5 / 12, 7 / 12, 9 / 12, 11 / 12];

/**
 * The ends of a span and two moments in each knot interval, at its quarters: where a bound is held over it.
 *
 * Rates and accelerations are looked at three times, at odd sixths, as they may go from bound to bound between knots; and six times in an interval at the start or the end of the motion or beside a break that is only
 * twice continuously differentiable, and at such breaks: there a spline has a whole polynomial to itself, which turns within an interval
 * (a torque went to 1.3 times its bound there, held at quarters). What is bounded in value alone has accelerations that cost something, and does not.
 *
 * @param order - Which derivative of the motion the bound goes by.
 */
export function limitMoments(basis: SplineBasis, from: number, to: number, order = 0): WeightedMoment[] {
  const { intervals, breaks, multiplicity } = basis;
  const swings = (k: number): boolean => order > 0 && multiplicity[k] > 1;
  const times = [from];
  for (let k = 0; k < intervals; k++) {
    const shares = swings(k) || swings(k + 1) ? TWELFTHS : order > 0 ? SIXTHS : QUARTERS;
    for (const share of swings(k) ? [0, ...shares] : shares) {
      const time = breaks[k] + share * (breaks[k + 1] - breaks[k]);
      if (time > from && time < to) times.push(time);
    }
  }
  times.push(to);
  return times.map((time) => ({ time, weight: 1 }));
}
