import type { PriorityLevel } from './priorities/level.js';
import { createPriorityLevels, descendLevel } from './priorities/solve-priorities.js';
import type { Problem } from './problem/problem.js';
import type { IterateObserver, Workspace } from './problem/workspace.js';
import { type MultiStartResult, multiStart } from './solver/multi-start.js';
import { outOfReach } from './solver/reachability.js';
import { refine } from './solver/second-order-descent.js';

/** What a solver does beyond its first descent. A stage left out is code left out of a bundle. */
export interface Stages {
  /** Other starts, where the first descent ends short of its goals. */
  readonly multiStart?: MultiStartStage;
  /** Newton's method, where goals cannot be met; without it such a solve ends as `stalled`. */
  readonly newton?: NewtonStage;
  /** Goals of later priorities. */
  readonly priorities?: PriorityStage;
}

/** @returns undefined where no start can help. */
export type MultiStartStage = (
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  objective: number,
  options: { readonly restarts: number; readonly seed: number; readonly maxIterations: number },
) => MultiStartResult | undefined;

export type NewtonStage = (
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  maxIterations: number,
) => { readonly iterations: number; readonly stopped: boolean };

export interface PriorityStage {
  create(problems: readonly Problem[], onIterate: IterateObserver | undefined): readonly PriorityLevel[];
  descend(later: PriorityLevel, pose: Float64Array, maxIterations: number): number;
}

/**
 * Seeded restarts. A single goal that is provably beyond reach needs none where no limit can block: its least distance is found from
 * any start.
 */
export const multiStartStage: MultiStartStage = (problem, work, pose, objective, options) =>
  problem.goals.length === 1 && problem.limits.length === 0 && outOfReach(problem)
    ? undefined
    : multiStart(problem, work, pose, objective, options);

/** Newton's method with the exact Hessian, out of saddles too. */
export const newtonStage: NewtonStage = refine;

/** Strict priorities. */
export const priorityStage: PriorityStage = { create: createPriorityLevels, descend: descendLevel };

/** All of them. */
export const allStages: Stages = /* @__PURE__ */ Object.freeze({
  multiStart: multiStartStage,
  newton: newtonStage,
  priorities: priorityStage,
});
