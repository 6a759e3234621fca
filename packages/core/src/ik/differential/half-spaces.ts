import type { CompiledComponent, JacobianTarget } from '../goals/types/goal-type.js';
import type { Problem } from '../problem/problem.js';
import { toJointVelocities } from './integrate-pose.js';
import type { RotationVectorBlock } from './rotation-blocks.js';
import { toUnknowns, type Unknowns } from './rotation-parameterization.js';

/**
 * Half-space goals as velocity bounds: d + horizon d' >= 0, d the distance from the plane, so a point approaches the plane no faster than
 * a joint approaches its limit. As goals alone they would activate a row at the plane, and velocities would jump there.
 */
export interface HalfSpaces {
  /** Index of each in `problem.goals`. */
  readonly goals: readonly number[];
  /** The goals with their signed distance. */
  readonly compiledGoals: readonly CompiledComponent[];
  /** Jacobian over the scaled joint velocities and over the unknowns, one row each, in length scales. */
  readonly jacobian: JacobianTarget;
  readonly values: Float64Array;
  /** Lower bound of each velocity along the normal, in length scales. */
  readonly lower: Float64Array;
  readonly distance: Float64Array;
}

export function createHalfSpaces(problem: Problem, { columns, parameterized }: Unknowns): HalfSpaces {
  const { goals, jacobian, lengthScale } = problem;
  const indices = Array.from(goals.keys()).filter((n) => goals[n].goal.type === 'half-space');
  const values = new Float64Array(indices.length * jacobian.width);
  return {
    goals: indices,
    compiledGoals: indices.map((n, row) => ({
      ...goals[n],
      data: { ...(goals[n].data as object), oneSided: false },
      firstRow: row,
      rowScale: 1 / lengthScale,
    })),
    jacobian: { ...jacobian, values },
    values: parameterized === undefined ? values : new Float64Array(indices.length * columns),
    lower: new Float64Array(indices.length),
    distance: new Float64Array(indices.length),
  };
}

/** Updates distances, Jacobian and bounds at the pose last evaluated. A point behind its plane may go no deeper. */
export function updateHalfSpaces(
  problem: Problem,
  halfSpaces: HalfSpaces,
  rotationVectors: readonly RotationVectorBlock[],
  unknowns: Unknowns,
  pose: Float64Array,
  horizon: number,
): void {
  const { goals, compiledGoals, jacobian, lower, distance } = halfSpaces;
  if (goals.length === 0) return;
  jacobian.values.fill(0);
  for (let n = 0; n < goals.length; n++) {
    const goal = compiledGoals[n];
    goal.residualFunction.evaluate(problem.state, goal, distance, n, pose);
    goal.residualFunction.jacobian(problem.state, goal, distance, jacobian, pose);
    // A goal of weight zero is disabled.
    const enabled = problem.goals[goals[n]].rowScale > 0;
    lower[n] = enabled
      ? -Math.max(0, distance[n]) / (problem.lengthScale * horizon)
      : Number.NEGATIVE_INFINITY;
  }
  toJointVelocities(rotationVectors, pose, jacobian.values, goals.length, jacobian.width);
  toUnknowns(unknowns, goals.length, jacobian.values, halfSpaces.values);
}
