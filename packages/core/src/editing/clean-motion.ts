/** Physically valid clean-up of a clip. */
import { type FieldsOf, requireFields } from '../checks.js';
import { MotionError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import type { Motion } from '../motion/motion.js';
import type { SpacetimeProblem } from '../spacetime/problem.js';
import { motionFromSolution } from '../spacetime/solve.js';
import type { BoneValues } from '../spacetime/types/data.js';
import { cleanSpan } from './clips/clean-span.js';
import {
  intervalsFor,
  PHYSICAL_FIELDS,
  type PhysicalContact,
  type PhysicalMotion,
  type PhysicalOptions,
} from './clips/physical-options.js';
import { type VelocityChange, velocityChangeOf } from './clips/velocity-change.js';
import { pinContacts } from './contacts/contact-constraints.js';
import {
  type ContactOptions,
  type ContactPoints,
  checkContactPoints,
  checkDetection,
} from './contacts/detect-contacts.js';
import { contactsOf, spansWithoutNoise } from './contacts/foot-contacts.js';
import type { PinnedSpan } from './contacts/pinned-spans.js';

/** Options of {@link cleanMotion}. */
export interface CleanOptions extends PhysicalOptions {
  /** Points whose contacts are detected in the clip, in addition to `contacts`. Default: none, which leaves the default of `contacts`. */
  readonly contactPoints?: readonly ContactPoints[];
  /** Options of the contact detection, of `contactPoints` or of a humanoid's feet. */
  readonly detect?: ContactOptions;
  /**
   * Whether free roots obey the equations of motion. Default true. Without, contact points are pinned exactly at every key of the result,
   * and not only once per knot interval.
   */
  readonly physics?: boolean;
  /** Weight of the tracking term, by bone. Default 1. */
  readonly tracking?: BoneValues;
}

const FIELDS: FieldsOf<CleanOptions> = {
  ...PHYSICAL_FIELDS,
  contactPoints: true,
  detect: true,
  physics: true,
  tracking: true,
};

/** Result of {@link cleanMotion}. */
export interface CleanedMotion extends PhysicalMotion {
  /** Where a velocity is farthest from that of the clip, noise included; times from the start of the clip. */
  readonly velocityChange: VelocityChange;
}

/**
 * The motion nearest to a clip with fixed contact points, bounded torques, and free roots moved by gravity and contacts alone. The result
 * is a spline: detail finer than its knots (`rate`) is removed as noise in the forces. It starts at time 0.
 *
 * @throws MotionError, FigureError, SpacetimeError for invalid clips, bones and bounds.
 */
export function cleanMotion(figure: Figure, motion: Motion, options: CleanOptions = {}): CleanedMotion {
  requireFields(options, FIELDS, 'options', MotionError);
  if (options.detect !== undefined) checkDetection(options.detect, 'options.detect');
  checkContactPoints(figure, options.contactPoints ?? [], 'options.contactPoints');
  const duration = motion.end - motion.start;
  const intervals = intervalsFor(duration, options.rate);
  const detected =
    options.contactPoints === undefined
      ? []
      : spansWithoutNoise(figure, motion, options.contactPoints, options.detect);
  const found = options.contactPoints === undefined;
  const contacts: PhysicalContact[] = [
    ...(found ? contactsOf(figure, motion, options, true) : (options.contacts ?? [])),
    ...detected.map((span): PhysicalContact => ({ ...span, ...groundOf(options.detect) })),
  ];
  const { problem, solution } = cleanSpan(figure, motion, intervals, { ...options, contacts });
  const spline = motionFromSolution(solution, motion.name);
  const cleaned =
    options.physics === false ? pinContacts(figure, spline, pinnedSpans(problem)).motion : spline;
  const source = { motion, timeOf: (time: number) => motion.start + time };
  const velocityChange = velocityChangeOf(figure, cleaned, [0, duration], [source]);
  return { motion: cleaned, solution, contacts, velocityChange };
}

/** The contacts of a problem with fixed positions. */
function pinnedSpans({ figure, contacts }: SpacetimeProblem): PinnedSpan[] {
  return contacts
    .filter(({ isFree }) => !isFree)
    .map(({ bone, points, positions, from, to }) => ({
      bone: figure.bones[bone].name,
      points,
      positions: points.map((_, k) => Array.from(positions.subarray(3 * k, 3 * k + 3))),
      over: [from, to],
    }));
}

function groundOf(detect: ContactOptions | undefined): Pick<PhysicalContact, 'normal' | 'height'> {
  return {
    ...(detect?.up && { normal: detect.up }),
    ...(detect?.ground !== undefined && { height: detect.ground }),
  };
}
