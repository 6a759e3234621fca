import { MotionError } from '../../errors.js';
import type { Figure } from '../../figure/model/figure.js';
import type { Motion } from '../../motion/motion.js';
import { requireObject } from '../../motion/track.js';

/** @throws MotionError `wrong-size` for a clip of another figure, `unsupported` for what is no clip. */
export function requireMotionOf(figure: Figure, motion: Motion, path = 'motion'): void {
  requireObject(motion, path, 'Give a motion of createMotion or of a reader.');
  if (motion.dof === figure.dof && Array.isArray(motion.tracks)) return;
  throw new MotionError(
    'wrong-size',
    `has poses of ${motion.dof} numbers; ${figure.name} has ${figure.dof} coordinates.`,
    { path, remedy: 'Give a clip of this figure.' },
  );
}
