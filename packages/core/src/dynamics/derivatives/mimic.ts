import { type MimicFunction, mimicPieceAt } from '../../figure/model/mimic-function.js';
import type { Numbers } from '../../math/linear/types.js';
import type { DerivativeWorkspace, ForceDerivatives } from './workspace.js';

/**
 * Reduces the derivatives over all joints, `workspace.expanded`, to the coordinates of the pose. A mimic joint has q = phi(y), q' = phi' y' and
 * q'' = phi' y'' + phi'' y'^2, y the coordinate of its source joint, on which its force acts times phi'.
 */
export function reduceDerivatives(
  workspace: DerivativeWorkspace,
  pose: Numbers,
  velocity: Numbers,
  acceleration: Numbers,
  out: ForceDerivatives,
): void {
  const { dynamics, expanded, size, expandedForces } = workspace;
  const { figure, state } = dynamics;
  const { mimicJoints, dof } = figure;
  const { mimicDerivatives, mimicSecondDerivatives } = state;
  // Columns: the chain rule through phi. The columns of mimic joints are dropped.
  for (let k = 0; k < mimicJoints.length; k++) {
    const i = mimicJoints[k].coordinate;
    const third = thirdDerivative(state.mimicFunctions[k], pose[i]);
    const rate = mimicSecondDerivatives[k] * velocity[i];
    const second = mimicSecondDerivatives[k] * acceleration[i] + third * velocity[i] * velocity[i];
    for (let r = 0; r < size; r++) {
      const from = r * size + dof + k;
      const to = r * size + i;
      const mass = expanded.byAcceleration[from];
      expanded.byPose[to] +=
        mimicDerivatives[k] * expanded.byPose[from] + rate * expanded.byVelocity[from] + second * mass;
      expanded.byVelocity[to] += mimicDerivatives[k] * expanded.byVelocity[from] + 2 * rate * mass;
      expanded.byAcceleration[to] += mimicDerivatives[k] * mass;
    }
  }
  reduceRows(workspace, expanded.byPose, out.byPose);
  reduceRows(workspace, expanded.byVelocity, out.byVelocity);
  reduceRows(workspace, expanded.byAcceleration, out.byAcceleration);
  // d(phi')/dy of the reduced force.
  for (let k = 0; k < mimicJoints.length; k++) {
    const i = mimicJoints[k].coordinate;
    out.byPose[i * dof + i] += mimicSecondDerivatives[k] * expandedForces[dof + k];
  }
}

function reduceRows({ dynamics, size }: DerivativeWorkspace, from: Float64Array, out: Float64Array): void {
  const { figure, state } = dynamics;
  const { mimicJoints, dof } = figure;
  for (let i = 0; i < dof; i++) for (let j = 0; j < dof; j++) out[i * dof + j] = from[i * size + j];
  for (let k = 0; k < mimicJoints.length; k++) {
    const row = mimicJoints[k].coordinate * dof;
    for (let j = 0; j < dof; j++) out[row + j] += state.mimicDerivatives[k] * from[(dof + k) * size + j];
  }
}

/** phi''' by Horner. */
function thirdDerivative(phi: MimicFunction, at: number): number {
  const { from, polynomial: c } = mimicPieceAt(phi, at);
  const y = at - from;
  let sum = 0;
  for (let n = c.length - 1; n >= 3; n--) sum = sum * y + n * (n - 1) * (n - 2) * c[n];
  return sum;
}
