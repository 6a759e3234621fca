import { intervalShape } from '../../figure/limits/interval.js';
import { factorTree, solveUpper } from '../../math/linear/sparse-ltl.js';
import { largestDiagonal } from '../../math/linear/vector.js';
import {
  type ColumnLimit,
  createActiveSet,
  reduceHessian,
  stationarityOf,
  updateActiveSet,
} from '../../math/optimization/active-limits.js';
import {
  createBoundedNewton,
  type Objective,
  takeStep,
  updateGradient,
  updateHessian,
} from '../../math/optimization/bounded-newton.js';
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
  /** Number of frames that decided the lengths. */
  readonly frames: number;
  /** Passes over these frames. */
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
/** Stationarity, and step, that end the iteration. */
const GRADIENT_TOLERANCE = 1e-13;
const LAST_STEP = 1e-9;
/** Relative change of phi within rounding. */
const ROUNDING = 1e-12;

/**
 * Newton's method over the length factors with the poses eliminated: for factors s and the best pose q_f(s) of each of F frames,
 *
 *   phi(s) = (sum_f f_f(q_f(s), s) + 1/2 stiffness sum_g (s_g - mean s)^2) / F
 *   F grad = sum_f df_f/ds + ...,   F Hessian = sum_f (C_f - B_f^T A_f^-1 B_f) + stiffness (1 - 1/G)
 *
 * A, B, C are the blocks of a frame's Hessian over its pose (in the tangent space of its active limits) and the factors: the arrowhead
 * matrix of all poses and common lengths has one Schur complement per frame.
 */
export function fitFactors(
  problem: MarkerProblem,
  frames: readonly LengthFrame[],
  settings: LengthFitOptions,
): LengthFitResult {
  const { lengths } = problem;
  const factors = lengths.factors.slice();
  const { center } = settings;
  const base = { groups: lengths.names, factors, center, frames: frames.length };
  if (frames.length === 0) {
    return { ...base, blocked: [], status: 'unobserved', stationarity: 0, iterations: 0 };
  }
  const objective = createObjective(problem, frames, settings);
  const newton = createBoundedNewton(
    objective,
    createActiveSet(
      boundsOf(factors, center),
      Int32Array.from(factors.keys()),
      new Float64Array(factors.length).fill(1),
    ),
    factors.length,
    { maxStep: center / 3, minDamping: 1e-12, initialDamping: 1e-4 },
  );
  const end = (
    status: 'converged' | 'stalled' | 'iteration-limit',
    stationarity: number,
  ): LengthFitResult => {
    const blocked = lengths.names.filter((_, g) => newton.activeSet.active[g] === 1);
    const { passes: iterations } = objective;
    const ending = status === 'converged' && blocked.length > 0 ? 'limit-blocked' : status;
    return { ...base, status: ending, blocked, stationarity, iterations };
  };
  let lastStep = Number.POSITIVE_INFINITY;
  newton.value = objective.evaluate(factors);
  for (;;) {
    objective.accept();
    updateGradient(newton, factors);
    const stationarity = stationarityOf(newton.activeSet, factors, newton.gradient, newton.trial);
    if (
      stationarity <= GRADIENT_TOLERANCE ||
      (lastStep <= LAST_STEP && stationarity <= STATIONARITY_TOLERANCE)
    ) {
      return end('converged', stationarity);
    }
    if (objective.passes >= MAX_PASSES) return end('iteration-limit', stationarity);
    updateHessian(newton, factors);
    if (!takeStep(newton, factors, ROUNDING * newton.value)) {
      objective.evaluate(factors);
      return end(stationarity <= STATIONARITY_TOLERANCE ? 'converged' : 'stalled', stationarity);
    }
    lastStep = Math.max(...factors.map((s, g) => Math.abs(newton.trial[g] - s)));
    factors.set(newton.trial);
  }
}

/** The bounds of the factors. */
function boundsOf(factors: Float64Array, center: number): ColumnLimit[] {
  const parameters = [center / MAX_RATIO, center * MAX_RATIO];
  return Array.from(factors, (_, g) => ({
    limit: { kind: 'interval', coordinate: g, size: 1, parameters },
    shape: intervalShape,
    column: g,
  }));
}

interface LengthObjective extends Objective {
  /** Passes over the frames so far. */
  passes: number;
  /** Accepts the poses found last: later evaluations start from them. */
  accept(): void;
}

/** phi, its gradient and its Hessian. */
function createObjective(
  problem: MarkerProblem,
  frames: readonly LengthFrame[],
  { stiffness, solve, workspace }: LengthFitOptions,
): LengthObjective {
  const { lengths, state } = problem;
  const count = lengths.factors.length;
  const start = frames.map(({ pose }) => pose.slice());
  const schur = new Float64Array(count * count);
  const scale = 1 / frames.length;
  const meanOf = (s: Float64Array): number => s.reduce((sum, x) => sum + x, 0) / count;
  return {
    passes: 0,
    accept: () =>
      frames.forEach(({ pose }, f) => {
        start[f].set(pose);
      }),
    evaluate(s) {
      this.passes++;
      lengths.factors.set(s);
      applyLengths(lengths, state);
      let phi = 0;
      frames.forEach(({ pose, prepare }, f) => {
        pose.set(start[f]);
        prepare();
        phi += solve(pose);
      });
      const mean = meanOf(s);
      for (const x of s) phi += 0.5 * stiffness * (x - mean) ** 2;
      return scale * phi;
    },
    writeGradient(s, gradient) {
      gradient.fill(0);
      schur.fill(0);
      for (const { pose, prepare } of frames) {
        prepare();
        addFrame(problem, workspace, pose, gradient, schur);
      }
      const mean = meanOf(s);
      s.forEach((x, g) => {
        gradient[g] = scale * (gradient[g] + stiffness * (x - mean));
      });
    },
    writeHessian(_s, hessian) {
      for (let g = 0; g < count; g++) {
        for (let h = 0; h <= g; h++) {
          hessian[g * count + h] =
            scale * (schur[g * count + h] + stiffness * ((g === h ? 1 : 0) - 1 / count));
        }
      }
    },
  };
}

/** Adds df/ds and C - B^T A^-1 B (lower triangle) of one frame at its best pose. */
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
    }
  }
}
