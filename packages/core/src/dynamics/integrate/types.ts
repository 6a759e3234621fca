import type { Dynamics } from '../model/dynamics.js';

/** Where a figure is and how it moves. A step writes it. */
export interface DynamicsState {
  /** s */
  time: number;
  /** Coordinates q, `figure.dof` numbers. */
  readonly pose: Float64Array;
  /** Joint velocities, `figure.dof` numbers. */
  readonly nu: Float64Array;
}

/** What acts on a figure besides gravity. Comes zeroed. */
export interface AppliedForces {
  /** At the joints, against nu, `figure.dof` numbers: N m at angles (about the bone's axes at a ball), N at translations. */
  readonly tau: Float64Array;
  /** On the bones, world axes, 6 numbers a bone: force (N), then couple about the bone's origin (N m). */
  readonly external: Float64Array;
}

/**
 * Writes the forces at a moment. Called several times a step, at moments and motions that need not become part of the solution, so it
 * should be a function of its arguments and smooth in them; what throws leaves the state as it was. `pose` and `nu` are only to be read.
 * Bones are not placed: a callback that needs their positions calls `forwardKinematics` with a state, the integrator's own among them.
 */
export type Forces = (time: number, pose: Float64Array, nu: Float64Array, out: AppliedForces) => void;

/**
 * - `semi-implicit-euler`: nu by its slope, then q by the new nu; first order, the cheapest.
 * - `rk4`: the classic explicit Runge-Kutta method on (q, nu); fourth order.
 * - `dormand-prince`: 5(4), its step controlled by an estimate of the error; dense output.
 * - `midpoint`: implicit midpoint on the group; second order (or fourth), symmetric. Keeps energy, and the momentum of what is free.
 */
export type IntegratorMethod = 'semi-implicit-euler' | 'rk4' | 'dormand-prince' | 'midpoint';

export interface IntegratorOptions {
  readonly method: IntegratorMethod;
  /**
   * The longest step within a call, s: `dt` is cut into as few equal ones as it takes. Default 0.001; for `dormand-prince`, which
   * finds its own, only a bound, by default none.
   */
  readonly step?: number;
  /** Of `dormand-prince`: see `stepIntegrator`. Default 1e-9. */
  readonly relativeTolerance?: number;
  /** Of `dormand-prince`, in rad, m and the same per second. Default 1e-9. */
  readonly absoluteTolerance?: number;
  /** Of `midpoint`: 2, or 4 by Suzuki's composition of five steps. Default 2. */
  readonly order?: 2 | 4;
  /** The most steps within one call; those tried and taken back count. Default 10,000. */
  readonly maxSteps?: number;
}

/**
 * - `done`: the state has moved on by dt.
 * - `not-finite`: numbers grew past 1e100 or were none at all, as from huge forces or far too long a step.
 * - `not-converged`: the equations of an implicit step were not solved; the step is too long.
 * - `too-many-steps`: the tolerance asked for needs more steps than `maxSteps`, or shorter ones than doubles can tell apart.
 *
 * Other than `done`, the state is what it was.
 */
export type StepStatus = 'done' | 'not-finite' | 'not-converged' | 'too-many-steps';

/** What a call of `stepIntegrator` did. One object an integrator, written anew by each call. */
export interface StepReport {
  status: StepStatus;
  /** Steps taken, those undone not counted. */
  steps: number;
  /** Steps undone because their error was too large (`dormand-prince`), or halved because their equations were not solved (`midpoint`). */
  rejected: number;
  /** How often the dynamics were evaluated. */
  evaluations: number;
  /** Largest error estimate of a step taken, 1 being the tolerance (`dormand-prince`; else 0). */
  error: number;
  /** Rotation vectors brought back within pi. */
  chartChanges: number;
}

/** Called after each step within a call; `sampleStep` gives the motion since the one before (`dormand-prince`). */
export type AfterStep = (time: number, pose: Float64Array, nu: Float64Array) => void;

/** One step of a method, the n-th of its call, from (pose, nu) of the work to (nextPose, nextNu). */
export type Advance = (work: IntegrationWork, time: number, h: number, n: number) => StepStatus;

/** What all methods share while a call runs. */
export interface IntegrationWork {
  readonly dynamics: Dynamics;
  readonly applied: AppliedForces;
  forces: Forces | undefined;
  readonly pose: Float64Array;
  readonly nu: Float64Array;
  readonly nextPose: Float64Array;
  readonly nextNu: Float64Array;
  readonly report: StepReport;
  /** First coordinate of each rotation vector: all, and those that may change chart. */
  readonly rotations: Int32Array;
  readonly charts: Int32Array;
}
