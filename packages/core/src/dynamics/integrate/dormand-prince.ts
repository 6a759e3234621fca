import { ratesFromVelocity } from '../../figure/kinematics/velocity.js';
import { writeSlope } from './derivative.js';
import { changeCharts } from './rotate-pose.js';
import type { AfterStep, IntegrationWork, StepStatus } from './types.js';

/** Nodes of Dormand and Prince (1980), as in Hairer, Norsett, Wanner, *Solving ODEs I*, table II.5.2; the rows stand in `writeStage`. */
const NODES = [0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1] as const;
/** The fifth-order weights, which are the row of the last stage, less the fourth-order ones. */
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
  /** y at the start of the step. */
  readonly from: Float64Array;
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
    from: new Float64Array(2 * dof),
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

/** y of a stage: that of the start and h times the slopes before, by the row of the stage. Zeros are left out, not multiplied. */
function writeStage({ slopes, from, y }: DormandPrince, stage: number, h: number): void {
  const [k0, k1, k2, k3, k4, k5] = slopes;
  const n = y.length;
  if (stage === 1) {
    for (let i = 0; i < n; i++) y[i] = from[i] + h * (1 / 5) * k0[i];
  } else if (stage === 2) {
    for (let i = 0; i < n; i++) y[i] = from[i] + h * ((3 / 40) * k0[i] + (9 / 40) * k1[i]);
  } else if (stage === 3) {
    for (let i = 0; i < n; i++)
      y[i] = from[i] + h * ((44 / 45) * k0[i] - (56 / 15) * k1[i] + (32 / 9) * k2[i]);
  } else if (stage === 4) {
    for (let i = 0; i < n; i++) {
      const sum = (19372 / 6561) * k0[i] - (25360 / 2187) * k1[i] + (64448 / 6561) * k2[i];
      y[i] = from[i] + h * (sum - (212 / 729) * k3[i]);
    }
  } else if (stage === 5) {
    for (let i = 0; i < n; i++) {
      const sum = (9017 / 3168) * k0[i] - (355 / 33) * k1[i] + (46732 / 5247) * k2[i];
      y[i] = from[i] + h * (sum + (49 / 176) * k3[i] - (5103 / 18656) * k4[i]);
    }
  } else {
    for (let i = 0; i < n; i++) {
      const sum = (35 / 384) * k0[i] + (500 / 1113) * k2[i] + (125 / 192) * k3[i];
      y[i] = from[i] + h * (sum - (2187 / 6784) * k4[i] + (11 / 84) * k5[i]);
    }
  }
}

/**
 * Tries a step from the work's (pose, nu), whose slope stands at stage 0, to (nextPose, nextNu); leaves the slope there at stage 6.
 * @returns The error estimate in the norm of the tolerance, or NaN where there is nothing to go on with.
 */
export function tryStep(work: IntegrationWork, method: DormandPrince, time: number, h: number): number {
  const { slopes, y, from } = method;
  const { pose, nu, nextPose, nextNu } = work;
  from.set(pose);
  from.set(nu, pose.length);
  for (let stage = 1; stage < STAGES; stage++) {
    writeStage(method, stage, h);
    if (!slopeAt(work, method, stage, time + NODES[stage] * h)) return Number.NaN;
  }
  const [k0, , k2, k3, k4, k5, k6] = slopes;
  const [e0, , e2, e3, e4, e5, e6] = ERROR;
  let worst = 0;
  for (let i = 0; i < from.length; i++) {
    const sum = e0 * k0[i] + e2 * k2[i] + e3 * k3[i] + e4 * k4[i] + e5 * k5[i] + e6 * k6[i];
    const error = scaled(method, h * sum, from[i], y[i]);
    if (!(error <= worst)) worst = error;
  }
  nextPose.set(method.pose);
  nextNu.set(method.nu);
  return worst;
}

/** Keeps the step just tried for `sampleStep`: what the polynomial through its ends and slopes needs. */
export function keepDense(method: DormandPrince, time: number, h: number): void {
  const { slopes, dense, from, y, span } = method;
  const [k0, , k2, k3, k4, k5, k6] = slopes;
  const [d0, , d2, d3, d4, d5, d6] = DENSE;
  const n = y.length;
  for (let i = 0; i < n; i++) {
    const at = from[i];
    const difference = y[i] - at;
    const bend = h * k0[i] - difference;
    const sum = d0 * k0[i] + d2 * k2[i] + d3 * k3[i] + d4 * k4[i] + d5 * k5[i] + d6 * k6[i];
    dense[i] = at;
    dense[n + i] = difference;
    dense[2 * n + i] = bend;
    dense[3 * n + i] = difference - h * k6[i] - bend;
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
    keepDense(method, time, h);
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
    if (changes > 0) ratesFromVelocity(work.dynamics.state, pose, nu, rates[0]);
    else rates[0].set(rates[STAGES - 1]);
    const factor = Math.max(1 / LONGER, Math.min(SHORTER, grown / before ** DAMPING / SAFETY));
    before = Math.max(error, 1e-4);
    h = retried ? Math.min(h, h / factor) : Math.min(longest, h / factor);
    retried = false;
  }
  return 'done';
}
