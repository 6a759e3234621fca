import { requireFinite } from '../checks.js';
import { MotionError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import { sliceCurve } from '../motion/convert/slice.js';
import { createMotion, type Motion } from '../motion/motion.js';
import { type Curve, createCurve, createCurvePoint, evaluateCurve } from '../motion/representation/curve.js';
import { requireMotionOf } from './clips/require-motion.js';

/**
 * The part of a clip from one time to another (s), from time 0. Curves are cut exactly.
 *
 * @throws MotionError `out-of-range`, `not-increasing`, `not-finite` for times outside the clip; `unsupported` where a track is shorter than the
 *   part and repeats outside its range.
 */
export function trimMotion(figure: Figure, motion: Motion, from: number, to: number): Motion {
  requireMotionOf(figure, motion);
  requireInside(motion, from, 'from');
  requireInside(motion, to, 'to');
  if (!(to > from)) {
    throw new MotionError('not-increasing', `is ${to} s, but the part begins at ${from} s.`, {
      path: 'to',
      remedy: 'End the part after it begins.',
    });
  }
  return createMotion(figure, {
    ...motion,
    tracks: motion.tracks.map(({ coordinate, curve }, t) => ({
      coordinate,
      curve: shifted(trimmed(curve, from, to, `motion.tracks[${t}]`), -from),
    })),
  });
}

/** The part of a curve; where its range ends before, it is extrapolated as before. */
function trimmed(curve: Curve, from: number, to: number, path: string): Curve {
  const { knots, outside } = curve;
  const [start, end] = [knots[0], knots[knots.length - 1]];
  if (start <= from && end >= to) return sliceCurve(curve, from, to);
  const isStraight = (side: 'before' | 'after'): boolean =>
    outside[side] === 'clamp' || outside[side] === 'linear';
  if ((start > from && !isStraight('before')) || (end < to && !isStraight('after'))) {
    throw new MotionError('unsupported', `lasts from ${start} to ${end} s and repeats outside.`, {
      path,
      remedy: 'Trim within the range of all tracks, or use resampleMotion first.',
    });
  }
  if (start < to && end > from) return sliceCurve(curve, Math.max(start, from), Math.min(end, to));
  // All of the part is extrapolated, along a line.
  const ends = [from, to].flatMap((time) =>
    Array.from(evaluateCurve(curve, time, createCurvePoint(curve.size)).value),
  );
  return createCurve({ size: curve.size, degree: 1, knots: [from, to], controls: ends }, { outside });
}

/** The same curve at other times. */
export function shifted(curve: Curve, by: number): Curve {
  return { ...curve, knots: Float64Array.from(curve.knots as ArrayLike<number>, (time) => time + by) };
}

function requireInside({ start, end }: Motion, time: number, path: string): void {
  requireFinite(time, path, MotionError);
  if (time >= start && time <= end) return;
  throw new MotionError('out-of-range', `is ${time} s; the clip lasts from ${start} to ${end} s.`, {
    path,
    remedy: 'Give a time of the clip.',
  });
}
