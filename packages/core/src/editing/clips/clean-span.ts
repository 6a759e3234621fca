/** The problem of a physically valid clean-up over the whole of a clip, and its solution. */
import type { Bone, Figure } from '../../figure/model/figure.js';
import { rotationVectors } from '../../figure/model/regularize.js';
import type { Numbers } from '../../math/linear/types.js';
import type { Motion } from '../../motion/motion.js';
import { createSpacetimeProblem, type SpacetimeProblem } from '../../spacetime/problem.js';
import type { SpacetimeSolution } from '../../spacetime/solve.js';
import type { BoneValues, SpacetimeTerm } from '../../spacetime/types/data.js';
import { clipStates } from './clip-state.js';
import { humanScaleOf } from './human-scale.js';
import { independentBones } from './independent-bones.js';
import {
  type PhysicalContact,
  type PhysicalOptions,
  physicalTerms,
  solvePhysical,
} from './physical-options.js';
import { fittedClip, withCoordinatesOf } from './smooth-clip.js';

export interface CleanSpanOptions extends PhysicalOptions {
  readonly contacts: readonly PhysicalContact[];
  readonly physics?: boolean;
  readonly tracking?: BoneValues;
}

/** The state from which a motion continues another: `pose` and joint velocity `velocity`. */
export interface SpanStart {
  readonly pose: Numbers;
  readonly velocity: Numbers;
}

/** Weight of squared accelerations against the tracking term, s^4: detail slower than a tenth of a second stays. */
const SMOOTHNESS_WEIGHT = 1e-4;
/**
 * Weights of the state from which a motion continues another, against the tracking term over a second: some tenths of a millimetre. As a constraint it would contradict
 * those of contacts, which hold there too, by rounding.
 */
const START_WEIGHT = 1e3;
const START_RATE_WEIGHT = 10;

/**
 * @param from - State at the start. Default: any.
 * @param ahead - Time for which the motion is to be able to follow the clip beyond its end, s: as if a difference of pose stayed, and one of velocity grew to
 * one of pose, and both were tracked. Without it the figure is free to fall where it has no time to reach the ground.
 */
export function cleanSpan(
  figure: Figure,
  motion: Motion,
  intervals: number,
  options: CleanSpanOptions,
  from?: SpanStart,
  ahead = 0,
): { readonly problem: SpacetimeProblem; readonly solution: SpacetimeSolution } {
  const { tracking = 1, locked = [], contacts } = options;
  const isPhysical = options.physics !== false;
  const independent =
    typeof tracking === 'number' && tracking > 0
      ? independentBones(figure, contacts, options, isPhysical).filter(({ name }) => !locked.includes(name))
      : [];
  const reference = referenceOf(figure, motion, intervals, independent, tracking);
  const lengthUnit = humanScaleOf(figure);
  const smooth: SpacetimeTerm = { type: 'smoothness', weight: SMOOTHNESS_WEIGHT, lengthUnit };
  const terms = physicalTerms(figure, motion.start, options);
  const problem = createSpacetimeProblem(figure, {
    duration: motion.end - motion.start,
    intervals,
    reference,
    locked: [...locked, ...independent.map(({ name }) => name)],
    ...(options.gravity && { gravity: options.gravity }),
    terms: [
      { type: 'tracking', bones: tracking, lengthUnit },
      smooth,
      ...(isPhysical ? terms : terms.filter(({ type }) => type !== 'physics')),
      ...(from === undefined
        ? []
        : [
            { type: 'pose', at: 0, pose: from.pose, weight: START_WEIGHT } as const,
            { type: 'velocity', at: 0, velocity: from.velocity, weight: START_RATE_WEIGHT } as const,
          ]),
      ...(ahead > 0
        ? [
            { type: 'pose', at: 'end', weight: ahead } as const,
            {
              type: 'velocity',
              at: 'end',
              velocity: velocityAtEnd(figure, reference),
              weight: ahead ** 3 / 3,
            } as const,
          ]
        : []),
    ],
  });
  return { problem, solution: solvePhysical(problem, options) };
}

/** Joint velocity. */
function velocityAtEnd(figure: Figure, motion: Motion): Float64Array {
  const { first, rotations } = clipStates(figure, motion)(motion.end, 'before');
  for (const [b, i] of Array.from(rotationVectors(figure)).entries())
    first.set(rotations[b].angularVelocity, i);
  return first;
}

/** The smoothing spline; of independent bones the one that is as smooth as the optimum, since that is theirs. */
function referenceOf(
  figure: Figure,
  motion: Motion,
  intervals: number,
  independent: readonly Bone[],
  tracking: BoneValues,
): Motion {
  const fitted = fittedClip(figure, motion, intervals);
  if (independent.length === 0 || typeof tracking !== 'number') return fitted;
  const smooth = fittedClip(figure, motion, intervals, SMOOTHNESS_WEIGHT / tracking);
  const coordinates = independent.flatMap(({ coordinate, dof }) =>
    Array.from({ length: dof }, (_, k) => coordinate + k),
  );
  return withCoordinatesOf(fitted, smooth, coordinates);
}
