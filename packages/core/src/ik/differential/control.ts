import type { Figure } from '../../figure/model/figure.js';
import { createState, type FigureState } from '../../figure/model/state.js';
import { createQuadraticProgram } from '../../math/optimization/quadratic-program.js';
import type { GoalTypes } from '../goals/goal-types.js';
import type { Goal } from '../goals/types/goal.js';
import { createProblem } from '../problem/create-problem.js';
import type { Problem } from '../problem/problem.js';
import { type Bounds, createBounds } from './bounds.js';
import { createHalfSpaces, type HalfSpaces } from './half-spaces.js';
import { checkOptionNames, type DifferentialOptions, type SettledOptions, settleOptions } from './options.js';
import { createLevel, type Level } from './priority-levels.js';
import type { DifferentialResult, GoalStatus } from './result.js';
import { rotationVectorsOf, type VectorBlock } from './rotation-blocks.js';
import { createUnknowns, type Unknowns } from './rotation-parameterization.js';
import { createLevelSolver, type LevelSolver } from './solve-level.js';
import { type FollowedGoal, followGoals, type Task, tasksOf } from './tasks.js';

/**
 * Goals on a figure followed in time: each step moves the joints with the velocity that serves the goals best. Made once by
 * {@link createDifferentialControl}, with all its memory; a step allocates nothing.
 */
export interface DifferentialControl {
  readonly figure: Figure;
  /**
   * Velocity of each goal's target, world axes, for the caller to write: m/s, rad/s for an orientation; zero at first. With it a
   * moving target is followed without lag. Targets that bones carry need none.
   */
  readonly targetVelocities: readonly Float64Array[];
  /** Joint velocities nu of the last step, length `figure.dof`. They don't depend on the chart. */
  readonly velocity: Float64Array;
  /** The same as coordinate rates q', in the chart of the pose that the step returned. */
  readonly rates: Float64Array;
  /** What the last step did; written anew by each step. */
  readonly result: DifferentialResult;
  readonly parts: ControlParts;
}

/** The inner parts of a control. */
export interface ControlParts {
  readonly problem: Problem;
  readonly options: SettledOptions;
  readonly goals: readonly FollowedGoal[];
  readonly tasks: readonly Task[];
  /** What the result says of each task. */
  readonly reports: readonly GoalStatus[];
  readonly levels: readonly Level[];
  readonly bounds: Bounds;
  readonly half: HalfSpaces;
  readonly vectors: readonly VectorBlock[];
  readonly unknowns: Unknowns;
  /** Rows of the problem against the unknowns. */
  readonly rows: Float64Array;
  readonly solver: LevelSolver;
  /** P: the velocities that the levels so far leave free, columns x columns. */
  readonly projector: Float64Array;
  /** The unknowns: scaled joint velocities, in the unit of time of the step until it ends. */
  readonly scaled: Float64Array;
  readonly posture: Float64Array;
  readonly reference: FigureState;
  /** Residuals with the targets moved on, and the velocities wanted, in natural units by row of the problem. */
  readonly ahead: Float64Array;
  readonly wanted: Float64Array;
  readonly scratch: Float64Array;
}

/** Makes {@link DifferentialControl}s for goals of the types given; what it is not given, a bundle leaves out. */
export function createDifferentialControlWith(
  types: GoalTypes,
): (figure: Figure, goals: readonly Goal[], options?: DifferentialOptions) => DifferentialControl {
  return (figure, goals, options = {}) => createControl(types, figure, goals, options);
}

function createControl(
  types: GoalTypes,
  figure: Figure,
  goals: readonly Goal[],
  options: DifferentialOptions,
): DifferentialControl {
  checkOptionNames(options);
  const followed = Array.isArray(goals) ? followGoals(goals) : [];
  const problem = createProblem(
    types,
    figure,
    Array.isArray(goals) ? followed.map(({ own }) => own) : goals,
    options.locked ?? [],
  );
  const settled = settleOptions(figure, options, problem.lengthScale);
  const vectors = rotationVectorsOf(problem, options.form === undefined ? 'geodesic' : 'form');
  const unknowns = createUnknowns(problem.coordinates.length, vectors, options.form);
  const { columns, constraints } = unknowns;
  const tasks = tasksOf(problem);
  const priorities = [...new Set(tasks.map(({ priority }) => priority))].sort((a, b) => a - b);
  const bounds = createBounds(problem, settled.rateLimits, unknowns);
  const half = createHalfSpaces(problem, unknowns);
  const most = columns + half.goals.length + constraints.count + bounds.curved.length;
  const parts: ControlParts = {
    problem,
    options: settled,
    goals: followed,
    tasks,
    reports: tasks.map(createReport),
    levels: priorities.map((priority) => createLevel(priority, rowsOf(tasks, priority), columns)),
    bounds,
    vectors,
    unknowns,
    rows: unknowns.inForm === undefined ? problem.jacobian.values : new Float64Array(problem.rows * columns),
    half,
    solver: createLevelSolver(createQuadraticProgram(columns, most), half, constraints),
    projector: new Float64Array(columns * columns),
    scaled: new Float64Array(columns),
    posture: new Float64Array(columns),
    reference: createState(figure),
    ahead: new Float64Array(problem.rows),
    wanted: new Float64Array(problem.rows),
    scratch: new Float64Array(columns),
  };
  return {
    figure,
    targetVelocities: followed.map(({ velocity }) => velocity),
    velocity: new Float64Array(figure.dof),
    rates: new Float64Array(figure.dof),
    result: createResult(parts),
    parts,
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
    wanted: 0,
    achieved: 0,
    missed: 0,
    multiplier: 0,
  };
}

function createResult({ problem, reports, bounds }: ControlParts): DifferentialResult {
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
