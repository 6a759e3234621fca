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
 * Derivatives of forward dynamics: how nu'(q, nu, tau) changes with the coordinates of the pose, with joint velocities and with joint forces, each
 * while the others stay. M nu' + h = tau, so they are those of inverse dynamics at nu' times -M^-1, and M^-1. Pushes on bones stay as they
 * are in world axes. Nothing is allocated where `out` is given.
 *
 * @param tau - Joint forces against nu, `figure.dof` numbers.
 * @param external - Forces on bones, world axes: 6 numbers a bone, force (N) and couple about the bone's origin (N m).
 * @throws DomainError as `forwardDynamics`; `out` then stays as it was.
 */
export function forwardDynamicsDerivatives(
  workspace: DerivativeWorkspace,
  pose: Numbers,
  nu: Numbers,
  tau: Numbers,
  out: AccelerationDerivatives = createAccelerationDerivatives(workspace.dynamics.figure),
  external?: Numbers,
): AccelerationDerivatives {
  const { dynamics, accelerations, inverse, before } = workspace;
  const { dof, name } = dynamics.figure;
  forwardDynamics(dynamics, pose, nu, tau, accelerations, external);
  inverseDynamicsDerivatives(workspace, pose, nu, accelerations, inverse, external);
  const factor = inverse.byAcceleration;
  if (!factorTree(factor, dof, before)) {
    throw new DomainError('singular', 'has a mass matrix that is not positive definite.', {
      path: `figure ${name}`,
      remedy: 'Give mass and inertia to every bone at the end of a chain.',
    });
  }
  for (let k = 0; k < dof * dof; k++) {
    out.byPose[k] = -inverse.byPose[k];
    out.byVelocity[k] = -inverse.byVelocity[k];
    out.byForce[k] = 0;
  }
  for (let i = 0; i < dof; i++) out.byForce[i * dof + i] = 1;
  solveRows(factor, dof, before, out.byPose);
  solveRows(factor, dof, before, out.byVelocity);
  solveRows(factor, dof, before, out.byForce);
  return out;
}

/** X = (L^T L)^-1 X for all columns of a dof x dof matrix at once, row after row. */
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
