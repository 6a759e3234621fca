import { factorTree, solveLower, solveUpper } from '../../math/linear/sparse-ltl.js';
import { largestDiagonal } from '../../math/linear/vector.js';
import { reduceHessian, updateActiveSet } from '../../math/optimization/active-limits.js';
import { differentiate } from '../markers/derivatives.js';
import { applyLengths } from '../markers/length-groups.js';
import { evaluate, type MarkerProblem } from '../markers/marker-problem.js';
import type { DescentWorkspace } from '../markers/newton-step.js';
import { STATIONARITY_TOLERANCE } from '../problem/status.js';

/** Result of a length fit. */
export interface LengthFitResult {
  /** One factor per group of bones, in the order of `groups`; its own array. */
  readonly factors: Float64Array;
  /** The bones of each group. */
  readonly groups: readonly string[];
  /**
   * `converged`: stationary; `limit-blocked`: stationary, with the groups in `blocked` at their bounds; `stalled` and `iteration-limit` as for
   * poses; `unobserved`: no frame has an observed landmark.
   */
  readonly status: 'converged' | 'limit-blocked' | 'stalled' | 'iteration-limit' | 'unobserved';
  /** Groups whose factor is at its bound: a quarter of the `center`, or four times it. */
  readonly blocked: readonly string[];
  /** The initial factor of all groups: the scale of the landmarks relative to the figure. */
  readonly center: number;
  /** |P(s - grad) - s| over the factors s, for the mean f of the frames at their best poses plus the prior on the spread. */
  readonly stationarity: number;
  /** Passes over the frames. */
  readonly iterations: number;
}

/** A frame of the clip: its pose, and the function that sets its landmarks in the problem. */
interface LengthFrame {
  readonly pose: Float64Array;
  readonly prepare: () => void;
}

interface LengthFitOptions {
  /** The initial factor of the groups. */
  readonly center: number;
  /** Weight of the squared deviation of a factor from the mean of all factors. */
  readonly stiffness: number;
  /** Descends to the best pose for the current lengths; returns f. */
  readonly solve: (pose: Float64Array) => number;
  readonly workspace: DescentWorkspace;
}

/** Largest ratio of a factor to its initial value. */
const MAX_RATIO = 4;
const MAX_PASSES = 60;
/** Mean gradient, and step, that end the iteration. */
const GRADIENT_TOLERANCE = 1e-13;
const LAST_STEP = 1e-9;

/**
 * Newton's method over the length factors with the poses eliminated: for factors s and each frame's best pose q_f(s),
 *
 *   phi(s) = sum_f f_f(q_f(s), s) + 1/2 stiffness sum_g (s_g - mean s)^2
 *   grad = sum_f df_f/ds,   Hessian = sum_f (C_f - B_f^T A_f^-1 B_f) + stiffness (1 - 1/G)
 *
 * A, B, C are the blocks of a frame's Hessian over its pose (in the tangent space of its active limits) and the factors: the arrowhead
 * matrix of all poses and common lengths has one Schur complement per frame. Damped where phi does not decrease.
 */
export function fitFactors(
  problem: MarkerProblem,
  frames: readonly LengthFrame[],
  settings: LengthFitOptions,
): LengthFitResult {
  const { lengths, state } = problem;
  const { factors } = lengths;
  const count = factors.length;
  const [low, high] = [settings.center / MAX_RATIO, settings.center * MAX_RATIO];
  const base = { groups: lengths.names, blocked: [], center: settings.center };
  if (frames.length === 0) {
    return { ...base, factors: factors.slice(), status: 'unobserved', stationarity: 0, iterations: 0 };
  }
  const end = (status: 'converged' | 'stalled' | 'iteration-limit', iterations: number): LengthFitResult => {
    const blocked = lengths.names.filter((_, g) => isAtActiveBound(factors[g], gradient[g], low, high));
    return {
      ...base,
      factors: factors.slice(),
      status: status === 'converged' && blocked.length > 0 ? 'limit-blocked' : status,
      blocked,
      stationarity: stationarityOf(factors, gradient, frames.length, low, high),
      iterations,
    };
  };
  const gradient = new Float64Array(count);
  const schur = new Float64Array(count * count);
  const start = frames.map(({ pose }) => pose.slice());
  const previous = factors.slice();
  let phi = evaluateFrames(problem, frames, settings, gradient, schur);
  let damping = 0;
  let lastStep = Number.POSITIVE_INFINITY;
  for (let iterations = 1; ; ) {
    const stationarity = stationarityOf(factors, gradient, frames.length, low, high);
    if (
      stationarity <= GRADIENT_TOLERANCE ||
      (lastStep <= LAST_STEP && stationarity <= STATIONARITY_TOLERANCE)
    ) {
      return end('converged', iterations);
    }
    if (iterations >= MAX_PASSES) return end('iteration-limit', iterations);
    frames.forEach(({ pose }, f) => {
      start[f].set(pose);
    });
    previous.set(factors);
    const step = newtonStep(factors, gradient, schur, damping, low, high);
    factors.forEach((s, g) => {
      factors[g] = Math.min(high, Math.max(low, s + step[g]));
    });
    applyLengths(lengths, state);
    const next = evaluateFrames(problem, frames, settings, gradient, schur);
    iterations++;
    const moved = Math.max(...factors.map((s, g) => Math.abs(s - previous[g])));
    if (next <= phi * (1 + 1e-12)) {
      phi = next;
      damping = damping < 1e-6 ? 0 : damping / 10;
      lastStep = moved;
      continue;
    }
    // Reject: restores factors and poses, and increases the damping.
    factors.set(previous);
    applyLengths(lengths, state);
    frames.forEach(({ pose }, f) => {
      pose.set(start[f]);
    });
    phi = evaluateFrames(problem, frames, settings, gradient, schur);
    iterations++;
    damping = Math.max(1e-4, 10 * damping);
    if (damping > 1e4 || moved < 1e-13) {
      const finalStationarity = stationarityOf(factors, gradient, frames.length, low, high);
      return end(finalStationarity <= STATIONARITY_TOLERANCE ? 'converged' : 'stalled', iterations);
    }
  }
}

/** Whether a factor is at an active bound. */
function isAtActiveBound(s: number, gradient: number, low: number, high: number): boolean {
  return (s <= low && gradient > 0) || (s >= high && gradient < 0);
}

/** |P(s - g/F) - s| */
function stationarityOf(
  factors: Float64Array,
  gradient: Float64Array,
  frames: number,
  low: number,
  high: number,
): number {
  let sum = 0;
  factors.forEach((s, g) => {
    sum += (Math.min(high, Math.max(low, s - gradient[g] / frames)) - s) ** 2;
  });
  return Math.sqrt(sum);
}

/** Solves all frames for the current factors: phi, its gradient, and its Hessian (full storage). */
function evaluateFrames(
  problem: MarkerProblem,
  frames: readonly LengthFrame[],
  { stiffness, solve, workspace }: LengthFitOptions,
  gradient: Float64Array,
  schur: Float64Array,
): number {
  const { factors } = problem.lengths;
  const count = factors.length;
  gradient.fill(0);
  schur.fill(0);
  let phi = 0;
  for (const { pose, prepare } of frames) {
    prepare();
    phi += solve(pose);
    addFrame(problem, workspace, pose, gradient, schur);
  }
  const mean = factors.reduce((sum, s) => sum + s, 0) / count;
  factors.forEach((s, g) => {
    phi += 0.5 * stiffness * (s - mean) ** 2;
    gradient[g] += stiffness * (s - mean);
    for (let h = 0; h < count; h++) schur[g * count + h] += stiffness * ((g === h ? 1 : 0) - 1 / count);
  });
  return phi;
}

/** Adds df/ds and C - B^T A^-1 B of one frame at its best pose. */
function addFrame(
  problem: MarkerProblem,
  work: DescentWorkspace,
  pose: Float64Array,
  gradient: Float64Array,
  schur: Float64Array,
): void {
  const { derivatives, activeSet, factor } = work;
  const { size, hessian } = derivatives;
  const { predecessors } = problem;
  const n = pose.length;
  const count = size - n;
  let exact = true;
  for (;;) {
    evaluate(problem, pose);
    differentiate(problem, pose, exact, true, derivatives);
    updateActiveSet(activeSet, pose, derivatives.gradient);
    const unit = largestDiagonal(hessian, size, n);
    reduceHessian(activeSet, pose, hessian, size, unit);
    for (let k = 0; k < n; k++) {
      for (let l = k; l >= 0; l = predecessors[l]) factor[k * n + l] = hessian[k * size + l];
      factor[k * (n + 1)] += 1e-12 * unit;
    }
    if (factorTree(factor, n, predecessors) || !exact) break;
    // Not a minimum to second order: falls back to the Gauss-Newton part, which is positive semidefinite.
    exact = false;
  }
  // Rows of L^-T B; their products are B^T A^-1 B.
  const rows = Array.from({ length: count }, (_, g) => {
    const row = hessian.slice((n + g) * size, (n + g) * size + n);
    solveUpper(factor, n, predecessors, row);
    return row;
  });
  for (let g = 0; g < count; g++) {
    gradient[g] += derivatives.gradient[n + g];
    for (let h = 0; h <= g; h++) {
      let value = hessian[(n + g) * size + n + h];
      for (let k = 0; k < n; k++) value -= rows[g][k] * rows[h][k];
      schur[g * count + h] += value;
      if (h < g) schur[h * count + g] += value;
    }
  }
}

/** -(H + damping)^-1 g over the factors that are not at an active bound; no factor changes by more than a third. */
function newtonStep(
  factors: Float64Array,
  gradient: Float64Array,
  hessian: Float64Array,
  damping: number,
  low: number,
  high: number,
): Float64Array {
  const count = factors.length;
  const dense = Int32Array.from(factors, (_, g) => g - 1);
  const atBound = factors.map((s, g) => (isAtActiveBound(s, gradient[g], low, high) ? 1 : 0));
  let unit = 0;
  for (let g = 0; g < count; g++) unit = Math.max(unit, Math.abs(hessian[g * (count + 1)]));
  const step = new Float64Array(count);
  for (let shift = damping + 1e-12; shift < 1e6; shift = Math.max(1e-6, 10 * shift)) {
    const factor = hessian.slice();
    step.set(gradient.map((x, g) => (atBound[g] === 1 ? 0 : -x)));
    for (let g = 0; g < count; g++) {
      factor[g * (count + 1)] += shift * unit;
      if (atBound[g] === 0) continue;
      for (let h = 0; h < count; h++) {
        factor[g * count + h] = 0;
        factor[h * count + g] = 0;
      }
      factor[g * (count + 1)] = 1;
    }
    if (!factorTree(factor, count, dense)) continue;
    solveUpper(factor, count, dense, step);
    solveLower(factor, count, dense, step);
    break;
  }
  const longest = Math.max(...step.map((x, g) => Math.abs(x) / factors[g]));
  return longest > 1 / 3 ? step.map((x) => x / (3 * longest)) : step;
}
