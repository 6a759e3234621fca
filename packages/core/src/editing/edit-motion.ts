/**
 * Displacement mapping: a clip is changed by adding a smooth displacement that serves the goals and leaves everything finer as it is (Witkin and
 * Popovic, *Motion Warping*, SIGGRAPH 1995; Bruderlin and Williams, *Motion Signal Processing*, 1995; with constraints as Gleicher, *Motion
 * Editing with Spacetime Constraints*, I3D 1997).
 */
import { MotionError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import type { Motion } from '../motion/motion.js';
import { type SpacetimeSolution, solveSpacetime } from '../spacetime/solve.js';
import { boneWeights } from './clips/bone-weights.js';
import { displaceMotion } from './displacement/displace-motion.js';
import { displacementOf } from './displacement/displacement.js';
import { type EditOptions, type MotionEdit, positive, type TimeShift } from './window/edit-options.js';
import { editSpans, spanOf } from './window/edit-windows.js';
import { windowProblem } from './window/window-problem.js';

/** A window of an edit. */
export interface EditWindow {
  /** In the clip's time, s. */
  readonly from: number;
  readonly to: number;
  /** Its times begin at `from`. */
  readonly solution: SpacetimeSolution;
}

/** What an edit came to. */
export interface EditedMotion {
  readonly motion: Motion;
  /** Of the window that misses its goals most. */
  readonly solution: SpacetimeSolution;
  readonly windows: readonly EditWindow[];
}

/** Pieces of the clip are cut to this part of the spacing. */
const FINEST = 1 / 6;

/**
 * Edits a clip: goals hold at their moments, the rest stays as near to the clip as a smooth change allows.
 *
 * The change d is a cubic B-spline over each window, zero with two derivatives where the window ends inside the clip; it minimizes the integral of
 * |d''|^2 + |d|^2/T^4 (T the decay) weighed by bones. Goals that cannot all be met end as `infeasible` with the best compromise; read `solution`.
 *
 * @throws MotionError for times outside the clip; GoalError, FigureError, SpacetimeError for goals, bones and options that make no sense.
 */
export function editMotion(
  figure: Figure,
  motion: Motion,
  edits: readonly (MotionEdit | TimeShift)[],
  options: EditOptions = {},
): EditedMotion {
  const spacing = positive(options.spacing ?? 0.25, 'options.spacing');
  const reach = positive(options.reach ?? 4 * spacing, 'options.reach');
  if (!Array.isArray(edits) || edits.length === 0) {
    throw new MotionError('wrong-size', 'has no edit.', { path: 'edits', remedy: 'Give one at least.' });
  }
  const times = edits.map((edit, k) => spanOf(edit.at, motion, `edits[${k}].at`));
  const { weights: given } = options;
  const weights =
    typeof given === 'number'
      ? Object.fromEntries(figure.bones.map(({ name }) => [name, given]))
      : (given ?? boneWeights(figure));
  const windows = editSpans(times, motion, reach).map((span) => {
    const { problem, start } = windowProblem(figure, motion, edits, span, spacing, weights, options);
    const solution = solveSpacetime(problem, {
      ...(start && { start }),
      maxIterations: options.maxIterations ?? 60,
      tolerance: options.tolerance ?? 1e-6,
      gain: 1e-3,
    });
    return { from: span.from, to: span.to, solution };
  });
  const displacements = windows.map(({ from, solution }) => displacementOf(solution.trajectory, from));
  const worst = windows.reduce((a, b) => (rank(b.solution) > rank(a.solution) ? b : a));
  return {
    motion: displaceMotion(figure, motion, displacements, FINEST * spacing),
    solution: worst.solution,
    windows,
  };
}

function rank({ status, violation }: SpacetimeSolution): number {
  return status === 'converged' ? 0 : 1 + violation;
}
