/** Knots of the motion splines: uniform between breaks at the times where contacts begin and end. */
import { createKnottedBasis, type SplineBasis } from './spline-basis.js';

/** Derivatives that stay continuous at contact changes: accelerations do, so contact forces rise from zero and fall to zero; jerk may jump. */
const CONTINUITY = 2;
/**
 * Fraction of the longest interval: contact changes closer together are merged, and an interval longer by no more is not split. With
 * intervals of a hundredth accelerations are ten thousand times larger and solves do not converge.
 */
const MERGE_TOLERANCE = 0.05;
/** Rounding of a break, as a fraction of the mean interval. */
const BREAK_TOLERANCE = 1e-6;

/** Rounding allowed in times, s: less than any two breaks are apart. */
export function breakTolerance({ start, end, intervals }: SplineBasis): number {
  return (BREAK_TOLERANCE * (end - start)) / intervals;
}

/**
 * A basis over [0, duration] with intervals of at most `duration / intervals`: breaks at all `changes` inside, where the spline is twice
 * continuously differentiable, and uniform knots between. Changes that coincide are merged into the first, and changes at an end into that
 * end ({@link snapToBreak}).
 *
 * @param degree - At least 3.
 */
export function createBasisWithBreaks(
  degree: number,
  intervals: number,
  duration: number,
  changes: readonly number[],
): SplineBasis {
  const maxInterval = duration / intervals;
  const fixedBreaks = [0];
  for (const time of [...changes].sort((a, b) => a - b)) {
    if (
      time - fixedBreaks[fixedBreaks.length - 1] > MERGE_TOLERANCE * maxInterval &&
      duration - time > MERGE_TOLERANCE * maxInterval
    )
      fixedBreaks.push(time);
  }
  fixedBreaks.push(duration);
  const breaks = [0];
  const multiplicity = [1];
  for (let c = 1; c < fixedBreaks.length; c++) {
    const length = fixedBreaks[c] - fixedBreaks[c - 1];
    const count = Math.ceil(length / maxInterval - MERGE_TOLERANCE);
    for (let k = 1; k < count; k++) {
      breaks.push(fixedBreaks[c - 1] + (k / count) * length);
      multiplicity.push(1);
    }
    breaks.push(fixedBreaks[c]);
    multiplicity.push(degree - CONTINUITY);
  }
  return createKnottedBasis(degree, Float64Array.from(breaks), Int32Array.from(multiplicity));
}

/** The basis with further breaks, each a simple knot, so that its splines are splines of the result. @param all - Those of `basis` among them. */
export function refineBasis({ degree, breaks, multiplicity }: SplineBasis, all: Float64Array): SplineBasis {
  const known = new Map(Array.from(breaks, (time, k) => [time, multiplicity[k]]));
  return createKnottedBasis(
    degree,
    all,
    Int32Array.from(all, (time) => known.get(time) ?? 1),
  );
}

/** The break that a time coincides with, else the time itself. @param maxInterval - Longest knot interval, s. */
export function snapToBreak({ breaks }: SplineBasis, maxInterval: number, time: number): number {
  let nearest = breaks[0];
  for (const candidate of breaks)
    if (Math.abs(candidate - time) < Math.abs(nearest - time)) nearest = candidate;
  return Math.abs(nearest - time) <= MERGE_TOLERANCE * maxInterval ? nearest : time;
}

/** The basis restricted to the intervals of a span, of a lower degree: as smooth there as derivatives of the original splines. */
export function restrictBasis(basis: SplineBasis, degree: number, from: number, to: number): SplineBasis {
  const { breaks, multiplicity, intervals } = basis;
  const tolerance = breakTolerance(basis);
  let first = 0;
  while (first + 1 < intervals && breaks[first + 1] <= from + tolerance) first++;
  let last = intervals;
  while (last - 1 > first && breaks[last - 1] >= to - tolerance) last--;
  return createKnottedBasis(
    degree,
    breaks.slice(first, last + 1),
    multiplicity.slice(first, last + 1).map((m) => Math.min(m, degree)),
  );
}
