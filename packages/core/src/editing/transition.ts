/** From one clip into another: brought into line, blended, with feet that stay where they stand. */
import { MotionError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import type { Motion } from '../motion/motion.js';
import { apart, buildClip, keysWithin } from './clips/clip-from-states.js';
import { type BodyState, clipStates, mix, moved, type Scalar, type Side } from './clips/clip-state.js';
import { type PlanarTransform, planarMove } from './clips/planar-alignment.js';
import { holdSpans, type PinnedSpan } from './contacts/contact-constraints.js';
import type { ContactOptions, ContactPoints } from './contacts/detect-contacts.js';
import { transitionContacts } from './contacts/transition-contacts.js';

/** What {@link createTransition} may be told. */
export interface TransitionOptions extends ContactOptions {
  /** How long the clips play together, s. Default 0.4, or what there is. */
  readonly duration?: number;
  /** The moment of the first clip where the second comes in, s. Default: `duration` before its end. */
  readonly at?: number;
  /** The moment of the second clip that plays then, s. Default: its start. */
  readonly from?: number;
  /** Whether the second clip's roots are brought to where the first's are, in the plane and about the vertical. Default true. */
  readonly align?: boolean;
  /** Points that stand, to be kept from sliding while the clips play together. Default: none. */
  readonly standing?: readonly ContactPoints[];
  /** Default: the names of both with ` to ` between. */
  readonly name?: string;
}

/** What a transition came to. */
export interface Transition {
  /** From the start of the first clip, in its time, to the end of the second. */
  readonly motion: Motion;
  /** While both play, in the time of the result, s. */
  readonly window: readonly [from: number, to: number];
  /** Time of the result less that of the second clip, s. */
  readonly shift: number;
  /** How the second clip was moved. */
  readonly move: PlanarTransform;
  /** What stands, and where, over or beside the window. */
  readonly contacts: readonly PinnedSpan[];
  /** Farthest that a point is from where it stands at a key of its contact, m: more than rounding where a leg is too short. */
  readonly miss: number;
}

/** 10 s^3 - 15 s^4 + 6 s^5 with its derivatives: no rate and no second rate at either end. */
export function ease(time: number, from: number, to: number): Scalar {
  const h = to - from;
  const s = Math.max(0, Math.min(1, (time - from) / h));
  const t = 1 - s;
  return [
    s * s * s * (10 - 15 * s + 6 * s * s),
    (30 * s * s * t * t) / h,
    (60 * s * t * (1 - 2 * s)) / (h * h),
  ];
}

/**
 * Plays one clip, then another, and both over a window: coordinates blend by 10 s^3 - 15 s^4 + 6 s^5, rotations along the shortest turn between, so that
 * value, rate and second rate go on wherever those of the clips do. Before the window the result is the first clip to rounding, behind it the second,
 * moved; but that a foot which stands in both clips keeps the place of the first until it is lifted.
 *
 * @throws MotionError for windows that do not fit into the clips; FigureError for bones that are not there.
 */
export function createTransition(
  figure: Figure,
  first: Motion,
  second: Motion,
  options: TransitionOptions = {},
): Transition {
  const from = options.from ?? second.start;
  const room = Math.min(first.end - first.start, second.end - from);
  const duration = options.duration ?? Math.min(0.4, 0.5 * room);
  const at = options.at ?? first.end - duration;
  if (!(duration > 0 && duration < Number.POSITIVE_INFINITY)) {
    throw refuse('options.duration', duration, 'Give a time above zero that both clips have, in seconds.');
  }
  const least = 1e-9 * duration;
  if (!(at >= first.start - least && at + duration <= first.end + least)) {
    throw refuse('options.at', at, `Give a moment at least ${duration} s before ${first.end} s.`);
  }
  if (!(from >= second.start - least && from + duration <= second.end + least)) {
    throw refuse('options.from', from, `Give a moment at least ${duration} s before ${second.end} s.`);
  }
  const end = at + duration;
  const shift = at - from;
  const up = options.up ?? [0, 1, 0];
  const ofFirst = clipStates(figure, first);
  const ofSecond = clipStates(figure, second);
  const middle = at + 0.5 * duration;
  const move =
    options.align === false
      ? { roots: [], turn: 0, slide: [0, 0, 0] as const }
      : planarMove(figure, ofSecond(middle - shift, 'after'), ofFirst(middle, 'after'), up);
  const later = (time: number, side: Side): BodyState => moved(figure, ofSecond(time - shift, side), move);
  const states = (time: number, side: Side): BodyState => {
    if (time < at || (time === at && side === 'before')) return ofFirst(time, side);
    if (time > end || (time === end && side === 'after')) return later(time, side);
    return mix(figure, ofFirst(time, side), later(time, side), ease(time, at, end));
  };
  const times = apart(
    [
      ...keysWithin(first, first.start, end),
      at,
      ...keysWithin(second, from, second.end).map((time) => time + shift),
    ],
    end - first.start,
  );
  const blended = buildClip(figure, times, states, {
    name: options.name ?? `${first.name} to ${second.name}`,
    outside: { before: first.outside.before, after: second.outside.after },
  });
  const contacts = transitionContacts(figure, first, second, blended, { at, end, shift, options });
  const { motion, miss } = holdSpans(figure, blended, contacts, false);
  return {
    motion,
    window: [at, end],
    shift,
    move: { turn: move.turn, slide: [...move.slide] },
    contacts,
    miss,
  };
}

function refuse(path: string, value: number, remedy: string): MotionError {
  return new MotionError(Number.isFinite(value) ? 'out-of-range' : 'not-finite', `is ${value} s.`, {
    path,
    remedy,
  });
}
