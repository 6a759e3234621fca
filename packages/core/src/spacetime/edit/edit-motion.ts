/**
 * Displacement mapping: a clip is changed by adding a smooth displacement that serves the goals and leaves everything finer as it is (Witkin and
 * Popovic, *Motion Warping*, SIGGRAPH 1995; Bruderlin and Williams, *Motion Signal Processing*, 1995; with constraints as Gleicher, *Motion
 * Editing with Spacetime Constraints*, I3D 1997).
 */
import { MotionError } from '../../errors.js';
import type { Figure } from '../../figure/figure.js';
import { boneIndex } from '../../figure/figure.js';
import { forwardKinematics } from '../../figure/forward-kinematics.js';
import { createState } from '../../figure/state.js';
import type { Goal } from '../../ik/goal.js';
import type { Vec3 } from '../../math/types.js';
import type { Motion } from '../../motion/motion.js';
import { createMotionSampler, type MotionSampler, samplePose } from '../../motion/sampler.js';
import type { GoalTerm, PerBone, When } from '../data.js';
import { holdMoments } from '../moments-of.js';
import { createSpacetimeProblem, type SpacetimeProblem } from '../problem.js';
import { type SpacetimeSave, type SpacetimeSolution, solveSpacetime } from '../solve.js';
import type { SplineBasis } from '../spline-basis.js';
import { boneWeights } from './bone-weights.js';
import { displaceMotion } from './displace-motion.js';
import { displacementOf } from './displacement.js';
import { editStart, type GoalMoment } from './edit-start.js';
import { type EditSpan, editSpans, spanOf, windowOf } from './edit-windows.js';
import { feltBones } from './felt-bones.js';

/** A goal at a moment of a clip, or over a span of it. */
export interface MotionEdit {
  /** In the clip's time, s. */
  readonly at: When;
  readonly goal: Goal;
  /** With a weight it is a wish, left out it has to hold: see `GoalTerm`. */
  readonly weight?: number;
}

/** A point of a bone is to be `by` away from where the clip has it: over a span all along, so that its way is kept. */
export interface MotionShift {
  readonly at: When;
  readonly bone: string;
  /** In the bone's frame, m. Default: its origin. */
  readonly point?: Vec3;
  /** World, m. */
  readonly by: Vec3;
  readonly weight?: number;
}

/** A point of a bone that an edit does not move. */
export interface HeldPoint {
  readonly bone: string;
  /** In the bone's frame, m. Default: its origin. */
  readonly point?: Vec3;
}

/** What {@link editMotion} may be told. */
export interface EditOptions {
  /** About how far apart the knots of the displacement are, s; half as far where points are held. Default 0.25. */
  readonly spacing?: number;
  /** Time scale on which the change dies away where nothing asks for it, s: shorter is more local. Default: the spacing. */
  readonly decay?: number;
  /** How long before and after an edit the clip may change, s. Default: four spacings. */
  readonly reach?: number;
  /** Bones that may give way. Default: those that the goals feel, but for free joints unless something is held. */
  readonly bones?: readonly string[];
  /** What it costs to change a bone's joint. Default: how much of the figure it moves. */
  readonly weights?: PerBone;
  /** Points that stay where the clip has them, at every spacing of an edit's window: feet, as a rule. Default: none. */
  readonly hold?: readonly HeldPoint[];
  /** Largest miss of a goal that has to hold, m or rad. Default 1e-6. */
  readonly tolerance?: number;
  /** Default 60. */
  readonly maxIterations?: number;
}

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
const DEGREE = 3;
const LEAST_INTERVALS = 5;

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
  edits: readonly (MotionEdit | MotionShift)[],
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

function positive(value: number, path: string): number {
  if (value > 0 && value < Number.POSITIVE_INFINITY) return value;
  throw new MotionError(Number.isFinite(value) ? 'out-of-range' : 'not-finite', `is ${value} s.`, {
    path,
    remedy: 'Give a time above zero, in seconds.',
  });
}

function windowProblem(
  figure: Figure,
  motion: Motion,
  edits: readonly (MotionEdit | MotionShift)[],
  { from, to, edits: own }: EditSpan,
  spacing: number,
  weights: Readonly<Record<string, number>>,
  options: EditOptions,
): { readonly problem: SpacetimeProblem; readonly start: SpacetimeSave | undefined } {
  const decay = positive(options.decay ?? spacing, 'options.decay');
  const duration = to - from;
  // What is held at every spacing leaves room between only if knots stand closer.
  const knots = options.hold === undefined ? spacing : 0.5 * spacing;
  const intervals = Math.max(LEAST_INTERVALS, Math.ceil(duration / knots - 1e-9));
  const goals: GoalTerm[] = [];
  const felt: Goal[] = [];
  const reference = windowOf(motion, from, to);
  const sampler = createMotionSampler(figure, reference);
  const where = placesOf(figure, sampler);
  const shifted = (bone: string, point: Vec3, by: Vec3, at: When, weight: number | undefined): void => {
    for (const time of momentsOf(at, spacing)) {
      const [x, y, z] = where(bone, point, time);
      const goal: Goal = { type: 'position', bone, point, target: [x + by[0], y + by[1], z + by[2]] };
      felt.push(goal);
      const inside = Math.max(0, Math.min(duration, time - from));
      goals.push({ type: 'goal', goal, at: inside, ...(weight !== undefined && { weight }) });
    }
  };
  for (const k of own) {
    const edit = edits[k];
    if ('goal' in edit) {
      felt.push(edit.goal);
      goals.push({ type: 'goal', ...edit, name: `edits[${k}]`, at: shiftedTime(edit.at, from, duration) });
    } else shifted(edit.bone, edit.point ?? [0, 0, 0], edit.by, edit.at, edit.weight);
  }
  for (const { bone, point = [0, 0, 0] } of options.hold ?? []) {
    shifted(bone, point, [0, 0, 0], [from, to], undefined);
  }
  const moving = new Set(
    options.bones?.map((name) => boneIndex(figure, name)) ??
      Array.from(
        feltBones(figure, felt, samplePose(sampler, 0.5 * (from + to), new Float64Array(figure.dof))),
      ).filter((b) => options.hold !== undefined || figure.bones[b].joint.type !== 'free'),
  );
  const locked = figure.bones
    .filter(({ index, dof }) => dof > 0 && !moving.has(index))
    .map(({ name }) => name);
  const before = from > motion.start;
  const after = to < motion.end;
  const closeness = 1 / decay ** 4;
  const problem = createSpacetimeProblem(figure, {
    duration,
    intervals,
    degree: DEGREE,
    reference,
    unknowns: 'displacement',
    heldEnds: before ? (after ? 'both' : 'start') : after ? 'end' : 'none',
    locked,
    terms: [
      { type: 'smoothness', order: 2, bones: weights },
      { type: 'closeness', weight: closeness, bones: weights },
      ...goals,
    ],
  });
  const start = editStart(problem, goalMoments(goals, problem.system.path.basis), {
    weights,
    closeness,
    moving,
  });
  return { problem, start };
}

/** When which goals have to hold. */
function goalMoments(goals: readonly GoalTerm[], basis: SplineBasis): GoalMoment[] {
  const byTime = new Map<number, Goal[]>();
  for (const { at, goal, weight } of goals) {
    if (weight !== undefined) continue;
    const times = typeof at === 'number' ? [at] : holdMoments(basis, at[0], at[1]).map(({ time }) => time);
    for (const time of times) byTime.set(time, [...(byTime.get(time) ?? []), goal]);
  }
  // As they come: edits before what is held.
  return Array.from(byTime, ([time, own]) => ({ time, goals: own }));
}

function shiftedTime(at: When, from: number, duration: number): When {
  const inside = (time: number): number => Math.max(0, Math.min(duration, time - from));
  return typeof at === 'number' ? inside(at) : [inside(at[0]), inside(at[1])];
}

/** A moment, or moments of a span no farther apart than `step`, its ends included. */
function momentsOf(at: When, step: number): number[] {
  if (typeof at === 'number') return [at];
  const [from, to] = at;
  const count = Math.max(1, Math.ceil((to - from) / step));
  return Array.from({ length: count + 1 }, (_, k) => from + ((to - from) * k) / count);
}

/** Where the clip has points of bones, world, m. */
function placesOf(
  figure: Figure,
  sampler: MotionSampler,
): (bone: string, point: Vec3, time: number) => readonly [number, number, number] {
  const state = createState(figure);
  const pose = new Float64Array(figure.dof);
  return (bone, p, time) => {
    forwardKinematics(state, samplePose(sampler, time, pose));
    const w = state.worldFromBone;
    const o = 12 * boneIndex(figure, bone);
    const row = (r: number): number =>
      w[o + 3 * r] * p[0] + w[o + 3 * r + 1] * p[1] + w[o + 3 * r + 2] * p[2] + w[o + 9 + r];
    return [row(0), row(1), row(2)];
  };
}
