import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import type { Goal } from '../goals/types/goal.js';
import type { Problem } from '../problem/problem.js';

/** A goal copied for control: numbers follow the caller's goal, and a world target has an array of its own. */
export interface FollowedGoal {
  readonly source: Goal;
  readonly own: Goal;
  /** The caller's target in the world and the copy that the solver reads; undefined where a bone carries it. */
  readonly target: { readonly source: Numbers; readonly own: Float64Array } | undefined;
  /** Velocity of the target, world axes: m/s, rad/s for an orientation. */
  readonly velocity: Float64Array;
}

/** Copies goals, so that targets can be moved ahead without touching the caller's arrays. */
export function followGoals(goals: readonly Goal[]): FollowedGoal[] {
  return goals.map((source) => {
    const given = (source as { readonly target?: unknown })?.target;
    const numbers = isNumbers(given) ? given : undefined;
    const copy = numbers === undefined ? undefined : Float64Array.from(numbers);
    const own = copy === undefined ? source : ({ ...source, target: copy } as Goal);
    return {
      source,
      own: own === source ? ({ ...source } as Goal) : own,
      target: numbers === undefined || copy === undefined ? undefined : { source: numbers, own: copy },
      velocity: new Float64Array(3),
    };
  });
}

function isNumbers(value: unknown): value is Numbers {
  return ArrayBuffer.isView(value) || Array.isArray(value);
}

/** Brings targets and numbers of the copies to those of the caller. */
export function readGoals(goals: readonly FollowedGoal[]): void {
  for (let n = 0; n < goals.length; n++) {
    const { source, own, target } = goals[n];
    if (target !== undefined) copyTarget(target.source, target.own);
    const from = source as unknown as Record<string, unknown>;
    const to = own as unknown as Record<string, unknown>;
    for (const name in from) if (typeof from[name] === 'number') to[name] = from[name];
  }
}

/** Copies a target; one whose size the caller has changed becomes NaN, which the check refuses. */
export function copyTarget(from: Numbers, to: MutableNumbers): void {
  for (let k = 0; k < to.length; k++) to[k] = from.length === to.length ? from[k] : Number.NaN;
}

/** Rows of one part of a goal. */
export interface Task {
  /** Place of the goal in the list given. */
  readonly index: number;
  readonly type: Goal['type'];
  /** What part of its goal it is, where the goal has several. */
  readonly name?: string;
  readonly bone: string;
  readonly priority: number;
  readonly unit: 'length' | 'angle';
  readonly firstRow: number;
  readonly rows: number;
  readonly tolerance: number;
}

/** The rows of a problem by what they belong to, in order of priority. */
export function tasksOf({ goals, figure }: Problem): Task[] {
  return goals.map(({ goal, index, name, bone, priority, unit, firstRow, rows, tolerance }) => ({
    index,
    type: goal.type,
    ...(name === undefined ? {} : { name }),
    bone: figure.bones[bone].name,
    priority,
    unit,
    firstRow,
    rows,
    tolerance,
  }));
}

/** Weight of the rows of task n over the largest: the square of its share of the row scale. */
export function weightOf(problem: Problem, task: Task, n: number): number {
  const { scale } = problem.goals[n];
  const share = task.unit === 'length' ? scale * problem.lengthScale : scale;
  return share * share;
}

/** Norm of the residual of task n, m or rad, at the pose last evaluated. */
export function errorOf(problem: Problem, n: number): number {
  return problem.norms[n];
}

/** Natural residual of every row with the targets as they now are, at the pose last evaluated, to `out`. */
export function writeResiduals({ goals, state }: Problem, pose: Float64Array, out: Float64Array): void {
  for (let n = 0; n < goals.length; n++)
    goals[n].math.residual(state, goals[n], out, goals[n].firstRow, pose);
}
