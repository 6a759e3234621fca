import type { Envelope } from '../../math/envelope-cholesky.js';
import type { JacobianRows } from '../jacobian-rows.js';
import type { System } from '../system.js';
import type { Multipliers } from './normal-equations.js';
import type { Walls } from './walls.js';

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
  /** How far the timing may change in one step, of itself; and whether that has held the last step back. */
  clockReach: number;
  clockHeld: boolean;
  /** Steps tried since the multipliers were last brought up to date. */
  steps: number;
  /** How far off multipliers were then, and how often in a row that has not become less. */
  lastOff: number;
  stuck: number;
  iterations: number;
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
  /** Gradient of L, without walls. */
  readonly slope: Float64Array;
  /** The same with what is active; the model becomes its factor. */
  readonly gradient: Float64Array;
  readonly hessian: Envelope;
  /** 1 for each inequality that the model counts. */
  readonly active: Uint8Array;
  /** The same for the model that was factored last. */
  readonly factored: Uint8Array;
  readonly walls: Walls;
  /** The mean of the model's diagonal. */
  size: number;
  readonly step: Float64Array;
  readonly best: Float64Array;
  /** Rows after the step and after the best one so far, as the model has them. */
  readonly predicted: Float64Array;
  readonly bestRows: Float64Array;
  /** Whether the step is the minimum of its model: only then a small promise means that little is left to gain. */
  settled: boolean;
  /** L at the unknowns, and what the model gains by the step. */
  before: number;
  promised: number;
  readonly trial: Float64Array;
  readonly trialResidual: Float64Array;
}
