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

/** Of a knot interval: moments of the rule come no nearer to the ends of a span, and may be no farther without one between. */
const NEAREST = 0.2;
const FARTHEST = 0.45;

/**
 * Where a quantity has to be what it is to be over a span: as often as a spline of `degree` has numbers to give, one in each knot interval.
 *
 * A spline of odd degree is looked at where its knots are, one of even degree half way between: at the other places a wiggle from knot to
 * knot is zero, and nothing would hold it. What lies beyond the outermost would be anybody's, so the ends of the span are looked at too. There a
 * spline has more to give, which as many moments more take up: `spare` at the ends of the motion, `spareInside` at others.
 */
export function holdMoments(
  basis: SplineBasis,
  from: number,
  to: number,
  degree = basis.degree,
  spare = 1,
  spareInside = 0,
): WeightedMoment[] {
  const { intervals, start, end } = basis;
  const step = (end - start) / intervals;
  const shift = degree % 2 === 0 ? 0.5 : 0;
  const times = [from];
  for (let k = 0; k <= intervals; k++) {
    const time = start + (k + shift) * step;
    if (time - from > NEAREST * step && to - time > NEAREST * step) times.push(time);
  }
  times.push(to);
  const between = (low: number, high: number, isOuter: boolean): number[] => {
    const count = isOuter ? spare : spareInside;
    return high - low > FARTHEST * step
      ? Array.from({ length: count }, (_, k) => low + ((k + 1) / (count + 1)) * (high - low))
      : [];
  };
  const before = between(times[times.length - 2], to, end - to < NEAREST * step);
  const after = between(from, times[1], from - start < NEAREST * step);
  if (times.length > 2) times.splice(-1, 0, ...before);
  times.splice(1, 0, ...after);
  return times.map((time) => ({ time, weight: 1 }));
}

/** How many numbers a spline has to spare at each end: its count, less one for each moment of the rule and the end itself. */
export function spareNumbers(degree: number): number {
  return Math.max(0, Math.floor((degree - 1) / 2));
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
