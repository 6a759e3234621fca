import { regularizeCharts } from '../../figure/model/regularize.js';
import * as cholesky from '../../math/linear/cholesky.js';
import * as ldl from '../../math/linear/ldl.js';
import { norm } from '../../math/linear/vector.js';
import {
  addLimitCurvature,
  projectOutNormals,
  projectStep,
  updateActiveSet,
} from '../../math/optimization/active-limits.js';
import { writeHessian } from '../problem/hessian.js';
import { differentiate, evaluate, type Problem, satisfied, writeGradient } from '../problem/problem.js';
import { GRADIENT_TOLERANCE } from '../problem/status.js';
import type { NewtonArrays, Workspace } from '../problem/workspace.js';
import { levenbergMarquardt } from './levenberg-marquardt.js';

/** Relative curvature below which a negative one is rounding. */
const CURVATURE_NOISE = 1e-9;
/** Largest change of an angle in one step, rad. */
const MAX_STEP = 1;
/** Rounds of projection onto the limits that a step reaches. */
const MAX_PROJECTION_ROUNDS = 8;
/** Damping relative to the largest curvature: its first nonzero value, and the limit at which a step is given up. */
const INITIAL_DAMPING = 1e-9;
const DAMPING_FACTOR = 10;
const MAX_DAMPING = 1e12;
const MAX_HALVINGS = 24;

export interface NewtonResult {
  /** `escaped`: f was lowered along negative curvature, so Levenberg-Marquardt may converge again. */
  readonly outcome: 'converged' | 'stationary' | 'escaped' | 'stalled' | 'iteration-limit';
  readonly iterations: number;
}

/**
 * Newton's method in the tangent space of the active limits, in place on an allowed pose: for problems on which Levenberg-Marquardt
 * is slow, goals that cannot all be met (the curvature of r matters) and saddles (a straight arm with the target on its axis).
 *
 * The reduced Hessian is that of the Lagrangian, f + sum lambda_p g_p. It is damped until it is positive definite and the step
 * lowers f (More 1983); the columns of limits that a step reaches are fixed and the step is solved again. A saddle is left along
 * negative curvature, with the sign that lowers f more, the positive one on a tie: a deterministic escape.
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
    const gradientNorm = norm(arrays.reducedGradient);
    if (iterations >= maxIterations) return { outcome: 'iteration-limit', iterations };
    const largestCurvature = writeReducedHessian(problem, work, pose, arrays);
    if (gradientNorm <= GRADIENT_TOLERANCE) {
      const next = followNegativeCurvature(problem, work, pose, arrays, largestCurvature, f);
      if (!(next < f)) return { outcome: 'stationary', iterations };
      accept(problem, work, pose, next);
      return { outcome: 'escaped', iterations: iterations + 1 };
    }
    let step = dampedStep(problem, work, pose, arrays, f, gradientNorm, largestCurvature, damping);
    // Near the minimum a step must reduce the gradient, which the damping of earlier steps can prevent.
    if (step === undefined && damping > 0) {
      step = dampedStep(problem, work, pose, arrays, f, gradientNorm, largestCurvature, 0);
    }
    if (step === undefined) {
      evaluate(problem, pose);
      return { outcome: 'stalled', iterations };
    }
    ({ damping } = step);
    // Where the Hessian is indefinite a damped step is short; negative curvature may lead lower.
    if (step.indefinite) {
      arrays.scratchPose.set(work.trial);
      const next = followNegativeCurvature(problem, work, pose, arrays, largestCurvature, step.objective);
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

/** Accepts the trial pose. */
function accept(problem: Problem, work: Workspace, pose: Float64Array, f: number): void {
  pose.set(work.trial);
  regularizeCharts(problem.charts, pose);
  work.onIterate?.(pose, f);
}

/** Updates gradient and active set at the pose last evaluated, and writes the reduced gradient. */
function writeReducedGradient(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  out: Float64Array,
): void {
  differentiate(problem, pose);
  writeGradient(problem, work.gradient);
  updateActiveSet(work.activeSet, pose, work.gradient);
  out.set(work.gradient);
  projectOutNormals(work.activeSet, out);
}

/**
 * Reduced Hessian of the Lagrangian, Z H Z, full storage. The normal directions of the active limits are left zero.
 *
 * @returns the largest curvature of f itself along a coordinate, the scale of damping and rounding. The curvature of the limits is
 * left out: in a very narrow limit it is 1e8 times that of the goals, and such a damping would stop every other joint.
 */
function writeReducedHessian(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  arrays: NewtonArrays,
): number {
  const { hessian: out } = arrays;
  const width = problem.coordinates.length;
  const { activeSet } = work;
  writeHessian(problem, pose, out);
  let largest = 0;
  for (let k = 0; k < width; k++) largest = Math.max(largest, Math.abs(out[k * width + k]));
  addLimitCurvature(activeSet, pose, out, width);
  projectOutNormals(activeSet, out, width, width);
  transpose(out, width);
  projectOutNormals(activeSet, out, width, width);
  return largest;
}

interface DampedStep {
  readonly objective: number;
  /** Initial damping of the next step. */
  readonly damping: number;
  /** Whether the reduced Hessian is not positive definite. */
  readonly indefinite: boolean;
}

/**
 * Finds the least damping, from the given one on, whose step is well defined and lowers f; leaves the pose in `work.trial`.
 * Undefined when there is none.
 */
function dampedStep(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  arrays: NewtonArrays,
  f: number,
  gradientNorm: number,
  largestCurvature: number,
  initialDamping: number,
): DampedStep | undefined {
  const { reducedGradient } = arrays;
  let indefinite = false;
  for (
    let damping = initialDamping;
    damping <= MAX_DAMPING;
    damping = Math.max(INITIAL_DAMPING, DAMPING_FACTOR * damping)
  ) {
    const predictedDecrease = newtonStep(
      problem,
      work,
      pose,
      arrays,
      (damping + CURVATURE_NOISE) * largestCurvature,
    );
    if (predictedDecrease === undefined) {
      indefinite = true;
      continue;
    }
    const next = evaluate(problem, work.trial);
    const actualDecrease = f - next;
    if (next < f && actualDecrease > 1e-4 * predictedDecrease) {
      const gainRatio = actualDecrease / predictedDecrease;
      return { objective: next, damping: gainRatio > 0.75 ? decreaseDamping(damping) : damping, indefinite };
    }
    // Near the minimum the change of f is rounding, and the gradient decides.
    if (Math.abs(next - f) <= 1e-14 * f) {
      writeReducedGradient(problem, work, work.trial, arrays.direction);
      const halved = norm(arrays.direction) < 0.5 * gradientNorm;
      evaluate(problem, pose);
      writeReducedGradient(problem, work, pose, reducedGradient);
      if (halved) return { objective: evaluate(problem, work.trial), damping: 0, indefinite: false };
    }
  }
  return undefined;
}

function decreaseDamping(damping: number): number {
  return damping <= INITIAL_DAMPING ? 0 : damping / DAMPING_FACTOR ** 2;
}

/**
 * Solves (H + damping) d = -g in the tangent space, in each round with the columns of reached limits fixed, and writes the trial
 * pose. Returns the decrease of f that the quadratic model predicts, or undefined when H + damping is not positive definite or
 * the model predicts no decrease.
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
    // Along the normals H is zero and the damping tiny, so a rounding error of -g there has grown and would leave the limit.
    projectOutNormals(work.activeSet, direction);
    let longest = 0;
    for (let k = 0; k < width; k++) {
      if (fixed[k] === 0 && problem.translates[k] === 0) longest = Math.max(longest, Math.abs(direction[k]));
    }
    const shrink = longest > MAX_STEP ? MAX_STEP / longest : 1;
    for (let k = 0; k < width; k++) if (fixed[k] === 0) step[k] = shrink * direction[k];
    if (projectStep(work.activeSet, pose, step, work.trial, work.fixed) === 0) break;
  }
  // -(g.d + d.H d / 2) with the projected step.
  let decrease = 0;
  for (let k = 0; k < width; k++) {
    let curvature = 0;
    for (let l = 0; l < width; l++) curvature += hessian[k * width + l] * step[l];
    decrease -= step[k] * (reducedGradient[k] + 0.5 * curvature);
  }
  return decrease > 0 ? decrease : undefined;
}

/** Eliminates the fixed columns from the system and moves their step to the right-hand side. */
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
 * Moves the trial pose along a direction of negative curvature of the reduced Hessian, if there is one.
 *
 * @returns f at `work.trial`, or the given f where there is none or it does not lower f.
 */
function followNegativeCurvature(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  arrays: NewtonArrays,
  largestCurvature: number,
  f: number,
): number {
  const { hessian, direction } = arrays;
  return ldl.writeNegativeCurvature(hessian, largestCurvature, direction)
    ? searchBothDirections(problem, work, pose, direction, f)
    : f;
}

/** Line search along a direction and its opposite, the step halved until one lowers f; leaves the lower in `work.trial`. */
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
    const at = (sign: number): number => {
      for (let k = 0; k < step.length; k++) step[k] = sign * length * direction[k];
      projectStep(work.activeSet, pose, step, work.trial, work.fixed);
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

/** Newton's method to a stationary pose; after each escape from a saddle, Levenberg-Marquardt first. */
export function newtonDescentWithEscapes(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  maxIterations: number,
): { readonly iterations: number; readonly stopped: boolean } {
  let iterations = 0;
  for (;;) {
    const second = newtonDescent(problem, work, pose, Math.max(0, maxIterations - iterations));
    iterations += second.iterations;
    if (second.outcome !== 'escaped') return { iterations, stopped: second.outcome === 'iteration-limit' };
    const first = levenbergMarquardt(problem, work, pose, Math.max(0, maxIterations - iterations));
    iterations += first.iterations;
    if (first.outcome === 'converged') return { iterations, stopped: false };
  }
}
