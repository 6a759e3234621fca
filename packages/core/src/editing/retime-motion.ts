/** Retiming of a clip within joint and physical limits. */
import { type FieldsOf, requireFields } from '../checks.js';
import { MotionError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import type { Motion } from '../motion/motion.js';
import { createSpacetimeProblem } from '../spacetime/problem.js';
import { motionFromSolution } from '../spacetime/solve.js';
import type { FreeDuration } from '../spacetime/types/data.js';
import {
  intervalsFor,
  PHYSICAL_FIELDS,
  type PhysicalMotion,
  type PhysicalOptions,
  physicalTerms,
  solvePhysical,
} from './clips/physical-options.js';
import { smoothClip } from './clips/smooth-clip.js';

/** Options of {@link retimeMotion}. */
export interface RetimeOptions extends PhysicalOptions {
  /**
   * Bounds of the duration, s, and the number of control points of the time scaling. `start` defaults to the clip's own length, clamped to
   * the bounds.
   */
  readonly duration: Omit<FreeDuration, 'start'> & { readonly start?: number };
  /** Weight of the duration: larger is faster. Default 1. */
  readonly timeWeight?: number;
  /** Weight of the tracking term, per rad^2 s or m^2 s. Default 1000. */
  readonly tracking?: number;
  /** Whether free roots obey the equations of motion. Default: only with contacts or torques. */
  readonly physics?: boolean;
}

const FIELDS: FieldsOf<RetimeOptions> = {
  ...PHYSICAL_FIELDS,
  duration: true,
  timeWeight: true,
  tracking: true,
  physics: true,
};

const SMOOTHNESS_WEIGHT = 1e-6;
const SAMPLES = 2;

/**
 * Retimes a clip: the path is tracked as nearly, and played as fast, as the bounds allow. Speeds, torques, contacts and physics apply at
 * the new timing. Times in options are those of the clip. The result starts at 0.
 *
 * @throws MotionError, FigureError, SpacetimeError for invalid clips, bones and bounds.
 */
export function retimeMotion(figure: Figure, motion: Motion, options: RetimeOptions): PhysicalMotion {
  requireFields(options, FIELDS, 'options', MotionError);
  const length = motion.end - motion.start;
  const { min, max, pieces } = options.duration;
  const start = options.duration.start ?? Math.max(min, Math.min(max, length));
  const timeScale = start / length;
  const intervals = intervalsFor(length, options.rate);
  const clip = smoothClip(figure, motion, length / (SAMPLES * intervals));
  const [track] = clip.tracks;
  // The initial guess is the clip scaled uniformly to `start` seconds.
  const { curve } = track;
  const reference: Motion = {
    ...clip,
    end: start,
    tracks: [
      {
        ...track,
        curve: { ...curve, knots: Float64Array.from(curve.knots as ArrayLike<number>, (t) => timeScale * t) },
      },
    ],
  };
  const physics = options.physics ?? (options.contacts !== undefined || options.torques !== undefined);
  const terms = physicalTerms(figure, 0, {
    ...options,
    contacts: (options.contacts ?? []).map((contact) => ({
      ...contact,
      over: [
        timeScale * (contact.over[0] - motion.start),
        timeScale * (contact.over[1] - motion.start),
      ] as const,
    })),
  });
  const problem = createSpacetimeProblem(figure, {
    duration: { min, max, start, ...(pieces !== undefined && { pieces }) },
    intervals,
    reference,
    ...(options.locked && { locked: options.locked }),
    ...(options.gravity && { gravity: options.gravity }),
    terms: [
      { type: 'pose', at: 0 },
      { type: 'pose', at: start },
      { type: 'tracking', weight: options.tracking ?? 1000 },
      { type: 'smoothness', weight: SMOOTHNESS_WEIGHT },
      { type: 'duration', weight: options.timeWeight ?? 1 },
      ...(physics ? terms : terms.filter(({ type }) => type !== 'physics')),
    ],
  });
  const solution = solvePhysical(problem, options);
  return { motion: motionFromSolution(solution, motion.name), solution, contacts: options.contacts ?? [] };
}
