/** Where the splines of a problem have their knots: evenly spread, drawn to where contacts begin and end. */
import { createKnottedBasis, type SplineBasis } from './spline-basis.js';

/** Derivatives that stay continuous where contacts begin and end: accelerations do, so that forces come and go from nothing; how they change may jump. */
const SMOOTH = 2;
/**
 * Of the length asked for: contacts that begin or end nearer to each other do so at once, and an interval that is longer by no more is no longer. Of
 * pieces of a hundredth accelerations are ten thousand times as large as of whole ones: solves do not end.
 */
const SAME = 0.05;
/** Of a mean interval: rounding. */
const SLIVER = 1e-6;

/** What times of a caller may be off by, s: less than breaks are ever apart. */
export function sliverOf({ start, end, intervals }: SplineBasis): number {
  return (SLIVER * (end - start)) / intervals;
}

/**
 * A basis over [0, duration] of intervals of `duration / intervals` or less: breaks stand at all `changes` inside, where the spline is twice
 * continuously differentiable, and evenly between. Of changes that are one the first counts, and of those that are one with an end the end
 * ({@link settledTime}).
 *
 * @param degree - 3 at least.
 */
export function knotsFor(
  degree: number,
  intervals: number,
  duration: number,
  changes: readonly number[],
): SplineBasis {
  const step = duration / intervals;
  const cuts = [0];
  for (const time of [...changes].sort((a, b) => a - b)) {
    if (time - cuts[cuts.length - 1] > SAME * step && duration - time > SAME * step) cuts.push(time);
  }
  cuts.push(duration);
  const breaks = [0];
  const multiplicity = [1];
  for (let c = 1; c < cuts.length; c++) {
    const length = cuts[c] - cuts[c - 1];
    const count = Math.ceil(length / step - SAME);
    for (let k = 1; k < count; k++) {
      breaks.push(cuts[c - 1] + (k / count) * length);
      multiplicity.push(1);
    }
    breaks.push(cuts[c]);
    multiplicity.push(degree - SMOOTH);
  }
  return createKnottedBasis(degree, Float64Array.from(breaks), Int32Array.from(multiplicity));
}

/** The break that a time is one with; the time itself where there is none. @param step - The longest interval asked for, s. */
export function settledTime({ breaks }: SplineBasis, step: number, time: number): number {
  let nearest = breaks[0];
  for (const at of breaks) if (Math.abs(at - time) < Math.abs(nearest - time)) nearest = at;
  return Math.abs(nearest - time) <= SAME * step ? nearest : time;
}

/** The part of a basis that a span touches, for splines of a lower degree that are as smooth there as derivatives of the whole. */
export function partOf(basis: SplineBasis, degree: number, from: number, to: number): SplineBasis {
  const { breaks, multiplicity, intervals } = basis;
  const sliver = sliverOf(basis);
  let first = 0;
  while (first + 1 < intervals && breaks[first + 1] <= from + sliver) first++;
  let last = intervals;
  while (last - 1 > first && breaks[last - 1] >= to - sliver) last--;
  return createKnottedBasis(
    degree,
    breaks.slice(first, last + 1),
    multiplicity.slice(first, last + 1).map((m) => Math.min(m, degree)),
  );
}
