import type { Problem } from '../problem/problem.js';
import type { ActiveLimit } from '../problem/status.js';
import type { Workspace } from '../problem/workspace.js';
import type { HeldFace } from './null-space.js';

/** The goals of a later priority, and those before it, which they must leave as they are. */
export interface Later {
  /** The goals of this priority alone. */
  readonly problem: Problem;
  /** Those of the earlier priorities, their walls, then those of this one. */
  readonly all: Problem;
  /** Where the rows of this priority start in `all`. */
  readonly firstRow: number;
  readonly work: Workspace;
  readonly face: HeldFace;
  /** What the held rows have come to. */
  readonly wanted: Float64Array;
  /** The rows of this priority along the open ways. */
  readonly open: Float64Array;
  /** The columns that they touch: all. */
  readonly ranges: Int32Array;
  readonly previous: Float64Array;
  /** 1 for a column that moves an earlier goal which is missed. */
  readonly frozen: Uint8Array;
  readonly curvature: { largest: number };
  /** How the last descent ended. */
  outcome: LaterOutcome;
}

interface LaterOutcome {
  readonly objective: number;
  /** |slope| at the end. */
  readonly stationarity: number;
  readonly stopped: boolean;
  readonly activeLimits: readonly ActiveLimit[];
}

/** f of a later priority at the pose last evaluated. */
export function laterObjective({ all, firstRow }: Later): number {
  const { residual, rows } = all;
  let sum = 0;
  for (let r = firstRow; r < rows; r++) sum += residual[r] * residual[r];
  return 0.5 * sum;
}
