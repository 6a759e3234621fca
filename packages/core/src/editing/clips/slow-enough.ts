/** The first of several results in which no bone is much faster than in the clips that it comes from. */
import type { Figure } from '../../figure/model/figure.js';
import type { Motion } from '../../motion/motion.js';
import { MAX_FADE_RATE } from './fade.js';
import { humanScaleOf } from './human-scale.js';
import { endsOf, largestSpeeds } from './velocity-change.js';

/**
 * How much faster than in the clips a bone of a result may be, and m/s of a person more: a standing person sways by that much, and the eye
 * sees no difference of a tenth to a fifth.
 */
export const SPEED_FACTOR = 1.15;
export const STILL_SPEED = 0.1;

/** Speeds that the origin and the tip of every bone may have, m/s. */
interface SpeedBounds {
  /** Largest speeds in the clips, m/s. */
  readonly speeds: Float64Array;
  /** Distances between their positions in both clips, m. */
  readonly distances: Float64Array;
  /** Time for these, s. */
  readonly duration: number;
}

/** The largest speed of a motion within a span, relative to what its bones may have. */
export function speedExcess(
  figure: Figure,
  motion: Motion,
  span: readonly [number, number],
  { speeds, distances, duration }: SpeedBounds,
): number {
  const still = STILL_SPEED * humanScaleOf(figure);
  return largestSpeeds(figure, endsOf(figure, motion), span).reduce(
    (most, speed, i) =>
      Math.max(
        most,
        speed / (SPEED_FACTOR * (speeds[i] + (MAX_FADE_RATE * distances[i]) / duration) + still),
      ),
    0,
  );
}

/** The first whose excess is at most 1, else the one with the least. @param makers - Called in turn, as far as needed. */
export function slowEnough<T>(makers: readonly (() => T)[], excessOf: (made: T) => number): T {
  let best = makers[0]();
  let least = excessOf(best);
  for (const make of makers.slice(1)) {
    if (least <= 1) break;
    const made = make();
    const excess = excessOf(made);
    if (excess < least) [best, least] = [made, excess];
  }
  return best;
}
