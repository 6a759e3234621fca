import type { LimitComponent } from '../../figure/limits/limit.js';
import { type ActiveSet, createActiveSet } from '../../math/optimization/active-limits.js';
import type { BoundedNewton } from '../../math/optimization/bounded-newton.js';
import type { Problem } from './problem.js';

/**
 * Observes a running descent.
 *
 * @param pose - The solver's own array, length `figure.dof`: valid during the call only, not to be written.
 * @param objective - f at the pose.
 */
export type IterateObserver = (pose: Float64Array, objective: number) => void;

/** The solver's arrays, allocated once per problem. */
export interface Workspace {
  /** Called at each pose that a descent starts from or accepts. */
  readonly onIterate: IterateObserver | undefined;
  readonly activeSet: ActiveSet<LimitComponent>;
  /** J^T r in scaled coordinates. */
  readonly gradient: Float64Array;
  /** Jacobian with the fixed columns zero, rows x columns. */
  readonly freeJacobian: Float64Array;
  /** Normal matrix; its size is the smaller of rows and columns. */
  readonly normal: Float64Array;
  /** Residual at the pose last accepted. */
  readonly acceptedResidual: Float64Array;
  /** Linearized residual after the step of the fixed columns. */
  readonly remainingResidual: Float64Array;
  /** Solution of the normal equations J J^T. */
  readonly rowSolution: Float64Array;
  /** Step before it is shortened and projected. */
  readonly direction: Float64Array;
  /** Step in scaled coordinates. */
  readonly step: Float64Array;
  /** 1 for a column whose step is fixed by a limit. */
  readonly fixed: Uint8Array;
  /** The start of a solve, within the limits. */
  readonly start: Float64Array;
  /** The end of the first descent, during restarts. */
  readonly reached: Float64Array;
  /** Pose of a restart. */
  readonly candidate: Float64Array;
  /** The trial pose of a step. */
  readonly trial: Float64Array;
  /** Newton's method and its arrays, made on first use. */
  newton: BoundedNewton | undefined;
}

export function createWorkspace(problem: Problem, onIterate?: IterateObserver): Workspace {
  const { rows, figure } = problem;
  const columns = problem.coordinates.length;
  const small = Math.min(rows, columns);
  return {
    onIterate,
    activeSet: createActiveSet(problem.limits, problem.coordinates, problem.jacobian.columnScale),
    gradient: new Float64Array(columns),
    freeJacobian: new Float64Array(rows * columns),
    normal: new Float64Array(small * small),
    acceptedResidual: new Float64Array(rows),
    remainingResidual: new Float64Array(rows),
    rowSolution: new Float64Array(rows),
    direction: new Float64Array(columns),
    step: new Float64Array(columns),
    fixed: new Uint8Array(columns),
    start: new Float64Array(figure.dof),
    reached: new Float64Array(figure.dof),
    candidate: new Float64Array(figure.dof),
    trial: new Float64Array(figure.dof),
    newton: undefined,
  };
}
