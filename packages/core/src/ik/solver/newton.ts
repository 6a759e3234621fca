import * as cholesky from '../../math/linear/cholesky.js';
import { type ActiveSet, projectOutNormals, updateActiveSet } from '../problem/active-set.js';
import { writeHessian } from '../problem/hessian.js';
import { differentiate, evaluate, type Problem, satisfied, writeGradient } from '../problem/problem.js';
import { projectStep, regularizeCharts } from '../problem/projected-step.js';
import type { NewtonArrays, Workspace } from '../problem/workspace.js';

/** Face gradient below which a pose is stationary: DESIGN.md asks for 1e-8, and this is well inside. */
const GRADIENT_TOLERANCE = 1e-9;
/** Curvature, against the largest, that counts as negative and not as rounding. */
const CURVATURE_NOISE = 1e-9;
/** Largest change of an angle in one step, rad. */
const MAX_STEP = 1;
/** Rounds of deciding which limits a step runs into. */
const MAX_PROJECTION_ROUNDS = 8;
/** Damping against the largest curvature: where it starts when it is needed, and where a step is given up. */
const INITIAL_DAMPING = 1e-9;
const DAMPING_FACTOR = 10;
const MAX_DAMPING = 1e12;
const MAX_HALVINGS = 24;

export interface NewtonResult {
  /** `escaped`: f fell through negative curvature, so a first-order descent is worth trying again. */
  readonly outcome: 'converged' | 'stationary' | 'escaped' | 'stalled' | 'iteration-limit';
  readonly iterations: number;
}

/**
 * Newton's method on the face of the active limits, in place on an allowed pose: for what Levenberg-Marquardt finds slow,
 * goals that cannot all be met (the curvature of r counts) and saddles (a straight arm with the target on its axis).
 *
 * The Hessian is that of the Lagrangian, f + sum lambda_p g_p, on the face. It is damped until it is positive definite and the
 * step lowers f (More 1983); limits met on the way are decided and the rest is solved again. A stationary pose with negative
 * curvature is left along it, to the side that lowers f more, the first on a tie: a deterministic escape.
 */
export function newtonDescent(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  maxIterations: number,
): NewtonResult {
  const arrays = work.newton();
  let f = evaluate(problem, pose);
  let damping = 0;
  for (let iterations = 0; ; iterations++) {
    if (satisfied(problem)) return { outcome: 'converged', iterations };
    writeReducedGradient(problem, work, pose, arrays.reducedGradient);
    const slope = norm(arrays.reducedGradient);
    if (iterations >= maxIterations) return { outcome: 'iteration-limit', iterations };
    const scale = writeReducedHessian(problem, work, pose, arrays);
    if (slope <= GRADIENT_TOLERANCE) {
      const next = followNegativeCurvature(problem, work, pose, arrays, scale, f);
      if (!(next < f)) return { outcome: 'stationary', iterations };
      accept(problem, work, pose, next);
      return { outcome: 'escaped', iterations: iterations + 1 };
    }
    let step = dampedStep(problem, work, pose, arrays, f, slope, scale, damping);
    // Near the end a step must flatten the slope, which a damping left over from the way here can prevent.
    if (step === undefined && damping > 0) step = dampedStep(problem, work, pose, arrays, f, slope, scale, 0);
    if (step === undefined) {
      evaluate(problem, pose);
      return { outcome: 'stalled', iterations };
    }
    ({ damping } = step);
    // Where the Hessian is indefinite, a damped step creeps along the slope; the curvature may lead lower.
    if (step.indefinite) {
      arrays.scratchPose.set(work.trial);
      const next = followNegativeCurvature(problem, work, pose, arrays, scale, step.objective);
      if (next < step.objective) {
        accept(problem, work, pose, next);
        return { outcome: 'escaped', iterations: iterations + 1 };
      }
      work.trial.set(arrays.scratchPose);
      evaluate(problem, work.trial);
    }
    f = step.objective;
    accept(problem, work, pose, f);
  }
}

/** Makes the pose under trial the pose. */
function accept(problem: Problem, work: Workspace, pose: Float64Array, f: number): void {
  pose.set(work.trial);
  regularizeCharts(problem, pose);
  work.onIterate?.(pose, f);
}

/** Gradient at the pose last evaluated, active set found, and the gradient on the face to `out`. */
function writeReducedGradient(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  out: Float64Array,
): void {
  differentiate(problem, pose);
  writeGradient(problem, work.gradient);
  updateActiveSet(problem, work.activeSet, pose, work.gradient);
  out.set(work.gradient);
  projectOutNormals(problem, work.activeSet, out, 1, out.length);
}

/**
 * Hessian of the Lagrangian on the face, Z H Z, full storage. Directions out of the face are left zero.
 *
 * @returns the largest curvature of f itself along a coordinate, the measure for damping and noise. Those of the limits are
 * no measure: in a limit a hair wide they are 1e8 times the goals', and damping by them would stop every other joint.
 */
function writeReducedHessian(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  arrays: NewtonArrays,
): number {
  const { hessian: out, limitDerivatives } = arrays;
  const width = problem.coordinates.length;
  const { activeSet } = work;
  writeHessian(problem, pose, out);
  let largest = 0;
  for (let k = 0; k < width; k++) largest = Math.max(largest, Math.abs(out[k * width + k]));
  addLimitCurvature(problem, activeSet, pose, out, limitDerivatives);
  projectOutNormals(problem, activeSet, out, width, width);
  transpose(out, width);
  projectOutNormals(problem, activeSet, out, width, width);
  return largest;
}

/** Adds lambda d2g of each active limit, which follows a curved boundary, to a matrix of columns by columns. */
export function addLimitCurvature(
  { limits, coordinates }: Problem,
  activeSet: ActiveSet,
  pose: Float64Array,
  out: Float64Array,
  small: Float64Array,
): void {
  const width = coordinates.length;
  for (let n = 0; n < limits.length; n++) {
    if (activeSet.active[n] === 0) continue;
    const { limit, shape, column } = limits[n];
    // Multipliers are against the unit normal; g's own gradient has another length.
    shape.gradient(limit.parameters, pose, limit.coordinate, limit.size, small, 0);
    let square = 0;
    for (let k = 0; k < limit.size; k++) square += small[k] * small[k];
    const multiplier = activeSet.multipliers[n] / Math.sqrt(square);
    shape.hessian(limit.parameters, pose, limit.coordinate, limit.size, small, 0);
    for (let k = 0; k < limit.size; k++) {
      const row = (column + k) * width + column;
      for (let l = 0; l < limit.size; l++) out[row + l] += multiplier * small[k * limit.size + l];
    }
  }
}

interface DampedStep {
  readonly objective: number;
  /** Damping to start the next step with. */
  readonly damping: number;
  /** Whether the Hessian on the face was found not to be positive definite. */
  readonly indefinite: boolean;
}

/**
 * Finds the least damping, from the one that served last, whose step is well defined and lowers f; leaves the pose in
 * `work.trial`. Undefined when none does.
 */
function dampedStep(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  arrays: NewtonArrays,
  f: number,
  slope: number,
  scale: number,
  from: number,
): DampedStep | undefined {
  const { reducedGradient } = arrays;
  let indefinite = false;
  for (
    let damping = from;
    damping <= MAX_DAMPING;
    damping = Math.max(INITIAL_DAMPING, DAMPING_FACTOR * damping)
  ) {
    const fall = newtonStep(problem, work, pose, arrays, (damping + CURVATURE_NOISE) * scale);
    if (fall === undefined) {
      indefinite = true;
      continue;
    }
    const next = evaluate(problem, work.trial);
    if (next < f && f - next > 1e-4 * fall) {
      const gain = (f - next) / fall;
      return { objective: next, damping: gain > 0.75 ? decreaseDamping(damping) : damping, indefinite };
    }
    // Near the end f no longer shows the difference that the gradient does.
    if (Math.abs(next - f) <= 1e-14 * f) {
      writeReducedGradient(problem, work, work.trial, arrays.direction);
      const flatter = norm(arrays.direction) < 0.5 * slope;
      evaluate(problem, pose);
      writeReducedGradient(problem, work, pose, reducedGradient);
      if (flatter) return { objective: evaluate(problem, work.trial), damping: 0, indefinite: false };
    }
  }
  return undefined;
}

function decreaseDamping(damping: number): number {
  return damping <= INITIAL_DAMPING ? 0 : damping / DAMPING_FACTOR ** 2;
}

/**
 * Solves (H + damping) d = -g on the face, with limits met on the way decided one round after the other, and writes the
 * trial pose. Returns the fall of f that the quadratic model predicts, or undefined when H + damping is not positive
 * definite or the model predicts no fall.
 */
function newtonStep(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  arrays: NewtonArrays,
  damping: number,
): number | undefined {
  const { hessian, factor, reducedGradient, direction } = arrays;
  const { fixed, step } = work;
  const width = reducedGradient.length;
  fixed.fill(0);
  step.fill(0);
  for (let round = 0; round <= MAX_PROJECTION_ROUNDS; round++) {
    for (let k = 0; k < width; k++) {
      const row = k * width;
      for (let l = 0; l <= k; l++) factor[row + l] = hessian[row + l];
      factor[row + k] += damping;
      direction[k] = -reducedGradient[k];
    }
    if (round > 0) eliminateFixed(hessian, factor, fixed, step, direction);
    if (!cholesky.factor(factor, width)) return undefined;
    cholesky.solve(factor, width, direction);
    // Out of the face H is zero and the damping tiny: what rounding left there of -g has grown, and would leave the limit.
    projectOutNormals(problem, work.activeSet, direction, 1, width);
    let longest = 0;
    for (let k = 0; k < width; k++) {
      if (fixed[k] === 0 && problem.translates[k] === 0) longest = Math.max(longest, Math.abs(direction[k]));
    }
    const shrink = longest > MAX_STEP ? MAX_STEP / longest : 1;
    for (let k = 0; k < width; k++) if (fixed[k] === 0) step[k] = shrink * direction[k];
    if (projectStep(problem, work, pose) === 0) break;
  }
  // -(g.d + d.H d / 2) with the change really made.
  let fall = 0;
  for (let k = 0; k < width; k++) {
    let curvature = 0;
    for (let l = 0; l < width; l++) curvature += hessian[k * width + l] * step[l];
    fall -= step[k] * (reducedGradient[k] + 0.5 * curvature);
  }
  return fall > 0 ? fall : undefined;
}

/** Takes the decided columns out of the system and puts what their change does on the right-hand side. */
function eliminateFixed(
  hessian: Float64Array,
  factor: Float64Array,
  decided: Uint8Array,
  step: Float64Array,
  right: Float64Array,
): void {
  const width = right.length;
  for (let k = 0; k < width; k++) {
    if (decided[k] === 0) continue;
    for (let l = 0; l < width; l++) if (decided[l] === 0) right[l] -= hessian[l * width + k] * step[k];
    for (let l = 0; l < k; l++) factor[k * width + l] = 0;
    for (let l = k + 1; l < width; l++) factor[l * width + k] = 0;
    factor[k * width + k] = 1;
    right[k] = 0;
  }
}

/**
 * Moves the trial pose along a direction of negative curvature of the face Hessian, if there is one.
 *
 * @returns f at `work.trial`, or the given f where there is none or it leads nowhere lower.
 */
function followNegativeCurvature(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  arrays: NewtonArrays,
  scale: number,
  f: number,
): number {
  const { hessian, direction } = arrays;
  return writeNegativeCurvature(hessian, scale, direction)
    ? searchBothDirections(problem, work, pose, direction, f)
    : f;
}

/**
 * Writes a direction z of negative curvature of H to `z`: H = L D L^T, in place, runs until a pivot is negative; z from L^T z = e
 * there has z^T H z = that pivot. Null directions (a twist that moves nothing) are passed over.
 *
 * @param scale - The largest curvature, the measure of noise.
 * @returns false where there is none.
 */
export function writeNegativeCurvature(h: Float64Array, scale: number, z: Float64Array): boolean {
  const n = z.length;
  const noise = 1e-7 * scale;
  for (let j = 0; j < n; j++) {
    let pivot = h[j * n + j];
    for (let k = 0; k < j; k++) pivot -= h[j * n + k] * h[j * n + k] * h[k * n + k];
    if (pivot < -noise) {
      z.fill(0);
      z[j] = 1;
      for (let i = j - 1; i >= 0; i--) {
        let sum = -h[j * n + i];
        for (let k = i + 1; k < j; k++) sum -= h[k * n + i] * z[k];
        z[i] = sum;
      }
      return true;
    }
    const kept = pivot <= noise ? scale + noise : pivot;
    h[j * n + j] = kept;
    for (let i = j + 1; i < n; i++) {
      let sum = h[i * n + j];
      for (let k = 0; k < j; k++) sum -= h[i * n + k] * h[j * n + k] * h[k * n + k];
      h[i * n + j] = sum / kept;
    }
  }
  return false;
}

/** Steps to both sides along a direction, halved until one lowers f; leaves the lower in `work.trial`. */
function searchBothDirections(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  direction: Float64Array,
  f: number,
): number {
  const { step } = work;
  work.fixed.fill(1);
  let longest = 0;
  for (const x of direction) longest = Math.max(longest, Math.abs(x));
  for (let halving = 0, length = MAX_STEP / longest; halving < MAX_HALVINGS; halving++, length *= 0.5) {
    const at = (side: number): number => {
      for (let k = 0; k < step.length; k++) step[k] = side * length * direction[k];
      projectStep(problem, work, pose);
      return evaluate(problem, work.trial);
    };
    const plus = at(1);
    const minus = at(-1);
    const lowest = Math.min(plus, minus);
    if (lowest < f) return minus < plus ? minus : at(1);
  }
  return f;
}

/** Transposes a square matrix in place. */
export function transpose(m: Float64Array, n: number): void {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      const x = m[i * n + j];
      m[i * n + j] = m[j * n + i];
      m[j * n + i] = x;
    }
  }
}

function norm(x: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < x.length; k++) sum += x[k] * x[k];
  return Math.sqrt(sum);
}
