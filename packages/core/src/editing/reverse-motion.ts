import type { Figure } from '../figure/model/figure.js';
import { reverseCurve } from '../motion/convert/reverse.js';
import { createMotion, type Motion } from '../motion/motion.js';
import { requireMotionOf } from './clips/require-motion.js';
import { shifted } from './trim-motion.js';

/**
 * A clip played backwards over the same range: the pose at t is that at start + end - t. `outside.before` and `after` are exchanged.
 *
 * @throws MotionError for a clip of another figure.
 */
export function reverseMotion(figure: Figure, motion: Motion): Motion {
  requireMotionOf(figure, motion);
  const { start, end, outside } = motion;
  return createMotion(figure, {
    ...motion,
    outside: { before: outside.after, after: outside.before },
    tracks: motion.tracks.map(({ coordinate, curve }) => {
      const { knots } = curve;
      const by = start + end - (knots[0] + knots[knots.length - 1]);
      const reversed = reverseCurve(curve);
      return { coordinate, curve: by === 0 ? reversed : shifted(reversed, by) };
    }),
  });
}
