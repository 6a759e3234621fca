import { type ActiveSet, createActiveSet } from './active-set.js';
import type { Problem } from './problem.js';

/**
 * Looks on while a descent runs.
 *
 * @param pose - The solver's own array, length `figure.dof`: read it during the call, copy what is to be kept, write nothing.
 * @param objective - f at the pose.
 */
export type IterateObserver = (pose: Float64Array, objective: number) => void;

/** Arrays that the solver writes, made once for a problem. */
export interface Workspace {
  /** Told of each pose that a descent starts from or accepts. */
  readonly onIterate: IterateObserver | undefined;
  readonly activeSet: ActiveSet;
  /** J^T r in scaled coordinates. */
  readonly gradient: Float64Array;
  /** Jacobian without the columns that are decided, rows x columns. */
  readonly undecided: Float64Array;
  /** Normal matrix, of the smaller of rows and columns. */
  readonly normal: Float64Array;
  /** Residual at the pose last accepted. */
  readonly accepted: Float64Array;
  /** Residual after the decided part of a step. */
  readonly remaining: Float64Array;
  /** Solution of the normal equations where they are by rows. */
  readonly rowSolution: Float64Array;
  /** Direction by columns before the step is cut to length. */
  readonly direction: Float64Array;
  /** Step in scaled coordinates. */
  readonly step: Float64Array;
  /** 1 for a column whose change is decided in this step. */
  readonly decided: Uint8Array;
  /** The allowed pose that a solve starts from. */
  readonly start: Float64Array;
  /** Pose of a restart. */
  readonly candidate: Float64Array;
  /** Pose under trial. */
  readonly trial: Float64Array;
  /** What the second-order method writes; made when first asked for. */
  secondOrder(): SecondOrderArrays;
}

export interface SecondOrderArrays {
  /** Hessian of the Lagrangian on the face of the active limits, columns x columns. */
  readonly hessian: Float64Array;
  readonly factor: Float64Array;
  /** Gradient on the face. */
  readonly face: Float64Array;
  readonly direction: Float64Array;
  /** Pose of a step that another is compared with. */
  readonly reached: Float64Array;
  /** Gradient or Hessian of one limit. */
  readonly small: Float64Array;
}

export function createWorkspace(problem: Problem, onIterate?: IterateObserver): Workspace {
  const { rows, figure } = problem;
  const columns = problem.coordinates.length;
  const small = Math.min(rows, columns);
  let secondOrder: SecondOrderArrays | undefined;
  return {
    onIterate,
    activeSet: createActiveSet(problem),
    gradient: new Float64Array(columns),
    undecided: new Float64Array(rows * columns),
    normal: new Float64Array(small * small),
    accepted: new Float64Array(rows),
    remaining: new Float64Array(rows),
    rowSolution: new Float64Array(rows),
    direction: new Float64Array(columns),
    step: new Float64Array(columns),
    decided: new Uint8Array(columns),
    start: new Float64Array(figure.dof),
    candidate: new Float64Array(figure.dof),
    trial: new Float64Array(figure.dof),
    secondOrder: () => {
      secondOrder ??= createSecondOrderArrays(columns, figure.dof);
      return secondOrder;
    },
  };
}

function createSecondOrderArrays(columns: number, dof: number): SecondOrderArrays {
  return {
    hessian: new Float64Array(columns * columns),
    factor: new Float64Array(columns * columns),
    face: new Float64Array(columns),
    direction: new Float64Array(columns),
    reached: new Float64Array(dof),
    small: new Float64Array(9),
  };
}
