/** Seamless loops of a clip. */
import { type FieldsOf, requireFields } from '../checks.js';
import { MotionError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import { rotationVectors } from '../figure/model/regularize.js';
import * as quat from '../math/geometry/quat.js';
import type { Numbers, Vec3 } from '../math/linear/types.js';
import type { Motion } from '../motion/motion.js';
import { type CurvePoint, createCurvePoint } from '../motion/representation/curve.js';
import { clipFromStates, distinctTimes, keysWithin } from './clips/clip-from-states.js';
import {
  blendStates,
  type ClipState,
  clipStates,
  composeOffset,
  type RootTransforms,
  rotationOffset,
  type Side,
  transformState,
} from './clips/clip-state.js';
import { createFade, evaluateFade, type Fade } from './clips/fade.js';
import { coordinateUnits, humanScaleOf } from './clips/human-scale.js';
import { alignPlanar, type PlanarTransform, planarTransform } from './clips/planar-alignment.js';
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
import { loopContacts } from './contacts/loop-contacts.js';
import { type PinnedSpan, shortenedSpans } from './contacts/pinned-spans.js';
import { clipPaths, loopedPaths } from './contacts/point-paths.js';

/** Options of {@link loopMotion}. */
export interface LoopOptions extends ContactOptions {
  /** The span of the clip to loop, s. Default: all of it. */
  readonly from?: number;
  readonly to?: number;
  /**
   * Duration of the change at each end, s. Default 0.4, or a third of the span; 0.6 to 2 times that, or all of the change at one end, where bones would
   * otherwise be faster than in the clip.
   */
  readonly duration?: number;
  /**
   * Root motion of a cycle: `travel` (default), the translation and heading change of the clip; `straight`, its translation in the plane
   * without a heading change.
   */
  readonly rootMotion?: 'travel' | 'straight';
  /** Points whose contacts are kept from sliding where the clip changes. Default: none. */
  readonly contactPoints?: readonly ContactPoints[];
}

const ORDERS = ['value', 'first', 'second'] as const;

const FIELDS: FieldsOf<LoopOptions> = {
  ...CONTACT_FIELDS,
  from: true,
  to: true,
  duration: true,
  rootMotion: true,
  contactPoints: true,
};

/** Result of {@link loopMotion}. */
export interface LoopedMotion {
  /** Starts at 0; outside its range it extrapolates by `offset`. */
  readonly motion: Motion;
  /** Transform of free roots over a cycle. */
  readonly transform: PlanarTransform;
  /** How long the loop differs from the clip at its start and before its end, s: as asked for, or as no bone is too fast. */
  readonly durations: readonly [atStart: number, atEnd: number];
  readonly contacts: readonly PinnedSpan[];
  /** As in `Transition`. */
  readonly contactError: number;
  /** Where a velocity is farthest from that of the clip. */
  readonly velocityChange: VelocityChange;
}

/**
 * Makes a span of a clip periodic: the mismatch between its end and its start, transformed by a cycle, is split between both ends, or given to
 * one, and fades inwards. Value, first and second derivative are continuous at the seam, for free joints up to the transform of the cycle.
 *
 * @throws MotionError for an invalid span.
 */
export function loopMotion(figure: Figure, motion: Motion, options: LoopOptions = {}): LoopedMotion {
  requireFields(options, FIELDS, 'options', MotionError);
  checkThresholds(options, 'options');
  checkContactPoints(figure, options.contactPoints ?? [], 'options.contactPoints');
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
  const source = { motion, from, length, ends: endStatesOf(figure, motion, [from, to], options) };
  const looped =
    options.duration === undefined
      ? slowEnoughLoop(figure, source, duration, options)
      : loopOver(figure, source, duration, ATTEMPTS[0], options);
  return withVelocityChange(figure, source, looped);
}

/** The span of a clip that is looped, and its ends. */
interface LoopSource {
  readonly motion: Motion;
  readonly from: number;
  readonly length: number;
  readonly ends: EndStates;
}

type Looped = Omit<LoopedMotion, 'velocityChange'>;

function withVelocityChange(
  figure: Figure,
  { motion, from, length }: LoopSource,
  looped: Looped,
): LoopedMotion {
  const source = { motion, timeOf: (time: number) => from + time };
  return { ...looped, velocityChange: velocityChangeOf(figure, looped.motion, [0, length], [source]) };
}

/** A way to close a loop. */
interface Attempt {
  /** Duration relative to the first. */
  readonly factor: number;
  /** How far points that nothing pins may leave their paths, as in `PinOptions`. */
  readonly compliance: number;
  /** Part of the time for which contacts are pinned. */
  readonly part: number;
  /** Share of the mismatch that the start takes, the end the rest. */
  readonly share: number;
}

/**
 * What is tried. With the offsets of the ends alone the first would do where the clip is slow: their fade is as fast as the bound has room for. What
 * exceeds it are legs that end before their feet are on their paths, so that longer fades go with more compliance, in steps of a quarter to a half; and
 * offsets of joints that carry hands and feet along while the pose of the clip changes: they are to end sooner, or all of the mismatch is to
 * lie at the slower end, as where a loop cuts a punch at its fastest. Durations reach half of the span (0.4 s of 0.8 s and more).
 */
const ATTEMPTS: readonly Attempt[] = [
  { factor: 1, compliance: 0.1, part: 1, share: 0.5 },
  { factor: 1.25, compliance: 0.3, part: 1, share: 0.5 },
  { factor: 1.5, compliance: 1, part: 1, share: 0.5 },
  { factor: 2, compliance: 1, part: 0.5, share: 0.5 },
  { factor: 0.6, compliance: 0.1, part: 1, share: 0.5 },
  { factor: 1, compliance: 0.1, part: 1, share: 0 },
  { factor: 1, compliance: 0.1, part: 1, share: 1 },
];

/** The first of the loops in which no bone is too fast; else the one with the slowest bones. */
function slowEnoughLoop(figure: Figure, source: LoopSource, duration: number, options: LoopOptions): Looped {
  const { motion, from, length } = source;
  const ends = endsOf(figure, motion);
  const size = 6 * figure.bones.length;
  const [start, end] = [ends(from, new Float64Array(size)), ends(from + length, new Float64Array(size))];
  const speeds = largestSpeeds(figure, ends, [from, from + length]);
  const transform = planarTransform(source.ends.transform, source.ends.up);
  const distances = speeds.map((_, i) => {
    const moved = transform([start[3 * i], start[3 * i + 1], start[3 * i + 2]], 1);
    // Half of it at each end.
    return 0.5 * Math.hypot(...moved.map((x, r) => end[3 * i + r] - x));
  });
  return slowEnough(
    ATTEMPTS.map(
      (attempt) => () =>
        loopOver(figure, source, Math.min(attempt.factor * duration, 0.5 * length), attempt, options),
    ),
    (looped) => speedExcess(figure, looped.motion, [0, length], { speeds, distances, duration }),
  );
}

/** The start and the end of a span, and the transform of a cycle. */
interface EndStates {
  readonly start: ClipState;
  readonly end: ClipState;
  readonly transform: RootTransforms & PlanarTransform;
  readonly up: Vec3;
}

function endStatesOf(
  figure: Figure,
  motion: Motion,
  [from, to]: readonly [number, number],
  options: LoopOptions,
): EndStates {
  const clip = clipStates(figure, motion);
  const up = options.up ?? figure.up;
  const start = clip(from, 'after');
  const end = clip(to, 'before');
  return {
    start,
    end,
    transform: alignPlanar(figure, start, end, up, options.rootMotion !== 'straight'),
    up,
  };
}

/** The loop whose ends change over a duration. */
function loopOver(
  figure: Figure,
  { motion, from, length, ends: { start, end, transform, up } }: LoopSource,
  duration: number,
  { compliance, part, share }: Omit<Attempt, 'factor'>,
  options: LoopOptions,
): Looped {
  const clip = clipStates(figure, motion);
  // Between the start and the end of the previous cycle.
  const seam = stateBetween(figure, start, transformState(figure, end, inverse(transform)), share);
  const atStart = fadeBetween(figure, start, seam, duration, 1);
  const atEnd = fadeBetween(figure, end, transformState(figure, seam, transform), duration, -1);
  const states = (time: number, side: Side): ClipState => {
    const state = clip(from + time, side);
    if (time <= duration) applyDisplacement(figure, state, evaluateFade(atStart, time));
    if (time >= length - duration)
      applyDisplacement(figure, state, backwards(evaluateFade(atEnd, Math.max(0, length - time))));
    return state;
  };
  const times = distinctTimes(
    [
      ...keysWithin(motion, from, from + length).map((time) => time - from),
      ...atStart.knots,
      ...atEnd.knots.map((time) => length - time),
      length,
    ],
    length,
  );
  const looped = clipFromStates(figure, times, states, {
    name: motion.name,
    outside: { before: 'offset', after: 'offset' },
  });
  const otherCycle = planarTransform(transform, up);
  const unit = humanScaleOf(figure);
  const paths = loopedPaths(clipPaths(figure, motion), { from, length, duration, share, unit }, otherCycle);
  const {
    contacts: found,
    still,
    cycle,
  } = loopContacts(figure, motion, paths, otherCycle, {
    from,
    length,
    duration,
    share,
    options,
  });
  const {
    motion: pinned,
    contacts,
    contactError,
  } = pinContacts(figure, looped, part < 1 ? shortenedSpans(found, [0, length], part) : found, {
    still,
    cycle,
    paths,
    compliance,
    points: options.contactPoints ?? [],
  });
  const { angle, translation } = transform;
  const durations = [share > 0 ? duration : 0, share < 1 ? duration : 0] as const;
  return { motion: pinned, transform: { angle, translation }, durations, contacts, contactError };
}

/** The state at a share of the way between two, with as much of their velocities and accelerations, so that both ends change by their shares. */
function stateBetween(figure: Figure, a: ClipState, b: ClipState, share: number): ClipState {
  const between = blendStates(figure, a, b, [share, 0, 0]);
  between.rotations.forEach((rotation, k) => {
    const mix = (x: number, y: number): number => (1 - share) * x + share * y;
    for (let r = 0; r < 3; r++) {
      rotation.angularVelocity[r] = mix(a.rotations[k].angularVelocity[r], b.rotations[k].angularVelocity[r]);
      rotation.angularAcceleration[r] = mix(
        a.rotations[k].angularAcceleration[r],
        b.rotations[k].angularAcceleration[r],
      );
    }
  });
  return between;
}

/**
 * The displacement from a state to another that fades over a duration.
 *
 * @param direction - 1: forwards in time; -1: backwards, and so are its rates.
 */
function fadeBetween(
  figure: Figure,
  from: ClipState,
  to: ClipState,
  duration: number,
  direction: 1 | -1,
): Fade {
  const difference = createCurvePoint(figure.dof);
  const vectors = Array.from(rotationVectors(figure));
  for (const order of ORDERS) {
    const d = Float64Array.from(to[order], (x, i) => x - from[order][i]);
    vectors.forEach((i, k) => {
      d.set(rotationOffset(from.rotations[k], to.rotations[k])[order], i);
    });
    for (let i = 0; i < figure.dof; i++) difference[order][i] = d[i];
  }
  const units = coordinateUnits(figure, humanScaleOf(figure));
  const inVector = new Set(vectors.flatMap((i) => [i, i + 1, i + 2]));
  const groups = [
    ...vectors.map((i) => ({ coordinates: [i, i + 1, i + 2], unit: 1 })),
    ...Array.from({ length: figure.dof }, (_, i) => ({ coordinates: [i], unit: units[i] })).filter(
      ({ coordinates: [i] }) => !inVector.has(i),
    ),
  ];
  return createFade(direction > 0 ? difference : backwards(difference), groups, duration);
}

/** The same with time backwards. */
function backwards(d: CurvePoint): CurvePoint {
  return { ...d, first: Float64Array.from(d.first, (x) => -x) };
}

/** Adds a displacement to a state: exp(d) R for rotations. */
function applyDisplacement(figure: Figure, state: ClipState, d: CurvePoint): void {
  for (const order of ORDERS) {
    for (let i = 0; i < figure.dof; i++) state[order][i] += d[order][i];
  }
  rotationVectors(figure).forEach((i, k) => {
    const own = (numbers: Numbers): number[] => [numbers[i], numbers[i + 1], numbers[i + 2]];
    const rotation = { value: own(d.value), first: own(d.first), second: own(d.second) };
    composeOffset(rotation, state.rotations[k], state.rotations[k]);
  });
}

function inverse({ roots }: RootTransforms): RootTransforms {
  return {
    roots: roots.map(({ position, rotation, yaw, shift }) => {
      const back = quat.conjugate(yaw);
      const translation = quat.rotate(back, shift);
      return { position, rotation, yaw: back, shift: translation.map((x) => -x) };
    }),
  };
}
