import { DomainError } from '../../errors.js';
import type { Figure } from '../../figure/model/figure.js';
import { createPose } from '../../figure/model/pose.js';
import { freeRotationVectors, rotationVectors } from '../../figure/model/regularize.js';
import type { Numbers } from '../../math/linear/types.js';
import { checkedVector } from '../model/checks.js';
import type { Dynamics } from '../model/dynamics.js';
import { isUsable } from './derivative.js';
import { createDormandPrince, type DormandPrince, runDormandPrince, writeDense } from './dormand-prince.js';
import { implicitMidpoint } from './midpoint.js';
import { changeCharts } from './rotate-pose.js';
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

/** A method with its scratch, for one figure: made once; steps allocate nothing. */
export interface Integrator {
  readonly dynamics: Dynamics;
  readonly method: IntegratorMethod;
  /** The longest step, s; infinite where the method finds its own without a bound. */
  readonly step: number;
  readonly maxSteps: number;
  /** Of the last call. */
  readonly report: StepReport;
  /** @internal */
  readonly work: IntegrationWork;
  /** @internal Of methods whose steps are equal. */
  readonly advance: Advance | undefined;
  /** @internal */
  readonly adaptive: DormandPrince | undefined;
}

const METHODS = ['semi-implicit-euler', 'rk4', 'dormand-prince', 'midpoint'] as const;

/** A state at time 0: the pose given, or the one nearest to rest, at the velocities given, or still. */
export function createDynamicsState(
  figure: Figure,
  { time = 0, pose, nu }: { readonly time?: number; readonly pose?: Numbers; readonly nu?: Numbers } = {},
): DynamicsState {
  return {
    time: checkedVector([time], 1, 'time')[0],
    pose: checkedVector(pose ?? createPose(figure), figure.dof, 'pose'),
    nu: checkedVector(nu ?? new Float64Array(figure.dof), figure.dof, 'nu'),
  };
}

/**
 * Makes an integrator of a figure's motion over coordinates q and joint velocities nu.
 *
 * @throws DomainError `unsupported` for another method or order, `out-of-range` for a step, a tolerance or a number of steps that is not
 *   positive.
 */
export function createIntegrator(dynamics: Dynamics, options: IntegratorOptions): Integrator {
  const {
    method,
    order = 2,
    maxSteps = 10_000,
    relativeTolerance = 1e-9,
    absoluteTolerance = 1e-9,
  } = options;
  if (!METHODS.includes(method)) {
    throw new DomainError('unsupported', `is ${JSON.stringify(method)}.`, {
      path: 'method',
      remedy: `Use one of ${METHODS.join(', ')}.`,
    });
  }
  if (order !== 2 && order !== 4) {
    throw new DomainError('unsupported', `is ${order}.`, { path: 'order', remedy: 'Use 2 or 4.' });
  }
  const adaptive = method === 'dormand-prince';
  const step = options.step ?? (adaptive ? Number.POSITIVE_INFINITY : 0.001);
  requirePositive(step, 'step', adaptive && options.step === undefined);
  requirePositive(relativeTolerance, 'relativeTolerance');
  requirePositive(absoluteTolerance, 'absoluteTolerance');
  if (!Number.isInteger(maxSteps) || maxSteps < 1) {
    throw new DomainError('out-of-range', `is ${maxSteps}.`, {
      path: 'maxSteps',
      remedy: 'Give a whole number of at least 1.',
    });
  }
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
      nu: vector(),
      nextPose: vector(),
      nextNu: vector(),
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
 * Moves a state on by `dt`, in place, and says how. Methods of equal steps cut dt into as few as `step` allows. `dormand-prince` chooses its
 * steps so that the estimated error e of each satisfies max_i |e_i| / (atol + rtol max(|y_i| before, after)) <= 1 over all q and nu. Nothing is
 * remembered from call to call: the same state, dt and forces give the same bits.
 *
 * Rotation vectors without limits are brought back within pi between steps, never inside one (paper, section 3.2.2).
 *
 * All or nothing: where the status is not `done`, or where something throws, the state is what it was.
 *
 * @param dt - s, positive; at most `maxSteps` steps of equal length.
 * @returns A report that the next call writes anew.
 * @throws DomainError `not-finite` or `out-of-range` for dt, `wrong-size` or `not-finite` for the state, `singular` where a joint has nothing to
 *   move or its chart is singular.
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
  work.nu.set(state.nu);
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
  state.nu.set(work.nu);
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
    const { pose, nu, nextPose, nextNu } = work;
    if (!isUsable(nextPose) || !isUsable(nextNu)) return 'not-finite';
    pose.set(nextPose);
    nu.set(nextNu);
    report.chartChanges += changeCharts(work.charts, pose);
    report.steps++;
    if (afterStep === undefined) continue;
    nextPose.set(pose);
    nextNu.set(nu);
    afterStep(start + (n + 1) * h, nextPose, nextNu);
  }
  return 'done';
}

/** As few as the step allows; a whole number within rounding stays one. */
function stepCount(dt: number, step: number): number {
  return Math.max(1, Math.ceil((dt / step) * (1 - 1e-12)));
}

/**
 * The motion inside the last step that `dormand-prince` took, in the chart of that step's start: by its fourth-order polynomial. Inside a call of
 * several steps, from `afterStep`.
 *
 * @throws DomainError `unsupported` for another method, `out-of-range` for a time outside the step, or without one.
 */
export function sampleStep(integrator: Integrator, time: number, pose: Float64Array, nu: Float64Array): void {
  const { adaptive, dynamics, method } = integrator;
  if (adaptive === undefined) {
    throw new DomainError('unsupported', `${method} has no dense output.`, {
      path: 'sampleStep(integrator)',
      remedy: 'Use dormand-prince, or take shorter steps.',
    });
  }
  const { dof } = dynamics.figure;
  requireSize(pose, dof, 'pose');
  requireSize(nu, dof, 'nu');
  const [start, h] = adaptive.span;
  const u = (time - start) / h;
  if (!(u >= -1e-12 && u <= 1 + 1e-12)) {
    const what =
      h > 0
        ? `is ${time}; the last step went from ${start} to ${start + h} s.`
        : 'is asked for before a step.';
    throw new DomainError('out-of-range', what, {
      path: 'time',
      remedy: 'Sample within the last step, from afterStep for those before.',
    });
  }
  writeDense(adaptive, u, pose, nu);
}

function requirePositive(x: number, path: string, infinite = false): void {
  if (x > 0 && (infinite || x < Number.POSITIVE_INFINITY)) return;
  throw new DomainError(Number.isFinite(x) ? 'out-of-range' : 'not-finite', `is ${x}.`, {
    path,
    remedy: 'Give a positive number.',
  });
}

function requireSpan({ step, maxSteps }: Integrator, dt: number): void {
  if (!(dt > 0 && dt < Number.POSITIVE_INFINITY)) {
    throw new DomainError(Number.isFinite(dt) ? 'out-of-range' : 'not-finite', `is ${dt} s.`, {
      path: 'dt',
      remedy: 'Give a positive time, s; to run backwards, turn nu round.',
    });
  }
  if (step === Number.POSITIVE_INFINITY || stepCount(dt, step) <= maxSteps) return;
  throw new DomainError('out-of-range', `is ${dt} s, more than ${maxSteps} steps of ${step} s.`, {
    path: 'dt',
    remedy: 'Call more often, or give the integrator a longer step or more steps (maxSteps).',
  });
}

function requireState({ dynamics }: Integrator, { time, pose, nu }: DynamicsState): void {
  const { dof } = dynamics.figure;
  requireSize(pose, dof, 'state.pose');
  requireSize(nu, dof, 'state.nu');
  requireFinite(pose, 'state.pose');
  requireFinite(nu, 'state.nu');
  if (Number.isFinite(time)) return;
  throw new DomainError('not-finite', `is ${time}.`, {
    path: 'state.time',
    remedy: 'Give a finite time, s.',
  });
}

function requireSize(numbers: Numbers, count: number, path: string): void {
  if (numbers.length === count) return;
  throw new DomainError('wrong-size', `has ${numbers.length} numbers where ${count} belong.`, {
    path,
    remedy: `Give ${count} numbers.`,
  });
}

function requireFinite(numbers: Numbers, path: string): void {
  for (let i = 0; i < numbers.length; i++) {
    if (Number.isFinite(numbers[i])) continue;
    throw new DomainError('not-finite', `is ${numbers[i]}.`, {
      path: `${path}[${i}]`,
      remedy: 'Give a finite number.',
    });
  }
}
