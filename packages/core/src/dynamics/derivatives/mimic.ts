import type { Numbers } from '../../math/linear/types.js';
import type { DerivativeWorkspace, ForceDerivatives } from './workspace.js';

/**
 * From derivatives over all joints, in `workspace.all`, to those over the coordinates of the pose. A follower has q = phi(y), nu = phi' y' and
 * nu' = phi' y'' + phi'' y'^2 of its leader, and its force counts phi' times at that.
 */
export function gatherDerivatives(
  workspace: DerivativeWorkspace,
  pose: Numbers,
  nu: Numbers,
  accelerations: Numbers,
  out: ForceDerivatives,
): void {
  const { dynamics, all, size, forces } = workspace;
  const { figure, state } = dynamics;
  const { mimicJoints, dof } = figure;
  const { slopes, curvatures } = state;
  // Columns: what a leader does through its followers. Theirs stay as they are.
  for (let k = 0; k < mimicJoints.length; k++) {
    const i = mimicJoints[k].coordinate;
    const third = thirdDerivative(state.polynomials[k], pose[i]);
    const rate = curvatures[k] * nu[i];
    const second = curvatures[k] * accelerations[i] + third * nu[i] * nu[i];
    for (let r = 0; r < size; r++) {
      const from = r * size + dof + k;
      const to = r * size + i;
      const mass = all.byAcceleration[from];
      all.byPose[to] += slopes[k] * all.byPose[from] + rate * all.byVelocity[from] + second * mass;
      all.byVelocity[to] += slopes[k] * all.byVelocity[from] + 2 * rate * mass;
      all.byAcceleration[to] += slopes[k] * mass;
    }
  }
  gatherRows(workspace, all.byPose, out.byPose);
  gatherRows(workspace, all.byVelocity, out.byVelocity);
  gatherRows(workspace, all.byAcceleration, out.byAcceleration);
  // phi' itself changes with y.
  for (let k = 0; k < mimicJoints.length; k++) {
    const i = mimicJoints[k].coordinate;
    out.byPose[i * dof + i] += curvatures[k] * forces[dof + k];
  }
}

function gatherRows({ dynamics, size }: DerivativeWorkspace, from: Float64Array, out: Float64Array): void {
  const { figure, state } = dynamics;
  const { mimicJoints, dof } = figure;
  for (let i = 0; i < dof; i++) for (let j = 0; j < dof; j++) out[i * dof + j] = from[i * size + j];
  for (let k = 0; k < mimicJoints.length; k++) {
    const row = mimicJoints[k].coordinate * dof;
    for (let j = 0; j < dof; j++) out[row + j] += state.slopes[k] * from[(dof + k) * size + j];
  }
}

/** phi''' by Horner. */
function thirdDerivative(c: Float64Array, y: number): number {
  let sum = 0;
  for (let n = c.length - 1; n >= 3; n--) sum = sum * y + n * (n - 1) * (n - 2) * c[n];
  return sum;
}
