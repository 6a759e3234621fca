import { MotionError } from '../../errors.js';
import type { Numbers } from '../../math/linear/types.js';

/** Initial samples of each piece, and the largest number of refinements. */
const SAMPLES = 16;
const MAX_ROUNDS = 24;
/**
 * Fraction of the tolerance that the fit to samples must satisfy, first and last; the rest is for the error between
 * samples.
 */
const FIRST_FRACTION = 0.99;
const LAST_FRACTION = 0.9;

/**
 * Fits to samples of a curve until the error is within tolerance between them too: adds samples where it is not, and every fourth
 * round all midpoints.
 * @param samples - Minimum number of initial samples of each piece.
 * @param fitTo - Fits samples at these times, within this fraction of the tolerance.
 * @param excesses - Times at which a fit exceeds the tolerance.
 * @throws MotionError `unsupported` where the refinement does not converge.
 */
export function fitAdaptively<F>(
  knots: Numbers,
  samples: (piece: number) => number,
  fitTo: (times: number[], fraction: number) => F,
  excesses: (fit: F) => number[],
): F {
  let times: number[] = [];
  for (let s = 0; s + 1 < knots.length; s++) {
    const span = knots[s + 1] - knots[s];
    const count = Math.max(SAMPLES, samples(s));
    for (let k = 0; k < count; k++) times.push(knots[s] + (k / count) * span);
  }
  times.push(knots[knots.length - 1]);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const fraction = FIRST_FRACTION + (round / MAX_ROUNDS) * (LAST_FRACTION - FIRST_FRACTION);
    const found = fitTo(times, fraction);
    const more = excesses(found);
    if (more.length === 0) return found;
    if (round % 4 === 3) for (let i = 1; i < times.length; i++) more.push(0.5 * (times[i - 1] + times[i]));
    times = [...new Set([...times, ...more])].sort((a, b) => a - b);
  }
  throw new MotionError(
    'unsupported',
    'is not met between samples after the largest number of refinements.',
    {
      path: 'tolerance',
      remedy: 'Give a tolerance well above the rounding of the curve.',
    },
  );
}
