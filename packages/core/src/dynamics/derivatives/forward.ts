import { DomainError } from '../../errors.js';
import { factorTree, solveLower, solveUpper } from '../../math/tree-factor.js';
import type { Numbers } from '../../math/types.js';
import { forwardDynamics } from '../forward-dynamics.js';
import { inverseDynamicsDerivatives } from './inverse.js';
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
  for (let k = 0; k < dof * dof; k++) out.byForce[k] = 0;
  for (let i = 0; i < dof; i++) out.byForce[i * dof + i] = 1;
  for (let i = 0; i < dof; i++) {
    solveColumn(workspace, inverse.byPose, out.byPose, i, -1);
    solveColumn(workspace, inverse.byVelocity, out.byVelocity, i, -1);
    solveColumn(workspace, out.byForce, out.byForce, i, 1);
  }
  return out;
}

/** Column i of scale M^-1 X. */
function solveColumn(
  { dynamics, inverse, before, column }: DerivativeWorkspace,
  from: Float64Array,
  out: Float64Array,
  i: number,
  scale: number,
): void {
  const { dof } = dynamics.figure;
  for (let r = 0; r < dof; r++) column[r] = scale * from[r * dof + i];
  solveUpper(inverse.byAcceleration, dof, before, column);
  solveLower(inverse.byAcceleration, dof, before, column);
  for (let r = 0; r < dof; r++) out[r * dof + i] = column[r];
}
