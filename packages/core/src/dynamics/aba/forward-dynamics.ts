import * as cholesky from '../../math/linear/cholesky.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { writeMassMatrix } from '../crba/mass-matrix.js';
import { updateBoneMotion } from '../kinematics/bone-motion.js';
import { checkAndUpdateKinematics } from '../kinematics/update-kinematics.js';
import {
  ARTICULATED_SIZE,
  addShiftedInertia,
  BLOCK_B,
  FACTOR_SIZE,
  setRigidInertia,
} from '../model/articulated-inertia.js';
import { requireVector } from '../model/checks.js';
import type { Dynamics } from '../model/dynamics.js';
import { INERTIA_SIZE } from '../model/inertia.js';
import { rotateInertia } from '../model/rotate-inertia.js';
import { writeBodyForces, writeJointForces } from '../rnea/inverse-dynamics.js';
import {
  eliminateBall,
  eliminateJoint,
  recoverJointAcceleration,
  SINGULAR_TOLERANCE,
  singularJoint,
} from './eliminate-joint.js';

const baseAcceleration = /* @__PURE__ */ new Float64Array(3);

/**
 * Forward dynamics by the articulated-body algorithm, ABA (Featherstone, *Rigid Body Dynamics Algorithms*, table 7.1), in time linear in the
 * number of bones: the joint accelerations v' of
 *
 *   M(q) v' + h(q, v) = tau
 *
 * A forward pass with zero joint acceleration gives the velocity-product terms and gravity; ABA then solves for the accelerations beyond it,
 * in which no velocity appears.
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
  requireVector(tau, dynamics.figure.dof, 'tau');
  checkAndUpdateKinematics(dynamics, pose, velocity, external);
  if (dynamics.state.hasMimicJoints) return solveWithMassMatrix(dynamics, velocity, tau, external, out);
  const { gravity } = dynamics;
  for (let k = 0; k < 3; k++) baseAcceleration[k] = -gravity[k];
  updateBoneMotion(dynamics, velocity, undefined, baseAcceleration);
  writeBodyForces(dynamics, external);
  initializeArticulatedInertias(dynamics);
  backwardPass(dynamics, tau);
  forwardPass(dynamics, out);
  return out;
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
function factorLeadingBlock({ figure, reducedMassMatrix, inertiaScale }: Dynamics, count: number): boolean {
  const { dof } = figure;
  for (let i = 0; i < count; i++) inertiaScale[i] = SINGULAR_TOLERANCE * reducedMassMatrix[i * dof + i];
  if (!cholesky.factor(reducedMassMatrix, count, dof)) return false;
  for (let i = 0; i < count; i++) if (!(reducedMassMatrix[i * dof + i] ** 2 > inertiaScale[i])) return false;
  return true;
}

/** IA of each bone alone: its rigid-body inertia. */
function initializeArticulatedInertias(dynamics: Dynamics): void {
  const { figure, state, inertias, firstMoments, articulatedInertia, rotatedInertia, inertiaScale } =
    dynamics;
  for (let b = 0; b < figure.parents.length; b++) {
    const i = INERTIA_SIZE * b;
    rotateInertia(state.worldFromBone, 12 * b, inertias, i + 4, rotatedInertia, 0);
    setRigidInertia(
      rotatedInertia,
      0,
      inertias[i],
      firstMoments,
      3 * b,
      articulatedInertia,
      ARTICULATED_SIZE * b,
    );
    inertiaScale[2 * b] = inertias[i];
    inertiaScale[2 * b + 1] = inertias[i + 4] + inertias[i + 5] + inertias[i + 6];
  }
}

/** Whether a joint is a ball without armature, which {@link eliminateBall} handles. */
function isBallWithoutArmature({ figure, state, armature }: Dynamics, b: number): boolean {
  const first = figure.coordinateStart[b];
  return (
    state.bodyAngularVelocity[b] === 1 && armature[first] + armature[first + 1] + armature[first + 2] === 0
  );
}

/**
 * Backward pass of ABA, leaves to root: eliminates each joint and adds IA and pA of its bone to the parent's. `force` and `couple` are pA, from
 * the forces at zero joint acceleration.
 */
function backwardPass(dynamics: Dynamics, tau: Numbers): void {
  const { figure, articulatedInertia, force, couple, offsets, inertiaScale } = dynamics;
  const { parents, coordinateStart } = figure;
  for (let b = parents.length - 1; b >= 0; b--) {
    const first = coordinateStart[b];
    const size = coordinateStart[b + 1] - first;
    if (isBallWithoutArmature(dynamics, b)) eliminateBall(dynamics, b, first, tau);
    else if (size > 0) eliminateJoint(dynamics, b, first, size, tau);
    const p = parents[b];
    if (p < 0) continue;
    const o = 3 * b;
    const x = offsets[o];
    const y = offsets[o + 1];
    const z = offsets[o + 2];
    addShiftedInertia(
      articulatedInertia,
      ARTICULATED_SIZE * b,
      offsets,
      o,
      articulatedInertia,
      ARTICULATED_SIZE * p,
    );
    inertiaScale[2 * p] += inertiaScale[2 * b];
    inertiaScale[2 * p + 1] += 2 * (inertiaScale[2 * b + 1] + inertiaScale[2 * b] * (x * x + y * y + z * z));
    force[3 * p] += force[o];
    force[3 * p + 1] += force[o + 1];
    force[3 * p + 2] += force[o + 2];
    couple[3 * p] += couple[o] + y * force[o + 2] - z * force[o + 1];
    couple[3 * p + 1] += couple[o + 1] + z * force[o] - x * force[o + 2];
    couple[3 * p + 2] += couple[o + 2] + x * force[o + 1] - y * force[o];
  }
}

/** Forward pass of ABA, root to leaves: joint accelerations, and the bones' accelerations beyond those at zero joint acceleration. */
function forwardPass(dynamics: Dynamics, out: MutableNumbers): void {
  const { figure, state, offsets, factors, jointForces, addedAcceleration } = dynamics;
  const { parents, coordinateStart } = figure;
  const { worldFromBone: m } = state;
  for (let b = 0; b < parents.length; b++) {
    const a = 6 * b;
    let px = 0;
    let py = 0;
    let pz = 0;
    let lx = 0;
    let ly = 0;
    let lz = 0;
    if (parents[b] >= 0) {
      const p = 6 * parents[b];
      const o = 3 * b;
      px = addedAcceleration[p];
      py = addedAcceleration[p + 1];
      pz = addedAcceleration[p + 2];
      lx = addedAcceleration[p + 3] + py * offsets[o + 2] - pz * offsets[o + 1];
      ly = addedAcceleration[p + 4] + pz * offsets[o] - px * offsets[o + 2];
      lz = addedAcceleration[p + 5] + px * offsets[o + 1] - py * offsets[o];
    }
    const first = coordinateStart[b];
    const size = coordinateStart[b + 1] - first;
    const o = FACTOR_SIZE * b;
    const isBall = isBallWithoutArmature(dynamics, b);
    if (isBall) {
      // w' = A^-1 (u - B v'), independent of the parent's w'.
      const g = o + BLOCK_B;
      const ux = jointForces[first] - factors[g] * lx - factors[g + 1] * ly - factors[g + 2] * lz;
      const uy = jointForces[first + 1] - factors[g + 3] * lx - factors[g + 4] * ly - factors[g + 5] * lz;
      const uz = jointForces[first + 2] - factors[g + 6] * lx - factors[g + 7] * ly - factors[g + 8] * lz;
      const wx = factors[o] * ux + factors[o + 3] * uy + factors[o + 4] * uz;
      const wy = factors[o + 3] * ux + factors[o + 1] * uy + factors[o + 5] * uz;
      const wz = factors[o + 4] * ux + factors[o + 5] * uy + factors[o + 2] * uz;
      const e = 12 * b;
      const dx = wx - px;
      const dy = wy - py;
      const dz = wz - pz;
      out[first] = m[e] * dx + m[e + 3] * dy + m[e + 6] * dz;
      out[first + 1] = m[e + 1] * dx + m[e + 4] * dy + m[e + 7] * dz;
      out[first + 2] = m[e + 2] * dx + m[e + 5] * dy + m[e + 8] * dz;
      px = wx;
      py = wy;
      pz = wz;
    }
    addedAcceleration[a] = px;
    addedAcceleration[a + 1] = py;
    addedAcceleration[a + 2] = pz;
    addedAcceleration[a + 3] = lx;
    addedAcceleration[a + 4] = ly;
    addedAcceleration[a + 5] = lz;
    if (size > 0 && !isBall) recoverJointAcceleration(dynamics, b, first, size, out);
  }
}
