/** Interpolation between two clips. */
import { type FieldsOf, requireFields } from '../checks.js';
import { MotionError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import type { Vec3 } from '../math/linear/types.js';
import type { Motion } from '../motion/motion.js';
import { clipFromStates, distinctTimes, keysWithin } from './clips/clip-from-states.js';
import {
  blendStates,
  type ClipState,
  type ClipStateAt,
  clipStates,
  type Side,
  transformState,
} from './clips/clip-state.js';
import { alignPlanar } from './clips/planar-alignment.js';

/** Options of {@link blendMotions}. */
export interface BlendOptions {
  /** Whether to align the start of the second clip to that of the first, in the ground plane and about the vertical. Default true. */
  readonly align?: boolean;
  /** World. Default `figure.up`. */
  readonly up?: Vec3;
  readonly name?: string;
}

const FIELDS: FieldsOf<BlendOptions> = { align: true, up: true, name: true };

/**
 * Interpolates two clips: coordinates a + w (b - a), rotations along the shortest arc. Both are time-scaled uniformly to the interpolated
 * length, (1 - w) of the first's and w of the second's, from time 0: give clips of the same action, one step each, so that foot contacts
 * coincide.
 *
 * @param weight - w: 0 is the first clip, 1 the second; beyond, it extrapolates.
 * @throws MotionError for a weight that is not finite or gives a length that is not positive.
 */
export function blendMotions(
  figure: Figure,
  first: Motion,
  second: Motion,
  weight: number,
  options: BlendOptions = {},
): Motion {
  requireFields(options, FIELDS, 'options', MotionError);
  const lengths = [first.end - first.start, second.end - second.start];
  const length = lengths[0] + weight * (lengths[1] - lengths[0]);
  if (!(length > 0 && length < Number.POSITIVE_INFINITY)) {
    throw new MotionError(Number.isFinite(weight) ? 'out-of-range' : 'not-finite', `is ${weight}.`, {
      path: 'weight',
      remedy: 'Give a number from 0 to 1.',
    });
  }
  const a = atPace(clipStates(figure, first), first.start, lengths[0] / length);
  const b = atPace(clipStates(figure, second), second.start, lengths[1] / length);
  const transform =
    options.align === false
      ? { roots: [] }
      : alignPlanar(figure, b(0, 'after'), a(0, 'after'), options.up ?? figure.up);
  const times = distinctTimes(
    [first, second].flatMap((motion, k) =>
      keysWithin(motion, motion.start, motion.end).map(
        (time) => ((time - motion.start) * length) / lengths[k],
      ),
    ),
    length,
  );
  const states = (time: number, side: Side): ClipState =>
    blendStates(figure, a(time, side), transformState(figure, b(time, side), transform), [weight, 0, 0]);
  return clipFromStates(figure, times, states, {
    name: options.name ?? `${first.name} and ${second.name}`,
    outside: first.outside,
  });
}

/** A clip from time 0, time-scaled uniformly. */
function atPace(states: ClipStateAt, start: number, rate: number): ClipStateAt {
  return (time, side) => {
    const state = states(start + rate * time, side);
    for (let i = 0; i < state.value.length; i++) {
      state.first[i] *= rate;
      state.second[i] *= rate * rate;
    }
    for (const { angularVelocity, angularAcceleration } of state.rotations) {
      for (let k = 0; k < 3; k++) {
        angularVelocity[k] *= rate;
        angularAcceleration[k] *= rate * rate;
      }
    }
    return state;
  };
}
