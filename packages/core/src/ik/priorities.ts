import { type ActiveLimit, activeLimitsOf } from './active-limits.js';
import { copyNumbers } from './arrays.js';
import { createHeldFace, type HeldFace, keepOpenWays, updateHeldFace } from './held-face.js';
import { dampAndSolve, formColumnNormal, formRowNormal, multiplyTransposed } from './normal-equations.js';
import { differentiate, evaluate, joined, type Problem, satisfied, writeGradient } from './problem.js';
import { regularizeCharts, writeTrial } from './trial.js';
import { createWorkspace, type IterateObserver, type Workspace } from './workspace.js';

/** Slope below which a pose is stationary: DESIGN.md asks for 1e-8, and this is well inside. */
const STATIONARY = 1e-9;
/** How far the rows of earlier priorities may stray from what they have reached, normalized. */
const HOLD = 1e-10;
const HOLD_STEPS = 8;
/** Largest change of an angle in one step, rad. */
const STEP_LIMIT = 1;
/** Damping against the largest diagonal: at the start, least, and where a descent is given up. */
const DAMPING_START = 1e-4;
const DAMPING_LEAST = 1e-12;
const DAMPING_MOST = 1e8;

/** The goals of a later priority, and those before it, which they must leave as they are. */
export interface Later {
  readonly problem: Problem;
  readonly held: Problem;
  readonly work: Workspace;
  readonly heldWork: Workspace;
  readonly face: HeldFace;
  /** What the rows of `held` have come to. */
  readonly wanted: Float64Array;
  /** The columns that rows along the open ways touch: all. */
  readonly ranges: Int32Array;
  /** How the last descent ended. */
  outcome: LaterOutcome;
}

interface LaterOutcome {
  readonly objective: number;
  /** |slope| at the end. */
  readonly stationarity: number | undefined;
  readonly stopped: boolean;
  readonly activeLimits: readonly ActiveLimit[];
}

export function createLater(
  problems: readonly Problem[],
  onIterate: IterateObserver | undefined,
): readonly Later[] {
  return problems.slice(1).map((problem, n) => {
    const held = joined(problems.slice(0, n + 1));
    const width = problem.coordinates.length;
    return {
      problem,
      held,
      work: createWorkspace(problem, onIterate),
      heldWork: createWorkspace(held, undefined),
      face: createHeldFace(problem, held),
      wanted: new Float64Array(held.rows),
      ranges: Int32Array.from({ length: 2 * Math.ceil(problem.rows / 3) }, (_, k) => (k % 2) * width),
      outcome: { objective: 0, stationarity: undefined, stopped: false, activeLimits: [] },
    };
  });
}

/**
 * Lowers f of a later priority along the ways that limits and earlier priorities leave open, in place on an allowed pose: damped
 * Gauss-Newton steps in the null space of the earlier rows (Siciliano and Slotine 1991), each brought back to where those rows
 * were. Every accepted pose is allowed, holds the earlier rows within rounding, and lowers f.
 *
 * @returns poses tried.
 */
export function descendLater(later: Later, pose: Float64Array, maxIterations: number): number {
  const { problem, held, work, face, wanted } = later;
  for (let n = 0; n < held.goals.length; n++) {
    const part = held.goals[n];
    // What is held is held whatever its weight, but for goals that are switched off.
    part.scale = part.goal.weight === 0 ? 0 : part.unit === 'length' ? 1 / held.lengthScale : 1;
  }
  evaluate(held, pose);
  wanted.set(held.residual);
  let f = evaluate(problem, pose);
  let damping = DAMPING_START;
  let iterations = 0;
  let slope = 0;
  let stopped = false;
  work.onIterate?.(pose, f);
  for (;;) {
    differentiate(problem, pose);
    writeGradient(problem, work.gradient);
    copyNumbers(problem.residual, work.accepted, problem.rows);
    evaluate(held, pose);
    differentiate(held, pose);
    slope = updateHeldFace(face, problem, held, pose, work.gradient);
    if (slope <= STATIONARY || satisfied(problem)) break;
    keepOpenWays(face, problem, held, problem.jacobian.values, problem.rows);
    const before = f;
    while (f === before && damping <= DAMPING_MOST && iterations < maxIterations) {
      writeStep(later, damping);
      writeTrial(problem, work, pose);
      iterations++;
      const next = hold(later, work.trial) ? evaluate(problem, work.trial) : Number.POSITIVE_INFINITY;
      if (next < f) {
        damping = Math.max(DAMPING_LEAST, 0.1 * damping);
        f = next;
      } else damping = Math.max(10 * damping, DAMPING_START);
    }
    if (f === before) {
      stopped = iterations >= maxIterations;
      break;
    }
    copyNumbers(work.trial, pose, pose.length);
    regularizeCharts(problem, pose);
    work.onIterate?.(pose, f);
  }
  evaluate(problem, pose);
  later.outcome = {
    objective: f,
    stationarity: slope,
    stopped,
    activeLimits: activeLimitsOf(problem, face.activeSet),
  };
  return iterations;
}

/** d = -B^T (B B^T + damping)^-1 r along the open ways, cut to the step limit. */
function writeStep({ problem, work, ranges }: Later, damping: number): void {
  const { rows, jacobian, translates } = problem;
  const { width, values } = jacobian;
  const { normal, accepted, rowSolution, direction, step, decided } = work;
  const size = Math.min(rows, width);
  if (rows <= width) formRowNormal(normal, values, rows, width, ranges);
  else formColumnNormal(normal, values, rows, width);
  let largest = 0;
  for (let k = 0; k < size; k++) largest = Math.max(largest, normal[k * (size + 1)]);
  if (rows <= width) {
    copyNumbers(accepted, rowSolution, rows);
    dampAndSolve(normal, rows, damping * largest, rowSolution);
    multiplyTransposed(values, rows, width, rowSolution, direction);
  } else {
    multiplyTransposed(values, rows, width, accepted, direction);
    dampAndSolve(normal, width, damping * largest, direction);
  }
  let longest = 0;
  for (let k = 0; k < width; k++)
    if (translates[k] === 0) longest = Math.max(longest, Math.abs(direction[k]));
  const factor = longest > STEP_LIMIT ? -STEP_LIMIT / longest : -1;
  for (let k = 0; k < width; k++) step[k] = factor * direction[k];
  decided.fill(0);
}

/**
 * Brings an allowed pose back to where the earlier rows are what they were, by Gauss-Newton steps of least change; a limit that such a
 * step would leave is kept out of the next. Returns whether it came there.
 */
function hold({ held, heldWork, wanted }: Later, pose: Float64Array): boolean {
  const { rows, jacobian, residual, coordinates, parts } = held;
  const { width, values } = jacobian;
  const { normal, rowSolution, direction, step, decided, activeSet } = heldWork;
  decided.fill(0);
  for (let n = 0; n < HOLD_STEPS; n++) {
    evaluate(held, pose);
    let error = 0;
    for (let r = 0; r < rows; r++) {
      rowSolution[r] = residual[r] - wanted[r];
      error = Math.max(error, Math.abs(rowSolution[r]));
    }
    if (error <= HOLD) return true;
    differentiate(held, pose);
    for (let r = 0; r < rows; r++) {
      for (let k = 0; k < width; k++) if (decided[k] === 1) values[r * width + k] = 0;
    }
    if (rows <= width) {
      formRowNormal(normal, values, rows, width, held.rowRanges);
      dampAndSolve(normal, rows, 0, rowSolution);
      multiplyTransposed(values, rows, width, rowSolution, direction);
    } else {
      formColumnNormal(normal, values, rows, width);
      multiplyTransposed(values, rows, width, rowSolution, direction);
      dampAndSolve(normal, width, 0, direction);
    }
    let longest = 0;
    for (let k = 0; k < width; k++) longest = Math.max(longest, Math.abs(direction[k]));
    if (!(longest < STEP_LIMIT)) return false;
    for (let k = 0; k < width; k++) step[k] = -direction[k];
    // A part that is hit keeps its columns; marked decided by writeTrial, left out from the next step on.
    for (let p = 0; p < parts.length; p++) activeSet.active[p] = 0;
    writeTrial(held, heldWork, pose);
    for (let k = 0; k < coordinates.length; k++) pose[coordinates[k]] = heldWork.trial[coordinates[k]];
  }
  return false;
}
