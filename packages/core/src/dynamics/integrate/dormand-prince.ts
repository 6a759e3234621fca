import { ratesFromVelocity } from '../../figure/kinematics/velocity.js';
import { regularizeCharts } from '../../figure/model/regularize.js';
import { writeDerivative } from './derivative.js';
import type { AfterStep, IntegrationWork, StepStatus } from './types.js';

/** Nodes of Dormand and Prince (1980), as in Hairer, Norsett, Wanner, *Solving ODEs I*, table II.5.2; the rows are in `writeStage`. */
const NODES = [0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1] as const;
/** Weights of the error estimate: the fifth-order weights (the row of the last stage) minus the fourth-order ones. */
const ERROR_WEIGHTS = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40] as const;
/** Weights of the dense output besides the states and derivatives at both ends (Shampine; DOPRI5 of Hairer, Norsett, Wanner). */
const DENSE_WEIGHTS = [
  -12715105075 / 11282082432,
  0,
  87487479700 / 32700410799,
  -10690763975 / 1880347072,
  701980252875 / 199316789632,
  -1453857185 / 822651844,
  69997945 / 29380423,
] as const;
const STAGES = 7;

/** Workspace of the method, over y = (q, v), 2 dof numbers. */
export interface DormandPrince {
  readonly relativeTolerance: number;
  readonly absoluteTolerance: number;
  readonly maxStep: number;
  readonly derivatives: readonly Float64Array[];
  /** Views of `derivatives`: q' and v' of each stage. */
  readonly poseRates: readonly Float64Array[];
  readonly accelerations: readonly Float64Array[];
  /** y at the start of the step. */
  readonly start: Float64Array;
  /** y of the current stage, and views of its halves. */
  readonly stageValue: Float64Array;
  readonly pose: Float64Array;
  readonly velocity: Float64Array;
  /** Dense output of the last accepted step: five coefficients of each number, in the chart of the step's start. */
  readonly dense: Float64Array;
  /** Start and length of that step, s; length 0: none. */
  readonly span: Float64Array;
}

export function createDormandPrince(
  dof: number,
  relativeTolerance: number,
  absoluteTolerance: number,
  longest: number,
): DormandPrince {
  const slopes = Array.from({ length: STAGES }, () => new Float64Array(2 * dof));
  const y = new Float64Array(2 * dof);
  return {
    relativeTolerance,
    absoluteTolerance,
    maxStep: longest,
    derivatives: slopes,
    poseRates: slopes.map((slope) => slope.subarray(0, dof)),
    accelerations: slopes.map((slope) => slope.subarray(dof)),
    start: new Float64Array(2 * dof),
    stageValue: y,
    pose: y.subarray(0, dof),
    velocity: y.subarray(dof),
    dense: new Float64Array(10 * dof),
    span: new Float64Array(2),
  };
}

/** Writes the derivative at the current stage value to stage k. */
function evaluateStage(work: IntegrationWork, method: DormandPrince, k: number, time: number): boolean {
  return writeDerivative(
    work,
    time,
    method.pose,
    method.velocity,
    method.poseRates[k],
    method.accelerations[k],
  );
}

/** Writes the derivative at (pose, velocity) of `work` to stage 0, for the first step of a call. */
export function initializeDormandPrince(work: IntegrationWork, method: DormandPrince, time: number): boolean {
  method.pose.set(work.pose);
  method.velocity.set(work.velocity);
  return evaluateStage(work, method, 0, time);
}

/** One entry of the error norm max_i |x_i| / (atol + rtol max(|a_i|, |b_i|)), over q and v. */
function scaledError(method: DormandPrince, x: number, a: number, b: number): number {
  const { absoluteTolerance, relativeTolerance } = method;
  return Math.abs(x) / (absoluteTolerance + relativeTolerance * Math.max(Math.abs(a), Math.abs(b)));
}

/**
 * Initial step length from the norms of y, y' and y'' (Hairer, Norsett, Wanner, section II.4), at most `limit`. Needs stage 0.
 */
export function firstStep(work: IntegrationWork, method: DormandPrince, time: number, limit: number): number {
  const { derivatives, stageValue: y, pose, velocity } = method;
  const dof = pose.length;
  let stateNorm = 0;
  let derivativeNorm = 0;
  for (let i = 0; i < 2 * dof; i++) {
    const at = i < dof ? work.pose[i] : work.velocity[i - dof];
    stateNorm = Math.max(stateNorm, scaledError(method, at, at, at));
    derivativeNorm = Math.max(derivativeNorm, scaledError(method, derivatives[0][i], at, at));
  }
  let h = stateNorm < 1e-5 || derivativeNorm < 1e-5 ? 1e-6 : (0.01 * stateNorm) / derivativeNorm;
  h = Math.min(h, limit);
  for (let i = 0; i < dof; i++) {
    pose[i] = work.pose[i] + h * derivatives[0][i];
    velocity[i] = work.velocity[i] + h * derivatives[0][dof + i];
  }
  if (!evaluateStage(work, method, 1, time + h)) return h;
  let second = 0;
  for (let i = 0; i < 2 * dof; i++) {
    second = Math.max(second, scaledError(method, (derivatives[1][i] - derivatives[0][i]) / h, y[i], y[i]));
  }
  const largest = Math.max(derivativeNorm, second);
  const found = largest <= 1e-15 ? Math.max(1e-6, 1e-3 * h) : (0.01 / largest) ** 0.2;
  return Math.min(100 * h, found, limit);
}

/** y of a stage: y_0 + h sum_j a_sj k_j, with the nonzero a_sj only. */
function writeStage({ derivatives, start, stageValue: y }: DormandPrince, stage: number, h: number): void {
  const [k0, k1, k2, k3, k4, k5] = derivatives;
  const n = y.length;
  if (stage === 1) {
    for (let i = 0; i < n; i++) y[i] = start[i] + h * (1 / 5) * k0[i];
  } else if (stage === 2) {
    for (let i = 0; i < n; i++) y[i] = start[i] + h * ((3 / 40) * k0[i] + (9 / 40) * k1[i]);
  } else if (stage === 3) {
    for (let i = 0; i < n; i++)
      y[i] = start[i] + h * ((44 / 45) * k0[i] - (56 / 15) * k1[i] + (32 / 9) * k2[i]);
  } else if (stage === 4) {
    for (let i = 0; i < n; i++) {
      const sum = (19372 / 6561) * k0[i] - (25360 / 2187) * k1[i] + (64448 / 6561) * k2[i];
      y[i] = start[i] + h * (sum - (212 / 729) * k3[i]);
    }
  } else if (stage === 5) {
    for (let i = 0; i < n; i++) {
      const sum = (9017 / 3168) * k0[i] - (355 / 33) * k1[i] + (46732 / 5247) * k2[i];
      y[i] = start[i] + h * (sum + (49 / 176) * k3[i] - (5103 / 18656) * k4[i]);
    }
  } else {
    for (let i = 0; i < n; i++) {
      const sum = (35 / 384) * k0[i] + (500 / 1113) * k2[i] + (125 / 192) * k3[i];
      y[i] = start[i] + h * (sum - (2187 / 6784) * k4[i] + (11 / 84) * k5[i]);
    }
  }
}

/**
 * Tries a step from (pose, velocity) of `work`, whose derivative is in stage 0, to (nextPose, nextVelocity), whose derivative goes to stage 6.
 *
 * @returns The error estimate in the norm of the tolerance, or NaN where a number is out of range.
 */
export function tryStep(work: IntegrationWork, method: DormandPrince, time: number, h: number): number {
  const { derivatives, stageValue: y, start } = method;
  const { pose, velocity, nextPose, nextVelocity } = work;
  start.set(pose);
  start.set(velocity, pose.length);
  for (let stage = 1; stage < STAGES; stage++) {
    writeStage(method, stage, h);
    if (!evaluateStage(work, method, stage, time + NODES[stage] * h)) return Number.NaN;
  }
  const [k0, , k2, k3, k4, k5, k6] = derivatives;
  const [e0, , e2, e3, e4, e5, e6] = ERROR_WEIGHTS;
  let worst = 0;
  for (let i = 0; i < start.length; i++) {
    const sum = e0 * k0[i] + e2 * k2[i] + e3 * k3[i] + e4 * k4[i] + e5 * k5[i] + e6 * k6[i];
    const error = scaledError(method, h * sum, start[i], y[i]);
    if (!(error <= worst)) worst = error;
  }
  nextPose.set(method.pose);
  nextVelocity.set(method.velocity);
  return worst;
}

/** Stores the dense output of the step just tried, for `sampleStep`. */
export function storeDenseOutput(method: DormandPrince, time: number, h: number): void {
  const { derivatives, dense, start, stageValue: y, span } = method;
  const [k0, , k2, k3, k4, k5, k6] = derivatives;
  const [d0, , d2, d3, d4, d5, d6] = DENSE_WEIGHTS;
  const n = y.length;
  for (let i = 0; i < n; i++) {
    const at = start[i];
    const difference = y[i] - at;
    const curvature = h * k0[i] - difference;
    const sum = d0 * k0[i] + d2 * k2[i] + d3 * k3[i] + d4 * k4[i] + d5 * k5[i] + d6 * k6[i];
    dense[i] = at;
    dense[n + i] = difference;
    dense[2 * n + i] = curvature;
    dense[3 * n + i] = difference - h * k6[i] - curvature;
    dense[4 * n + i] = h * sum;
  }
  span[0] = time;
  span[1] = h;
}

/** The state at fraction `u` of the last step, 0 to 1. Fourth order, with a continuous first derivative from step to step. */
export function evaluateDenseOutput(
  { dense }: DormandPrince,
  u: number,
  pose: Float64Array,
  velocity: Float64Array,
): void {
  const dof = pose.length;
  const n = 2 * dof;
  const rest = 1 - u;
  for (let i = 0; i < n; i++) {
    const x =
      dense[i] +
      u * (dense[n + i] + rest * (dense[2 * n + i] + u * (dense[3 * n + i] + rest * dense[4 * n + i])));
    if (i < dof) pose[i] = x;
    else velocity[i - dof] = x;
  }
}

/** Lund's stabilized step-size controller (Hairer, Norsett, Wanner, section II.4): exponents, safety factor, bounds of the change. */
const DAMPING = 0.04;
const EXPONENT = 0.2 - 0.75 * DAMPING;
const SAFETY = 0.9;
const MAX_SHRINK = 5;
const MAX_GROWTH = 10;

/** Integrates (pose, velocity) of `work` from `start` to `end`, s. */
export function runDormandPrince(
  work: IntegrationWork,
  method: DormandPrince,
  start: number,
  end: number,
  maxSteps: number,
  afterStep: AfterStep | undefined,
): StepStatus {
  const { report, pose, velocity } = work;
  const { poseRates, accelerations, maxStep } = method;
  if (!initializeDormandPrince(work, method, start)) return 'not-finite';
  let time = start;
  let h = firstStep(work, method, time, Math.min(maxStep, end - start));
  let lastError = 1e-4;
  let wasRejected = false;
  while (time < end) {
    if (report.steps + report.rejected >= maxSteps) return 'too-many-steps';
    // The last two steps halve the remaining time, so that neither is tiny.
    const remaining = end - time;
    const isLast = remaining <= 1.01 * h;
    if (isLast) h = remaining;
    else if (remaining < 2 * h) h = 0.5 * remaining;
    if (!(time + 0.1 * h > time)) return 'too-many-steps';
    const error = tryStep(work, method, time, h);
    // A step that failed is retried at a fraction of its length.
    const errorFactor = Number.isFinite(error) ? error ** EXPONENT : Number.POSITIVE_INFINITY;
    if (!(error <= 1)) {
      h /= Math.min(MAX_SHRINK, errorFactor / SAFETY);
      report.rejected++;
      wasRejected = true;
      continue;
    }
    storeDenseOutput(method, time, h);
    time = isLast ? end : time + h;
    report.steps++;
    report.error = Math.max(report.error, error);
    pose.set(work.nextPose);
    velocity.set(work.nextVelocity);
    const changes = regularizeCharts(work.charts, pose);
    report.chartChanges += changes;
    if (afterStep !== undefined) {
      method.pose.set(pose);
      method.velocity.set(velocity);
      afterStep(time, method.pose, method.velocity);
    }
    // First same as last: stage 6 is stage 0 of the next step. A change of chart changes q' and not v'.
    accelerations[0].set(accelerations[STAGES - 1]);
    if (changes > 0) ratesFromVelocity(work.dynamics.state, pose, velocity, poseRates[0]);
    else poseRates[0].set(poseRates[STAGES - 1]);
    const factor = Math.max(
      1 / MAX_GROWTH,
      Math.min(MAX_SHRINK, errorFactor / lastError ** DAMPING / SAFETY),
    );
    lastError = Math.max(error, 1e-4);
    h = wasRejected ? Math.min(h, h / factor) : Math.min(maxStep, h / factor);
    wasRejected = false;
  }
  return 'done';
}
