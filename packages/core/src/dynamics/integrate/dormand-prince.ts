import { ratesFromNu } from '../../figure/velocity.js';
import { writeSlope } from './slope.js';
import { changeCharts } from './turn.js';
import type { AfterStep, IntegrationWork, StepStatus } from './types.js';

/** Nodes, rows and weights of Dormand and Prince (1980), as in Hairer, Norsett, Wanner, *Solving ODEs I*, table II.5.2. */
const NODES = [0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1] as const;
const ROWS = [
  [],
  [1 / 5],
  [3 / 40, 9 / 40],
  [44 / 45, -56 / 15, 32 / 9],
  [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
  [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
  [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
] as const;
/** The fifth-order weights, which are the last row, less the fourth-order ones. */
const ERROR = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40] as const;
/** What the dense output takes besides ends and slopes (Shampine; Hairer and others, DOPRI5). */
const DENSE = [
  -12715105075 / 11282082432,
  0,
  87487479700 / 32700410799,
  -10690763975 / 1880347072,
  701980252875 / 199316789632,
  -1453857185 / 822651844,
  69997945 / 29380423,
] as const;
const STAGES = 7;

/** Scratch of the method, over y = (q, nu), 2 dof numbers. */
export interface DormandPrince {
  readonly relativeTolerance: number;
  readonly absoluteTolerance: number;
  readonly longest: number;
  readonly slopes: readonly Float64Array[];
  /** The same memory, q' and nu' of each stage. */
  readonly rates: readonly Float64Array[];
  readonly accelerations: readonly Float64Array[];
  /** y of the stage at hand, and its two halves. */
  readonly y: Float64Array;
  readonly pose: Float64Array;
  readonly nu: Float64Array;
  /** Five polynomials' coefficients of the last step taken, in the chart of its start. */
  readonly dense: Float64Array;
  /** When that step began, and how long it was; 0: there is none. */
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
    longest,
    slopes,
    rates: slopes.map((slope) => slope.subarray(0, dof)),
    accelerations: slopes.map((slope) => slope.subarray(dof)),
    y,
    pose: y.subarray(0, dof),
    nu: y.subarray(dof),
    dense: new Float64Array(10 * dof),
    span: new Float64Array(2),
  };
}

/** Slope of stage k at the y of the stage. */
function slopeAt(work: IntegrationWork, method: DormandPrince, k: number, time: number): boolean {
  return writeSlope(work, time, method.pose, method.nu, method.rates[k], method.accelerations[k]);
}

/** The slope at the work's own (pose, nu), to stage 0: what each call, and each step after a change of chart, begins with. */
export function beginDormandPrince(work: IntegrationWork, method: DormandPrince, time: number): boolean {
  method.pose.set(work.pose);
  method.nu.set(work.nu);
  return slopeAt(work, method, 0, time);
}

/** One entry in the norm of the tolerance: max_i |x_i| / (atol + rtol max(|a_i|, |b_i|)), over q and nu. */
function scaled(method: DormandPrince, x: number, a: number, b: number): number {
  const { absoluteTolerance, relativeTolerance } = method;
  return Math.abs(x) / (absoluteTolerance + relativeTolerance * Math.max(Math.abs(a), Math.abs(b)));
}

/**
 * A first step from the sizes of y, y' and y'' (Hairer, Norsett, Wanner, section II.4): no longer than `limit`. Needs stage 0.
 */
export function firstStep(work: IntegrationWork, method: DormandPrince, time: number, limit: number): number {
  const { slopes, y, pose, nu } = method;
  const dof = pose.length;
  let size = 0;
  let slope = 0;
  for (let i = 0; i < 2 * dof; i++) {
    const at = i < dof ? work.pose[i] : work.nu[i - dof];
    size = Math.max(size, scaled(method, at, at, at));
    slope = Math.max(slope, scaled(method, slopes[0][i], at, at));
  }
  let h = size < 1e-5 || slope < 1e-5 ? 1e-6 : (0.01 * size) / slope;
  h = Math.min(h, limit);
  for (let i = 0; i < dof; i++) {
    pose[i] = work.pose[i] + h * slopes[0][i];
    nu[i] = work.nu[i] + h * slopes[0][dof + i];
  }
  if (!slopeAt(work, method, 1, time + h)) return h;
  let second = 0;
  for (let i = 0; i < 2 * dof; i++) {
    second = Math.max(second, scaled(method, (slopes[1][i] - slopes[0][i]) / h, y[i], y[i]));
  }
  const largest = Math.max(slope, second);
  const found = largest <= 1e-15 ? Math.max(1e-6, 1e-3 * h) : (0.01 / largest) ** 0.2;
  return Math.min(100 * h, found, limit);
}

/**
 * Tries a step from the work's (pose, nu), whose slope stands at stage 0, to (nextPose, nextNu); leaves the slope there at stage 6.
 * @returns The error estimate in the norm of the tolerance, or NaN where there is nothing to go on with.
 */
export function tryStep(work: IntegrationWork, method: DormandPrince, time: number, h: number): number {
  const { slopes, y } = method;
  const { pose, nu, nextPose, nextNu } = work;
  const dof = pose.length;
  for (let stage = 1; stage < STAGES; stage++) {
    const row = ROWS[stage];
    for (let i = 0; i < 2 * dof; i++) {
      let sum = 0;
      for (let k = 0; k < stage; k++) sum += row[k] * slopes[k][i];
      y[i] = (i < dof ? pose[i] : nu[i - dof]) + h * sum;
    }
    if (!slopeAt(work, method, stage, time + NODES[stage] * h)) return Number.NaN;
  }
  let worst = 0;
  for (let i = 0; i < 2 * dof; i++) {
    let sum = 0;
    for (let k = 0; k < STAGES; k++) sum += ERROR[k] * slopes[k][i];
    const error = scaled(method, h * sum, i < dof ? pose[i] : nu[i - dof], y[i]);
    if (!(error <= worst)) worst = error;
  }
  nextPose.set(method.pose);
  nextNu.set(method.nu);
  return worst;
}

/** Keeps the step just tried for `sampleStep`: what the polynomial through its ends and slopes needs. */
export function keepDense(work: IntegrationWork, method: DormandPrince, time: number, h: number): void {
  const { slopes, dense, y, span } = method;
  const dof = work.pose.length;
  const n = 2 * dof;
  for (let i = 0; i < n; i++) {
    const at = i < dof ? work.pose[i] : work.nu[i - dof];
    const difference = y[i] - at;
    const bend = h * slopes[0][i] - difference;
    let sum = 0;
    for (let k = 0; k < STAGES; k++) sum += DENSE[k] * slopes[k][i];
    dense[i] = at;
    dense[n + i] = difference;
    dense[2 * n + i] = bend;
    dense[3 * n + i] = difference - h * slopes[STAGES - 1][i] - bend;
    dense[4 * n + i] = h * sum;
  }
  span[0] = time;
  span[1] = h;
}

/** The last step at part `u` of it, 0 to 1. Fourth order, and smooth from step to step up to the first derivative. */
export function writeDense({ dense }: DormandPrince, u: number, pose: Float64Array, nu: Float64Array): void {
  const dof = pose.length;
  const n = 2 * dof;
  const rest = 1 - u;
  for (let i = 0; i < n; i++) {
    const x =
      dense[i] +
      u * (dense[n + i] + rest * (dense[2 * n + i] + u * (dense[3 * n + i] + rest * dense[4 * n + i])));
    if (i < dof) pose[i] = x;
    else nu[i - dof] = x;
  }
}

/** Lund's stabilized controller (Hairer, Norsett, Wanner, section II.4): exponents, safety, and how much a step may change. */
const DAMPING = 0.04;
const EXPONENT = 0.2 - 0.75 * DAMPING;
const SAFETY = 0.9;
const SHORTER = 5;
const LONGER = 10;

/** Runs from `start` to `end`, the work's (pose, nu) with it. */
export function runDormandPrince(
  work: IntegrationWork,
  method: DormandPrince,
  start: number,
  end: number,
  maxSteps: number,
  afterStep: AfterStep | undefined,
): StepStatus {
  const { report, pose, nu } = work;
  const { rates, accelerations, longest } = method;
  if (!beginDormandPrince(work, method, start)) return 'not-finite';
  let time = start;
  let h = firstStep(work, method, time, Math.min(longest, end - start));
  let before = 1e-4;
  let retried = false;
  while (time < end) {
    if (report.steps + report.rejected >= maxSteps) return 'too-many-steps';
    // The last two steps share what is left, so that none is a sliver.
    const left = end - time;
    const last = left <= 1.01 * h;
    if (last) h = left;
    else if (left < 2 * h) h = 0.5 * left;
    if (!(time + 0.1 * h > time)) return 'too-many-steps';
    const error = tryStep(work, method, time, h);
    // Where nothing comes of a step, a shorter one may do.
    const grown = Number.isFinite(error) ? error ** EXPONENT : Number.POSITIVE_INFINITY;
    if (!(error <= 1)) {
      h /= Math.min(SHORTER, grown / SAFETY);
      report.rejected++;
      retried = true;
      continue;
    }
    keepDense(work, method, time, h);
    time = last ? end : time + h;
    report.steps++;
    report.error = Math.max(report.error, error);
    pose.set(work.nextPose);
    nu.set(work.nextNu);
    const changes = changeCharts(work.charts, pose);
    report.chartChanges += changes;
    if (afterStep !== undefined) {
      method.pose.set(pose);
      method.nu.set(nu);
      afterStep(time, method.pose, method.nu);
    }
    // The last slope is the first of the next step; in another chart nu' is the same and q' is not.
    accelerations[0].set(accelerations[STAGES - 1]);
    if (changes > 0) ratesFromNu(work.dynamics.state, pose, nu, rates[0]);
    else rates[0].set(rates[STAGES - 1]);
    const factor = Math.max(1 / LONGER, Math.min(SHORTER, grown / before ** DAMPING / SAFETY));
    before = Math.max(error, 1e-4);
    h = retried ? Math.min(h, h / factor) : Math.min(longest, h / factor);
    retried = false;
  }
  return 'done';
}
