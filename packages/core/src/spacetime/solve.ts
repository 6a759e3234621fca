/** Solving a trajectory problem: at a stretch, or step by step with pauses. */
import type { Motion } from '../motion/motion.js';
import { firstGuess } from './initial-guess.js';
import type { SpacetimeProblem } from './problem.js';
import { type SpacetimeReport, spacetimeReport } from './report.js';
import { createSolver, type SolverOptions, stepSolver } from './solver/augmented-lagrangian.js';
import type { Solver } from './solver/solver-state.js';
import { checkOptions } from './system/check-options.js';
import { createTrajectory, type Trajectory, trajectoryMotion } from './trajectory.js';

/** How a solve ended: see {@link SpacetimeSolution}. */
export type SpacetimeStatus = 'converged' | 'infeasible' | 'stalled' | 'iteration-limit' | 'interrupted';

/** How far a solve is. */
export interface SpacetimeProgress {
  /** Steps tried so far, each of a linearization or with other damping. */
  readonly iteration: number;
  /** The sum of all wishes, weights included. */
  readonly cost: number;
  /** The worst constraint, in scaled units: see the docs. */
  readonly violation: number;
  /** Gain that the last step promised, over the cost. */
  readonly gain: number;
  /** The motion as it is; made when it is asked for. */
  readonly trajectory: () => Trajectory;
}

/**
 * What a solve under way needs to go on, later or elsewhere: plain data. How cautious it was, and what held its last step, is not kept: it goes on to
 * the same answer, and not by the same steps.
 */
export interface SpacetimeSave {
  readonly unknowns: Float64Array;
  readonly multipliers: Float64Array;
  readonly penalty: number;
  readonly damping: number;
  readonly iterations: number;
}

export interface SpacetimeOptions extends SolverOptions {
  /** Default 300. */
  readonly maxIterations?: number;
  /** Called after each iteration; `false` interrupts. */
  readonly onProgress?: (progress: SpacetimeProgress) => unknown;
  /** Where to begin: what {@link saveSpacetime} or an earlier solution gave, of a problem with the same layout. */
  readonly start?: SpacetimeSave;
}

/** A solve step by step. */
export interface SpacetimeSolver {
  readonly problem: SpacetimeProblem;
  readonly solver: Solver;
}

/**
 * What a solve came to.
 *
 * - `converged`: every constraint holds within the tolerance and no step gains more than `gain`.
 * - `infeasible`: constraints conflict; `report.conflicts` names them, and the motion is the best compromise found.
 * - `stalled`: no step lowers the cost any more though it should; constraints hold as `violation` says.
 * - `iteration-limit`, `interrupted`: stopped before; `save` goes on from here.
 */
export interface SpacetimeSolution {
  readonly status: SpacetimeStatus;
  readonly iterations: number;
  readonly cost: number;
  readonly violation: number;
  /** Real, s. */
  readonly duration: number;
  readonly trajectory: Trajectory;
  readonly report: SpacetimeReport;
  readonly save: SpacetimeSave;
}

/** Makes a solver. @throws SpacetimeError for options that make no sense, or a start of another problem. */
export function createSpacetimeSolver(
  problem: SpacetimeProblem,
  options: SpacetimeOptions = {},
): SpacetimeSolver {
  const { start } = options;
  const { system } = problem;
  checkOptions(system, options);
  const solver = createSolver(system, start?.unknowns ?? firstGuess(problem), options);
  if (start !== undefined) {
    solver.multipliers.lambda.set(start.multipliers);
    solver.multipliers.rho = start.penalty;
    solver.damping = start.damping;
    solver.iterations = start.iterations;
  }
  return { problem, solver };
}

/** One iteration. @returns whether the solve goes on. */
export function stepSpacetime({ solver }: SpacetimeSolver): boolean {
  return stepSolver(solver);
}

/** What a solve knows, copied. */
export function saveSpacetime({ solver }: SpacetimeSolver): SpacetimeSave {
  const { unknowns, multipliers, damping, iterations } = solver;
  return {
    unknowns: unknowns.slice(),
    multipliers: multipliers.lambda.slice(),
    penalty: multipliers.rho,
    damping,
    iterations,
  };
}

/** The solution as it stands. */
export function getSpacetimeSolution(
  under: SpacetimeSolver,
  stopped: 'iteration-limit' | 'interrupted' = 'iteration-limit',
): SpacetimeSolution {
  const { problem, solver } = under;
  const trajectory = createTrajectory(problem, solver.unknowns);
  const report = spacetimeReport(solver);
  return {
    status: solver.status === 'running' ? stopped : solver.status,
    iterations: solver.iterations,
    cost: report.cost,
    violation: report.violation,
    duration: trajectory.duration,
    trajectory,
    report,
    save: saveSpacetime(under),
  };
}

/**
 * Solves a problem.
 *
 * @throws SpacetimeError for options that make no sense, or a start of another problem.
 */
export function solveSpacetime(problem: SpacetimeProblem, options: SpacetimeOptions = {}): SpacetimeSolution {
  const under = createSpacetimeSolver(problem, options);
  const { solver } = under;
  const { maxIterations = 300, onProgress } = options;
  const end = solver.iterations + maxIterations;
  let interrupted = false;
  while (solver.iterations < end && !interrupted && stepSpacetime(under)) {
    interrupted = onProgress?.(spacetimeProgress(under)) === false;
  }
  return getSpacetimeSolution(under, interrupted ? 'interrupted' : 'iteration-limit');
}

/** How far a solve is now. */
export function spacetimeProgress({ problem, solver }: SpacetimeSolver): SpacetimeProgress {
  return {
    iteration: solver.iterations,
    cost: solver.cost,
    violation: solver.violation,
    gain: solver.promise,
    trajectory: () => createTrajectory(problem, solver.unknowns),
  };
}

/** The motion of a solution as a clip. */
export function motionFromSolution({ trajectory }: SpacetimeSolution, name?: string): Motion {
  return trajectoryMotion(trajectory, name);
}
