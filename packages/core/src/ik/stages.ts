import type { Later } from './priorities/level.js';
import { createLater, descendLater } from './priorities/solve-priorities.js';
import type { Problem } from './problem/problem.js';
import type { IterateObserver, Workspace } from './problem/workspace.js';
import { type SearchResult, searchElsewhere } from './solver/multi-start.js';
import { outOfReach } from './solver/reachability.js';
import { refine } from './solver/second-order-descent.js';

/** What a solver does beyond its first descent. A stage left out is code left out of a bundle. */
export interface Stages {
  /** Other starts, where the first descent ends short of its goals. */
  readonly search?: SearchStage;
  /** Newton's method, where goals cannot be met; without it such a solve ends as `stalled`. */
  readonly refine?: RefineStage;
  /** Goals of later priorities. */
  readonly later?: LaterStage;
}

/** @returns undefined where no start can help. */
export type SearchStage = (
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  objective: number,
  options: { readonly restarts: number; readonly seed: number; readonly maxIterations: number },
) => SearchResult | undefined;

export type RefineStage = (
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  maxIterations: number,
) => { readonly iterations: number; readonly stopped: boolean };

export interface LaterStage {
  create(problems: readonly Problem[], onIterate: IterateObserver | undefined): readonly Later[];
  descend(later: Later, pose: Float64Array, maxIterations: number): number;
}

/**
 * Seeded restarts. A single goal that is provably beyond reach needs none where no limit can block: its least distance is found from
 * any start.
 */
export const searchStage: SearchStage = (problem, work, pose, objective, options) =>
  problem.goals.length === 1 && problem.parts.length === 0 && outOfReach(problem)
    ? undefined
    : searchElsewhere(problem, work, pose, objective, options);

/** Newton's method with the exact Hessian, out of saddles too. */
export const refineStage: RefineStage = refine;

/** Strict priorities. */
export const laterStage: LaterStage = { create: createLater, descend: descendLater };

/** All of them. */
export const allStages: Stages = /* @__PURE__ */ Object.freeze({
  search: searchStage,
  refine: refineStage,
  later: laterStage,
});
