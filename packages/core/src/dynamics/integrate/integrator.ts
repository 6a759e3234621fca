import {
  type FieldsOf,
  requireFields,
  requireFinite,
  requireNumbers,
  requireOneOf,
  requirePositive,
  requireSize,
  requireWhole,
  shown,
} from '../../checks.js';
import { DomainError } from '../../errors.js';
import type { Figure } from '../../figure/model/figure.js';
import { createPose } from '../../figure/model/pose.js';
import { freeRotationVectors, regularizeCharts, rotationVectors } from '../../figure/model/regularize.js';
import type { Numbers } from '../../math/linear/types.js';
import { checkedVector } from '../model/checks.js';
import type { Dynamics } from '../model/dynamics.js';
import { isInRange } from './derivative.js';
import {
  createDormandPrince,
  type DormandPrince,
  evaluateDenseOutput,
  runDormandPrince,
} from './dormand-prince.js';
import { implicitMidpoint } from './midpoint.js';
import { rungeKutta4 } from './runge-kutta.js';
import { semiImplicitEuler } from './semi-implicit-euler.js';
import type {
  Advance,
  AfterStep,
  DynamicsState,
  Forces,
  IntegrationWork,
  IntegratorMethod,
  IntegratorOptions,
  StepReport,
  StepStatus,
} from './types.js';

/** An integration method with its workspace, for one figure. Steps allocate nothing. */
export interface Integrator {
  readonly dynamics: Dynamics;
  readonly method: IntegratorMethod;
  /** Largest step, s; infinite for adaptive steps without a bound. */
  readonly step: number;
  readonly maxSteps: number;
  /** Result of the last call. */
  readonly report: StepReport;
  /** @internal */
  readonly work: IntegrationWork;
  /** @internal One step of the fixed-step methods. */
  readonly advance: Advance | undefined;
  /** @internal */
  readonly adaptive: DormandPrince | undefined;
}

const OPTIONS: FieldsOf<IntegratorOptions> = {
  method: true,
  step: true,
  relativeTolerance: true,
  absoluteTolerance: true,
  order: true,
  maxSteps: true,
};
const METHODS = ['semi-implicit-euler', 'rk4', 'dormand-prince', 'midpoint'] as const;

/** Creates a state. Default: time 0, the pose nearest to rest, velocity 0. */
export function createDynamicsState(
  figure: Figure,
  given: { readonly time?: number; readonly pose?: Numbers; readonly velocity?: Numbers } = {},
): DynamicsState {
  requireFields(given, { time: true, pose: true, velocity: true }, 'state', DomainError);
  const { time = 0, pose, velocity } = given;
  requireFinite(time, 'time', DomainError);
  return {
    time,
    pose: checkedVector(pose ?? createPose(figure), figure.dof, 'pose'),
    velocity: checkedVector(velocity ?? new Float64Array(figure.dof), figure.dof, 'velocity'),
  };
}

/**
 * Creates an integrator of a figure's motion, the state being (q, v).
 *
 * @throws DomainError `unsupported` for an unknown method or order, `out-of-range` for a step, a tolerance or a number of steps that is not
 *   positive.
 */
export function createIntegrator(dynamics: Dynamics, options: IntegratorOptions): Integrator {
  requireFields(options, OPTIONS, 'options', DomainError);
  const {
    method,
    order = 2,
    maxSteps = 10_000,
    relativeTolerance = 1e-9,
    absoluteTolerance = 1e-9,
  } = options;
  requireOneOf(method, METHODS, 'options.method', DomainError);
  if (order !== 2 && order !== 4) {
    throw new DomainError('unsupported', `is ${shown(order)}.`, {
      path: 'options.order',
      remedy: 'Give 2 or 4.',
    });
  }
  const adaptive = method === 'dormand-prince';
  const step = options.step ?? (adaptive ? Number.POSITIVE_INFINITY : 0.001);
  requirePositive(step, 'options.step', DomainError, 's', adaptive);
  requirePositive(relativeTolerance, 'options.relativeTolerance', DomainError);
  requirePositive(absoluteTolerance, 'options.absoluteTolerance', DomainError);
  requireWhole(maxSteps, 'options.maxSteps', DomainError, 1);
  const { figure } = dynamics;
  const { dof } = figure;
  const vector = (): Float64Array => new Float64Array(dof);
  const report: StepReport = {
    status: 'done',
    steps: 0,
    rejected: 0,
    evaluations: 0,
    error: 0,
    chartChanges: 0,
  };
  return {
    dynamics,
    method,
    step,
    maxSteps,
    report,
    work: {
      dynamics,
      applied: { tau: vector(), external: new Float64Array(6 * figure.bones.length) },
      forces: undefined,
      pose: vector(),
      velocity: vector(),
      nextPose: vector(),
      nextVelocity: vector(),
      report,
      rotations: rotationVectors(figure),
      charts: freeRotationVectors(figure),
    },
    advance: advanceOf(dynamics, method, order),
    adaptive: adaptive ? createDormandPrince(dof, relativeTolerance, absoluteTolerance, step) : undefined,
  };
}

function advanceOf(dynamics: Dynamics, method: IntegratorMethod, order: 2 | 4): Advance | undefined {
  const { dof } = dynamics.figure;
  if (method === 'rk4') return rungeKutta4(dof);
  if (method === 'semi-implicit-euler') return semiImplicitEuler(dof);
  return method === 'midpoint' ? implicitMidpoint(dynamics, order) : undefined;
}

/**
 * Advances a state by `dt`, in place. Fixed-step methods divide dt into the fewest steps that `step` allows. `dormand-prince` chooses its
 * steps so that the error estimate e of each satisfies max_i |e_i| / (atol + rtol max(|y_i| before, after)) <= 1 over all q and v. Stateless
 * between calls: the same state, dt and forces give the same result bit for bit.
 *
 * Rotation vectors without limits are brought back within pi between steps, never inside one (Grassia 1997, section 3.2.2).
 *
 * Atomic: unless the status is `done`, and also after an exception, the state is unchanged.
 *
 * @param dt - s, positive: to integrate backwards, negate the velocity. At most `maxSteps` steps of equal length.
 * @returns The integrator's report, overwritten by the next call.
 * @throws DomainError `out-of-range` for dt, `wrong-size` or `not-finite` for the state, `singular` for a joint without inertia
 *   to move or at a singularity of its coordinates.
 */
export function stepIntegrator(
  integrator: Integrator,
  state: DynamicsState,
  dt: number,
  forces?: Forces,
  afterStep?: AfterStep,
): StepReport {
  const { work, report, adaptive } = integrator;
  requireSpan(integrator, dt);
  requireState(integrator, state);
  work.forces = forces;
  if (forces === undefined) work.applied.tau.fill(0);
  work.pose.set(state.pose);
  work.velocity.set(state.velocity);
  report.steps = 0;
  report.rejected = 0;
  report.evaluations = 0;
  report.error = 0;
  report.chartChanges = 0;
  const end = state.time + dt;
  if (adaptive === undefined) report.status = runEqualSteps(integrator, state.time, dt, afterStep);
  else {
    adaptive.span[1] = 0;
    report.status = runDormandPrince(work, adaptive, state.time, end, integrator.maxSteps, afterStep);
  }
  work.forces = undefined;
  if (report.status !== 'done') return report;
  state.pose.set(work.pose);
  state.velocity.set(work.velocity);
  state.time = end;
  return report;
}

function runEqualSteps(
  { work, advance, step, report }: Integrator,
  start: number,
  dt: number,
  afterStep: AfterStep | undefined,
): StepStatus {
  if (advance === undefined) return 'done';
  const count = stepCount(dt, step);
  const h = dt / count;
  for (let n = 0; n < count; n++) {
    const status = advance(work, start + n * h, h, n);
    if (status !== 'done') return status;
    const { pose, velocity, nextPose, nextVelocity } = work;
    if (!isInRange(nextPose) || !isInRange(nextVelocity)) return 'not-finite';
    pose.set(nextPose);
    velocity.set(nextVelocity);
    report.chartChanges += regularizeCharts(work.charts, pose);
    report.steps++;
    if (afterStep === undefined) continue;
    nextPose.set(pose);
    nextVelocity.set(velocity);
    afterStep(start + (n + 1) * h, nextPose, nextVelocity);
  }
  return 'done';
}

/** The fewest steps of at most `step` in `dt`; an integer ratio within rounding is exact. */
function stepCount(dt: number, step: number): number {
  return Math.max(1, Math.ceil((dt / step) * (1 - 1e-12)));
}

/**
 * Samples the last accepted step of `dormand-prince` by its dense output, a fourth-order polynomial, in the chart of the step's start. Earlier
 * steps of a call are sampled from `afterStep`.
 *
 * @throws DomainError `unsupported` for another method, `out-of-range` for a time outside the last step, or before the first.
 */
export function sampleStep(
  integrator: Integrator,
  time: number,
  pose: Float64Array,
  velocity: Float64Array,
): void {
  const { adaptive, dynamics, method } = integrator;
  if (adaptive === undefined) {
    throw new DomainError('unsupported', `${method} has no dense output.`, {
      path: 'sampleStep(integrator)',
      remedy: 'Use dormand-prince, or take shorter steps.',
    });
  }
  const { dof } = dynamics.figure;
  requireFinite(time, 'time', DomainError);
  requireSize(pose, dof, 'pose', DomainError);
  requireSize(velocity, dof, 'velocity', DomainError);
  const [start, h] = adaptive.span;
  const u = (time - start) / h;
  if (!(u >= -1e-12 && u <= 1 + 1e-12)) {
    const what =
      h > 0
        ? `is ${time}; the last step spans ${start} to ${start + h} s.`
        : 'cannot be sampled before the first step.';
    throw new DomainError('out-of-range', what, {
      path: 'time',
      remedy: 'Sample inside the last step; sample earlier steps from afterStep.',
    });
  }
  evaluateDenseOutput(adaptive, u, pose, velocity);
}

function requireSpan({ step, maxSteps }: Integrator, dt: number): void {
  requirePositive(dt, 'dt', DomainError, 's');
  if (step === Number.POSITIVE_INFINITY || stepCount(dt, step) <= maxSteps) return;
  throw new DomainError('out-of-range', `is ${dt} s, more than ${maxSteps} steps of ${step} s.`, {
    path: 'dt',
    remedy: 'Call more often, or give the integrator a longer step or more steps (maxSteps).',
  });
}

function requireState({ dynamics }: Integrator, { time, pose, velocity }: DynamicsState): void {
  const { dof } = dynamics.figure;
  requireNumbers(pose, dof, 'state.pose', DomainError);
  requireNumbers(velocity, dof, 'state.velocity', DomainError);
  requireFinite(time, 'state.time', DomainError);
}
