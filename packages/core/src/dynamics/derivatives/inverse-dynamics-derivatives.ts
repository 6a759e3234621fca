import { turningDerivatives } from '../../figure/joints/rotation-joint-types.js';
import { updateMotionSubspaceQ } from '../../figure/kinematics/jacobians.js';
import type { Numbers } from '../../math/linear/types.js';
import { composeInertias } from '../crba/mass-matrix.js';
import { moveBones } from '../kinematics/bone-motion.js';
import { jointAccelerations, jointRates } from '../kinematics/mimic-rates.js';
import { placeMotion } from '../kinematics/update-kinematics.js';
import { requireVector } from '../model/checks.js';
import { writeInertialForces } from '../rnea/inverse-dynamics.js';
import { fillDerivatives } from './fill-matrices.js';
import { writeTerms } from './joint-terms.js';
import { gatherDerivatives } from './mimic.js';
import { carry, writeForces } from './subtree-sums.js';
import { createForceDerivatives, type DerivativeWorkspace, type ForceDerivatives } from './workspace.js';

const rise = /* @__PURE__ */ new Float64Array(3);

/**
 * Derivatives of inverse dynamics: how tau(q, nu, nu') changes with the coordinates of the pose, with joint velocities and with accelerations,
 * each while the others stay (Carpentier and Mansard, RSS 2018, for joints of several coordinates in their charts). Pushes on bones stay
 * as they are in world axes, at the origins of the bones. Nothing is allocated where `out` is given.
 *
 * @param pose - q, `figure.dof` numbers.
 * @param nu - Joint velocities.
 * @param accelerations - nu'.
 * @param external - Forces on bones, world axes: 6 numbers a bone, force (N) and couple about the bone's origin (N m).
 * @throws DomainError `wrong-size`, `not-finite` for what is given.
 */
export function inverseDynamicsDerivatives(
  workspace: DerivativeWorkspace,
  pose: Numbers,
  nu: Numbers,
  accelerations: Numbers,
  out: ForceDerivatives = createForceDerivatives(workspace.dynamics.figure),
  external?: Numbers,
): ForceDerivatives {
  const { dynamics } = workspace;
  requireVector(accelerations, dynamics.figure.dof, 'accelerations');
  placeMotion(dynamics, pose, nu, external);
  updateMotionSubspaceQ(dynamics.state, pose);
  return writeForceDerivatives(workspace, pose, nu, accelerations, out, external);
}

/**
 * Derivatives at the motion last placed, along `workspace.directions`.
 *
 * @param moments - Where pushes are at points and their couples change as these turn about the origins: sum of (r f^T - (r . f) 1) of each
 *   bone, 9 numbers, r from the origin, beside the couples r x f in `external`. Left out: couples stay.
 */
export function writeForceDerivatives(
  workspace: DerivativeWorkspace,
  pose: Numbers,
  nu: Numbers,
  accelerations: Numbers,
  out: ForceDerivatives,
  external?: Numbers,
  moments?: Float64Array,
): ForceDerivatives {
  const { dynamics, all } = workspace;
  const { state, gravity, armature, figure } = dynamics;
  const { dof } = figure;
  const rates = jointRates(dynamics, nu);
  const seconds = jointAccelerations(dynamics, nu, accelerations) as Numbers;
  for (let k = 0; k < 3; k++) rise[k] = -gravity[k];
  moveBones(dynamics, rates, seconds, rise);
  writeInertialForces(dynamics, undefined);
  composeInertias(dynamics);
  carry(workspace, external, moments);
  writeTurning(workspace, pose, rates);
  writeTerms(workspace, rates, seconds);
  fillDerivatives(workspace, state.coupled ? all : out);
  if (state.coupled) {
    writeForces(workspace);
    gatherDerivatives(workspace, pose, nu, accelerations, out);
  }
  for (let i = 0; i < dof; i++) out.byAcceleration[i * dof + i] += armature[i];
  return out;
}

/** dc/dq of the joints whose axes turn themselves. */
function writeTurning({ dynamics, turning }: DerivativeWorkspace, pose: Numbers, rates: Numbers): void {
  const { groups, coupled, joints, worldFromBone, columnsNu, axisDerivatives } = dynamics.state;
  const q = coupled ? joints : pose;
  for (let g = 0; g < groups.length; g++) {
    const { batch } = groups[g];
    const { type } = dynamics.figure.bones[batch.bones[0]].joint;
    turningDerivatives[type]?.(batch, q, rates, worldFromBone, columnsNu, axisDerivatives, turning);
  }
}
