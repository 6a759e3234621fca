/** The trajectory problem of one window of an edit. */
import { GoalError } from '../../errors.js';
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
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
import type { GoalTerm, SpacetimeData, When } from '../../spacetime/types/data.js';
import { feltBones } from '../clips/affected-bones.js';
import { worldPoint } from '../contacts/detect-contacts.js';
import {
  type EditOptions,
  type MotionEdit,
  type PinnedPoint,
  positive,
  type TimeShift,
} from './edit-options.js';
import { type EditSpan, windowOf } from './edit-windows.js';
import { editStart, type GoalMoment } from './initial-guess.js';

const DEGREE = 3;
const LEAST_INTERVALS = 5;
/** Terms that stand before the goals. */
const WISHES = 2;

/** The problem, and where its solve begins. @throws GoalError, FigureError, SpacetimeError */
export function windowProblem(
  figure: Figure,
  motion: Motion,
  edits: readonly (MotionEdit | TimeShift)[],
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
  const felt = new Set<number>();
  const reference = windowOf(motion, from, to);
  const sampler = createMotionSampler(figure, reference);
  const where = placesOf(figure, sampler);
  const pose = samplePose(sampler, 0.5 * (from + to), new Float64Array(figure.dof));
  const feel = (goal: Goal, path: string): void => {
    for (const bone of named(inList(path), () => feltBones(figure, [goal], pose))) felt.add(bone);
  };
  const shifted = (
    point: PinnedPoint,
    by: Vec3,
    at: When,
    weight: number | undefined,
    path: string,
  ): void => {
    const { bone, point: place = [0, 0, 0] } = point;
    for (const time of momentsOf(at, spacing)) {
      const [x, y, z] = where(bone, place, time);
      const goal: Goal = { type: 'position', bone, point: place, target: [x + by[0], y + by[1], z + by[2]] };
      feel(goal, path);
      const inside = Math.max(0, Math.min(duration, time - from));
      goals.push({ type: 'goal', goal, at: inside, name: path, ...(weight !== undefined && { weight }) });
    }
  };
  for (const k of own) {
    const edit = edits[k];
    if ('goal' in edit) {
      feel(edit.goal, `edits[${k}].goal`);
      goals.push({
        type: 'goal',
        ...edit,
        name: `edits[${k}].goal`,
        at: shiftedTime(edit.at, from, duration),
      });
    } else shifted(edit, edit.by, edit.at, edit.weight, `edits[${k}]`);
  }
  options.hold?.forEach((point, k) => {
    shifted(point, [0, 0, 0], [from, to], undefined, `options.hold[${k}]`);
  });
  const moving = new Set(
    options.bones?.map((name) => boneIndex(figure, name)) ??
      Array.from(felt).filter((b) => options.hold !== undefined || figure.bones[b].joint.type !== 'free'),
  );
  const locked = figure.bones
    .filter(({ index, dof }) => dof > 0 && !moving.has(index))
    .map(({ name }) => name);
  const before = from > motion.start;
  const after = to < motion.end;
  const tracking = 1 / decay ** 4;
  const data: SpacetimeData = {
    duration,
    intervals,
    degree: DEGREE,
    reference,
    unknowns: 'displacement',
    heldEnds: before ? (after ? 'both' : 'start') : after ? 'end' : 'none',
    locked,
    terms: [
      { type: 'smoothness', order: 2, bones: weights },
      { type: 'tracking', weight: tracking, bones: weights },
      ...goals,
    ],
  };
  const path = (place: string): string =>
    place.replace(/^terms\[(\d+)\](\.goal)?/, (_, n) => goals[Number(n) - WISHES]?.name ?? `terms[${n}]`);
  const problem = named(path, () => createSpacetimeProblem(figure, data));
  const cost = { weights, tracking, moving };
  const start = named(inList('edits'), () =>
    editStart(problem, goalMoments(goals, problem.system.parameterization.basis), cost),
  );
  return { problem, start };
}

/** A list of one goal is the goal. */
function inList(path: string): (place: string) => string {
  return (place) => place.replace(/^goals\[\d+\]/, path);
}

/** Errors of goals name the edit and not a list that the caller has not made. */
function named<T>(path: (place: string) => string, make: () => T): T {
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

/** When which goals have to hold. */
function goalMoments(goals: readonly GoalTerm[], basis: SplineBasis): GoalMoment[] {
  const byTime = new Map<number, Goal[]>();
  for (const { at, goal, weight } of goals) {
    if (weight !== undefined) continue;
    const times =
      typeof at === 'number' ? [at] : collocationPoints(basis, at[0], at[1]).map(({ time }) => time);
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
): (bone: string, point: Vec3, time: number) => number[] {
  const state = createState(figure);
  const pose = new Float64Array(figure.dof);
  return (bone, p, time) => {
    forwardKinematics(state, samplePose(sampler, time, pose));
    return worldPoint(state.worldFromBone, boneIndex(figure, bone), p);
  };
}
