import type { Figure } from '../../../figure/model/figure.js';
import type { FigureState } from '../../../figure/model/state.js';
import type { MutableNumbers, Numbers } from '../../../math/linear/types.js';
import type { Goal } from './goal.js';

/** The fields of a goal beside `type`, `weight` and `priority`, as keys; of a field that may be an object, or a list of them, its fields. */
export type GoalFields<G extends Goal = Goal> = {
  readonly [Key in Exclude<keyof G, 'type' | 'weight' | 'priority'>]-?: true | FieldNames;
};

export interface FieldNames {
  readonly [name: string]: true | FieldNames;
}

/** A goal type: it checks a goal and splits it into components. */
export interface GoalType<G extends Goal = Goal> {
  /** Other fields are refused; left out, none is. */
  readonly fields?: GoalFields<G>;
  /**
   * The components of a goal, checked, with copies of its numbers.
   *
   * @param path - Path of the goal, for errors.
   * @throws GoalError, FigureError
   */
  components(figure: Figure, goal: G, path: string): readonly GoalComponent[];
}

/** A component of a goal: rows of one unit with one residual function. */
export interface GoalComponent<D = unknown> {
  readonly residualFunction: ResidualFunction<D>;
  readonly data: D;
  readonly rows: number;
  readonly unit: 'length' | 'angle';
  /** Name, where the goal has several components. */
  readonly name?: string;
  readonly bone: number;
  /** Bone that carries the target, -1 for a target in the world. */
  readonly targetBone: number;
  /** Other bones that the residual depends on. */
  readonly otherBones?: readonly number[];
  /** Bones whose joints it may add to the problem's columns. Default: all that it depends on. */
  readonly drivenBones?: readonly number[];
  /** Largest norm of a satisfied residual; infinite for a soft goal. */
  readonly tolerance: number;
  /** A coordinate that it uses as a scalar: if that belongs to a rotation vector, the vector is not reparameterized. */
  readonly scalarCoordinate?: number;
  /** Factor on the goal's weight. Default 1. */
  readonly weightFactor?: number;
  /**
   * Of a goal that joins the others once they have been descended to: the bones whose joints keep their coordinates then, as those that bend
   * the limb of a pole.
   */
  readonly keptBones?: readonly number[];
  /** Added to its goal's priority. Default 0. */
  readonly priorityOffset?: number;
  /**
   * Of a one-sided component: rows that are nonnegative where its residual is zero. They are inequality constraints for lower
   * priorities.
   */
  readonly inequality?: GoalComponent;
  /** Rows that are inequality constraints for lower priorities beside its own, as the least distance of a target that a bone points at. */
  readonly clearance?: GoalComponent;
}

/**
 * A component with its rows in the problem.
 *
 * Rows are normalized: angles in radians, lengths divided by the problem's length scale, all times sqrt(weight / largest weight); so
 * the objective is f = 1/2 |r|^2 over all rows and has no unit.
 */
export interface CompiledComponent<D = unknown> extends GoalComponent<D> {
  /** The goal as the caller wrote it; its weight is read from here. */
  readonly goal: Goal;
  /** Index of the goal in the caller's list. */
  readonly index: number;
  readonly priority: number;
  /** Its first row. */
  readonly firstRow: number;
  /** sqrt(weight / largest weight), over the length scale for lengths; set at each solve. */
  rowScale: number;
  /** Set by the Newton stage. */
  hessian: GoalHessian<D> | undefined;
}

/** The free coordinates of a problem: its columns. */
export interface ColumnMap {
  /** Number of columns: the row length of Jacobian and Hessian. */
  readonly width: number;
  /**
   * Column of each coordinate of the figure, -1 for one that is not free. In the extended columns that goals write, followed by the
   * columns of mimic joints, in the order of `figure.mimicJoints`.
   */
  readonly columnOf: Int32Array;
  /** Scale of each column: metres per unit step for translations, 1 for rotations. */
  readonly columnScale: Float64Array;
}

/** The Jacobian of a problem: rows by free coordinates, row by row. */
export interface JacobianTarget extends ColumnMap {
  readonly values: Float64Array;
}

/** A residual function with its derivative: the residual in m or rad, the Jacobian with row scaling. */
export interface ResidualFunction<D> {
  /** Writes the residual, m or rad, to out[o .. o + rows); returns its norm. */
  evaluate(
    state: FigureState,
    component: CompiledComponent<D>,
    out: MutableNumbers,
    o: number,
    pose: Numbers,
  ): number;
  /**
   * Adds the derivative of the scaled rows to the zeroed Jacobian. Called right after `evaluate` at the same pose, with `columnsQ`
   * up to date.
   */
  jacobian(
    state: FigureState,
    component: CompiledComponent<D>,
    residual: Numbers,
    out: JacobianTarget,
    pose: Numbers,
  ): void;
  /** Checks the inputs that the caller may have changed since the solver was made. @throws GoalError */
  check?(data: D, path: string): void;
  /** The data with generic targets and without one-sidedness: to find the coordinates that it depends on. */
  generic?(data: D, random: () => number): D;
}

/** The exact Hessian of a residual function's term of f, for the Newton stage. A separate object, so that a bundle may leave it out. */
export interface GoalHessian<D = unknown> {
  readonly residualFunction: ResidualFunction<D>;
  /**
   * Adds the second derivative of the component's term of f, 1/2 |scaled rows|^2, to the lower triangle of `out`, width x width row
   * by row. Called after `jacobian` at the same pose, with its rows in `columns` and `axisDerivatives` up to date.
   */
  add(
    state: FigureState,
    component: CompiledComponent<D>,
    residual: Numbers,
    columns: JacobianTarget,
    out: Float64Array,
    pose: Numbers,
  ): void;
  /**
   * Adds the second derivative of y.c of rows c that are constraints of lower priorities, y their multipliers over the row scale, at
   * the component's rows, where the component is met: c = 0. Products of gradients of c may be added too: on the null space of the rows they vanish. Left out where
   * `add` with the multipliers for the residual is just that, because the residual enters it only as a factor.
   */
  addConstraint?(
    state: FigureState,
    component: CompiledComponent<D>,
    multipliers: Numbers,
    columns: JacobianTarget,
    out: Float64Array,
    pose: Numbers,
  ): void;
}

/** A component with its data type erased. */
export function componentOf<D>(draft: GoalComponent<D>): GoalComponent {
  return draft as GoalComponent as GoalComponent<unknown>;
}
