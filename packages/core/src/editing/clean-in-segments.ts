/** Physically valid clean-up of a clip of any length, part by part. */
import { type FieldsOf, requireFields, requirePositive } from '../checks.js';
import { blendPoses } from '../dynamics/track/pose/blend.js';
import { MotionError } from '../errors.js';
import { boneIndex, type Figure } from '../figure/model/figure.js';
import * as vec3 from '../math/geometry/vec3.js';
import type { Vec3 } from '../math/linear/types.js';
import type { Motion } from '../motion/motion.js';
import { motionFromPoses } from '../motion/motion-from-poses.js';
import { createMotionSampler, samplePose } from '../motion/sampler.js';
import type { SpacetimeProgress, SpacetimeStatus } from '../spacetime/solve.js';
import { contactPositions } from '../spacetime/terms/contact-positions.js';
import { sampleTrajectory, type Trajectory } from '../spacetime/trajectory.js';
import { cleanSpan } from './clips/clean-span.js';
import {
  intervalsFor,
  PHYSICAL_FIELDS,
  type PhysicalContact,
  type PhysicalOptions,
} from './clips/physical-options.js';
import { requireContacts } from './clips/require-contacts.js';
import { requireMotionOf } from './clips/require-motion.js';
import { contactsOf } from './contacts/foot-contacts.js';
import { trimMotion } from './trim-motion.js';

/** Options of {@link cleanMotionInSegments}. */
export interface CleanSegmentsOptions extends Omit<PhysicalOptions, 'terms' | 'start' | 'onProgress'> {
  /** Length of a segment, s, at least 0.1. Default 1. */
  readonly segment?: number;
  /** Called after each iteration; `false` interrupts: the rest of the motion is that of the clip. */
  readonly onProgress?: (progress: SegmentProgress) => unknown;
}

const { terms: _terms, start: _start, ...OTHERS } = PHYSICAL_FIELDS;
const FIELDS: FieldsOf<CleanSegmentsOptions> = { ...OTHERS, segment: true };

/** Progress of the solve of a segment. */
export interface SegmentProgress extends SpacetimeProgress {
  /** Of the segment, from 0, and how many there are. */
  readonly segment: number;
  readonly segments: number;
  /** The clip is done up to here, s. */
  readonly time: number;
}

/** A segment of the result. */
export interface CleanedSegment {
  /** In the clip's time, s. */
  readonly over: readonly [from: number, to: number];
  readonly status: SpacetimeStatus;
  readonly iterations: number;
  /** Largest scaled residual of a constraint. */
  readonly violation: number;
}

/** Result of {@link cleanMotionInSegments}. */
export interface SegmentedMotion {
  /** In the clip's time. */
  readonly motion: Motion;
  readonly segments: readonly CleanedSegment[];
  /** The clip is done up to here, s: its end, unless it was interrupted. Then the motion passes into the clip within the next 0.25 s, at most a segment. */
  readonly time: number;
  /** Of the solve, with the positions at which they are fixed. */
  readonly contacts: readonly PhysicalContact[];
}

/** Time for which a solve looks beyond its segment, s: the next one has to be able to continue. */
const LOOK_AHEAD = 0.5;
/** Time at the start of a segment over which it is blended with what the one before has there, s; a shorter one over all its length. */
const BLEND = 0.25;
/** Shortest segment, s: one and a half knot intervals of the default rate. */
const MIN_SEGMENT = 0.1;
/** Part of a clip by which a contact may go beyond it, by rounding: as the solve allows. */
const TIME_TOLERANCE = 1e-9;
/** Keys a second of the result: as fine as recordings. */
const KEY_RATE = 120;
/** Iterations of a segment; converging ones take 10 to 60. */
const MAX_ITERATIONS = 100;
/** Relative decrease of the cost that counts as none: what a solve would still change is less than what its segment is blended with. */
const GAIN = 1e-4;
/** Part of a knot interval below which what is left of a contact in a window is none. */
const MIN_CONTACT = 0.1;

/**
 * {@link cleanMotion} for clips of any length, in time that grows with the length alone: segment by segment, each solved with half a second beyond its end
 * and continuing the one before from its state. Contacts stay at one place across segments. Which of the segments converged, `segments` says.
 *
 * @param options - Contacts without positions are where the clip has them.
 * @throws MotionError, FigureError, SpacetimeError as {@link cleanMotion}.
 */
export function cleanMotionInSegments(
  figure: Figure,
  motion: Motion,
  options: CleanSegmentsOptions = {},
): SegmentedMotion {
  requireFields(options, FIELDS, 'options', MotionError);
  requireMotionOf(figure, motion);
  const { segment = 1, rate, onProgress, maxIterations = MAX_ITERATIONS, gain = GAIN, ...others } = options;
  requirePositive(segment, 'options.segment', MotionError, 's');
  if (segment < MIN_SEGMENT) {
    throw new MotionError('out-of-range', `is ${segment} s.`, {
      path: 'options.segment',
      remedy: `Give at least ${MIN_SEGMENT} s: a solve has knots some hundredths of a second apart.`,
    });
  }
  if (options.contacts !== undefined) requireWithin(options.contacts, motion);
  const contacts = withPositions(figure, motion, contactsOf(figure, motion, others, true));
  const starts = startsOf(motion, segment);
  const segments: CleanedSegment[] = [];
  const trajectories: Trajectory[] = [];
  let isInterrupted = false;
  for (const [n, from] of starts.entries()) {
    const next = starts[n + 1] ?? motion.end;
    const to = n + 1 < starts.length ? Math.min(next + LOOK_AHEAD, motion.end) : motion.end;
    const intervals = intervalsFor(to - from, rate);
    const before = trajectories[n - 1];
    const { solution } = cleanSpan(
      figure,
      trimMotion(figure, motion, from, to),
      intervals,
      {
        ...others,
        maxIterations,
        gain,
        contacts: contactsWithin(contacts, from, to, intervals),
        onProgress: (progress) => {
          isInterrupted ||=
            onProgress?.({ ...progress, segment: n, segments: starts.length, time: from }) === false;
          return !isInterrupted;
        },
      },
      before && sampleTrajectory(before, from - starts[n - 1]),
      to < motion.end ? 0 : LOOK_AHEAD - (to - next),
    );
    if (isInterrupted) break;
    const { status, iterations, violation } = solution;
    segments.push({ over: [from, next], status, iterations, violation });
    trajectories.push(solution.trajectory);
  }
  const time = isInterrupted ? starts[segments.length] : motion.end;
  return { motion: joined(figure, motion, starts, trajectories), segments, time, contacts };
}

/** Each contact has a part of the clip: what lies elsewhere no segment would see. @throws MotionError */
function requireWithin(contacts: readonly PhysicalContact[], { start, end }: Motion): void {
  requireContacts(contacts, 'options.contacts');
  const tolerance = TIME_TOLERANCE * (end - start);
  contacts.forEach(({ over: [from, to] }, c) => {
    const path = `options.contacts[${c}].over`;
    if (!(to > from)) {
      throw new MotionError('not-increasing', `goes from ${from} to ${to} s: it has no length.`, {
        path,
        remedy: 'Give a span that ends after it begins.',
      });
    }
    if (from >= start - tolerance && to <= end + tolerance) return;
    throw new MotionError(
      'out-of-range',
      `goes from ${from} to ${to} s; the motion goes from ${start} to ${end} s.`,
      { path, remedy: 'Give a span within the motion.' },
    );
  });
}

/** Starts of the segments, s: all of one length, as near to the one asked for as a whole number of them in the clip allows. */
function startsOf({ start, end }: Motion, segment: number): number[] {
  const count = Math.max(1, Math.round((end - start) / segment));
  return Array.from({ length: count }, (_, n) => start + ((end - start) * n) / count);
}

/** Contacts with the positions that they keep in all segments. */
function withPositions(
  figure: Figure,
  motion: Motion,
  contacts: readonly PhysicalContact[],
): PhysicalContact[] {
  const sampler = createMotionSampler(figure, motion);
  const placements = contacts.map(({ bone, points, over, normal = figure.up, height = 0 }, c) => ({
    bone: boneIndex(figure, bone, `options.contacts[${c}].bone`),
    points,
    from: over[0],
    to: over[1],
    normal: vec3.normalize(normal),
    height,
  }));
  const poseAt = (time: number): Float64Array => samplePose(sampler, time, new Float64Array(figure.dof));
  return contacts.map((contact, c): PhysicalContact => {
    if (typeof contact.positions === 'object') return contact;
    const path = `options.contacts[${c}]`;
    if (contact.positions === 'free') {
      throw new MotionError('unsupported', "is 'free': each segment would have another.", {
        path: `${path}.positions`,
        remedy: 'Give the positions, or leave them out: they are where the clip has them.',
      });
    }
    const found = contactPositions(figure, placements[c], placements, poseAt, path);
    return {
      ...contact,
      positions: contact.points.map((_, k): Vec3 => [found[3 * k], found[3 * k + 1], found[3 * k + 2]]),
    };
  });
}

/** What contacts have in a window, from time 0. */
function contactsWithin(
  contacts: readonly PhysicalContact[],
  from: number,
  to: number,
  intervals: number,
): PhysicalContact[] {
  const shortest = (MIN_CONTACT * (to - from)) / intervals;
  return contacts.flatMap((contact) => {
    const over = [Math.max(0, contact.over[0] - from), Math.min(to, contact.over[1]) - from] as const;
    return over[1] - over[0] < shortest ? [] : [{ ...contact, over }];
  });
}

/** The solved parts, blended at the start of each; beyond them the clip itself. */
function joined(
  figure: Figure,
  motion: Motion,
  starts: readonly number[],
  trajectories: readonly Trajectory[],
): Motion {
  const { start, end, name } = motion;
  const sampler = createMotionSampler(figure, motion);
  const poseOf = (n: number, time: number): Float64Array =>
    n < trajectories.length
      ? sampleTrajectory(trajectories[n], Math.min(time - starts[n], trajectories[n].duration)).pose
      : samplePose(sampler, time, new Float64Array(figure.dof));
  const blend = Math.min(BLEND, (end - start) / starts.length);
  const count = Math.max(1, Math.round(KEY_RATE * (end - start)));
  const times = Array.from({ length: count + 1 }, (_, k) => start + ((end - start) * k) / count);
  const poses = times.map((time) => {
    let n = Math.min(starts.length - 1, trajectories.length);
    while (n > 0 && starts[n] > time) n--;
    const share = (time - starts[n]) / blend;
    if (n === 0 || !(share < 1)) return poseOf(n, time);
    return blendPoses(
      figure,
      poseOf(n - 1, time),
      poseOf(n, time),
      share ** 3 * (share * (6 * share - 15) + 10),
    );
  });
  // Limits are convex: straight lines between poses within them do not leave them.
  const interpolation = figure.limitComponents.length > 0 ? 'linear' : 'smooth';
  return motionFromPoses(figure, times, poses, { name, interpolation });
}
