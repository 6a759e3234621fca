import type { FigureState } from '../../figure/state.js';
import type { MutableNumbers, Numbers } from '../../math/types.js';
import type { Goal } from '../goal.js';

/**
 * A goal ready for the solver: bones by index, and where its rows stand.
 *
 * Rows are normalized: angles in radians, lengths divided by the problem's length scale, all times sqrt(weight / largest weight); so
 * the objective is f = 1/2 |r|^2 over all rows and has no unit.
 */
export interface CompiledGoal {
  readonly goal: Goal;
  /** The mathematics of its type. */
  readonly type: GoalType<Goal>;
  readonly rows: number;
  /** First row of the goal. */
  readonly firstRow: number;
  readonly bone: number;
  /** Bone that carries the target, -1 for a target in the world. */
  readonly targetBone: number;
  /** sqrt(weight / largest weight), over the length scale for lengths. */
  readonly scale: number;
  readonly tolerance: number;
}

/** The free coordinates of a problem: its columns. */
export interface ColumnMap {
  /** How many there are: the row length of Jacobian and Hessian. */
  readonly width: number;
  /** Column of each coordinate of the figure, -1 for one that is not free. */
  readonly columnOf: Int32Array;
  /** Scale of each column: metres per unit step for translations, 1 for rotations. */
  readonly columnScale: Float64Array;
}

/** Where the Jacobian of a problem goes: rows by free coordinates, row by row. */
export interface JacobianTarget extends ColumnMap {
  readonly values: Float64Array;
}

/** The mathematics of a goal type: residual in natural units, and its rows of the normalized problem. */
export interface GoalType<G extends Goal> {
  readonly rows: number;
  /** Writes the residual, m or rad, to out[o .. o + rows); returns its norm. */
  residual(state: FigureState, compiled: CompiledGoal, goal: G, out: MutableNumbers, o: number): number;
  /**
   * Adds the derivative of the rows (with scale) to the zeroed Jacobian. Called right after `residual` at the same
   * pose, with `columnsQ` up to date.
   */
  jacobian(state: FigureState, compiled: CompiledGoal, goal: G, residual: Numbers, out: JacobianTarget): void;
  /**
   * Adds the second derivative of the goal's share of f, 1/2 |rows|^2 (with scale), to the lower triangle of `out`, width x
   * width row by row. Called after `jacobian` at the same pose, with `axisDerivatives` up to date too.
   */
  hessian(
    state: FigureState,
    compiled: CompiledGoal,
    goal: G,
    residual: Numbers,
    columns: ColumnMap,
    out: Float64Array,
  ): void;
}
