/** The trajectory problem of one edit window. */
import { GoalError } from '../../errors.js';
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { worldPoint } from '../../figure/kinematics/points.js';
import { boneIndex, type Figure } from '../../figure/model/figure.js';
import { createState } from '../../figure/model/state.js';
import type { Goal } from '../../ik/goals/types/goal.js';
import type { Vec3 } from '../../math/linear/types.js';
import type { Motion } from '../../motion/motion.js';
import { createMotionSampler, type MotionSampler, samplePose } from '../../motion/sampler.js';
import { createSpacetimeProblem, type SpacetimeProblem } from '../../spacetime/problem.js';
import type { SpacetimeSave } from '../../spacetime/solve.js';
import { collocationPoints } from '../../spacetime/transcription/quadrature.js';
import type { SplineBasis } from '../../spacetime/transcription/spline-basis.js';
import type { GoalTerm, SpacetimeData } from '../../spacetime/types/data.js';
import { affectedBones } from '../clips/affected-bones.js';
import { humanScaleOf } from '../clips/human-scale.js';
import type { EditOptions, EditTime, MotionEdit, PinnedPoint, PointShift } from './edit-options.js';
import { cropMotion, type EditSpan } from './edit-windows.js';
import { initialGuess, type TimedGoals } from './initial-guess.js';

const DEGREE = 3;
const MIN_INTERVALS = 5;
/** Number of cost terms before the goals. */
const COST_TERMS = 2;

export interface WindowProblem {
  readonly problem: SpacetimeProblem;
  /** The initial guess. */
  readonly start: SpacetimeSave | undefined;
  /** Bones that pinned points depend on and no goal of the edits does, without free joints. */
  readonly holding: ReadonlySet<number>;
}

/** @throws GoalError, FigureError, SpacetimeError */
export function windowProblem(
  figure: Figure,
  motion: Motion,
  edits: readonly (MotionEdit | PointShift)[],
  { from, to, edits: own }: EditSpan,
  spacing: number,
  weights: Readonly<Record<string, number>>,
  options: EditOptions,
): WindowProblem {
  const { decay = spacing } = options;
  const duration = to - from;
  // Points pinned at every spacing leave freedom between only with a finer knot spacing.
  const knots = options.pinned === undefined ? spacing : 0.5 * spacing;
  const intervals = Math.max(MIN_INTERVALS, Math.ceil(duration / knots - 1e-9));
  const goals: (GoalTerm & { readonly at: EditTime })[] = [];
  const affected = new Set<number>();
  const ofGoals = new Set<number>();
  const reference = cropMotion(motion, from, to);
  const sampler = createMotionSampler(figure, reference);
  const positionAt = positionSampler(figure, sampler);
  const pose = samplePose(sampler, 0.5 * (from + to), new Float64Array(figure.dof));
  const markAffected = (goal: Goal, path: string): void => {
    for (const bone of withPath(toSingleGoal(path), () => affectedBones(figure, [goal], pose)))
      affected.add(bone);
  };
  const addPointGoals = (
    point: PinnedPoint,
    by: Vec3,
    at: EditTime,
    weight: number | undefined,
    path: string,
  ): void => {
    const { bone, point: location = [0, 0, 0] } = point;
    for (const time of sampleTimes(at, spacing)) {
      const [x, y, z] = positionAt(bone, location, time);
      const goal: Goal = {
        type: 'position',
        bone,
        point: location,
        target: [x + by[0], y + by[1], z + by[2]],
      };
      markAffected(goal, path);
      const inside = Math.max(0, Math.min(duration, time - from));
      goals.push({ type: 'goal', goal, at: inside, name: path, ...(weight !== undefined && { weight }) });
    }
  };
  for (const k of own) {
    const edit = edits[k];
    if ('goal' in edit) {
      markAffected(edit.goal, `edits[${k}].goal`);
      goals.push({
        type: 'goal',
        ...edit,
        name: `edits[${k}].goal`,
        at: shiftedTime(edit.at, from, duration),
      });
    } else addPointGoals(edit, edit.by, edit.at, edit.weight, `edits[${k}]`);
  }
  for (const b of affected) ofGoals.add(b);
  options.pinned?.forEach((point, k) => {
    addPointGoals(point, [0, 0, 0], [from, to], undefined, `options.pinned[${k}]`);
  });
  const movingBones = new Set(
    options.bones?.map((name) => boneIndex(figure, name)) ??
      Array.from(affected).filter(
        (b) => options.pinned !== undefined || figure.bones[b].joint.type !== 'free',
      ),
  );
  const locked = figure.bones
    .filter(({ index, dof }) => dof > 0 && !movingBones.has(index))
    .map(({ name }) => name);
  const before = from > motion.start;
  const after = to < motion.end;
  const tracking = 1 / decay ** 4;
  const lengthUnit = humanScaleOf(figure);
  const data: SpacetimeData = {
    duration,
    intervals,
    degree: DEGREE,
    reference,
    unknowns: 'displacement',
    fixedEnds: before ? (after ? 'both' : 'start') : after ? 'end' : 'none',
    locked,
    terms: [
      { type: 'smoothness', order: 2, bones: weights, lengthUnit },
      { type: 'tracking', weight: tracking, bones: weights, lengthUnit },
      ...goals,
    ],
  };
  const path = (location: string): string =>
    location.replace(
      /^terms\[(\d+)\](\.goal)?/,
      (_, n) => goals[Number(n) - COST_TERMS]?.name ?? `terms[${n}]`,
    );
  const problem = withPath(path, () => createSpacetimeProblem(figure, data));
  const cost = { weights, tracking, movingBones };
  const start = withPath(toSingleGoal('edits'), () =>
    initialGuess(problem, timedGoals(goals, problem.system.parameterization.basis), cost),
  );
  const holding = new Set(
    Array.from(affected).filter(
      (b) => movingBones.has(b) && !ofGoals.has(b) && figure.bones[b].joint.type !== 'free',
    ),
  );
  return { problem, start, holding };
}

/** Paths of a single goal, without its list. */
function toSingleGoal(path: string): (location: string) => string {
  return (location) => location.replace(/^goals\[\d+\]/, path);
}

/** Runs `make` with errors whose paths name the edit instead of an internal list. */
function withPath<T>(path: (location: string) => string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof GoalError)) throw error;
    const { code, remedy, message } = error;
    const what = message.slice(error.path.length + 2, message.length - remedy.length - 1);
    throw new GoalError(code, what, {
      path: path(error.path),
      remedy,
      cause: error,
    });
  }
}

/** The collocation times of hard goals. */
function timedGoals(
  goals: readonly (GoalTerm & { readonly at: EditTime })[],
  basis: SplineBasis,
): TimedGoals[] {
  const byTime = new Map<number, Goal[]>();
  for (const { at, goal, weight } of goals) {
    if (weight !== undefined) continue;
    const times =
      typeof at === 'number' ? [at] : collocationPoints(basis, at[0], at[1]).map(({ time }) => time);
    for (const time of times) byTime.set(time, [...(byTime.get(time) ?? []), goal]);
  }
  // In the given order: edits before pinned points.
  return Array.from(byTime, ([time, own]) => ({ time, goals: own }));
}

function shiftedTime(at: EditTime, from: number, duration: number): EditTime {
  const inside = (time: number): number => Math.max(0, Math.min(duration, time - from));
  return typeof at === 'number' ? inside(at) : [inside(at[0]), inside(at[1])];
}

/** A time, or samples of a span no farther apart than `step`, its ends included. */
function sampleTimes(at: EditTime, step: number): number[] {
  if (typeof at === 'number') return [at];
  const [from, to] = at;
  const count = Math.max(1, Math.ceil((to - from) / step));
  return Array.from({ length: count + 1 }, (_, k) => from + ((to - from) * k) / count);
}

/** Samples positions of points of bones in the clip, world, m. */
function positionSampler(
  figure: Figure,
  sampler: MotionSampler,
): (bone: string, point: Vec3, time: number) => number[] {
  const state = createState(figure);
  const pose = new Float64Array(figure.dof);
  return (bone, p, time) => {
    forwardKinematics(state, samplePose(sampler, time, pose));
    return worldPoint(state, bone, p);
  };
}
