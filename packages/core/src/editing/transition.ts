/** Transition between two clips: alignment, blend, and pinned foot contacts. */
import { type FieldsOf, requireFields } from '../checks.js';
import { MotionError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import type { Motion } from '../motion/motion.js';
import { clipFromStates, distinctTimes, keysWithin } from './clips/clip-from-states.js';
import {
  blendStates,
  type ClipState,
  clipStates,
  continuousDifferences,
  type RootTransforms,
  type Scalar,
  type Side,
  transformState,
} from './clips/clip-state.js';
import {
  alignPlanar,
  type PlanarTransform,
  type PointTransform,
  planarTransform,
} from './clips/planar-alignment.js';
import { slowEnough, speedExcess } from './clips/slow-enough.js';
import { endsOf, largestSpeeds, type VelocityChange, velocityChangeOf } from './clips/velocity-change.js';
import { pinContacts } from './contacts/contact-constraints.js';
import {
  CONTACT_FIELDS,
  type ContactOptions,
  type ContactPoints,
  checkContactPoints,
  checkThresholds,
} from './contacts/detect-contacts.js';
import { MAX_FADE } from './contacts/pinned-paths.js';
import { type PinnedSpan, shortenedSpans } from './contacts/pinned-spans.js';
import { blendedPaths, clipPaths } from './contacts/point-paths.js';
import { transitionContacts } from './contacts/transition-contacts.js';

/** Options of {@link createTransition}. */
export interface TransitionOptions extends ContactOptions {
  /** Duration of the blend, s. Default 0.4, or half of what is available; up to twice that where bones would otherwise be faster than in the clips. */
  readonly duration?: number;
  /** Time of the first clip at which the second is blended in, s. Default: `duration` before its end. */
  readonly at?: number;
  /** Time of the second clip at that point, s. Default: its start. */
  readonly from?: number;
  /** Whether to align the roots of the second clip to those of the first, in the ground plane and about the vertical. Default true. */
  readonly align?: boolean;
  /** Points whose contacts are kept from sliding during the blend. Default: none. */
  readonly contactPoints?: readonly ContactPoints[];
  /** Default: the names of both with ` to ` between. */
  readonly name?: string;
}

const FIELDS: FieldsOf<TransitionOptions> = {
  ...CONTACT_FIELDS,
  duration: true,
  at: true,
  from: true,
  align: true,
  contactPoints: true,
  name: true,
};

/** Result of {@link createTransition}. */
export interface Transition {
  /** From the start of the first clip, in its time, to the end of the second. */
  readonly motion: Motion;
  /** The blend, in the time of the result, s. */
  readonly window: readonly [from: number, to: number];
  /** Time of the result less that of the second clip, s. */
  readonly shift: number;
  /** Transform of the second clip. */
  readonly transform: PlanarTransform;
  /** Contacts that overlap the window, with their positions. */
  readonly contacts: readonly PinnedSpan[];
  /** Largest distance of a contact point from its position, at keys and between, m. */
  readonly contactError: number;
  /** Where velocities are farthest from those of both clips. */
  readonly velocityChange: VelocityChange;
}

/** How one clip gives way to the other. */
interface Pace {
  /** The weight of the second clip at a time of a window, with its derivatives. */
  readonly weight: (time: number, from: number, to: number) => Scalar;
  /** Where its third derivative jumps, relative to the window. */
  readonly knots: readonly number[];
}

/** Smootherstep 10 s^3 - 15 s^4 + 6 s^5 with its derivatives: first and second derivative are zero at both ends. */
const ease: Pace = { knots: [], weight: easedWeight };

function easedWeight(time: number, from: number, to: number): Scalar {
  const h = to - from;
  const s = Math.max(0, Math.min(1, (time - from) / h));
  const t = 1 - s;
  return [
    s * s * s * (10 - 15 * s + 6 * s * s),
    (30 * s * s * t * t) / h,
    (60 * s * t * (1 - 2 * s)) / (h * h),
  ];
}

/** The part of a window at each end over which the rate of {@link evenPace} changes. */
const RAMP = 1 / 3;

/**
 * The same with a rate that rises by 3 x^2 - 2 x^3 over a third of the window, is constant over the next and falls over the last: at most 1.5 instead of
 * 1.875 over the window, for 1.17 times the largest second derivative.
 */
const evenPace: Pace = { knots: [RAMP, 1 - RAMP], weight: evenWeight };

function evenWeight(time: number, from: number, to: number): Scalar {
  const h = to - from;
  const s = Math.max(0, Math.min(1, (time - from) / h));
  const rate = 1 / (1 - RAMP);
  const isLate = s > 0.5;
  const near = isLate ? 1 - s : s;
  const x = Math.min(1, near / RAMP);
  const value = rate * (RAMP * x * x * x * (1 - 0.5 * x) + Math.max(0, near - RAMP));
  const second = (rate * 6 * x * (1 - x)) / (RAMP * h * h);
  return [isLate ? 1 - value : value, (rate * x * x * (3 - 2 * x)) / h, isLate ? -second : second];
}

/**
 * Plays one clip, then another, blended over a window: coordinates by the weight 10 s^3 - 15 s^4 + 6 s^5, rotations along the shortest arc,
 * so that value, first and second derivative are continuous wherever those of the clips are. Before the window the result is the first clip
 * to rounding, after it the second, transformed; except that a foot in contact in both clips keeps the position of the first until it
 * lifts.
 * Where a bone would be faster than both clips with the distance between them, the weight goes more evenly, the window without a given duration is longer,
 * and contacts are pinned less.
 *
 * @throws MotionError for windows that do not fit into the clips; FigureError for unknown bones.
 */
export function createTransition(
  figure: Figure,
  first: Motion,
  second: Motion,
  options: TransitionOptions = {},
): Transition {
  requireFields(options, FIELDS, 'options', MotionError);
  checkThresholds(options, 'options');
  checkContactPoints(figure, options.contactPoints ?? [], 'options.contactPoints');
  const from = options.from ?? second.start;
  const available = Math.min(first.end - first.start, second.end - from);
  const duration = options.duration ?? Math.min(0.4, 0.5 * available);
  const at = options.at ?? first.end - duration;
  if (!(duration > 0 && duration < Number.POSITIVE_INFINITY)) {
    throw timeError('options.duration', duration, 'Give a time above zero that both clips have, in seconds.');
  }
  const tolerance = 1e-9 * duration;
  if (!(at >= first.start - tolerance && at + duration <= first.end + tolerance)) {
    throw timeError('options.at', at, `Give a time at least ${duration} s before ${first.end} s.`);
  }
  if (!(from >= second.start - tolerance && from + duration <= second.end + tolerance)) {
    throw timeError('options.from', from, `Give a time at least ${duration} s before ${second.end} s.`);
  }
  const clips = { figure, first, second };
  const base = { at, from, duration };
  const points = options.contactPoints ?? [];
  const room = Math.min(
    options.at === undefined ? first.end - first.start : first.end - at,
    second.end - from,
  );
  const attempts = ATTEMPTS.filter(
    ({ factor, part }) =>
      (factor === 1 || (options.duration === undefined && room > duration)) &&
      (part === 1 || points.length > 0),
  );
  const transform = alignmentOf(clips, base, options);
  const distances = distancesBetween(clips, base, planarTransform(transform, options.up ?? figure.up));
  const joined = slowEnough(
    attempts.map((attempt) => () => {
      const longer = Math.min(attempt.factor * duration, room);
      const window = {
        at: options.at ?? (attempt.factor === 1 ? at : first.end - longer),
        from,
        duration: longer,
      };
      return joinOver(clips, attempt.factor === 1 ? base : window, attempt, options);
    }),
    ({ motion, window, changed }) =>
      excessOf(clips, motion, { ...window, changed, distances, time: duration }),
  );
  const { motion, window, shift, toFirst, changed, contacts, contactError } = joined;
  const end = window.at + window.duration;
  const { angle, translation } = joined.transform;
  return {
    motion,
    window: [window.at, end],
    shift,
    transform: { angle, translation: [...translation] },
    contacts,
    contactError,
    velocityChange: velocityChangeOf(figure, motion, changed, [
      { motion: first, timeOf: (time) => time, over: [first.start, end] },
      {
        motion: second,
        timeOf: (time) => time - shift,
        transform: toFirst,
        over: [window.at, second.end + shift],
      },
    ]),
  };
}

/** What is joined. */
interface Clips {
  readonly figure: Figure;
  readonly first: Motion;
  readonly second: Motion;
}

/** Times of the first and of the second clip at which the blend begins, and its duration, s. */
interface Window {
  readonly at: number;
  readonly from: number;
  readonly duration: number;
}

/** A way to join two clips. */
interface Attempt {
  /** Duration relative to the first. */
  readonly factor: number;
  readonly pace: Pace;
  /** Part of their time in the window for which contacts are pinned. */
  readonly part: number;
  /** How far points that nothing pins may leave their paths, as in `PinOptions`. */
  readonly compliance: number;
}

/**
 * What is tried: where bones would be too fast an even pace, then a longer window if none is given. Where they would have to rush after the feet,
 * contacts are pinned less, and feet follow their paths less.
 */
const ATTEMPTS: readonly Attempt[] = [
  { factor: 1, pace: ease, part: 1, compliance: 0.3 },
  { factor: 1, pace: evenPace, part: 1, compliance: 0.3 },
  { factor: 1.5, pace: evenPace, part: 1, compliance: 0.3 },
  { factor: 2, pace: evenPace, part: 1, compliance: 0.3 },
  { factor: 1, pace: evenPace, part: 0.5, compliance: 1 },
  { factor: 1, pace: evenPace, part: 0, compliance: 10 },
];

/** The transform of the second clip, whose root is that of the first in the middle of the window. */
function alignmentOf(
  { figure, first, second }: Clips,
  { at, from, duration }: Window,
  options: TransitionOptions,
): RootTransforms & PlanarTransform {
  if (options.align === false) return { roots: [], angle: 0, translation: [0, 0, 0] };
  const ofSecond = clipStates(figure, second)(from + 0.5 * duration, 'after');
  const ofFirst = clipStates(figure, first)(at + 0.5 * duration, 'after');
  return alignPlanar(figure, ofSecond, ofFirst, options.up ?? figure.up);
}

/** Both clips joined over a window. */
function joinOver(
  clips: Clips,
  window: Window,
  { pace, part, compliance }: Omit<Attempt, 'factor'>,
  options: TransitionOptions,
) {
  const { figure, first, second } = clips;
  const { at, from, duration } = window;
  const end = at + duration;
  const shift = at - from;
  const ofFirst = clipStates(figure, first);
  const ofSecond = clipStates(figure, second);
  const transform = alignmentOf(clips, window, options);
  const secondState = (time: number, side: Side): ClipState =>
    transformState(figure, ofSecond(time - shift, side), transform);
  const differences = continuousDifferences(
    (time) => ofFirst(time, 'after'),
    (time) => secondState(time, 'after'),
    [at, end],
  );
  const states = (time: number, side: Side): ClipState => {
    if (time < at || (time === at && side === 'before')) return ofFirst(time, side);
    if (time > end || (time === end && side === 'after')) return secondState(time, side);
    const weight = pace.weight(time, at, end);
    return blendStates(figure, ofFirst(time, side), secondState(time, side), weight, differences(time));
  };
  const times = distinctTimes(
    [
      ...keysWithin(first, first.start, end),
      at,
      ...pace.knots.map((s) => at + s * duration),
      ...keysWithin(second, from, second.end).map((time) => time + shift),
    ],
    end - first.start,
  );
  const blended = clipFromStates(figure, times, states, {
    name: options.name ?? `${first.name} to ${second.name}`,
    outside: { before: first.outside.before, after: second.outside.after },
  });
  const toFirst = planarTransform(transform, options.up ?? figure.up);
  const paths = blendedPaths(
    clipPaths(figure, first),
    clipPaths(figure, second),
    (time) => pace.weight(time, at, end)[0],
    shift,
    toFirst,
  );
  const { contacts: found, still } = transitionContacts(figure, first, second, paths, {
    at,
    end,
    shift,
    options,
  });
  const released = Math.max(end, ...found.map(({ over }) => over[1]));
  const points = options.contactPoints ?? [];
  const changed = [at, points.length > 0 ? Math.min(blended.end, released + MAX_FADE) : end] as const;
  const spans = part < 1 ? shortenedSpans(found, [at, changed[1]], part) : found;
  const pinned = pinContacts(figure, blended, spans, { still, paths, over: changed, points, compliance });
  return { ...pinned, window, shift, transform, toFirst, changed };
}

/** Before and after a window, the part of it within which a bone of the clips may be as fast as it is allowed to be in it. */
const SPEED_MARGIN = 0.25;

/** The largest speed of a join relative to those of both clips with the distance between them: in the window, and after it of the second. */
function excessOf(
  { figure, first, second }: Clips,
  motion: Motion,
  {
    at,
    from,
    duration,
    changed,
    distances,
    time,
  }: Window & {
    readonly changed: readonly [number, number];
    /** Distances between both clips, m, and the time for them, s. */
    readonly distances: Float64Array;
    readonly time: number;
  },
): number {
  const margin = SPEED_MARGIN * duration;
  const fastest = (clip: Motion, begin: number, stop: number): Float64Array =>
    largestSpeeds(figure, endsOf(figure, clip), [
      Math.max(clip.start, begin - margin),
      Math.min(clip.end, stop + margin),
    ]);
  const ofSecond = fastest(second, from, from + duration);
  const speeds = fastest(first, at, at + duration).map((speed, i) => Math.max(speed, ofSecond[i]));
  const end = at + duration;
  const inWindow = speedExcess(figure, motion, [at, end], { speeds, distances, duration: time });
  if (!(changed[1] > end)) return inWindow;
  const after = fastest(second, from + duration, changed[1] - at + from);
  return Math.max(
    inWindow,
    speedExcess(figure, motion, [end, changed[1]], { speeds: after, distances, duration: time }),
  );
}

/** The largest distance of each end of a bone between both clips in a window, m. */
function distancesBetween(
  { figure, first, second }: Clips,
  { at, from, duration }: Window,
  toFirst: PointTransform,
): Float64Array {
  const [firstEnds, secondEnds] = [endsOf(figure, first), endsOf(figure, second)];
  const size = 6 * figure.bones.length;
  const [a, b] = [new Float64Array(size), new Float64Array(size)];
  const distances = new Float64Array(size / 3);
  for (let n = 0; n <= DISTANCE_SAMPLES; n++) {
    const time = (n / DISTANCE_SAMPLES) * duration;
    firstEnds(at + time, a);
    secondEnds(from + time, b);
    for (let i = 0; i < distances.length; i++) {
      const [x, y, z] = toFirst([b[3 * i], b[3 * i + 1], b[3 * i + 2]], 1);
      const distance = Math.hypot(x - a[3 * i], y - a[3 * i + 1], z - a[3 * i + 2]);
      distances[i] = Math.max(distances[i], distance);
    }
  }
  return distances;
}

/** Times of a window at which the distance between both clips is measured. */
const DISTANCE_SAMPLES = 10;

function timeError(path: string, value: number, remedy: string): MotionError {
  return new MotionError(Number.isFinite(value) ? 'out-of-range' : 'not-finite', `is ${value} s.`, {
    path,
    remedy,
  });
}
