/** A clip made to go on where it ends. */
import { MotionError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import { rotationVectors } from '../figure/model/regularize.js';
import * as quat from '../math/geometry/quat.js';
import type { Numbers } from '../math/linear/types.js';
import { quinticCurve } from '../motion/curves/quintic.js';
import type { Motion } from '../motion/motion.js';
import { type Curve, type CurvePoint, evaluateCurve } from '../motion/representation/curve.js';
import { buildClip, keysWithin } from './clips/clip-from-states.js';
import {
  addTurn,
  type BodyState,
  clipStates,
  differenceOf,
  mix,
  moved,
  type PlanarMove,
  type Side,
} from './clips/clip-state.js';
import { type PlanarTransform, planarMove } from './clips/planar-alignment.js';
import { holdSpans, type PinnedSpan } from './contacts/contact-constraints.js';
import type { ContactOptions, ContactPoints } from './contacts/detect-contacts.js';
import { loopContacts } from './contacts/loop-contacts.js';

/** What {@link loopMotion} may be told. */
export interface LoopOptions extends ContactOptions {
  /** The part of the clip that is to go round, s. Default: all of it. */
  readonly from?: number;
  readonly to?: number;
  /** How long the clip may change at each end, s. Default 0.4, or a third of the part. */
  readonly duration?: number;
  /**
   * How far a round carries the figure: `travel` (default), as far in the plane and about the vertical as the clip does; `straight`, as far in the plane
   * without a turn.
   */
  readonly way?: 'travel' | 'straight';
  /** Points that stand, to be kept from sliding where the clip changes. Default: none. */
  readonly standing?: readonly ContactPoints[];
}

/** What a loop came to. */
export interface LoopedMotion {
  /** Begins at 0; outside its range it goes on by `offset`. */
  readonly motion: Motion;
  /** What a round moves free roots by. */
  readonly move: PlanarTransform;
  readonly contacts: readonly PinnedSpan[];
  /** As of {@link Transition}. */
  readonly miss: number;
}

/**
 * Makes a part of a clip periodic: what its end lacks to be its start, carried on by the way of one round, is shared between both ends and fades
 * inwards along quintics. Value, rate and second rate agree where the round closes, for free joints up to the way of the round.
 *
 * @throws MotionError for a part that is none.
 */
export function loopMotion(figure: Figure, motion: Motion, options: LoopOptions = {}): LoopedMotion {
  const { from = motion.start, to = motion.end } = options;
  for (const [name, time] of [
    ['options.from', from],
    ['options.to', to],
  ] as const) {
    if (time >= motion.start && time <= motion.end) continue;
    throw new MotionError(
      Number.isFinite(time) ? 'out-of-range' : 'not-finite',
      `is ${time} s; the clip goes from ${motion.start} to ${motion.end} s.`,
      { path: name, remedy: 'Give a time within the clip.' },
    );
  }
  if (!(to > from)) {
    throw new MotionError('not-increasing', `is ${to} s where the loop begins at ${from} s.`, {
      path: 'options.to',
      remedy: 'End the loop after it begins.',
    });
  }
  const length = to - from;
  const duration = options.duration ?? Math.min(0.4, length / 3);
  if (!(duration > 0 && duration <= 0.5 * length)) {
    throw new MotionError(Number.isFinite(duration) ? 'out-of-range' : 'not-finite', `is ${duration} s.`, {
      path: 'options.duration',
      remedy: `Give a time above zero and at most ${0.5 * length} s.`,
    });
  }
  const clip = clipStates(figure, motion);
  const up = options.up ?? [0, 1, 0];
  const start = clip(from, 'after');
  const end = clip(to, 'before');
  const move = planarMove(figure, start, end, up, options.way !== 'straight');
  const back = inverse(move);
  // Half way between the start and the end as the round before has it, with the mean of their rates.
  const seam = middle(figure, start, moved(figure, end, back));
  const atStart = fading(figure, start, seam, [0, duration]);
  const atLast = fading(figure, end, moved(figure, seam, move), [length, length - duration]);
  const states = (time: number, side: Side): BodyState => {
    const state = clip(from + time, side);
    if (time <= duration) displace(figure, state, evaluateCurve(atStart, time));
    if (time >= length - duration) displace(figure, state, evaluateCurve(atLast, time));
    return state;
  };
  const times = keysWithin(motion, from, to).map((time) => time - from);
  for (const time of [duration, length - duration]) if (!times.includes(time)) times.push(time);
  times.sort((a, b) => a - b);
  times[times.length - 1] = length;
  const looped = buildClip(figure, times, states, {
    name: motion.name,
    outside: { before: 'offset', after: 'offset' },
  });
  const contacts = loopContacts(figure, motion, looped, move, {
    from,
    length,
    duration,
    options,
  });
  const { motion: held, miss } = holdSpans(figure, looped, contacts, true);
  return { motion: held, move: { turn: move.turn, slide: move.slide }, contacts, miss };
}

/** The way between two states in the middle: with the mean of their rates, so that each has as far to go. */
function middle(figure: Figure, a: BodyState, b: BodyState): BodyState {
  const half = mix(figure, a, b, [0.5, 0, 0]);
  half.turns.forEach((turn, k) => {
    for (let r = 0; r < 3; r++) {
      turn.angularVelocity[r] = 0.5 * (a.turns[k].angularVelocity[r] + b.turns[k].angularVelocity[r]);
      turn.angularAcceleration[r] =
        0.5 * (a.turns[k].angularAcceleration[r] + b.turns[k].angularAcceleration[r]);
    }
  });
  return half;
}

/** What leads from a state to another, with rates, at the first of two moments, and nothing at the second: quintics. */
function fading(
  figure: Figure,
  from: BodyState,
  to: BodyState,
  [full, gone]: readonly [number, number],
): Curve {
  const { dof } = figure;
  const parts = (['value', 'first', 'second'] as const).map((part) => {
    const d = Float64Array.from(to[part], (x, i) => x - from[part][i]);
    rotationVectors(figure).forEach((i, k) => {
      d.set(differenceOf(from.turns[k], to.turns[k])[part], i);
    });
    const nothing = new Float64Array(dof);
    return gone > full ? [...d, ...nothing] : [...nothing, ...d];
  });
  const [values, velocities, accelerations] = parts;
  return quinticCurve({
    times: gone > full ? [full, gone] : [gone, full],
    values,
    velocities,
    accelerations,
  });
}

/** Adds a displacement to a state: R exp(d) for rotations. */
function displace(figure: Figure, state: BodyState, d: CurvePoint): void {
  for (const part of ['value', 'first', 'second'] as const) {
    for (let i = 0; i < figure.dof; i++) state[part][i] += d[part][i];
  }
  rotationVectors(figure).forEach((i, k) => {
    const own = (numbers: Numbers): number[] => [numbers[i], numbers[i + 1], numbers[i + 2]];
    const turn = { value: own(d.value), first: own(d.first), second: own(d.second) };
    addTurn(state.turns[k], turn, state.turns[k]);
  });
}

function inverse({ roots }: PlanarMove): PlanarMove {
  return {
    roots: roots.map(({ position, turn, yaw, shift }) => {
      const back = quat.conjugate(yaw);
      const way = quat.rotate(back, shift);
      return { position, turn, yaw: back, shift: way.map((x) => -x) };
    }),
  };
}
