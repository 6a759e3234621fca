import type { Figure } from '../../../figure/model/figure.js';
import type { FigureState } from '../../../figure/model/state.js';
import type { MutableNumbers, Numbers } from '../../../math/linear/types.js';
import type { Goal } from './goal.js';

/** What a goal type brings: checks, and the parts that a goal of it is made of. */
export interface GoalType<G extends Goal = Goal> {
  /**
   * The parts of a goal, checked, with copies of its numbers.
   *
   * @param path - Place of the goal, for errors.
   * @throws GoalError, FigureError
   */
  components(figure: Figure, goal: G, path: string): readonly GoalComponent[];
}

/** A part of a goal: rows of one unit, from one piece of mathematics. */
export interface GoalComponent<D = unknown> {
  readonly residualFunction: ResidualFunction<D>;
  readonly data: D;
  readonly rows: number;
  readonly unit: 'length' | 'angle';
  /** What part of its goal it is, where the goal has several. */
  readonly name?: string;
  readonly bone: number;
  /** Bone that carries the target, -1 for a target in the world. */
  readonly targetBone: number;
  /** The bones that move it, where there are more than these two. */
  readonly otherBones?: readonly number[];
  /** The bones whose joints the part may bring into play. Default: all that move it. */
  readonly drivenBones?: readonly number[];
  /** Residual that counts as reached; infinite for a wish. */
  readonly tolerance: number;
  /** A coordinate that it reads as a number and not as part of a rotation: its rotation vector stays in its chart. */
  readonly scalarCoordinate?: number;
  /** Factor on the goal's weight. Default 1. */
  readonly weightFactor?: number;
  /** Priorities after its goal's. Default 0. */
  readonly priorityOffset?: number;
  /**
   * For a part that only counts on one side: rows that say how far that side is, positive where the part asks for nothing. Later
   * priorities keep them from becoming negative.
   */
  readonly inequality?: GoalComponent;
}

/**
 * A part ready for the solver: where its rows stand.
 *
 * Rows are normalized: angles in radians, lengths divided by the problem's length scale, all times sqrt(weight / largest weight); so
 * the objective is f = 1/2 |r|^2 over all rows and has no unit.
 */
export interface CompiledComponent<D = unknown> extends GoalComponent<D> {
  /** The goal as the caller wrote it; its weight is read from here. */
  readonly goal: Goal;
  /** Place of the goal in the caller's list. */
  readonly index: number;
  readonly priority: number;
  /** First row of the part. */
  readonly firstRow: number;
  /** sqrt(weight / largest weight), over the length scale for lengths; set at each solve. */
  rowScale: number;
}

/** The free coordinates of a problem: its columns. */
export interface ColumnMap {
  /** How many there are: the row length of Jacobian and Hessian. */
  readonly width: number;
  /**
   * Column of each coordinate of the figure, -1 for one that is not free. In the columns that goals write, behind them of each
   * joint that follows another, in the order of `figure.couplings`.
   */
  readonly columnOf: Int32Array;
  /** Scale of each column: metres per unit step for translations, 1 for rotations. */
  readonly columnScale: Float64Array;
}

/** Where the Jacobian of a problem goes: rows by free coordinates, row by row. */
export interface JacobianTarget extends ColumnMap {
  readonly values: Float64Array;
}

/** The mathematics of a part: residual in natural units, and its rows of the normalized problem. */
export interface ResidualFunction<D> {
  /** Writes the residual, m or rad, to out[o .. o + rows); returns its norm. */
  evaluate(
    state: FigureState,
    part: CompiledComponent<D>,
    out: MutableNumbers,
    o: number,
    pose: Numbers,
  ): number;
  /**
   * Adds the derivative of the rows (with scale) to the zeroed Jacobian. Called right after `residual` at the same
   * pose, with `columnsQ` up to date.
   */
  jacobian(
    state: FigureState,
    part: CompiledComponent<D>,
    residual: Numbers,
    out: JacobianTarget,
    pose: Numbers,
  ): void;
  /**
   * Adds the second derivative of the part's share of f, 1/2 |rows|^2 (with scale), to the lower triangle of `out`, width x
   * width row by row. Called after `jacobian` at the same pose, with its rows in `columns`, with `axisDerivatives` up to date too.
   */
  hessian(
    state: FigureState,
    part: CompiledComponent<D>,
    residual: Numbers,
    columns: JacobianTarget,
    out: Float64Array,
    pose: Numbers,
  ): void;
  /** Checks what the caller may have changed since the solver was made. @throws GoalError */
  check?(data: D, path: string): void;
  /** The data with its targets in general position and nothing one-sided: to find the coordinates that move it. */
  generic?(data: D, random: () => number): D;
}

/** A draft with its mathematics, the type of its data forgotten. */
export function componentOf<D>(draft: GoalComponent<D>): GoalComponent {
  return draft as GoalComponent as GoalComponent<unknown>;
}
