import { copyNumbers, zeroNumbers } from '../../math/linear/vector.js';
import { projectRows, updateActiveSet } from '../problem/active-set.js';
import {
  differentiate,
  evaluate,
  notFinite,
  type Problem,
  satisfied,
  writeGradient,
} from '../problem/problem.js';
import { regularizeCharts, writeTrial } from '../problem/projected-step.js';
import type { Workspace } from '../problem/workspace.js';
import { dampAndSolve, formColumnNormal, formRowNormal, multiplyTransposed } from './normal-equations.js';

/** Damping against the squared residual: lambda = mu |r|^2 (Sugihara 2011), mu adapted by the gain ratio. */
const MU_START = 0.3;
/** Factors after a good step and a rejected one: of 0.1 to 0.5 and 4 to 10 these took the fewest steps on arms, chains and bodies alike. */
const MU_LESS = 0.4;
const MU_MORE = 10;
const MU_LEAST = 1e-6;
const MU_MOST = 1e14;
/** Largest change of an angle in one step, rad: beyond it the linear model says nothing. Translations are linear. */
const STEP_LIMIT = 1.5;
/** Rounds of deciding which limits a step runs into. */
const CLIP_ROUNDS = 4;
/** So many steps in a row that lower f by less than this fraction end the descent as slow. */
const SLOW_FRACTION = 0.02;
const SLOW_STEPS = 4;
/** Columns [first, end) of a problem. */
export interface ColumnRange {
  readonly first: number;
  readonly end: number;
}

export interface DescentResult {
  readonly outcome: 'converged' | 'slow' | 'iteration-limit';
  /** f at the pose reached. */
  readonly objective: number;
  readonly iterations: number;
}

/** What a descent may be told to leave out. */
export interface DescentOptions {
  /** The columns that may move; all by default. */
  readonly block?: ColumnRange;
  /**
   * The fraction of f that the linear model, limits included, must promise at every step, else the descent ends as slow.
   * Near a solution it promises all of f, so this tells a descent that will end short many steps before its steps get
   * small. Default 0: a descent runs to its end.
   */
  readonly promise?: number;
}

/**
 * Levenberg-Marquardt on the face of the active limits, in place on an allowed pose. Every accepted pose is allowed: a
 * step that leaves a limit is projected to the nearest allowed point, and the rest of the step is solved again with that
 * part decided. Every accepted step lowers f. Ends when the goals are reached, or slow when steps gain little or the
 * linear model promises little.
 */
export function levenbergMarquardt(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  maxIterations: number,
  { block, promise = 0 }: DescentOptions = {},
): DescentResult {
  const { rows, residual, parts, jacobian } = problem;
  const { trial, gradient, activeSet, accepted } = work;
  let f = evaluate(problem, pose);
  if (!(f < Number.POSITIVE_INFINITY)) throw notFinite(f);
  work.onIterate?.(pose, f);
  let mu = MU_START;
  let slow = 0;
  let iterations = 0;
  while (!satisfied(problem)) {
    differentiate(problem, pose);
    if (parts.length > 0) {
      writeGradient(problem, gradient);
      updateActiveSet(problem, activeSet, pose, gradient);
      projectRows(problem, activeSet, jacobian.values, rows, jacobian.width);
    }
    if (block !== undefined) keepColumns(problem, block);
    copyNumbers(residual, accepted, rows);
    const before = f;
    for (let rejected = false; f === before; rejected = true) {
      // The Jacobian is still that of the pose; of the evaluation only the residual is needed again.
      if (rejected) copyNumbers(accepted, residual, rows);
      const spent = iterations >= maxIterations;
      const predicted = spent || mu > MU_MOST ? 0 : takeStep(problem, work, pose, mu * 2 * f);
      if (predicted === 0 || predicted < promise * f) {
        evaluate(problem, pose);
        return { outcome: spent ? 'iteration-limit' : 'slow', objective: f, iterations };
      }
      const next = evaluate(problem, trial);
      iterations++;
      const gain = (f - next) / predicted;
      if (next < f && gain > 1e-3) {
        if (gain > 0.7) mu = Math.max(MU_LEAST, mu * MU_LESS);
        else if (gain < 0.3) mu *= 3;
        f = next;
      } else {
        mu *= MU_MORE;
      }
    }
    copyNumbers(trial, pose, pose.length);
    regularizeCharts(problem, pose);
    work.onIterate?.(pose, f);
    slow = f > before * (1 - SLOW_FRACTION) ? slow + 1 : 0;
    if (slow >= SLOW_STEPS)
      return { outcome: satisfied(problem) ? 'converged' : 'slow', objective: f, iterations };
  }
  return { outcome: 'converged', objective: f, iterations };
}

/** Zeroes the Jacobian outside a block of columns. */
function keepColumns({ jacobian, rows }: Problem, { first, end }: ColumnRange): void {
  const { values, width } = jacobian;
  for (let r = 0; r < rows; r++) {
    values.fill(0, r * width, r * width + first);
    values.fill(0, r * width + end, (r + 1) * width);
  }
}

/**
 * Writes the trial pose for the damping lambda: minimize |r + J d|^2 + lambda |d|^2 over the face, the limits met on the
 * way decided one round after the other. Returns the fall of f that the linear model predicts for the change really made.
 */
function takeStep(problem: Problem, work: Workspace, pose: Float64Array, lambda: number): number {
  const { jacobian, rows, residual } = problem;
  const { width, values } = jacobian;
  const { undecided, decided, step, remaining } = work;
  zeroNumbers(decided, width);
  copyNumbers(residual, remaining, rows);
  solveDamped(problem, work, values, lambda);
  let hit = writeTrial(problem, work, pose);
  for (let round = 0; hit > 0 && round < CLIP_ROUNDS; round++) {
    // What was hit keeps the change it got; the others are solved for against what remains.
    copyNumbers(values, undecided, rows * width);
    copyNumbers(residual, remaining, rows);
    for (let k = 0; k < width; k++) {
      if (decided[k] === 0) continue;
      for (let r = 0; r < rows; r++) {
        remaining[r] += values[r * width + k] * step[k];
        undecided[r * width + k] = 0;
      }
    }
    solveDamped(problem, work, undecided, lambda);
    hit = writeTrial(problem, work, pose);
  }
  return Math.max(predictedFall(problem, work), Number.MIN_VALUE);
}

/** |r|^2/2 - |r + J d|^2/2 for the change really made. */
function predictedFall({ jacobian, rows, residual }: Problem, { step }: Workspace): number {
  const { values, width } = jacobian;
  let fall = 0;
  for (let r = 0; r < rows; r++) {
    let change = 0;
    for (let k = 0, o = r * width; k < width; k++) change += values[o + k] * step[k];
    fall -= change * (residual[r] + 0.5 * change);
  }
  return fall;
}

/**
 * d = -J^T (J J^T + lambda I)^-1 r, or -(J^T J + lambda I)^-1 J^T r where there are more rows than columns; cut to
 * STEP_LIMIT and written to `step` where the column is not decided.
 */
function solveDamped(problem: Problem, work: Workspace, j: Float64Array, lambda: number): void {
  const { rows, jacobian, translates } = problem;
  const { width } = jacobian;
  const { remaining, rowSolution, direction, decided, step } = work;
  if (rows <= width) {
    formRowNormal(work.normal, j, rows, width, problem.rowRanges);
    copyNumbers(remaining, rowSolution, rows);
    dampAndSolve(work.normal, rows, lambda, rowSolution);
    multiplyTransposed(j, rows, width, rowSolution, direction);
  } else {
    formColumnNormal(work.normal, j, rows, width);
    multiplyTransposed(j, rows, width, remaining, direction);
    dampAndSolve(work.normal, width, lambda, direction);
  }
  let largest = 0;
  for (let k = 0; k < width; k++) {
    if (translates[k] === 0) largest = Math.max(largest, Math.abs(direction[k]));
  }
  const factor = largest > STEP_LIMIT ? -STEP_LIMIT / largest : -1;
  for (let k = 0; k < width; k++) if (decided[k] === 0) step[k] = factor * direction[k];
}
