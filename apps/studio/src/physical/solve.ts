/** What a worker solves: keyed poses made physical, a clip cleaned, or a problem of a preset. Plain data in and out. */
import { cleanMotion, makePhysical, type PhysicalContact } from 'poise/editing';
import type { Figure, Triple } from 'poise/figure';
import type { Motion } from 'poise/motion';
import {
  createSpacetimeProblem,
  motionFromSolution,
  type SpacetimeData,
  type SpacetimeProgress,
  type SpacetimeSolution,
  type SpacetimeStatus,
  type SpacetimeTerm,
  sampleTrajectory,
  solveSpacetime,
  type Trajectory,
} from 'poise/spacetime';

interface RequestBase {
  /** With masses. */
  readonly figure: Figure;
  /** Poses of the motion so far, after the first, evenly over the duration. */
  readonly frames: number;
}

export interface KeysRequest extends RequestBase {
  readonly type: 'keys';
  readonly times: readonly number[];
  readonly poses: readonly Float64Array[];
  /** Whether joints are exactly as keyed, in place of near. */
  readonly areExact: boolean;
  /** Knots a second. Default: that of the library. */
  readonly rate?: number;
  readonly contacts: readonly PhysicalContact[];
  readonly gravity: Triple;
  readonly locked: readonly string[];
}

export interface CleanRequest extends RequestBase {
  readonly type: 'clean';
  readonly motion: Motion;
  /** Whether weight holds too, and not the feet alone. */
  readonly isPhysical: boolean;
  readonly contacts: readonly PhysicalContact[];
  readonly gravity: Triple;
  readonly locked: readonly string[];
}

export interface PresetRequest extends RequestBase {
  readonly type: 'preset';
  readonly data: SpacetimeData;
}

export type PhysicalRequest = KeysRequest | CleanRequest | PresetRequest;

/** The motion so far. */
export interface PhysicalProgress {
  /** Steps so far, from 1. */
  readonly step: number;
  /** Largest violation of what must be so, as a share of the weight, or m. */
  readonly violation: number;
  /** The largest of this round. */
  readonly worst: number;
  /** What the last step saves, over the cost, and what ends it. */
  readonly gain: number;
  readonly enough: number;
  /** From 1: each is at more moments, as it was off between those before. At most so many. */
  readonly round: number;
  readonly rounds: number;
  readonly poses: readonly Float64Array[];
}

/** What must be so and is not. */
export interface Conflict {
  readonly type: SpacetimeTerm['type'] | 'limits';
  /** The foot of a contact. */
  readonly bone: string | undefined;
  /** From the start, s. */
  readonly at: number;
}

export interface PhysicalAnswer {
  /** `stopped`: what had come of it when it was asked for no more. */
  readonly status: SpacetimeStatus | 'stopped';
  readonly violation: number;
  /** Largest force from nowhere between the moments that are computed, as a share of the weight; undefined without physics. */
  readonly force: number | undefined;
  /** Largest way of a sole between them, mm; undefined without contacts. */
  readonly soles: number | undefined;
  readonly conflicts: readonly Conflict[];
  readonly motion: Motion;
}

/** Accuracy of what is shown: a hundredth of a millimetre and of a thousandth of the weight. */
const ACCURACY = { tolerance: 1e-5, gain: 1e-3, maxRefinements: 3 } as const;
/**
 * Weight of the clip against smoothness where weight holds, over that of the library: detail of 0.04 s stays, not of 0.1 s alone, at which knees of a walk are
 * off by 0.3 rad. Feet are cleaned of what slides, as noise, and stay smooth.
 */
const TRACKING = 30;
/** The ends of a part are kept as the keys of one that is computed with least effort. */
const ENDS: readonly SpacetimeTerm[] = [
  { type: 'pose', at: 0, weight: 100 },
  { type: 'pose', at: 'end', weight: 100 },
];
/** A share of the weight that is allowed at the root between moments. */
const ALLOWED_WEIGHT = 0.05;

/**
 * @param onProgress - Called after every step; `progress` makes the motion so far.
 * @throws PoiseError for what cannot be a problem, with what to do.
 */
export function solvePhysical(
  request: PhysicalRequest,
  onProgress: (progress: () => PhysicalProgress) => void = () => {},
): PhysicalAnswer {
  const { frames } = request;
  let [worst, round] = [0, 1];
  const { solution, motion } = solve(
    request,
    ({ iteration: step, violation, gain, refinements, trajectory }) => {
      if (refinements >= round) worst = 0;
      worst = Math.max(worst, violation);
      round = refinements + 1;
      onProgress(() => ({
        step,
        violation,
        worst,
        gain,
        enough: ACCURACY.gain,
        round: refinements + 1,
        rounds: ACCURACY.maxRefinements + 1,
        poses: posesOf(trajectory(), frames),
      }));
    },
  );
  const { status, violation, report, intersample, trajectory } = solution;
  const { terms } = trajectory.problem.data;
  const worstOf = (type: string, unit: string) =>
    intersample.filter((entry) => entry.type === type && entry.unit === unit);
  const [force] = worstOf('physics', 'N');
  const slips = worstOf('contact', 'm').map((entry) => 1000 * entry.violation);
  return {
    status,
    violation,
    force: force && (ALLOWED_WEIGHT * force.violation) / force.tolerance,
    soles: slips.length === 0 ? undefined : slips.reduce((a, b) => Math.max(a, b)),
    conflicts: report.conflicts.map(({ index, at }) => {
      const term = terms[index];
      return {
        type: term?.type ?? 'limits',
        bone: term?.type === 'contact' ? term.bone : undefined,
        at,
      };
    }),
    motion,
  };
}

function solve(
  request: PhysicalRequest,
  onProgress: (progress: SpacetimeProgress) => void,
): { readonly solution: SpacetimeSolution; readonly motion: Motion } {
  const options = { ...ACCURACY, onProgress };
  switch (request.type) {
    case 'keys': {
      const { figure, times, poses, areExact, rate, contacts, gravity, locked } = request;
      return makePhysical(
        figure,
        { times, poses },
        {
          ...options,
          ...(areExact && { keys: 'exact' }),
          ...(rate && { rate }),
          contacts,
          gravity,
          locked,
        },
      );
    }
    case 'clean': {
      const { figure, motion, contacts, gravity, locked, isPhysical: physics } = request;
      const tracking = physics ? TRACKING : 1;
      return cleanMotion(figure, motion, {
        ...options,
        contacts,
        gravity,
        locked,
        physics,
        tracking,
        ...(physics && { terms: ENDS }),
      });
    }
    case 'preset': {
      const solution = solveSpacetime(createSpacetimeProblem(request.figure, request.data), options);
      return { solution, motion: motionFromSolution(solution) };
    }
  }
}

function posesOf(trajectory: Trajectory, frames: number): Float64Array[] {
  return Array.from(
    { length: frames + 1 },
    (_, k) => sampleTrajectory(trajectory, (trajectory.duration * k) / frames).pose,
  );
}
