import { projectRows, updateActiveSet } from './active-set.js';
import { differentiate, evaluate, type Problem, satisfied, writeGradient } from './problem.js';
import { regularizeCharts, writeTrial } from './trial.js';
import type { Workspace } from './workspace.js';

/** Projected gradient below which a pose is stationary: DESIGN.md asks for 1e-8, and this is well inside. */
const STATIONARY = 1e-9;
/** Below this gradient a direction of negative curvature is worth more than a Newton step. */
const FLAT = 1e-6;
/** Curvature, against the largest, that counts as negative and not as rounding. */
const CURVATURE_NOISE = 1e-6;
/** Central differences of the gradient: error about h^2, rounding eps / h. */
const DIFFERENCE = 1e-5;
/** Largest change of a coordinate in one step. */
const STEP_LIMIT = 0.7;
const HALVINGS = 30;

export interface SecondOrderResult {
  /** `escaped`: f fell through negative curvature, so a first-order descent is worth trying again. */
  readonly outcome: 'converged' | 'stationary' | 'escaped' | 'stalled' | 'iteration-limit';
  readonly objective: number;
  readonly iterations: number;
}

/**
 * Newton's method on the face of the active limits, in place on an allowed pose: for what Levenberg-Marquardt finds slow,
 * goals that cannot all be met (the curvature of r counts) and saddles (a straight arm with the target on its axis).
 *
 * H = d(J^T r)/dq + sum lambda_p d2g_p/dq2 restricted to the face, by central differences of the exact gradient. A positive
 * definite H gives a Newton step. At a stationary pose with negative curvature the pose is moved along it, to the side that
 * lowers f more, the first on a tie: a deterministic escape.
 */
export function secondOrderDescent(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  maxIterations: number,
): SecondOrderResult {
  const width = problem.coordinates.length;
  const hessian = work.hessian ?? new Float64Array(width * width);
  work.hessian = hessian;
  const face = new Float64Array(width);
  const direction = new Float64Array(width);
  let f = evaluate(problem, pose);
  for (let iterations = 0; ; iterations++) {
    if (satisfied(problem)) return { outcome: 'converged', objective: f, iterations };
    faceGradient(problem, work, pose, face);
    const slope = norm(face);
    if (iterations >= maxIterations) return { outcome: 'iteration-limit', objective: f, iterations };
    writeFaceHessian(problem, work, pose, hessian);
    const found = newtonOrNegativeCurvature(hessian, width, face, slope < FLAT, direction);
    if (slope <= STATIONARY && found !== 'negative') {
      evaluate(problem, pose);
      return { outcome: 'stationary', objective: f, iterations };
    }
    const next = lineSearch(problem, work, pose, direction, f, found === 'negative');
    if (!(next < f)) {
      evaluate(problem, pose);
      return { outcome: slope <= 10 * STATIONARY ? 'stationary' : 'stalled', objective: f, iterations };
    }
    f = next;
    pose.set(work.trial);
    regularizeCharts(problem, pose);
    if (found === 'negative') {
      f = evaluate(problem, pose);
      return { outcome: 'escaped', objective: f, iterations: iterations + 1 };
    }
  }
}

/** Gradient at a pose, active set found, and the gradient on the face to `out`. */
function faceGradient(problem: Problem, work: Workspace, pose: Float64Array, out: Float64Array): void {
  differentiate(problem, pose);
  writeGradient(problem, work.gradient);
  updateActiveSet(problem, work.activeSet, pose, work.gradient);
  out.set(work.gradient);
  projectRows(problem, work.activeSet, out, 1, out.length);
}

/**
 * Hessian of the Lagrangian on the face, full storage; directions out of the face get a unit diagonal, so that they
 * take no part in a Newton step.
 */
function writeFaceHessian(problem: Problem, work: Workspace, pose: Float64Array, out: Float64Array): void {
  const { coordinates, parts, jacobian } = problem;
  const { columnScale } = jacobian;
  const width = coordinates.length;
  const { trial, activeSet } = work;
  const plus = new Float64Array(width);
  const minus = new Float64Array(width);
  trial.set(pose);
  for (let k = 0; k < width; k++) {
    const i = coordinates[k];
    const h = DIFFERENCE * columnScale[k];
    trial[i] = pose[i] + h;
    gradientAt(problem, trial, plus);
    trial[i] = pose[i] - h;
    gradientAt(problem, trial, minus);
    trial[i] = pose[i];
    for (let l = 0; l < width; l++) out[k * width + l] = (plus[l] - minus[l]) / (2 * DIFFERENCE);
  }
  for (let k = 0; k < width; k++) {
    for (let l = 0; l < k; l++) {
      const mean = 0.5 * (out[k * width + l] + out[l * width + k]);
      out[k * width + l] = mean;
      out[l * width + k] = mean;
    }
  }
  const scratch = new Float64Array(9);
  for (let n = 0; n < parts.length; n++) {
    if (activeSet.active[n] === 0) continue;
    const { part, shape, column } = parts[n];
    // Multipliers are against the unit normal; g's own gradient has another length.
    shape.gradient(part.parameters, pose, part.coordinate, part.size, scratch, 0);
    let square = 0;
    for (let k = 0; k < part.size; k++) square += scratch[k] * scratch[k];
    const multiplier = activeSet.multipliers[n] / Math.sqrt(square);
    shape.hessian(part.parameters, pose, part.coordinate, part.size, scratch, 0);
    for (let k = 0; k < part.size; k++) {
      for (let l = 0; l < part.size; l++)
        out[(column + k) * width + column + l] += multiplier * scratch[k * part.size + l];
    }
  }
  projectRows(problem, activeSet, out, width, width);
  transpose(out, width);
  projectRows(problem, activeSet, out, width, width);
  for (let n = 0; n < parts.length; n++) {
    if (activeSet.active[n] === 0) continue;
    const { part, column } = parts[n];
    for (let k = column; k < column + part.size; k++) {
      for (let l = column; l < column + part.size; l++)
        out[k * width + l] += activeSet.normals[k] * activeSet.normals[l];
    }
  }
}

function gradientAt(problem: Problem, pose: Float64Array, out: Float64Array): void {
  evaluate(problem, pose);
  differentiate(problem, pose);
  writeGradient(problem, out);
}

/**
 * Factors H = L D L^T, keeping the pivots positive, and solves H d = -g. A pivot that comes out negative is raised (its
 * direction is descended like a slope); where `flat`, it gives a direction of negative curvature instead: z with
 * z^T H z = that pivot, from L^T z = e.
 */
function newtonOrNegativeCurvature(
  h: Float64Array,
  n: number,
  gradient: Float64Array,
  flat: boolean,
  out: Float64Array,
): 'newton' | 'negative' {
  let largest = 0;
  for (let k = 0; k < n; k++) largest = Math.max(largest, Math.abs(h[k * n + k]));
  const noise = CURVATURE_NOISE * Math.max(largest, 1e-12);
  let worst = -noise;
  let worstAt = -1;
  for (let j = 0; j < n; j++) {
    let pivot = h[j * n + j];
    for (let k = 0; k < j; k++) pivot -= h[j * n + k] * h[j * n + k] * h[k * n + k];
    if (pivot < worst) {
      worst = pivot;
      worstAt = j;
      if (flat) break;
    }
    // A null direction (a twist that moves nothing) takes no step; a negative one is climbed down at its own rate.
    const kept = Math.abs(pivot) <= noise ? largest + noise : Math.abs(pivot);
    h[j * n + j] = kept;
    for (let i = j + 1; i < n; i++) {
      let sum = h[i * n + j];
      for (let k = 0; k < j; k++) sum -= h[i * n + k] * h[j * n + k] * h[k * n + k];
      h[i * n + j] = sum / kept;
    }
  }
  if (flat && worstAt >= 0) {
    out.fill(0);
    out[worstAt] = 1;
    for (let i = worstAt - 1; i >= 0; i--) {
      let sum = -h[worstAt * n + i];
      for (let k = i + 1; k < worstAt; k++) sum -= h[k * n + i] * out[k];
      out[i] = sum;
    }
    return 'negative';
  }
  for (let i = 0; i < n; i++) {
    let sum = -gradient[i];
    for (let k = 0; k < i; k++) sum -= h[i * n + k] * out[k];
    out[i] = sum;
  }
  for (let i = 0; i < n; i++) out[i] /= h[i * n + i];
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) out[i] -= h[k * n + i] * out[k];
  }
  return 'newton';
}

/**
 * Halves the step until f falls; for a direction of negative curvature tries both sides and keeps the lower.
 *
 * @returns f at `work.trial`, or the given f when nothing lower was found.
 */
function lineSearch(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  direction: Float64Array,
  f: number,
  bothSides: boolean,
): number {
  const { step } = work;
  work.decided.fill(1);
  let largest = 0;
  for (const x of direction) largest = Math.max(largest, Math.abs(x));
  let length = bothSides ? STEP_LIMIT / largest : Math.min(1, STEP_LIMIT / largest);
  for (let halving = 0; halving < HALVINGS; halving++, length *= 0.5) {
    let best = f;
    let bestSide = 0;
    for (const side of bothSides ? [1, -1] : [1]) {
      for (let k = 0; k < step.length; k++) step[k] = side * length * direction[k];
      writeTrial(problem, work, pose);
      const next = evaluate(problem, work.trial);
      if (next < best) {
        best = next;
        bestSide = side;
      }
    }
    if (bestSide === 0) continue;
    for (let k = 0; k < step.length; k++) step[k] = bestSide * length * direction[k];
    writeTrial(problem, work, pose);
    return evaluate(problem, work.trial);
  }
  return f;
}

function transpose(m: Float64Array, n: number): void {
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
  for (const value of x) sum += value * value;
  return Math.sqrt(sum);
}
