import { type FieldsOf, requireFields, requirePositive } from '../checks.js';
import { MotionError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import type { Motion } from '../motion/motion.js';
import { type MotionFromPosesOptions, motionFromPoses } from '../motion/motion-from-poses.js';
import { createMotionSampler, samplePose } from '../motion/sampler.js';
import { requireMotionOf } from './clips/require-motion.js';

/** Options of {@link resampleMotion}. */
export interface ResampleOptions extends Pick<MotionFromPosesOptions, 'interpolation'> {
  /** Keys a second. */
  readonly rate: number;
}

const FIELDS: FieldsOf<ResampleOptions> = { rate: true, interpolation: true };

/** Most keys of a resampled clip: an hour at 280 Hz. */
const MAX_KEYS = 1_000_000;

/**
 * A clip with a key for all tracks at every 1/rate s from its start, and at its end.
 *
 * @throws MotionError `out-of-range` for a rate that is not positive or gives over a million keys; for a clip of another figure.
 */
export function resampleMotion(figure: Figure, motion: Motion, options: ResampleOptions): Motion {
  requireFields(options, FIELDS, 'options', MotionError);
  requireMotionOf(figure, motion);
  const { rate, interpolation } = options;
  requirePositive(rate, 'options.rate', MotionError, 'keys a second');
  const { start, end, name, outside } = motion;
  // A last interval below a thousandth of the others is rounding.
  const count = Math.max(1, Math.ceil((end - start) * rate - 1e-3));
  if (count >= MAX_KEYS) {
    throw new MotionError('out-of-range', `gives ${count + 1} keys; at most ${MAX_KEYS} are made.`, {
      path: 'options.rate',
      remedy: 'Give a lower rate, or trim the clip.',
    });
  }
  const times = Float64Array.from({ length: count + 1 }, (_, k) => (k < count ? start + k / rate : end));
  const sampler = createMotionSampler(figure, motion);
  const poses = Array.from(times, (time) => samplePose(sampler, time, new Float64Array(figure.dof)));
  return motionFromPoses(figure, times, poses, { name, outside, ...(interpolation && { interpolation }) });
}
