/** Where the splines of a problem have their knots: evenly spread, drawn to where contacts begin and end. */
import { createKnottedBasis, type SplineBasis } from './spline-basis.js';

/** Derivatives that stay continuous where contacts begin and end: accelerations do, so that forces come and go from nothing; how they change may jump. */
const SMOOTH = 2;
/** Of a mean interval: times nearer than this are one. */
const SAME = 1e-6;
/** Of a mean interval: what is longer by no more is no longer. */
const LENIENT = 0.05;

/**
 * A basis over [0, duration] of intervals of `duration / intervals` or less: breaks stand at all `changes` inside, where the spline is twice
 * continuously differentiable, and evenly between.
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
    if (time - cuts[cuts.length - 1] > SAME * step && time < duration - SAME * step) cuts.push(time);
  }
  cuts.push(duration);
  const breaks = [0];
  const multiplicity = [1];
  for (let c = 1; c < cuts.length; c++) {
    const length = cuts[c] - cuts[c - 1];
    const count = Math.ceil(length / step - LENIENT);
    for (let k = 1; k < count; k++) {
      breaks.push(cuts[c - 1] + (k / count) * length);
      multiplicity.push(1);
    }
    breaks.push(cuts[c]);
    multiplicity.push(degree - SMOOTH);
  }
  return createKnottedBasis(degree, Float64Array.from(breaks), Int32Array.from(multiplicity));
}

/** The part of a basis that a span touches, for splines of a lower degree that are as smooth there as derivatives of the whole. */
export function partOf(
  { breaks, multiplicity, intervals }: SplineBasis,
  degree: number,
  from: number,
  to: number,
): SplineBasis {
  const sliver = (SAME * (breaks[intervals] - breaks[0])) / intervals;
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
