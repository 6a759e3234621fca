import { requireNumbers } from '../../checks.js';
import { DomainError } from '../../errors.js';
import { biasDerivatives } from '../../figure/joints/bias-derivatives.js';
import { updateMotionSubspaceQ } from '../../figure/kinematics/jacobians.js';
import type { Numbers } from '../../math/linear/types.js';
import { updateCompositeInertias } from '../crba/mass-matrix.js';
import { updateBoneMotion } from '../kinematics/bone-motion.js';
import { expandAcceleration, expandVelocity } from '../kinematics/mimic-joints.js';
import { checkAndUpdateKinematics } from '../kinematics/update-kinematics.js';
import { writeBodyForces } from '../rnea/inverse-dynamics.js';
import { fillDerivatives } from './fill-matrices.js';
import { writeJointTerms } from './joint-terms.js';
import { reduceDerivatives } from './mimic.js';
import { sumSubtrees, writeExpandedForces } from './subtree-sums.js';
import { createForceDerivatives, type DerivativeWorkspace, type ForceDerivatives } from './workspace.js';

const baseAcceleration = /* @__PURE__ */ new Float64Array(3);

/**
 * Partial derivatives of inverse dynamics tau(q, v, v') with respect to the coordinates of the pose, the joint velocities and the joint
 * accelerations (Carpentier and Mansard, RSS 2018, extended to joints of several coordinates). External forces are constant in world axes and
 * act at the origins of the bones. Allocates nothing where `out` is given.
 *
 * @param pose - q, `figure.dof` numbers.
 * @param velocity - v, joint velocities.
 * @param acceleration - v', joint accelerations.
 * @param external - Forces on bones, world axes: 6 numbers a bone, force (N) and couple about the bone's origin (N m).
 * @throws DomainError `wrong-size`, `not-finite` for an argument.
 */
export function inverseDynamicsDerivatives(
  workspace: DerivativeWorkspace,
  pose: Numbers,
  velocity: Numbers,
  acceleration: Numbers,
  out: ForceDerivatives = createForceDerivatives(workspace.dynamics.figure),
  external?: Numbers,
): ForceDerivatives {
  const { dynamics } = workspace;
  requireNumbers(acceleration, dynamics.figure.dof, 'acceleration', DomainError);
  checkAndUpdateKinematics(dynamics, pose, velocity, external);
  updateMotionSubspaceQ(dynamics.state, pose);
  return writeForceDerivatives(workspace, pose, velocity, acceleration, out, external);
}

/**
 * The derivatives at the pose of the last kinematics update, along `workspace.directions`.
 *
 * @param externalMoments - For external forces at points fixed on the bones: the sum of (r f^T - (r . f) 1) of each bone, 9 numbers, r from its
 *   origin, which gives the change of the couples r x f in `external`. Default: couples are constant.
 */
export function writeForceDerivatives(
  workspace: DerivativeWorkspace,
  pose: Numbers,
  velocity: Numbers,
  acceleration: Numbers,
  out: ForceDerivatives,
  external?: Numbers,
  externalMoments?: Float64Array,
): ForceDerivatives {
  const { dynamics, expanded } = workspace;
  const { state, gravity, armature, figure } = dynamics;
  const { dof } = figure;
  const jointVelocity = expandVelocity(dynamics, velocity);
  const jointAcceleration = expandAcceleration(dynamics, velocity, acceleration) as Numbers;
  for (let k = 0; k < 3; k++) baseAcceleration[k] = -gravity[k];
  updateBoneMotion(dynamics, jointVelocity, jointAcceleration, baseAcceleration);
  writeBodyForces(dynamics, undefined);
  updateCompositeInertias(dynamics);
  sumSubtrees(workspace, external, externalMoments);
  writeBiasDerivatives(workspace, pose, jointVelocity);
  writeJointTerms(workspace, jointVelocity, jointAcceleration);
  fillDerivatives(workspace, state.hasMimicJoints ? expanded : out);
  if (state.hasMimicJoints) {
    writeExpandedForces(workspace);
    reduceDerivatives(workspace, pose, velocity, acceleration, out);
  }
  for (let i = 0; i < dof; i++) out.byAcceleration[i * dof + i] += armature[i];
  return out;
}

/** dc/dq of the joints with varying axes. */
function writeBiasDerivatives(
  { dynamics, biasByPose }: DerivativeWorkspace,
  pose: Numbers,
  rates: Numbers,
): void {
  const { groups, hasMimicJoints, jointCoordinates, worldFromBone, columnsV, axisDerivatives } =
    dynamics.state;
  const q = hasMimicJoints ? jointCoordinates : pose;
  for (let g = 0; g < groups.length; g++) {
    const { name, batch } = groups[g];
    biasDerivatives[name]?.(batch, q, rates, worldFromBone, columnsV, axisDerivatives, biasByPose);
  }
}
