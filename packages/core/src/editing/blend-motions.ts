/** Two clips as one, between them. */
import { MotionError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import type { Vec3 } from '../math/linear/types.js';
import type { Motion } from '../motion/motion.js';
import { apart, buildClip, keysWithin } from './clips/clip-from-states.js';
import { type BodyState, clipStates, mix, moved, type Side, type States } from './clips/clip-state.js';
import { planarMove } from './clips/planar-alignment.js';

/** What {@link blendMotions} may be told. */
export interface BlendOptions {
  /** Whether the second clip begins where the first does, in the plane and about the vertical. Default true. */
  readonly align?: boolean;
  /** World. Default `[0, 1, 0]`. */
  readonly up?: Vec3;
  readonly name?: string;
}

/**
 * The clip that is between two: coordinates a + w (b - a), rotations along the shortest turn. Both are played evenly over the length between theirs,
 * (1 - w) of the first's and w of the second's, from time 0: give clips that do the same, of one step each, so that feet meet the ground together.
 *
 * @param weight - w: 0 is the first clip, 1 the second; beyond, what is more of one than it is itself.
 * @throws MotionError for a weight that is not finite or leaves no length.
 */
export function blendMotions(
  figure: Figure,
  first: Motion,
  second: Motion,
  weight: number,
  options: BlendOptions = {},
): Motion {
  const lengths = [first.end - first.start, second.end - second.start];
  const length = lengths[0] + weight * (lengths[1] - lengths[0]);
  if (!(length > 0 && length < Number.POSITIVE_INFINITY)) {
    throw new MotionError(Number.isFinite(weight) ? 'out-of-range' : 'not-finite', `is ${weight}.`, {
      path: 'weight',
      remedy: 'Give a number from 0 to 1.',
    });
  }
  const a = paced(clipStates(figure, first), first.start, lengths[0] / length);
  const b = paced(clipStates(figure, second), second.start, lengths[1] / length);
  const move =
    options.align === false
      ? { roots: [] }
      : planarMove(figure, b(0, 'after'), a(0, 'after'), options.up ?? [0, 1, 0]);
  const times = apart(
    [first, second].flatMap((motion, k) =>
      keysWithin(motion, motion.start, motion.end).map(
        (time) => ((time - motion.start) * length) / lengths[k],
      ),
    ),
    length,
  );
  const states = (time: number, side: Side): BodyState =>
    mix(figure, a(time, side), moved(figure, b(time, side), move), [weight, 0, 0]);
  return buildClip(figure, times, states, {
    name: options.name ?? `${first.name} and ${second.name}`,
    outside: first.outside,
  });
}

/** A clip from time 0 at another pace. */
function paced(states: States, start: number, pace: number): States {
  return (time, side) => {
    const state = states(start + pace * time, side);
    for (let i = 0; i < state.value.length; i++) {
      state.first[i] *= pace;
      state.second[i] *= pace * pace;
    }
    for (const { angularVelocity, angularAcceleration } of state.turns) {
      for (let k = 0; k < 3; k++) {
        angularVelocity[k] *= pace;
        angularAcceleration[k] *= pace * pace;
      }
    }
    return state;
  };
}
