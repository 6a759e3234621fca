import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import type { Goal } from '../goals/types/goal.js';
import type { Problem } from '../problem/problem.js';

/** A copy of a goal. Its numbers follow the caller's goal; a world target has its own array. */
export interface GoalCopy {
  readonly source: Goal;
  readonly copy: Goal;
  /** The caller's world target and the solver's copy; undefined for a target attached to a bone. */
  readonly target: { readonly source: Numbers; readonly copy: Float64Array } | undefined;
  /** Velocity of the target, world axes: m/s, rad/s for an orientation. */
  readonly velocity: Float64Array;
}

/** Copies goals, so that targets can be extrapolated without changing the caller's arrays. */
export function copyGoals(goals: readonly Goal[]): GoalCopy[] {
  return goals.map((source) => {
    const given = (source as { readonly target?: unknown })?.target;
    const numbers = isNumbers(given) ? given : undefined;
    const copy = numbers === undefined ? undefined : Float64Array.from(numbers);
    const goal = copy === undefined ? source : ({ ...source, target: copy } as Goal);
    return {
      source,
      copy: goal === source ? ({ ...source } as Goal) : goal,
      target: numbers === undefined || copy === undefined ? undefined : { source: numbers, copy },
      velocity: new Float64Array(3),
    };
  });
}

function isNumbers(value: unknown): value is Numbers {
  return ArrayBuffer.isView(value) || Array.isArray(value);
}

/** Copies targets and numbers of the caller's goals. */
export function updateGoalCopies(goals: readonly GoalCopy[]): void {
  for (let n = 0; n < goals.length; n++) {
    const { source, copy, target } = goals[n];
    if (target !== undefined) copyTarget(target.source, target.copy);
    const from = source as unknown as Record<string, unknown>;
    const to = copy as unknown as Record<string, unknown>;
    for (const name in from) if (typeof from[name] === 'number') to[name] = from[name];
  }
}

/** Copies a target. One of another size becomes NaN, which the check refuses. */
export function copyTarget(from: Numbers, to: MutableNumbers): void {
  for (let k = 0; k < to.length; k++) to[k] = from.length === to.length ? from[k] : Number.NaN;
}

/** Rows of one residual of a goal. */
export interface Task {
  /** Index of the goal in the list given. */
  readonly index: number;
  readonly type: Goal['type'];
  /** Name of the residual, where the goal has several. */
  readonly name?: string;
  readonly bone: string;
  readonly priority: number;
  readonly unit: 'length' | 'angle';
  readonly firstRow: number;
  readonly rows: number;
  readonly tolerance: number;
}

/** The tasks of a problem, in order of priority. */
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

/** Weight of the rows of task n relative to the largest: the square of its row scale. */
export function weightOf(problem: Problem, task: Task, n: number): number {
  const { rowScale } = problem.goals[n];
  const unitless = task.unit === 'length' ? rowScale * problem.lengthScale : rowScale;
  return unitless * unitless;
}

/** Norm of the residual of task n, m or rad, at the pose last evaluated. */
export function errorOf(problem: Problem, n: number): number {
  return problem.norms[n];
}

/** Writes the unscaled residual of every row for the present targets, at the pose last evaluated, to `out`. */
export function writeResiduals({ goals, state }: Problem, pose: Float64Array, out: Float64Array): void {
  for (let n = 0; n < goals.length; n++)
    goals[n].residualFunction.evaluate(state, goals[n], out, goals[n].firstRow, pose);
}
