/** Solving a trajectory problem in one call, or step by step with pauses. */
import { type FieldsOf, requireFields } from '../checks.js';
import { SpacetimeError } from '../errors.js';
import type { Motion } from '../motion/motion.js';
import { initialGuess } from './initial-guess.js';
import { describeIntersample, evaluateIntersample, type IntersampleViolation } from './intersample.js';
import { type SpacetimeProblem, withMesh, withMeshOf } from './problem.js';
import { refinedMesh, transferStart } from './refine.js';
import { type SpacetimeReport, spacetimeReport } from './report.js';
import { createSolver, type Solver, type SolverOptions, stepSolver } from './solver/augmented-lagrangian.js';
import { checkOptions } from './system/check-options.js';
import { createTrajectory, type Trajectory, trajectoryMotion } from './trajectory.js';
import type { Mesh } from './transcription/mesh.js';

/** How a solve ended: see {@link SpacetimeSolution}. */
export type SpacetimeStatus =
  | 'converged'
  | 'coarse'
  | 'infeasible'
  | 'stalled'
  | 'iteration-limit'
  | 'interrupted';

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
  /** Refinements of the mesh so far: 0 in the first solve. */
  readonly refinements: number;
  /** The current motion; made on each call. */
  readonly trajectory: () => Trajectory;
}

/**
 * The state to resume a solve from: plain data, with the mesh of the solve. Damping history and active set are not saved: a resumed solve reaches the same answer by
 * other iterations.
 */
export interface SpacetimeSave {
  readonly unknowns: Float64Array;
  readonly multipliers: Float64Array;
  /** Of each row. */
  readonly penalties: Float64Array;
  readonly damping: number;
  readonly iterations: number;
  /** The mesh, where it is refined: knot interval boundaries (nominal, s), factors of sample points in each interval, and times refined. */
  readonly breaks?: Float64Array;
  readonly density?: Float64Array;
  readonly refinements?: number;
}

export interface SpacetimeOptions extends SolverOptions {
  /** Default 300. */
  readonly maxIterations?: number;
  /**
   * How often the mesh is refined at most where constraints do not hold between their samples: within `maxIterations`, which counts all
   * steps. Default 3; 0 leaves the mesh as it is.
   */
  readonly maxRefinements?: number;
  /** Called after each iteration; `false` interrupts. */
  readonly onProgress?: (progress: SpacetimeProgress) => unknown;
  /** State to resume from: the result of {@link saveSpacetime} or the `save` of a solution, for a problem with the same layout. */
  readonly start?: SpacetimeSave;
}

export const SPACETIME_FIELDS: FieldsOf<SpacetimeOptions> = {
  tolerance: true,
  gain: true,
  maxIterations: true,
  maxRefinements: true,
  onProgress: true,
  start: true,
};

/** A solve on the mesh of its problem. */
interface Answer {
  readonly problem: SpacetimeProblem;
  readonly solver: Solver;
}

/** A solve, step by step. */
export interface SpacetimeSolver {
  /** On the current mesh. */
  problem: SpacetimeProblem;
  /** The solve from the current guess. */
  solver: Solver;
  /** Refinements of the mesh so far, and the most that are tried; what converged on the mesh before. */
  refinements: number;
  readonly maxRefinements: number;
  lastConverged: Answer | undefined;
  /** The mesh of the next step, where the last one converged and does not hold between its samples. */
  nextMesh: Mesh | undefined;
  /** Guesses begun so far, and the most that are tried; the solve of the least violation among those given up. */
  guesses: number;
  readonly maxGuesses: number;
  /** Iterations before the current guess. */
  firstIteration: number;
  bestInfeasible: Solver | undefined;
}

/** Default of `maxRefinements`. */
const MAX_REFINEMENTS = 3;
/** Guesses that a solve tries before it answers `infeasible`: a swing-up of a pendulum fails from 18 of 40 random ones, so six fail once in a hundred. */
const MAX_GUESSES = 6;
/** Iterations after which a guess with a larger violation, scaled, is given up. */
const STAGNANT_ITERATIONS = 80;
const STAGNANT_VIOLATION = 0.1;

/**
 * Result of a solve.
 *
 * - `converged`: every constraint holds within the tolerance, between its samples within that of `intersample`, and no step is predicted to
 *   decrease the cost by more than `gain`.
 * - `coarse`: the same at the samples alone: between them something is off by more than its tolerance, and `maxRefinements` finer meshes did
 *   not mend it, or `maxIterations` ended first. The motion is that of the last mesh on which the solve converged; `warnings` says what is off.
 *   More intervals, a smoother reference or more iterations help; `save` continues the refinement.
 * - `infeasible`: constraints conflict near every guess, all of them tried: a local answer, no proof. `report.conflicts` names the
 *   constraints, and the motion is that of the least violation. A `reference` near a motion that meets them, a longer duration or larger
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
  /** How often the mesh was refined, as constraints did not hold between their samples. */
  readonly refinements: number;
  readonly cost: number;
  readonly violation: number;
  /** Real, s. */
  readonly duration: number;
  readonly trajectory: Trajectory;
  readonly report: SpacetimeReport;
  /** Constraints over spans between their samples, the largest relative to its tolerance first. */
  readonly intersample: readonly IntersampleViolation[];
  /** What is off between the samples by more than its tolerance, and where, in words. Empty where the status is `converged`. */
  readonly warnings: readonly string[];
  readonly save: SpacetimeSave;
}

/** Makes a solver. @throws SpacetimeError for invalid options, or a start of another problem. */
export function createSpacetimeSolver(
  given: SpacetimeProblem,
  options: SpacetimeOptions = {},
): SpacetimeSolver {
  requireFields(options, SPACETIME_FIELDS, 'options', SpacetimeError);
  const { start, maxRefinements = MAX_REFINEMENTS } = options;
  const problem = start === undefined ? given : withMeshOf(given, start);
  checkOptions(problem.system, options);
  return {
    problem,
    solver: createSolver(problem.system, start ?? { unknowns: initialGuess(problem) }, options),
    refinements: start?.refinements ?? 0,
    maxRefinements,
    lastConverged: undefined,
    nextMesh: undefined,
    guesses: 1,
    firstIteration: start?.iterations ?? 0,
    // A start is a choice.
    maxGuesses: start === undefined ? MAX_GUESSES : 1,
    bestInfeasible: undefined,
  };
}

/**
 * One iteration. Where constraints conflict, or a guess leads nowhere, the next one begins at another guess, up to a number of them; the
 * least violation remains. Where a solution does not hold between its samples, the next one begins on a refined mesh.
 *
 * @returns whether the solve is still running.
 */
export function stepSpacetime(handle: SpacetimeSolver): boolean {
  const { problem, solver, bestInfeasible, nextMesh } = handle;
  if (isGivenUp(handle)) {
    if (bestInfeasible === undefined || solver.iterate.violation < bestInfeasible.iterate.violation)
      handle.bestInfeasible = solver;
    const start = { unknowns: initialGuess(problem, handle.guesses), iterations: solver.progress.iterations };
    handle.guesses++;
    handle.firstIteration = start.iterations;
    handle.solver = createSolver(problem.system, start, solver.options);
  } else if (nextMesh !== undefined) {
    handle.lastConverged = { problem, solver };
    handle.problem = withMesh(problem, nextMesh);
    handle.solver = createSolver(
      handle.problem.system,
      transferStart(solver, problem, handle.problem),
      solver.options,
    );
    handle.refinements++;
    handle.nextMesh = undefined;
  }
  return stepSolver(handle.solver) || isRefined(handle) || isGivenUp(handle);
}

/** Whether another guess is tried. */
function isGivenUp({
  solver,
  lastConverged,
  guesses,
  maxGuesses,
  firstIteration,
}: Pick<SpacetimeSolver, 'solver' | 'lastConverged' | 'guesses' | 'maxGuesses' | 'firstIteration'>): boolean {
  const { status, iterations } = solver.progress;
  const isStagnant =
    status === 'running' &&
    iterations - firstIteration >= STAGNANT_ITERATIONS &&
    solver.iterate.violation > STAGNANT_VIOLATION;
  return (isStagnant || status === 'infeasible') && guesses < maxGuesses && lastConverged === undefined;
}

/** Chooses the next mesh of a solve that has converged. @returns whether there is one. */
function isRefined(handle: SpacetimeSolver): boolean {
  const { problem, solver, refinements, maxRefinements } = handle;
  if (solver.progress.status !== 'converged' || refinements >= maxRefinements) return false;
  const trajectory = createTrajectory(problem, solver.iterate.unknowns);
  handle.nextMesh = refinedMesh(problem, evaluateIntersample(trajectory));
  return handle.nextMesh !== undefined;
}

/**
 * The solve whose motion is the answer: the current one; that of least violation among earlier guesses; or what converged on the mesh before,
 * where the refined one ends without that.
 */
function answer({ problem, solver, bestInfeasible, lastConverged }: SpacetimeSolver): Answer {
  const { status } = solver.progress;
  if (lastConverged !== undefined && status !== 'running' && status !== 'converged') return lastConverged;
  const isSolved = status === 'converged' || bestInfeasible === undefined || lastConverged !== undefined;
  const isBest = isSolved || solver.iterate.violation <= bestInfeasible.iterate.violation;
  return { problem, solver: isBest ? solver : bestInfeasible };
}

/** Copies the state of a solve, to resume it later. */
export function saveSpacetime(handle: SpacetimeSolver): SpacetimeSave {
  const { lastConverged, solver } = handle;
  const current = answer(handle);
  return saveOf(current, solver, current === lastConverged ? handle.refinements - 1 : handle.refinements);
}

function saveOf({ problem, solver }: Answer, last: Solver, refinements: number): SpacetimeSave {
  const { unknowns, multipliers, damping } = solver.iterate;
  const { breaks, density } = problem.mesh;
  return {
    unknowns: unknowns.slice(),
    multipliers: multipliers.lambda.slice(),
    penalties: multipliers.rho.slice(),
    damping,
    iterations: last.progress.iterations,
    ...(refinements > 0 && { breaks: breaks.slice(), density: density.slice(), refinements }),
  };
}

/** The current solution: the status of the run, with the motion of the best guess. */
export function getSpacetimeSolution(
  handle: SpacetimeSolver,
  stopped: 'iteration-limit' | 'interrupted' = 'iteration-limit',
): SpacetimeSolution {
  const { guesses, lastConverged } = handle;
  const { status, iterations } = handle.solver.progress;
  // What has converged on the mesh before is the solution until the refined one has.
  const isBefore = lastConverged !== undefined && status !== 'converged';
  const solution = isBefore ? lastConverged : answer(handle);
  const refinements = isBefore ? handle.refinements - 1 : handle.refinements;
  const { problem, solver } = solution;
  const trajectory = createTrajectory(problem, solver.iterate.unknowns);
  const report = spacetimeReport(solver);
  const { violations: intersample } = evaluateIntersample(trajectory);
  return {
    status: statusOf(handle, intersample, stopped),
    iterations,
    guesses,
    refinements,
    cost: report.cost,
    violation: report.violation,
    duration: trajectory.duration,
    trajectory,
    report,
    intersample,
    warnings: intersample
      .filter(({ violation, tolerance }) => violation > tolerance)
      .map((entry) => describeIntersample(problem, entry)),
    save: saveOf(solution, handle.solver, refinements),
  };
}

/** A solve that has converged on some mesh is `coarse` where iterations end in a refinement. */
function statusOf(
  handle: SpacetimeSolver,
  intersample: readonly IntersampleViolation[],
  stopped: 'iteration-limit' | 'interrupted',
): SpacetimeStatus {
  const { solver, nextMesh, lastConverged } = handle;
  const { status } = solver.progress;
  const hasConverged = lastConverged !== undefined || status === 'converged';
  const isRunning = status === 'running' || isGivenUp(handle) || nextMesh !== undefined;
  if (isRunning && !(hasConverged && stopped === 'iteration-limit')) return stopped;
  if (!hasConverged) return status === 'running' ? stopped : status;
  return intersample.some(({ violation, tolerance }) => violation > tolerance) ? 'coarse' : 'converged';
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
export function spacetimeProgress({ problem, solver, refinements }: SpacetimeSolver): SpacetimeProgress {
  const { iterate, progress } = solver;
  return {
    iteration: progress.iterations,
    cost: iterate.cost,
    violation: iterate.violation,
    gain: progress.relativePredictedDecrease,
    refinements,
    trajectory: () => createTrajectory(problem, iterate.unknowns),
  };
}

/** The motion of a solution as a clip. */
export function motionFromSolution({ trajectory }: SpacetimeSolution, name?: string): Motion {
  return trajectoryMotion(trajectory, name);
}
