/** Where the terms of a trajectory problem look: moments with the weights of a quadrature. */
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
  { intervals, start, end }: SplineBasis,
  from: number,
  to: number,
  points: 1 | 2 | 3 | 4,
): WeightedMoment[] {
  const step = (end - start) / intervals;
  const found: WeightedMoment[] = [];
  for (let k = 0; k < intervals; k++) {
    const low = Math.max(from, start + k * step);
    const high = Math.min(to, k === intervals - 1 ? end : start + (k + 1) * step);
    // A sliver that rounding has left counts for nothing.
    if (!(high - low > 1e-9 * step)) continue;
    const middle = 0.5 * (low + high);
    const half = 0.5 * (high - low);
    for (const [x, w] of GAUSS[points]) found.push({ time: middle + half * x, weight: w * half });
  }
  return found;
}

/** Of a knot interval: how near an end of a span may come to a moment that is looked at already. */
const APART = 0.45;

/**
 * Where a constraint is held over a span: at the middles of knot intervals, one for each, for in an interval a spline has one number to give; and
 * at the ends where these stand apart.
 */
export function holdMoments(basis: SplineBasis, from: number, to: number): WeightedMoment[] {
  const near = (APART * (basis.end - basis.start)) / basis.intervals;
  const times = middleMoments(basis, from, to).map(({ time }) => time);
  if (times[0] - from >= near) times.unshift(from);
  if (to - times[times.length - 1] >= near) times.push(to);
  return times.map((time) => ({ time, weight: 1 }));
}

/** The middles of the knot intervals that lie in a span, or Gauss's two points of them; the span's own middle where it has none. */
export function middleMoments(
  { intervals, start, end }: SplineBasis,
  from: number,
  to: number,
  points: 1 | 2 = 1,
): WeightedMoment[] {
  const step = (end - start) / intervals;
  const times: number[] = [];
  for (let k = 0; k < intervals; k++) {
    for (const [x] of GAUSS[points]) {
      const time = start + (k + 0.5 + 0.5 * x) * step;
      if (time > from && time < to) times.push(time);
    }
  }
  if (times.length === 0) times.push(0.5 * (from + to));
  return times.map((time) => ({ time, weight: 1 }));
}

/** The ends of a span and two moments in each knot interval, at its quarters: where a bound is held over it. */
export function limitMoments(
  { intervals, start, end }: SplineBasis,
  from: number,
  to: number,
): WeightedMoment[] {
  const step = (end - start) / intervals;
  const times = [from];
  for (let j = 0; j < 2 * intervals; j++) {
    const time = start + (0.5 * j + 0.25) * step;
    if (time > from && time < to) times.push(time);
  }
  times.push(to);
  return times.map((time) => ({ time, weight: 1 }));
}
