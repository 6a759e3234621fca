import { differentiate, type Problem } from '../problem/problem.js';
import type { ActiveLimit } from '../problem/status.js';
import type { Workspace } from '../problem/workspace.js';
import type { NullSpace } from './null-space.js';

/** A priority level after the first: its goals, and the goals of higher priority that constrain them. */
export interface PriorityLevel {
  /** The goals of this level alone. */
  readonly problem: Problem;
  /** The goals of higher priority, their inequality constraints, then the goals of this level. */
  readonly stacked: Problem;
  /** First row of this level in `stacked`. */
  readonly firstRow: number;
  readonly work: Workspace;
  readonly nullSpace: NullSpace;
  /** Residual that the equality rows are restored to. */
  readonly restoreTarget: Float64Array;
  /** 1 for a limit whose normal a restoration does not move along. */
  readonly pinned: Uint8Array;
  /** Factors of the second derivatives of the rows in the Lagrangian: multipliers, then the residual; and the same over the row scales. */
  readonly factors: Float64Array;
  readonly unscaledFactors: Float64Array;
  readonly previousPose: Float64Array;
  /** 1 for a column that moves a missed goal of higher priority. */
  readonly frozenColumns: Uint8Array;
  /** H, the Hessian of the Lagrangian, and its largest diagonal entry without the curvature of limits. */
  readonly hessian: Float64Array;
  readonly curvature: { largest: number };
  /** The KKT matrix of a step, and its right-hand side and solution: the step, then the multipliers. */
  readonly kkt: { readonly matrix: Float64Array; readonly solution: Float64Array };
  /** Result of the last descent. */
  outcome: LevelOutcome;
}

interface LevelOutcome {
  readonly objective: number;
  /** Norm of the projected gradient at the end. */
  readonly stationarity: number;
  readonly stopped: boolean;
  readonly activeLimits: readonly ActiveLimit[];
}

/** f of a level at the pose last evaluated. */
export function levelObjective({ stacked, firstRow }: PriorityLevel): number {
  const { residual, rows } = stacked;
  let sum = 0;
  for (let r = firstRow; r < rows; r++) sum += residual[r] * residual[r];
  return 0.5 * sum;
}

/** Fills the Jacobian of the first rows of a level, all by default; frozen columns are zero. */
export function differentiateUnfrozen(
  { stacked, frozenColumns }: PriorityLevel,
  pose: Float64Array,
  rows = stacked.rows,
): void {
  differentiate(stacked, pose, rows);
  const { values, width } = stacked.jacobian;
  for (let k = 0; k < width; k++) {
    if (frozenColumns[k] === 0) continue;
    for (let o = k; o < rows * width; o += width) values[o] = 0;
  }
}
