import { requireNumbers, requireRoom } from '../../checks.js';
import { DomainError } from '../../errors.js';
import * as cholesky from '../../math/linear/cholesky.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { writeMassMatrix } from '../crba/mass-matrix.js';
import { updateBoneMotion } from '../kinematics/bone-motion.js';
import { checkAndUpdateKinematics } from '../kinematics/update-kinematics.js';
import type { Dynamics } from '../model/dynamics.js';
import { writeBodyForces, writeJointForces } from '../rnea/inverse-dynamics.js';
import { SINGULAR_TOLERANCE } from './eliminate-joint.js';
import { factorMassMatrix, updateTreeSystem } from './factor.js';
import { backwardPass, forwardPass } from './solve.js';

const baseAcceleration = /* @__PURE__ */ new Float64Array(3);

/**
 * Forward dynamics by the articulated-body algorithm, ABA (Featherstone, *Rigid Body Dynamics Algorithms*, table 7.1), in time linear in the
 * number of bones: the joint accelerations v' of
 *
 *   M(q) v' + h(q, v) = tau
 *
 * A forward pass with zero joint acceleration gives the forces pA of velocity products and gravity on each bone; the factored system then
 * gives the accelerations beyond it, M v' = tau - sum over bones of J_b^T pA_b, in which no velocity appears.
 *
 * @param out - v', `figure.dof` numbers.
 * @param external - Forces on bones, world axes: 6 numbers a bone, force (N) and couple about the bone's origin (N m).
 * @throws DomainError `singular` for a joint without inertia to move or at a singularity of its coordinates; `wrong-size`, `not-finite` for an
 *   argument. `out` is then unchanged.
 */
export function forwardDynamics<T extends MutableNumbers = Float64Array>(
  dynamics: Dynamics,
  pose: Numbers,
  velocity: Numbers,
  tau: Numbers,
  out: T = new Float64Array(dynamics.figure.dof) as MutableNumbers as T,
  external?: Numbers,
): T {
  requireNumbers(tau, dynamics.figure.dof, 'tau', DomainError);
  requireRoom(out, dynamics.figure.dof, 'out', DomainError);
  checkAndUpdateKinematics(dynamics, pose, velocity, external);
  if (dynamics.state.hasMimicJoints) return solveWithMassMatrix(dynamics, velocity, tau, external, out);
  const { figure, gravity, tree, jointForces } = dynamics;
  for (let k = 0; k < 3; k++) baseAcceleration[k] = -gravity[k];
  updateBoneMotion(dynamics, velocity, undefined, baseAcceleration);
  writeBodyForces(dynamics, external);
  updateTreeSystem(dynamics);
  const singular = factorMassMatrix(dynamics);
  if (singular >= 0) throw singularJoint(figure.bones[singular].name);
  writeBiasWrenches(dynamics);
  // A copy: the passes take arrays of one kind only, the caller's may be others.
  for (let i = 0; i < figure.dof; i++) jointForces[i] = tau[i];
  backwardPass(dynamics, tree.allBones, tree.allBones.length, jointForces, jointForces);
  forwardPass(dynamics, tree.allBones, tree.allBones.length, jointForces);
  for (let i = 0; i < figure.dof; i++) out[i] = jointForces[i];
  return out;
}

/** The net force on each bone, as couple and force, where the backward pass begins. */
function writeBiasWrenches({ force, couple, tree: { biasWrenches } }: Dynamics): void {
  for (let o = 0; o < force.length; o += 3) {
    const w = 2 * o;
    biasWrenches[w] = couple[o];
    biasWrenches[w + 1] = couple[o + 1];
    biasWrenches[w + 2] = couple[o + 2];
    biasWrenches[w + 3] = force[o];
    biasWrenches[w + 4] = force[o + 1];
    biasWrenches[w + 5] = force[o + 2];
  }
}

/** Mimic joints close force loops, which ABA does not cover: solves with the mass matrix instead. */
function solveWithMassMatrix<T extends MutableNumbers>(
  dynamics: Dynamics,
  velocity: Numbers,
  tau: Numbers,
  external: Numbers | undefined,
  out: T,
): T {
  const { figure, reducedMassMatrix, jointForces } = dynamics;
  const { dof } = figure;
  // A copy: `out` may be `tau`.
  for (let i = 0; i < dof; i++) jointForces[i] = tau[i];
  writeMassMatrix(dynamics, reducedMassMatrix);
  if (!factorLeadingBlock(dynamics, dof)) {
    let count = 1;
    for (; count < dof; count++) {
      writeMassMatrix(dynamics, reducedMassMatrix);
      if (!factorLeadingBlock(dynamics, count)) break;
    }
    throw singularJoint(figure.bones[figure.boneOfCoordinate[count - 1]].name);
  }
  writeJointForces(dynamics, velocity, undefined, external, out);
  for (let i = 0; i < dof; i++) out[i] = jointForces[i] - out[i];
  cholesky.solve(reducedMassMatrix, dof, out);
  return out;
}

/** Cholesky factorization of the leading `count` x `count` block of `reducedMassMatrix`; false where it is singular. */
function factorLeadingBlock({ figure, reducedMassMatrix: l }: Dynamics, count: number): boolean {
  const { dof } = figure;
  if (!cholesky.factor(l, count, dof)) return false;
  for (let i = 0; i < count; i++) {
    // Row i of L: the sum of its squares is the diagonal entry that the pivot comes from.
    let diagonal = 0;
    for (let k = 0; k <= i; k++) diagonal += l[i * dof + k] ** 2;
    if (!(l[i * (dof + 1)] ** 2 > SINGULAR_TOLERANCE * diagonal)) return false;
  }
  return true;
}

/** The error for a joint with singular D. */
function singularJoint(name: string): DomainError {
  return new DomainError(
    'singular',
    'has no inertia to move, or its coordinates are singular at this pose.',
    {
      path: `bone ${name}`,
      remedy:
        'Give mass and inertia to it or to its descendants, or keep Euler angles and swings away from their poles.',
    },
  );
}
