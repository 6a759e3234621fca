import type { Figure } from '../figure/model/figure.js';
import type { PriorityLevel } from './priorities/level.js';
import type { Problem } from './problem/problem.js';
import type { IterateObserver, Workspace } from './problem/workspace.js';
import type { Stages } from './stages.js';

/** Settings of a solver. The defaults serve every problem set of the benchmarks. */
export interface IkOptions {
  /** Poses tried at most in one descent. Default 300. */
  readonly maxIterations?: number;
  /**
   * Descents from other poses at most, when the first ends short of its goals: poses drawn from `seed`, so the same input
   * gives the same answer, and one aimed at the targets. Most are given up after a few steps. 0 stays with the pose given:
   * right for frame-to-frame tracking. Goals of later priorities always start from where the earlier ones ended. Default 96.
   */
  readonly restarts?: number;
  readonly seed?: number;
  /** Bones whose joints stay as they are, once the pose is within its limits. */
  readonly locked?: readonly (string | number)[];
  /** Called at each pose that a descent starts from or accepts, for tests and progress displays. Default: nobody looks. */
  readonly onIterate?: IterateObserver;
}

/** Goals on a figure, checked and with all memory made: solve it as often as targets move. */
export interface Ik {
  readonly figure: Figure;
  /** The goals of the first priority. */
  readonly problem: Problem;
  readonly workspace: Workspace;
  readonly stages: Stages;
  /** Those of the later ones, in order. */
  readonly lowerPriorities: readonly PriorityLevel[];
  readonly options: Required<Omit<IkOptions, 'onIterate'>>;
}
