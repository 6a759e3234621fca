/** Real time against the nominal one: dt/du = s(u), fixed or to be found. */
import { createSplineBasis, type SplineBasis, writeBasis } from './spline-basis.js';

/** s(u) is a B-spline of a few positive numbers, so that the order of things never changes. */
export interface Clock {
  /** How many numbers are unknown: 0 where the timing is fixed. */
  readonly count: number;
  readonly basis: SplineBasis | undefined;
  /** The unknown numbers lie within these: the duration too, for they are its mean. */
  readonly least: number;
  readonly most: number;
}

/** What the clock's basis says at one moment. */
export interface ClockRow {
  /** B_m(u), its derivative, and its integral from the start of the motion to u: one number each for every unknown. */
  readonly values: Float64Array;
  readonly slopes: Float64Array;
  readonly integrals: Float64Array;
}

const QUADRATIC = 2;

export function createClock(duration: number, pieces: number, least: number, most: number): Clock {
  if (pieces === 0) return { count: 0, basis: undefined, least: 1, most: 1 };
  const degree = Math.min(QUADRATIC, pieces - 1);
  return {
    count: pieces,
    basis: createSplineBasis(degree, pieces - degree, 0, duration),
    least,
    most,
  };
}

/** Two points a piece integrate a quadratic exactly. */
const SHIFT = Math.sqrt(1 / 3);

export function clockRow({ count, basis }: Clock, time: number): ClockRow {
  const values = new Float64Array(count);
  const slopes = new Float64Array(count);
  const integrals = new Float64Array(count);
  if (basis === undefined) return { values, slopes, integrals };
  const width = basis.degree + 1;
  const row = new Float64Array(4 * width);
  const first = writeBasis(basis, time, row);
  for (let j = 0; j < width; j++) {
    values[first + j] = row[j];
    slopes[first + j] = row[width + j];
  }
  const step = (basis.end - basis.start) / basis.intervals;
  for (let k = 0; k < basis.intervals; k++) {
    const low = basis.start + k * step;
    const high = Math.min(time, basis.start + (k + 1) * step);
    if (!(high > low)) break;
    for (const side of [-SHIFT, SHIFT]) {
      const at = writeBasis(basis, 0.5 * (low + high) + 0.5 * side * (high - low), row);
      for (let j = 0; j < width; j++) integrals[at + j] += 0.5 * (high - low) * row[j];
    }
  }
  return { values, slopes, integrals };
}
