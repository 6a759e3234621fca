import type { Envelope } from '../../math/linear/envelope-cholesky.js';
import type { System } from '../system/system.js';
import type { ConvexSet } from '../transcription/convex-sets.js';
import type { JacobianRows } from '../transcription/jacobian-rows.js';
import type { Sides } from './inequality-constraints.js';
import type { Multipliers } from './normal-equations.js';
import type { Walls } from './set-constraints.js';
import type { CentralPath } from './slacks.js';

export type SolverStatus = 'running' | 'converged' | 'infeasible' | 'stalled';

/** A solve under way. */
export interface Solver {
  readonly system: System;
  readonly tolerance: number;
  readonly gain: number;
  readonly unknowns: Float64Array;
  readonly multipliers: Multipliers;
  /** Added to the diagonal of the model. */
  damping: number;
  /** What damping grows by at the next step that fails. */
  growth: number;
  /** Steps in a row that promised too little to count because they were held back. */
  faint: number;
  /** Steps until damping may become less again. */
  wait: number;
  /** How far the timing may change in one step, of itself; and whether that has held the last step back. */
  clockReach: number;
  clockHeld: boolean;
  /** Steps tried since the multipliers were last brought up to date. */
  steps: number;
  /** How far off multipliers were then, and how often in a row that has not become less. */
  lastOff: number;
  stuck: number;
  iterations: number;
  /** Linear systems factored so far. */
  systems: number;
  status: SolverStatus;
  cost: number;
  violation: number;
  /** Gain that the last model promised, over the cost. */
  promise: number;
  /** Whether `rows` are those of `unknowns`, and `steady` is of these rows and multipliers. */
  linearized: boolean;
  assembled: boolean;
  readonly rows: JacobianRows;
  /** Gradient and model of the rows that always count. */
  readonly steadyGradient: Float64Array;
  readonly steady: Envelope;
  /** The same with damping and the walls that hold. */
  readonly baseGradient: Float64Array;
  readonly base: Envelope;
  /** The same with the sides that are active, too, and the matrix, which becomes its factor. */
  readonly gradient: Float64Array;
  readonly hessian: Envelope;
  /** What counts on one side only, and slacks and multipliers of that. */
  readonly sides: Sides;
  readonly path: CentralPath;
  /** The sets that walls hold the step within: all, but for those that are sides. */
  readonly walled: readonly ConvexSet[];
  readonly walls: Walls;
  /** The mean of the model's diagonal, and what wishes have in it. */
  size: number;
  wishes: number;
  readonly step: Float64Array;
  /** Where the model was looked at last, before it was cut off at the sets; and the best step so far. */
  readonly last: Float64Array;
  readonly best: Float64Array;
  readonly work: Float64Array;
  /** Rows where no step is made, as they came out after one. */
  readonly modelRows: Float64Array;
  /** Rows after the step, as the model has them. */
  readonly bestRows: Float64Array;
  /** Whether the step is the minimum of its model: only then a small promise means that little is left to gain. */
  settled: boolean;
  /** Whether `hessian` is the factor that the step comes from: only then it can be corrected by it. */
  isOwn: boolean;
  /** L at the unknowns, the cost at the start, and what the model gains by the step. */
  before: number;
  start: number;
  promised: number;
  readonly trial: Float64Array;
  readonly trialResidual: Float64Array;
  /** The trial before it was corrected. */
  readonly kept: Float64Array;
  readonly keptResidual: Float64Array;
}
