import { MotionError } from '../../errors.js';
import type { Numbers } from '../../math/linear/types.js';

/** Samples that each piece has at first, at least, and how often more are put in. */
const SAMPLES = 16;
const ROUNDS = 24;
/** The share of the tolerance that samples are held to at first, and in the end: the rest is for what lies between them. */
const FIRST_SHARE = 0.99;
const LAST_SHARE = 0.9;

/**
 * Fits to samples of a curve until it is near enough between them too: with samples put in where it is not, and every few rounds twice as many.
 * @param samples - How many each piece is to have at first, if not a few.
 * @param fitTo - A fit to samples at these moments, within this share of the tolerance.
 * @param excesses - Moments at which a fit is not near enough.
 * @throws MotionError `unsupported` where that does not come to an end.
 */
export function refine<F>(
  knots: Numbers,
  samples: (piece: number) => number,
  fitTo: (times: number[], share: number) => F,
  excesses: (fit: F) => number[],
): F {
  let times: number[] = [];
  for (let s = 0; s + 1 < knots.length; s++) {
    const span = knots[s + 1] - knots[s];
    const count = Math.max(SAMPLES, samples(s));
    for (let k = 0; k < count; k++) times.push(knots[s] + (k / count) * span);
  }
  times.push(knots[knots.length - 1]);
  for (let round = 0; round < ROUNDS; round++) {
    const share = FIRST_SHARE + (round / ROUNDS) * (LAST_SHARE - FIRST_SHARE);
    const found = fitTo(times, share);
    const more = excesses(found);
    if (more.length === 0) return found;
    if (round % 4 === 3) for (let i = 1; i < times.length; i++) more.push(0.5 * (times[i - 1] + times[i]));
    times = [...new Set([...times, ...more])].sort((a, b) => a - b);
  }
  throw new MotionError('unsupported', 'is not met between samples, however many there are.', {
    path: 'tolerance',
    remedy: 'Give a tolerance well above the rounding of the curve.',
  });
}
