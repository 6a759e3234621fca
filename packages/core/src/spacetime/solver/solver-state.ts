import type { Envelope } from '../../math/linear/envelope-cholesky.js';
import type { System } from '../system/system.js';
import type { ConvexSet } from '../transcription/convex-sets.js';
import type { JacobianRows } from '../transcription/jacobian-rows.js';
import type { CentralPath } from './central-path.js';
import type { Inequalities } from './inequality-constraints.js';
import type { Multipliers } from './normal-equations.js';
import type { SetConstraints } from './set-constraints.js';

export type SolverStatus = 'running' | 'converged' | 'infeasible' | 'stalled';

/** State of a solve. */
export interface Solver {
  readonly system: System;
  readonly tolerance: number;
  readonly decreaseTolerance: number;
  readonly unknowns: Float64Array;
  readonly multipliers: Multipliers;
  /** Levenberg damping added to the model's diagonal. */
  damping: number;
  /** Factor of damping at the next rejected step. */
  dampingGrowth: number;
  /** Consecutive limited steps with a small predicted decrease. */
  smallDecreaseCount: number;
  /** Accepted steps until damping may decrease again. */
  dampingCooldown: number;
  /** Trust radius of the time scaling, relative; and whether it limited the last step. */
  timeTrustRadius: number;
  timeStepLimited: boolean;
  /** Steps tried since the last multiplier update. */
  stepsSinceUpdate: number;
  /** Multiplier error at that update, and consecutive updates without sufficient reduction. */
  lastMultiplierError: number;
  stagnationCount: number;
  iterations: number;
  /** Number of factorizations so far. */
  factorizations: number;
  status: SolverStatus;
  cost: number;
  violation: number;
  /** Predicted decrease of the last model, relative to the cost. */
  relativePredictedDecrease: number;
  /** Whether `rows` belong to `unknowns`, and `quadratic` to these rows and multipliers. */
  linearized: boolean;
  assembled: boolean;
  readonly rows: JacobianRows;
  /** Gradient and Gauss-Newton matrix of costs and equalities. */
  readonly quadraticGradient: Float64Array;
  readonly quadratic: Envelope;
  /** The same with damping and active set constraints. */
  readonly dampedGradient: Float64Array;
  readonly damped: Envelope;
  /** The same with active inequalities; the matrix is overwritten by its factor. */
  readonly gradient: Float64Array;
  readonly hessian: Envelope;
  /** Inequalities as one-sided penalties, and their slacks and multipliers in the interior point method. */
  readonly inequalities: Inequalities;
  readonly centralPath: CentralPath;
  /** The sets that are set constraints: all except those treated as inequalities. */
  readonly constrainedSets: readonly ConvexSet[];
  readonly setConstraints: SetConstraints;
  /** Mean of the model's diagonal, and the contribution of the cost. */
  diagonalMean: number;
  costDiagonalMean: number;
  readonly step: Float64Array;
  /** Last minimizer of the model, before clipping to the sets; and the best step so far. */
  readonly lastModelStep: Float64Array;
  readonly bestStep: Float64Array;
  readonly scratch: Float64Array;
  /** Constraint rows for the second-order correction. */
  readonly correctedRows: Float64Array;
  /** Rows after the step as predicted by the model. */
  readonly predictedRows: Float64Array;
  /** Whether the step is the minimum of its model: only then a small predicted decrease means convergence. */
  isModelMinimum: boolean;
  /** Whether `hessian` is the factor that the step comes from: required for a correction. */
  isFactorOfStep: boolean;
  /** L at the unknowns, the initial cost, and the predicted decrease of the step. */
  merit: number;
  initialCost: number;
  predictedDecrease: number;
  readonly trial: Float64Array;
  readonly trialResidual: Float64Array;
  /** The trial before its correction. */
  readonly uncorrectedTrial: Float64Array;
  readonly uncorrectedResidual: Float64Array;
}
