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
import { type SpeedBounds, slowEnough, speedExcess } from './clips/slow-enough.js';
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
  /** Duration of the blend, s. Default 0.4, or half of what is available. */
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

/** Smootherstep 10 s^3 - 15 s^4 + 6 s^5 with its derivatives: first and second derivative are zero at both ends. */
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
 * Plays one clip, then another, blended over a window: coordinates by the weight 10 s^3 - 15 s^4 + 6 s^5, rotations along the shortest arc,
 * so that value, first and second derivative are continuous wherever those of the clips are. Before the window the result is the first clip
 * to rounding, after it the second, transformed; except that a foot in contact in both clips keeps the position of the first until it
 * lifts.
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
  const end = at + duration;
  const shift = at - from;
  const up = options.up ?? figure.up;
  const ofFirst = clipStates(figure, first);
  const ofSecond = clipStates(figure, second);
  const middle = at + 0.5 * duration;
  const transform =
    options.align === false
      ? { roots: [], angle: 0, translation: [0, 0, 0] as const }
      : alignPlanar(figure, ofSecond(middle - shift, 'after'), ofFirst(middle, 'after'), up);
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
    return blendStates(
      figure,
      ofFirst(time, side),
      secondState(time, side),
      ease(time, at, end),
      differences(time),
    );
  };
  const times = distinctTimes(
    [
      ...keysWithin(first, first.start, end),
      at,
      ...keysWithin(second, from, second.end).map((time) => time + shift),
    ],
    end - first.start,
  );
  const blended = clipFromStates(figure, times, states, {
    name: options.name ?? `${first.name} to ${second.name}`,
    outside: { before: first.outside.before, after: second.outside.after },
  });
  const toFirst = planarTransform(transform, up);
  const paths = blendedPaths(
    clipPaths(figure, first),
    clipPaths(figure, second),
    (time) => ease(time, at, end)[0],
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
  const changed = [at, Math.min(blended.end, released + MAX_FADE)] as const;
  const points = options.contactPoints ?? [];
  const bounds =
    points.length > 0
      ? speedBounds(figure, first, second, { at, from, duration, changed }, toFirst)
      : undefined;
  const { motion, contacts, contactError } = slowEnough(
    ATTEMPTS.map(({ part, compliance }) => () => {
      const spans = part < 1 ? shortenedSpans(found, [at, changed[1]], part) : found;
      return pinContacts(figure, blended, spans, { still, paths, over: changed, points, compliance });
    }),
    (pinned) => (bounds === undefined ? 0 : speedExcess(figure, pinned.motion, changed, bounds)),
  );
  return {
    motion,
    window: [at, end],
    shift,
    transform: { angle: transform.angle, translation: [...transform.translation] },
    contacts,
    contactError,
    velocityChange: velocityChangeOf(figure, motion, changed, [
      { motion: first, timeOf: (time) => time, over: [first.start, end] },
      {
        motion: second,
        timeOf: (time) => time - shift,
        transform: toFirst,
        over: [at, second.end + shift],
      },
    ]),
  };
}

/**
 * What is tried: which part of their time in the window contacts are pinned, and how far points that nothing pins may leave their paths. Less and
 * further where bones would otherwise have to rush after the feet.
 */
const ATTEMPTS = [
  { part: 1, compliance: 0.3 },
  { part: 0.5, compliance: 1 },
  { part: 0, compliance: 10 },
];

/** Speeds of both clips about the window, and the distances between them within it. */
function speedBounds(
  figure: Figure,
  first: Motion,
  second: Motion,
  {
    at,
    from,
    duration,
    changed,
  }: {
    readonly at: number;
    readonly from: number;
    readonly duration: number;
    readonly changed: readonly [number, number];
  },
  toFirst: PointTransform,
): SpeedBounds {
  const [firstEnds, secondEnds] = [endsOf(figure, first), endsOf(figure, second)];
  const longest = changed[1] - changed[0];
  const ofSecond = largestSpeeds(figure, secondEnds, [from, Math.min(second.end, from + longest)]);
  const speeds = largestSpeeds(figure, firstEnds, [at, Math.min(first.end, at + longest)]).map((speed, i) =>
    Math.max(speed, ofSecond[i]),
  );
  const size = 6 * figure.bones.length;
  const [a, b] = [new Float64Array(size), new Float64Array(size)];
  const distances = new Float64Array(speeds.length);
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
  return { speeds, distances, duration };
}

/** Times of a window at which the distance between both clips is measured. */
const DISTANCE_SAMPLES = 10;

function timeError(path: string, value: number, remedy: string): MotionError {
  return new MotionError(Number.isFinite(value) ? 'out-of-range' : 'not-finite', `is ${value} s.`, {
    path,
    remedy,
  });
}
