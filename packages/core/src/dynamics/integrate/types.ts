import type { Dynamics } from '../model/dynamics.js';

/** State of a figure's motion, which `stepIntegrator` updates in place. */
export interface DynamicsState {
  /** s */
  time: number;
  /** Coordinates q, `figure.dof` numbers. */
  readonly pose: Float64Array;
  /** Joint velocities v, `figure.dof` numbers. */
  readonly velocity: Float64Array;
}

/** Forces on a figure besides gravity. Zeroed before each call. */
export interface AppliedForces {
  /** Joint forces, `figure.dof` numbers: N m at angles (about the bone's axes at a ball), N at translations. */
  readonly tau: Float64Array;
  /** On the bones, world axes, 6 numbers a bone: force (N), then couple about the bone's origin (N m). */
  readonly external: Float64Array;
}

/**
 * Writes the forces at a time and state. Called several times a step, also at trial states that are not part of the solution, so it should be a
 * pure and smooth function of its arguments. If it throws, the state is unchanged. `pose` and `velocity` are read-only. Bone frames are not
 * updated: a callback that needs them calls `forwardKinematics` with any state of the figure, `dynamics.state` included.
 */
export type Forces = (time: number, pose: Float64Array, velocity: Float64Array, out: AppliedForces) => void;

/**
 * - `semi-implicit-euler`: velocity first, then the pose by the new velocity; first order, the cheapest.
 * - `rk4`: the classic explicit Runge-Kutta method on (q, v); fourth order.
 * - `dormand-prince`: 5(4) with adaptive steps by an error estimate, and dense output.
 * - `midpoint`: implicit midpoint on the rotation group; second order (or fourth), symmetric. Conserves energy, and the momentum of a free root.
 */
export type IntegratorMethod = 'semi-implicit-euler' | 'rk4' | 'dormand-prince' | 'midpoint';

export interface IntegratorOptions {
  readonly method: IntegratorMethod;
  /**
   * Largest step, s: `dt` is divided into the fewest equal steps. Default 0.001. For `dormand-prince`, which chooses its steps, an upper
   * bound; default none.
   */
  readonly step?: number;
  /** Relative tolerance of `dormand-prince`: see `stepIntegrator`. Default 1e-9. */
  readonly relativeTolerance?: number;
  /** Absolute tolerance of `dormand-prince`, in rad, m and the same per second. Default 1e-9. */
  readonly absoluteTolerance?: number;
  /** Order of `midpoint`: 2, or 4 by Suzuki's composition of five substeps. Default 2. */
  readonly order?: 2 | 4;
  /** Maximum number of steps in one call, rejected ones included. Default 10,000. */
  readonly maxSteps?: number;
}

/**
 * - `done`: the state has advanced by dt.
 * - `not-finite`: a number is NaN or beyond 1e100, as from huge forces or far too long a step.
 * - `not-converged`: the iteration of an implicit step did not converge; the step is too long.
 * - `too-many-steps`: the tolerance needs more steps than `maxSteps`, or steps below double precision.
 *
 * Unless `done`, the state is unchanged.
 */
export type StepStatus = 'done' | 'not-finite' | 'not-converged' | 'too-many-steps';

/** Result of a call of `stepIntegrator`. One object for each integrator, overwritten by each call. */
export interface StepReport {
  status: StepStatus;
  /** Accepted steps. */
  steps: number;
  /** Steps rejected for their error (`dormand-prince`), or halved because the iteration did not converge (`midpoint`). */
  rejected: number;
  /** Evaluations of the dynamics. */
  evaluations: number;
  /** Largest error estimate of an accepted step, relative to the tolerance (`dormand-prince`; else 0). */
  error: number;
  /** Changes of chart: rotation vectors brought back within pi. */
  chartChanges: number;
}

/** Called after each accepted step; `sampleStep` then samples inside that step (`dormand-prince`). */
export type AfterStep = (time: number, pose: Float64Array, velocity: Float64Array) => void;

/** One step of a method, the n-th of its call, from (pose, velocity) of `work` to (nextPose, nextVelocity). */
export type Advance = (work: IntegrationWork, time: number, h: number, n: number) => StepStatus;

/** State of a call, shared by all methods. */
export interface IntegrationWork {
  readonly dynamics: Dynamics;
  readonly applied: AppliedForces;
  forces: Forces | undefined;
  readonly pose: Float64Array;
  readonly velocity: Float64Array;
  readonly nextPose: Float64Array;
  readonly nextVelocity: Float64Array;
  readonly report: StepReport;
  /** First coordinate of each rotation vector: of all, and of those without limits, which may change chart. */
  readonly rotations: Int32Array;
  readonly charts: Int32Array;
}
