/** Solving a trajectory problem in one call, or step by step with pauses. */
import { type FieldsOf, requireFields } from '../checks.js';
import { SpacetimeError } from '../errors.js';
import type { Motion } from '../motion/motion.js';
import { initialGuess } from './initial-guess.js';
import { describeIntersample, type IntersampleViolation, intersampleViolations } from './intersample.js';
import type { SpacetimeProblem } from './problem.js';
import { type SpacetimeReport, spacetimeReport } from './report.js';
import { createSolver, type Solver, type SolverOptions, stepSolver } from './solver/augmented-lagrangian.js';
import { checkOptions } from './system/check-options.js';
import { createTrajectory, type Trajectory, trajectoryMotion } from './trajectory.js';

/** How a solve ended: see {@link SpacetimeSolution}. */
export type SpacetimeStatus = 'converged' | 'infeasible' | 'stalled' | 'iteration-limit' | 'interrupted';

/** Progress of a solve. */
export interface SpacetimeProgress {
  /** Steps tried so far, each with a new linearization or other damping. */
  readonly iteration: number;
  /** The sum of all cost terms, weights included. */
  readonly cost: number;
  /** The largest constraint violation, in scaled units: see the docs. */
  readonly violation: number;
  /** Predicted decrease of the last step, relative to the cost. */
  readonly gain: number;
  /** The current motion; made on each call. */
  readonly trajectory: () => Trajectory;
}

/**
 * The state to resume a solve from: plain data. Damping history and active set are not saved: a resumed solve reaches the same answer by
 * other iterations.
 */
export interface SpacetimeSave {
  readonly unknowns: Float64Array;
  readonly multipliers: Float64Array;
  /** Of each row. */
  readonly penalties: Float64Array;
  readonly damping: number;
  readonly iterations: number;
}

export interface SpacetimeOptions extends SolverOptions {
  /** Default 300. */
  readonly maxIterations?: number;
  /** Called after each iteration; `false` interrupts. */
  readonly onProgress?: (progress: SpacetimeProgress) => unknown;
  /** State to resume from: the result of {@link saveSpacetime} or the `save` of a solution, for a problem with the same layout. */
  readonly start?: SpacetimeSave;
}

export const SPACETIME_FIELDS: FieldsOf<SpacetimeOptions> = {
  tolerance: true,
  gain: true,
  maxIterations: true,
  onProgress: true,
  start: true,
};

/** A solve, step by step. */
export interface SpacetimeSolver {
  readonly problem: SpacetimeProblem;
  /** The solve from the current guess. */
  solver: Solver;
  /** Guesses begun so far, and the most that are tried; the solve of the least violation among those given up. */
  guesses: number;
  readonly maxGuesses: number;
  /** Iterations before the current guess. */
  firstIteration: number;
  compromise: Solver | undefined;
}

/** Guesses that a solve tries before it answers `infeasible`. */
const MAX_GUESSES = 6;
/** Iterations after which a guess with a larger violation, scaled, is given up. */
const STAGNANT_ITERATIONS = 80;
const STAGNANT_VIOLATION = 0.1;

/**
 * Result of a solve.
 *
 * - `converged`: every constraint holds within the tolerance and no step is predicted to decrease the cost by more than `gain`.
 * - `infeasible`: constraints conflict near every guess, all of them tried: a local answer, no proof. `report.conflicts` names the
 *   constraints, and the motion is the best compromise found. A `reference` near a motion that meets them, a longer duration or larger
 *   limits help.
 * - `stalled`: no step decreases the augmented Lagrangian although the model predicts it; constraints hold up to `violation`.
 * - `iteration-limit`, `interrupted`: stopped early, maybe with guesses left; the motion is the best so far. Resume from `save`.
 */
export interface SpacetimeSolution {
  readonly status: SpacetimeStatus;
  /** Of all guesses together. */
  readonly iterations: number;
  /** Initial guesses tried: more than one only where constraints conflicted from the first. */
  readonly guesses: number;
  readonly cost: number;
  readonly violation: number;
  /** Real, s. */
  readonly duration: number;
  readonly trajectory: Trajectory;
  readonly report: SpacetimeReport;
  /** Constraints over spans between their samples, the largest relative to its tolerance first. */
  readonly intersample: readonly IntersampleViolation[];
  /** What is off between the samples by more than its tolerance, and where, in words. Empty: the status holds there too. */
  readonly warnings: readonly string[];
  readonly save: SpacetimeSave;
}

/** Makes a solver. @throws SpacetimeError for invalid options, or a start of another problem. */
export function createSpacetimeSolver(
  problem: SpacetimeProblem,
  options: SpacetimeOptions = {},
): SpacetimeSolver {
  requireFields(options, SPACETIME_FIELDS, 'options', SpacetimeError);
  const { start } = options;
  const { system } = problem;
  checkOptions(system, options);
  return {
    problem,
    solver: createSolver(system, start ?? { unknowns: initialGuess(problem) }, options),
    guesses: 1,
    firstIteration: start?.iterations ?? 0,
    // A start is a choice.
    maxGuesses: start === undefined ? MAX_GUESSES : 1,
    compromise: undefined,
  };
}

/**
 * One iteration. Where constraints conflict, or a guess leads nowhere, the next one begins at another guess, up to a number of them; the
 * best compromise remains.
 *
 * @returns whether the solve is still running.
 */
export function stepSpacetime(handle: SpacetimeSolver): boolean {
  const { problem, solver, compromise } = handle;
  if (isGivenUp(handle)) {
    if (compromise === undefined || solver.iterate.violation < compromise.iterate.violation)
      handle.compromise = solver;
    const start = { unknowns: initialGuess(problem, handle.guesses), iterations: solver.progress.iterations };
    handle.guesses++;
    handle.firstIteration = start.iterations;
    handle.solver = createSolver(problem.system, start, solver.options);
  }
  return stepSolver(handle.solver) || isGivenUp(handle);
}

/** Whether another guess is tried. */
function isGivenUp({ solver, guesses, maxGuesses, firstIteration }: SpacetimeSolver): boolean {
  const { status, iterations } = solver.progress;
  const isStagnant =
    status === 'running' &&
    iterations - firstIteration >= STAGNANT_ITERATIONS &&
    solver.iterate.violation > STAGNANT_VIOLATION;
  return (isStagnant || status === 'infeasible') && guesses < maxGuesses;
}

/** The solve whose motion is the answer: the current one, or the best compromise of earlier guesses. */
function answer({ solver, compromise }: SpacetimeSolver): Solver {
  const isSolved = solver.progress.status === 'converged' || compromise === undefined;
  return isSolved || solver.iterate.violation <= compromise.iterate.violation ? solver : compromise;
}

/** Copies the state of a solve, to resume it later. */
export function saveSpacetime(handle: SpacetimeSolver): SpacetimeSave {
  const solver = answer(handle);
  const { unknowns, multipliers, damping } = solver.iterate;
  return {
    unknowns: unknowns.slice(),
    multipliers: multipliers.lambda.slice(),
    penalties: multipliers.rho.slice(),
    damping,
    iterations: handle.solver.progress.iterations,
  };
}

/** The current solution: the status of the run, with the motion of the best guess. */
export function getSpacetimeSolution(
  handle: SpacetimeSolver,
  stopped: 'iteration-limit' | 'interrupted' = 'iteration-limit',
): SpacetimeSolution {
  const { problem, guesses } = handle;
  const { status, iterations } = handle.solver.progress;
  const solver = answer(handle);
  const trajectory = createTrajectory(problem, solver.iterate.unknowns);
  const report = spacetimeReport(solver);
  const intersample = intersampleViolations(trajectory);
  return {
    status: status === 'running' || isGivenUp(handle) ? stopped : status,
    iterations,
    guesses,
    cost: report.cost,
    violation: report.violation,
    duration: trajectory.duration,
    trajectory,
    report,
    intersample,
    warnings: intersample
      .filter(({ violation, tolerance }) => violation > tolerance)
      .map((entry) => `${describeIntersample(problem, entry)} More intervals make it less.`),
    save: saveSpacetime(handle),
  };
}

/**
 * Solves a problem.
 *
 * @throws SpacetimeError for invalid options, or a start of another problem.
 */
export function solveSpacetime(problem: SpacetimeProblem, options: SpacetimeOptions = {}): SpacetimeSolution {
  const handle = createSpacetimeSolver(problem, options);
  const { maxIterations = 300, onProgress } = options;
  const end = handle.solver.progress.iterations + maxIterations;
  let interrupted = false;
  while (handle.solver.progress.iterations < end && !interrupted && stepSpacetime(handle)) {
    interrupted = onProgress?.(spacetimeProgress(handle)) === false;
  }
  return getSpacetimeSolution(handle, interrupted ? 'interrupted' : 'iteration-limit');
}

/** The current progress of a solve. */
export function spacetimeProgress({ problem, solver }: SpacetimeSolver): SpacetimeProgress {
  const { iterate, progress } = solver;
  return {
    iteration: progress.iterations,
    cost: iterate.cost,
    violation: iterate.violation,
    gain: progress.relativePredictedDecrease,
    trajectory: () => createTrajectory(problem, iterate.unknowns),
  };
}

/** The motion of a solution as a clip. */
export function motionFromSolution({ trajectory }: SpacetimeSolution, name?: string): Motion {
  return trajectoryMotion(trajectory, name);
}
