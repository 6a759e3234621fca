import type { CompiledPart, JacobianTarget } from '../goals/types/goal-type.js';
import type { Problem } from '../problem/problem.js';
import { toJointVelocities } from './integrate-pose.js';
import type { VectorBlock } from './rotation-blocks.js';
import { type Unknowns, writeRows } from './rotation-parameterization.js';

/**
 * The half-space goals of a control, each as a bound on the velocity of its point: it may approach the plane no faster than a
 * joint its limit, d + reach d' >= 0 with d the distance from the plane. As goals alone they would switch a row on at the plane, and
 * velocities would jump there.
 */
export interface HalfSpaces {
  /** Place in `problem.goals` of each. */
  readonly goals: readonly number[];
  /** The same parts with their distance on both sides of the plane. */
  readonly parts: readonly CompiledPart[];
  /** J against the scaled joint velocities, one row each, over the length scale; and against the unknowns of the control. */
  readonly jacobian: JacobianTarget;
  readonly values: Float64Array;
  /** Least velocity of each along its normal, over the length scale. */
  readonly lower: Float64Array;
  readonly distance: Float64Array;
}

export function createHalfSpaces(problem: Problem, { columns, inForm }: Unknowns): HalfSpaces {
  const { goals, jacobian, lengthScale } = problem;
  const places = Array.from(goals.keys()).filter((n) => goals[n].goal.type === 'half-space');
  const values = new Float64Array(places.length * jacobian.width);
  return {
    goals: places,
    parts: places.map((n, row) => ({
      ...goals[n],
      data: { ...(goals[n].data as object), oneSided: false },
      firstRow: row,
      scale: 1 / lengthScale,
    })),
    jacobian: { ...jacobian, values },
    values: inForm === undefined ? values : new Float64Array(places.length * columns),
    lower: new Float64Array(places.length),
    distance: new Float64Array(places.length),
  };
}

/** Distances, Jacobian and bounds at the pose last evaluated. A point that is through its plane may go no deeper. */
export function updateHalfSpaces(
  problem: Problem,
  half: HalfSpaces,
  vectors: readonly VectorBlock[],
  unknowns: Unknowns,
  pose: Float64Array,
  reach: number,
): void {
  const { goals, parts, jacobian, lower, distance } = half;
  if (goals.length === 0) return;
  jacobian.values.fill(0);
  for (let n = 0; n < goals.length; n++) {
    const part = parts[n];
    part.math.residual(problem.state, part, distance, n, pose);
    part.math.jacobian(problem.state, part, distance, jacobian, pose);
    // A goal of weight zero is off.
    const on = problem.goals[goals[n]].scale > 0;
    lower[n] = on ? -Math.max(0, distance[n]) / (problem.lengthScale * reach) : Number.NEGATIVE_INFINITY;
  }
  toJointVelocities(vectors, pose, jacobian.values, goals.length, jacobian.width);
  writeRows(unknowns, goals.length, jacobian.values, half.values);
}
