/** Physical clean-up of a clip. */
import type { Figure } from '../figure/model/figure.js';
import type { Motion } from '../motion/motion.js';
import { createSpacetimeProblem, type SpacetimeProblem } from '../spacetime/problem.js';
import { motionFromSolution, solveSpacetime } from '../spacetime/solve.js';
import type { BoneValues, SpacetimeTerm } from '../spacetime/types/data.js';
import {
  intervalsFor,
  PHYSICAL_TOLERANCE,
  type PhysicalContact,
  type PhysicalMotion,
  type PhysicalOptions,
  physicalTerms,
} from './clips/physical-options.js';
import { smoothClip } from './clips/smooth-clip.js';
import { holdSpans, type PinnedSpan } from './contacts/contact-constraints.js';
import { type ContactOptions, type ContactPoints, detectContacts } from './contacts/detect-contacts.js';

/** What {@link cleanMotion} may be told. */
export interface CleanOptions extends PhysicalOptions {
  /** Points whose contacts are found in the clip, besides those given. Default: none. */
  readonly standing?: readonly ContactPoints[];
  /** How they are found. */
  readonly detect?: ContactOptions;
  /**
   * Whether free roots have to obey physics. Default true. Without it contacts are held exactly at every key of the result, and not only once in each knot
   * interval.
   */
  readonly physics?: boolean;
  /** What a difference to the clip costs, each bone's joint. Default 1. */
  readonly tracking?: BoneValues;
}

/** What a clean-up came to. */
export interface CleanedMotion extends PhysicalMotion {
  /** Contacts that were held, found ones included; in the clip's time. */
  readonly contacts: readonly PhysicalContact[];
}

/** Accelerations against differences to the clip, s^4: what is slower than a tenth of a second stays. */
const SMOOTH = 1e-4;
/** Samples for each knot interval. */
const SAMPLES = 2;

/**
 * The motion nearest to a clip in which contacts stand still, torques keep their bounds and free roots are moved by gravity and contacts alone. It is a spline:
 * what is finer than its knots (`rate`) goes, being noise to forces. It begins at time 0.
 *
 * @throws MotionError, FigureError, SpacetimeError for clips, bones and bounds that make no sense.
 */
export function cleanMotion(figure: Figure, motion: Motion, options: CleanOptions = {}): CleanedMotion {
  const duration = motion.end - motion.start;
  const intervals = intervalsFor(duration, options.rate);
  const found =
    options.standing === undefined ? [] : detectContacts(figure, motion, options.standing, options.detect);
  const contacts: PhysicalContact[] = [
    ...(options.contacts ?? []),
    ...found.map((span): PhysicalContact => ({ ...span, ...groundOf(options.detect) })),
  ];
  const reference = smoothClip(figure, motion, duration / (SAMPLES * intervals));
  const { tracking = 1 } = options;
  const smooth: SpacetimeTerm = { type: 'smoothness', weight: SMOOTH };
  const terms = physicalTerms(figure, motion.start, { ...options, contacts });
  const problem = createSpacetimeProblem(figure, {
    duration,
    intervals,
    reference,
    ...(options.locked && { locked: options.locked }),
    ...(options.gravity && { gravity: options.gravity }),
    terms: [
      { type: 'tracking', bones: tracking },
      smooth,
      ...(options.physics === false ? terms.filter(({ type }) => type !== 'physics') : terms),
    ],
  });
  const solution = solveSpacetime(problem, { tolerance: PHYSICAL_TOLERANCE, ...options });
  const cleaned = motionFromSolution(solution, motion.name);
  if (options.physics !== false) return { motion: cleaned, solution, contacts };
  return { motion: holdSpans(figure, cleaned, heldSpans(problem), false).motion, solution, contacts };
}

/** The contacts of a problem, where they stand at a place of their own. */
function heldSpans({ figure, contacts }: SpacetimeProblem): PinnedSpan[] {
  return contacts
    .filter(({ isFree }) => !isFree)
    .map(({ bone, points, positions, from, to }) => ({
      bone: figure.bones[bone].name,
      points,
      places: points.map((_, k) => Array.from(positions.subarray(3 * k, 3 * k + 3))),
      over: [from, to],
    }));
}

function groundOf(detect: ContactOptions | undefined): Pick<PhysicalContact, 'normal' | 'height'> {
  return {
    ...(detect?.up && { normal: detect.up }),
    ...(detect?.ground !== undefined && { height: detect.ground }),
  };
}
