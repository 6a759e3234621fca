import { DomainError } from '../../errors.js';
import { factorTree } from '../../math/linear/sparse-ltl.js';
import { invertRowBlocks, setRowBlocks, solvePattern } from '../../math/linear/sparse-ltl-blocks.js';
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
  const { dynamics, acceleration, forceDerivatives, parentCoordinate, rowBlocks } = workspace;
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
  setRowBlocks(rowBlocks, factor);
  writeNegative(forceDerivatives.byPose, out.byPose);
  solvePattern(rowBlocks, out.byPose);
  writeNegative(forceDerivatives.byVelocity, out.byVelocity);
  solvePattern(rowBlocks, out.byVelocity);
  invertRowBlocks(rowBlocks, out.byForce);
  return out;
}

function writeNegative(x: Float64Array, out: Float64Array): void {
  for (let k = 0; k < x.length; k++) out[k] = -x[k];
}
