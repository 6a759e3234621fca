import type { Figure } from '../../figure/model/figure.js';
import { createState, type FigureState } from '../../figure/model/state.js';
import { createQuadraticProgram } from '../../math/optimization/quadratic-program.js';
import type { GoalTypes } from '../goals/goal-types.js';
import type { Goal } from '../goals/types/goal.js';
import { createProblem } from '../problem/create-problem.js';
import type { Problem } from '../problem/problem.js';
import { type Bounds, createBounds } from './bounds.js';
import { createHalfSpaces, type HalfSpaces } from './half-spaces.js';
import {
  checkOptionNames,
  type DifferentialOptions,
  type ResolvedOptions,
  resolveOptions,
} from './options.js';
import { createLevel, type Level } from './priority-levels.js';
import type { DifferentialResult, GoalStatus } from './result.js';
import { type RotationVectorBlock, rotationVectorsOf } from './rotation-blocks.js';
import { createUnknowns, type Unknowns } from './rotation-parameterization.js';
import { createLevelSolver, type LevelSolver } from './solve-level.js';
import { copyGoals, type GoalCopy, type Task, tasksOf } from './tasks.js';

/**
 * Differential inverse kinematics: each step moves the joints with the velocity that best serves the goals. Made by
 * {@link createDifferentialControl}, which allocates all memory; a step allocates none.
 */
export interface DifferentialControl {
  readonly figure: Figure;
  /**
   * Velocity of each goal's target, world axes, set by the caller: m/s, rad/s for an orientation; initially zero. It removes the lag
   * behind a moving target. Not needed for targets attached to bones.
   */
  readonly targetVelocities: readonly Float64Array[];
  /** Joint velocities v of the last step, length `figure.dof`. Independent of the chart. */
  readonly velocity: Float64Array;
  /** The same as coordinate rates q', in the chart of the pose after the step. */
  readonly rates: Float64Array;
  /** Result of the last step, overwritten by each step. */
  readonly result: DifferentialResult;
  readonly workspace: ControlWorkspace;
}

/** Problem, workspace and solver of a control. */
export interface ControlWorkspace {
  readonly problem: Problem;
  readonly options: ResolvedOptions;
  readonly goals: readonly GoalCopy[];
  readonly tasks: readonly Task[];
  /** Result entry of each task. */
  readonly reports: readonly GoalStatus[];
  readonly levels: readonly Level[];
  readonly bounds: Bounds;
  readonly halfSpaces: HalfSpaces;
  readonly rotationVectors: readonly RotationVectorBlock[];
  readonly unknowns: Unknowns;
  /** Jacobian over the unknowns, row by row. */
  readonly rows: Float64Array;
  readonly solver: LevelSolver;
  /** P: projector onto the null space of the levels solved so far, columns x columns. */
  readonly projector: Float64Array;
  /** The unknowns: scaled joint velocities, in the step's unit of time until it ends. */
  readonly scaled: Float64Array;
  readonly posture: Float64Array;
  readonly reference: FigureState;
  /** Residuals for targets extrapolated by their velocities, and desired velocities; unscaled, by row of the problem. */
  readonly predictedResiduals: Float64Array;
  readonly desiredVelocities: Float64Array;
  readonly scratch: Float64Array;
}

/** {@link DifferentialOptions} of a control with the given goal types. */
export interface DifferentialWithOptions extends DifferentialOptions {
  /** The goal types by name: `{ position: positionGoal }`. */
  readonly goalTypes: GoalTypes;
}

/** `createDifferentialControl` with the goal types given only; a bundle leaves out the others. */
export function createDifferentialControlWith(
  figure: Figure,
  goals: readonly Goal[],
  given: DifferentialWithOptions,
): DifferentialControl {
  const { goalTypes, ...options } = given;
  checkOptionNames(options);
  const copies = Array.isArray(goals) ? copyGoals(goals) : [];
  const problem = createProblem(
    goalTypes,
    figure,
    Array.isArray(goals) ? copies.map(({ copy }) => copy) : goals,
    options.locked ?? [],
  );
  const resolved = resolveOptions(figure, options, problem.lengthScale);
  const rotationVectors = rotationVectorsOf(
    problem,
    options.parameterization === undefined ? 'geodesic' : 'parameterization',
  );
  const unknowns = createUnknowns(problem.coordinates.length, rotationVectors, options.parameterization);
  const { columns, constraints } = unknowns;
  const tasks = tasksOf(problem);
  const priorities = [...new Set(tasks.map(({ priority }) => priority))].sort((a, b) => a - b);
  const bounds = createBounds(problem, resolved.rateLimits, unknowns);
  const halfSpaces = createHalfSpaces(problem, unknowns);
  const maxRows = columns + halfSpaces.goals.length + constraints.count + bounds.nonlinear.length;
  const workspace: ControlWorkspace = {
    problem,
    options: resolved,
    goals: copies,
    tasks,
    reports: tasks.map(createReport),
    levels: priorities.map((priority) => createLevel(priority, rowsOf(tasks, priority), columns)),
    bounds,
    rotationVectors,
    unknowns,
    rows:
      unknowns.parameterized === undefined
        ? problem.jacobian.values
        : new Float64Array(problem.rows * columns),
    halfSpaces,
    solver: createLevelSolver(createQuadraticProgram(columns, maxRows), halfSpaces, constraints),
    projector: new Float64Array(columns * columns),
    scaled: new Float64Array(columns),
    posture: new Float64Array(columns),
    reference: createState(figure),
    predictedResiduals: new Float64Array(problem.rows),
    desiredVelocities: new Float64Array(problem.rows),
    scratch: new Float64Array(columns),
  };
  return {
    figure,
    targetVelocities: copies.map(({ velocity }) => velocity),
    velocity: new Float64Array(figure.dof),
    rates: new Float64Array(figure.dof),
    result: createResult(workspace),
    workspace,
  };
}

function rowsOf(tasks: readonly Task[], priority: number): number[] {
  return tasks
    .filter((task) => task.priority === priority)
    .flatMap(({ firstRow, rows }) => Array.from({ length: rows }, (_, k) => firstRow + k));
}

function createReport({ index, type, name, bone, priority, tolerance }: Task): GoalStatus {
  return {
    index,
    type,
    ...(name === undefined ? {} : { name }),
    bone,
    priority,
    tolerance,
    error: 0,
    satisfied: false,
    desired: 0,
    achieved: 0,
    velocityError: 0,
    multiplier: 0,
  };
}

function createResult({ problem, reports, bounds }: ControlWorkspace): DifferentialResult {
  const { bones } = problem.figure;
  return {
    status: 'tracking',
    // In the caller's order; tasks are in order of priority.
    goals: [...reports].sort((a, b) => a.index - b.index),
    limits: bounds.limits.map(({ bone, role, coordinate }) => ({
      bone: bones[bone].name,
      role,
      coordinate,
      active: false,
      multiplier: 0,
      priority: 0,
    })),
    rates: bounds.rates.map(({ bone, coordinate, kind, limit }) => ({
      bone: bones[bone].name,
      coordinate,
      kind,
      limit,
      speed: 0,
      saturated: false,
      multiplier: 0,
      priority: 0,
    })),
    smallestSingularValue: 0,
    singularPriority: 0,
    damping: 0,
    lengthScale: problem.lengthScale,
    exact: true,
  };
}
