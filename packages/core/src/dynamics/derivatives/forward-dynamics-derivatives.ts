import { DomainError } from '../../errors.js';
import { factorTree } from '../../math/linear/sparse-ltl.js';
import type { Numbers } from '../../math/linear/types.js';
import { forwardDynamics } from '../aba/forward-dynamics.js';
import { inverseDynamicsDerivatives } from './inverse-dynamics-derivatives.js';
import {
  type AccelerationDerivatives,
  createAccelerationDerivatives,
  type DerivativeWorkspace,
} from './workspace.js';

/**
 * Partial derivatives of forward dynamics v'(q, v, tau) with respect to the coordinates of the pose, the joint velocities and the joint
 * forces. From M v' + h = tau, with ID(q, v, v') the inverse dynamics,
 *
 *   dv'/dq = -M^-1 dID/dq,   dv'/dv = -M^-1 dID/dv,   dv'/dtau = M^-1
 *
 * External forces are constant in world axes. Allocates nothing where `out` is given.
 *
 * @param tau - Joint forces, `figure.dof` numbers.
 * @param external - Forces on bones, world axes: 6 numbers a bone, force (N) and couple about the bone's origin (N m).
 * @throws DomainError as `forwardDynamics`; `out` is then unchanged.
 */
export function forwardDynamicsDerivatives(
  workspace: DerivativeWorkspace,
  pose: Numbers,
  velocity: Numbers,
  tau: Numbers,
  out: AccelerationDerivatives = createAccelerationDerivatives(workspace.dynamics.figure),
  external?: Numbers,
): AccelerationDerivatives {
  const { dynamics, acceleration, forceDerivatives, parentCoordinate } = workspace;
  const { dof, name } = dynamics.figure;
  forwardDynamics(dynamics, pose, velocity, tau, acceleration, external);
  inverseDynamicsDerivatives(workspace, pose, velocity, acceleration, forceDerivatives, external);
  const factor = forceDerivatives.byAcceleration;
  if (!factorTree(factor, dof, parentCoordinate)) {
    throw new DomainError('singular', 'has a mass matrix that is not positive definite.', {
      path: `figure ${name}`,
      remedy: 'Give mass and inertia to every leaf bone.',
    });
  }
  for (let k = 0; k < dof * dof; k++) {
    out.byPose[k] = -forceDerivatives.byPose[k];
    out.byVelocity[k] = -forceDerivatives.byVelocity[k];
    out.byForce[k] = 0;
  }
  for (let i = 0; i < dof; i++) out.byForce[i * dof + i] = 1;
  solveRows(factor, dof, parentCoordinate, out.byPose);
  solveRows(factor, dof, parentCoordinate, out.byVelocity);
  solveRows(factor, dof, parentCoordinate, out.byForce);
  return out;
}

/** X <- (L^T L)^-1 X, all columns of a dof x dof matrix at once, row by row. L is sparse along the tree. */
function solveRows(l: Float64Array, n: number, before: Int32Array, x: Float64Array): void {
  for (let k = n - 1; k >= 0; k--) {
    const row = k * n;
    scaleRow(x, row, n, 1 / l[row + k]);
    for (let j = before[k]; j >= 0; j = before[j]) addRow(x, row, n, -l[row + j], j * n);
  }
  for (let k = 0; k < n; k++) {
    const row = k * n;
    for (let j = before[k]; j >= 0; j = before[j]) addRow(x, j * n, n, -l[row + j], row);
    scaleRow(x, row, n, 1 / l[row + k]);
  }
}

function scaleRow(x: Float64Array, from: number, n: number, scale: number): void {
  for (let c = from; c < from + n; c++) x[c] *= scale;
}

/** Row at `to` += scale times the row at `from`. */
function addRow(x: Float64Array, from: number, n: number, scale: number, to: number): void {
  if (scale === 0) return;
  for (let c = 0; c < n; c++) x[to + c] += scale * x[from + c];
}
