/**
 * Motion editing by displacement mapping: a smooth displacement satisfies the goals and preserves the detail of the clip (Witkin and
 * Popovic, *Motion Warping*, SIGGRAPH 1995; Bruderlin and Williams, *Motion Signal Processing*, 1995; with constraints as Gleicher, *Motion
 * Editing with Spacetime Constraints*, I3D 1997).
 */
import { type FieldsOf, requireFields, requireFinite, requirePositive } from '../checks.js';
import { MotionError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import type { Motion } from '../motion/motion.js';
import { type SpacetimeSolution, solveSpacetime } from '../spacetime/solve.js';
import { boneWeights } from './clips/bone-weights.js';
import { humanScaleOf } from './clips/human-scale.js';
import { type VelocityChange, velocityChangeOf } from './clips/velocity-change.js';
import { displaceMotion } from './displacement/displace-motion.js';
import { displacementOf } from './displacement/displacement.js';
import type { EditOptions, MotionEdit, PointShift } from './window/edit-options.js';
import { editSpans, spanOf } from './window/edit-windows.js';
import { pinnedCorrection } from './window/pinned-correction.js';
import { windowProblem } from './window/window-problem.js';

const FIELDS: FieldsOf<EditOptions> = {
  spacing: true,
  decay: true,
  reach: true,
  bones: true,
  weights: true,
  pinned: true,
  tolerance: true,
  maxIterations: true,
};

/** A time window of an edit. */
export interface EditWindow {
  /** In the clip's time, s. */
  readonly from: number;
  readonly to: number;
  /** Its times are relative to `from`. */
  readonly solution: SpacetimeSolution;
}

/** Result of {@link editMotion}. */
export interface EditedMotion {
  readonly motion: Motion;
  /** Solution of the window with the largest goal error. */
  readonly solution: SpacetimeSolution;
  readonly windows: readonly EditWindow[];
  /** Where a velocity is farthest from that of the clip. */
  readonly velocityChange: VelocityChange;
}

/** Longest piece of the result, relative to the knot spacing. */
const MAX_PIECE_FRACTION = 1 / 6;

/**
 * Edits a clip: goals hold at their times, the rest stays as near to the clip as a smooth displacement allows.
 *
 * The displacement d is a cubic B-spline over each window, zero with two derivatives where the window ends inside the clip; it minimizes
 * the integral of |d''|^2 + |d|^2/T^4 (T the decay) weighted by bone. Conflicting goals end as `infeasible` with the least violation found; read
 * `solution`.
 *
 * @throws MotionError for times outside the clip; GoalError, FigureError, SpacetimeError for invalid goals, bones and options.
 */
export function editMotion(
  figure: Figure,
  motion: Motion,
  edits: readonly (MotionEdit | PointShift)[],
  options: EditOptions = {},
): EditedMotion {
  requireFields(options, FIELDS, 'options', MotionError);
  const { spacing = 0.25, decay = spacing, reach = 4 * spacing } = options;
  for (const [name, time] of Object.entries({ spacing, decay, reach })) {
    requireFinite(time, `options.${name}`, MotionError);
    requirePositive(time, `options.${name}`, MotionError, 's');
  }
  if (!Array.isArray(edits) || edits.length === 0) {
    throw new MotionError('wrong-size', 'has no edit.', { path: 'edits', remedy: 'Give at least one.' });
  }
  const times = edits.map((edit, k) => spanOf(edit.at, motion, `edits[${k}].at`));
  const { weights: given } = options;
  const weights =
    typeof given === 'number'
      ? Object.fromEntries(figure.bones.map(({ name }) => [name, given]))
      : (given ?? boneWeights(figure));
  const solved = editSpans(times, motion, reach).map((span) => {
    const { problem, start, holding } = windowProblem(figure, motion, edits, span, spacing, weights, options);
    const solution = solveSpacetime(problem, {
      ...(start && { start }),
      maxIterations: options.maxIterations ?? 60,
      tolerance: options.tolerance ?? 1e-6 * Math.min(1, humanScaleOf(figure)),
      gain: 1e-3,
    });
    return { window: { from: span.from, to: span.to, solution }, holding };
  });
  const windows = solved.map(({ window }) => window);
  const displacements = windows.map(({ from, solution }) => displacementOf(solution.trajectory, from));
  const worst = windows.reduce((a, b) => (rank(b.solution) > rank(a.solution) ? b : a));
  const longest = MAX_PIECE_FRACTION * spacing;
  const displaced = displaceMotion(figure, motion, displacements, longest);
  const { pinned = [] } = options;
  const corrections = solved.flatMap(({ window: { from, to }, holding }) =>
    pinned.length === 0 || holding.size === 0
      ? []
      : [pinnedCorrection(figure, motion, displaced, [from, to], pinned, holding)],
  );
  const edited =
    corrections.length === 0 ? displaced : displaceMotion(figure, displaced, corrections, longest);
  const source = { motion, timeOf: (time: number) => time };
  return {
    motion: edited,
    solution: worst.solution,
    windows,
    velocityChange: windows
      .map(({ from, to }) => velocityChangeOf(figure, edited, [from, to], [source]))
      .reduce((a, b) => (b.change > a.change ? b : a)),
  };
}

function rank({ status, violation }: SpacetimeSolution): number {
  return status === 'converged' ? 0 : 1 + violation;
}
