/** Seamless loops of a clip. */
import { type FieldsOf, requireFields } from '../checks.js';
import { MotionError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import { rotationVectors } from '../figure/model/regularize.js';
import * as quat from '../math/geometry/quat.js';
import type { Numbers } from '../math/linear/types.js';
import type { Motion } from '../motion/motion.js';
import { type CurvePoint, createCurvePoint } from '../motion/representation/curve.js';
import { clipFromStates, distinctTimes, keysWithin } from './clips/clip-from-states.js';
import {
  blendStates,
  type ClipState,
  clipStates,
  composeDisplacement,
  type RootTransforms,
  rotationDifference,
  type Side,
  transformState,
} from './clips/clip-state.js';
import { createFade, evaluateFade, type Fade } from './clips/fade.js';
import { alignPlanar, type PlanarTransform, planarTransform } from './clips/planar-alignment.js';
import { type VelocityChange, velocityChangeOf } from './clips/velocity-change.js';
import { type PinnedSpan, pinContacts } from './contacts/contact-constraints.js';
import {
  CONTACT_FIELDS,
  type ContactOptions,
  type ContactPoints,
  checkContactPoints,
  checkThresholds,
} from './contacts/detect-contacts.js';
import { loopContacts } from './contacts/loop-contacts.js';
import { clipPaths, loopedPaths } from './contacts/point-paths.js';

/** Options of {@link loopMotion}. */
export interface LoopOptions extends ContactOptions {
  /** The span of the clip to loop, s. Default: all of it. */
  readonly from?: number;
  readonly to?: number;
  /** Duration of the change at each end, s. Default 0.4, or a third of the span. */
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
  readonly contacts: readonly PinnedSpan[];
  /** As in `Transition`. */
  readonly contactError: number;
  /** Where a velocity is farthest from that of the clip. */
  readonly velocityChange: VelocityChange;
}

/**
 * Makes a span of a clip periodic: the mismatch between its end and its start, transformed by a cycle, is split between both ends and fades
 * inwards. Value, first and second derivative are continuous at the seam, for free joints up to the transform of the cycle.
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
  const clip = clipStates(figure, motion);
  const up = options.up ?? figure.up;
  const start = clip(from, 'after');
  const end = clip(to, 'before');
  const transform = alignPlanar(figure, start, end, up, options.rootMotion !== 'straight');
  const back = inverse(transform);
  // The midpoint of the start and the end of the previous cycle, with the mean of their velocities.
  const seam = midpointState(figure, start, transformState(figure, end, back));
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
      ...keysWithin(motion, from, to).map((time) => time - from),
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
  const paths = loopedPaths(clipPaths(figure, motion), { from, length, duration }, otherCycle);
  const {
    contacts: found,
    still,
    cycle,
  } = loopContacts(figure, motion, paths, otherCycle, {
    from,
    length,
    duration,
    options,
  });
  const {
    motion: pinned,
    contacts,
    contactError,
  } = pinContacts(figure, looped, found, {
    still,
    cycle,
    paths,
    points: options.contactPoints ?? [],
  });
  return {
    motion: pinned,
    transform: { angle: transform.angle, translation: transform.translation },
    contacts,
    contactError,
    velocityChange: velocityChangeOf(
      figure,
      pinned,
      [0, length],
      [{ motion, timeOf: (time) => from + time }],
    ),
  };
}

/** The midpoint of two states with the mean of their velocities and accelerations, so that both ends change equally. */
function midpointState(figure: Figure, a: ClipState, b: ClipState): ClipState {
  const half = blendStates(figure, a, b, [0.5, 0, 0]);
  half.rotations.forEach((rotation, k) => {
    for (let r = 0; r < 3; r++) {
      rotation.angularVelocity[r] =
        0.5 * (a.rotations[k].angularVelocity[r] + b.rotations[k].angularVelocity[r]);
      rotation.angularAcceleration[r] =
        0.5 * (a.rotations[k].angularAcceleration[r] + b.rotations[k].angularAcceleration[r]);
    }
  });
  return half;
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
      d.set(rotationDifference(from.rotations[k], to.rotations[k])[order], i);
    });
    for (let i = 0; i < figure.dof; i++) difference[order][i] = d[i];
  }
  const inVector = new Set(vectors.flatMap((i) => [i, i + 1, i + 2]));
  const groups = [
    ...vectors.map((i) => [i, i + 1, i + 2]),
    ...Array.from({ length: figure.dof }, (_, i) => [i]).filter(([i]) => !inVector.has(i)),
  ];
  return createFade(direction > 0 ? difference : backwards(difference), groups, duration);
}

/** The same with time backwards. */
function backwards(d: CurvePoint): CurvePoint {
  return { ...d, first: Float64Array.from(d.first, (x) => -x) };
}

/** Adds a displacement to a state: R exp(d) for rotations. */
function applyDisplacement(figure: Figure, state: ClipState, d: CurvePoint): void {
  for (const order of ORDERS) {
    for (let i = 0; i < figure.dof; i++) state[order][i] += d[order][i];
  }
  rotationVectors(figure).forEach((i, k) => {
    const own = (numbers: Numbers): number[] => [numbers[i], numbers[i + 1], numbers[i + 2]];
    const rotation = { value: own(d.value), first: own(d.first), second: own(d.second) };
    composeDisplacement(state.rotations[k], rotation, state.rotations[k]);
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
