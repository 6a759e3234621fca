import type { Figure } from '../figure/model/figure.js';
import type { GoalTypes } from './goals/goal-types.js';
import type { PriorityLevel } from './priorities/level.js';
import type { Problem } from './problem/problem.js';
import type { IterateObserver, Workspace } from './problem/workspace.js';
import type { MultiStartResult } from './solver/multi-start.js';

/** Settings of a solver. The defaults serve every problem set of the benchmarks. */
export interface IkOptions {
  /** Maximum number of iterations of one descent. Default 300. */
  readonly maxIterations?: number;
  /**
   * Maximum number of descents from other starts, when the first ends short of its goals: random poses drawn from `seed`, so the
   * same input gives the same answer, and for redundant chains one from coordinate descent. Most are stopped after a few steps.
   * 0 stays near the given pose: right for frame-to-frame tracking. Lower priorities always start from where the higher ones
   * ended. Default 96.
   */
  readonly restarts?: number;
  readonly seed?: number;
  /** Bones whose joints keep their coordinates, once the pose is within its limits. */
  readonly locked?: readonly (string | number)[];
  /** Called at each pose that a descent starts from or accepts, for tests and progress displays. Default: none. */
  readonly onIterate?: IterateObserver;
}

/** {@link IkOptions} of a solver made of the given goal types and stages. */
export interface IkWithOptions extends IkOptions {
  /** The goal types by name: `{ position: positionGoal }`. */
  readonly goalTypes: GoalTypes;
  /** The stages after the first descent. Default: none. */
  readonly stages?: Stages;
}

/** Goals on a figure, checked and with all memory allocated; solved as often as targets move. */
export interface Ik {
  readonly figure: Figure;
  /** The goals of the first priority. */
  readonly problem: Problem;
  readonly workspace: Workspace;
  readonly stages: Stages;
  /** The priorities after the first, in order. */
  readonly lowerPriorities: readonly PriorityLevel[];
  readonly options: Required<Omit<IkOptions, 'onIterate'>>;
}

/** The stages of a solver after its first descent. A stage left out is code left out of a bundle. */
export interface Stages {
  /** Restarts, where the first descent ends short of its goals. */
  readonly multiStart?: MultiStartStage;
  /** Newton's method, where goals cannot be met; without it such a solve ends as `stalled`. */
  readonly newton?: NewtonStage;
  /** Goals of lower priorities. */
  readonly priorities?: PriorityStage;
}

/** @returns undefined where no restart can help. */
export type MultiStartStage = (
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  objective: number,
  options: { readonly restarts: number; readonly seed: number; readonly maxIterations: number },
) => MultiStartResult | undefined;

export interface NewtonStage {
  /** Finds the Hessians of a problem. @throws GoalError for a goal that has none. */
  create(problem: Problem): void;
  descend(
    problem: Problem,
    work: Workspace,
    pose: Float64Array,
    maxIterations: number,
  ): { readonly iterations: number; readonly stopped: boolean };
}

export interface PriorityStage {
  create(problems: readonly Problem[], onIterate: IterateObserver | undefined): readonly PriorityLevel[];
  /** @param start - The start of the solve, within the limits. */
  descend(level: PriorityLevel, pose: Float64Array, start: Float64Array, maxIterations: number): number;
}
