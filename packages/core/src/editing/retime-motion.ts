/** The same motion at another pace, within what joints and physics allow. */
import type { Figure } from '../figure/model/figure.js';
import type { Motion } from '../motion/motion.js';
import { createSpacetimeProblem } from '../spacetime/problem.js';
import { motionFromSolution, solveSpacetime } from '../spacetime/solve.js';
import type { FreeDuration } from '../spacetime/types/data.js';
import {
  intervalsFor,
  PHYSICAL_TOLERANCE,
  type PhysicalMotion,
  type PhysicalOptions,
  physicalTerms,
} from './clips/physical-options.js';
import { smoothClip } from './clips/smooth-clip.js';

/** What {@link retimeMotion} may be told. */
export interface RetimeOptions extends PhysicalOptions {
  /** Bounds of the duration, s, and how many numbers describe the timing. `start` defaults to the clip's own length, kept within the bounds. */
  readonly duration: Omit<FreeDuration, 'start'> & { readonly start?: number };
  /** What a second costs: the more, the faster. Default 1. */
  readonly time?: number;
  /** What a difference to the clip's way costs, rad^2 s or m^2 s. Default 1000. */
  readonly tracking?: number;
  /** Whether free roots have to obey physics. Default: only where contacts or torques are given. */
  readonly physics?: boolean;
}

const SMOOTH = 1e-6;
const SAMPLES = 2;

/**
 * Changes the timing of a clip: the way stays as near as the bounds allow, the pace is as fast as they allow. Speeds, torques, contacts and physics count at the
 * new pace. Times in options are those of the clip. The result begins at 0.
 *
 * @throws MotionError, FigureError, SpacetimeError for clips, bones and bounds that make no sense.
 */
export function retimeMotion(figure: Figure, motion: Motion, options: RetimeOptions): PhysicalMotion {
  const own = motion.end - motion.start;
  const { min, max, pieces } = options.duration;
  const start = options.duration.start ?? Math.max(min, Math.min(max, own));
  const stretch = start / own;
  const intervals = intervalsFor(own, options.rate);
  const clip = smoothClip(figure, motion, own / (SAMPLES * intervals));
  const [track] = clip.tracks;
  // The search begins with the clip played evenly in `start` seconds.
  const { curve } = track;
  const reference: Motion = {
    ...clip,
    end: start,
    tracks: [
      {
        ...track,
        curve: { ...curve, knots: Float64Array.from(curve.knots as ArrayLike<number>, (t) => stretch * t) },
      },
    ],
  };
  const physics = options.physics ?? (options.contacts !== undefined || options.torques !== undefined);
  const terms = physicalTerms(figure, 0, {
    ...options,
    contacts: (options.contacts ?? []).map((contact) => ({
      ...contact,
      over: [stretch * (contact.over[0] - motion.start), stretch * (contact.over[1] - motion.start)] as const,
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
      { type: 'smoothness', weight: SMOOTH },
      { type: 'duration', weight: options.time ?? 1 },
      ...(physics ? terms : terms.filter(({ type }) => type !== 'physics')),
    ],
  });
  const solution = solveSpacetime(problem, { tolerance: PHYSICAL_TOLERANCE, ...options });
  return { motion: motionFromSolution(solution, motion.name), solution };
}
