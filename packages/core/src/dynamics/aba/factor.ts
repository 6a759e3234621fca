/**
 * Backward pass of the articulated-body algorithm (Featherstone, *Rigid Body Dynamics Algorithms*, table 7.1): factors
 *
 *   H = M + T + sum over bones b of J_b^T K_b J_b
 *
 * of `model/tree-system.ts` in time linear in the number of bones. From the tips to the root, with IA_b the articulated inertia of bone b, S_b the
 * motion subspace of its joint and X_b the shift from the parent's origin to that of b:
 *
 *   IA_b = I_b + K_b + sum over children c of X_c^T Ia_c X_c
 *   U = IA_b S_b,   D = S_b^T U + T_b,   Ia_b = IA_b - U D^-1 U^T        `eliminate-joint.ts`; T_b the block of T of the joint
 *
 * `solve.ts` solves H x = b with U and D.
 */
import {
  ARTICULATED_SIZE,
  addShiftedInertia,
  addShiftedMass,
  BLOCK_C,
  setRigidInertia,
} from '../model/articulated-inertia.js';
import type { Dynamics } from '../model/dynamics.js';
import { INERTIA_SIZE } from '../model/inertia.js';
import { rotateInertia } from '../model/rotate-inertia.js';
import { BALL, GENERAL } from '../model/tree-system.js';
import {
  eliminateBall,
  eliminateColumns,
  eliminateOneAxis,
  eliminateThreeAxes,
  eliminateTwoAxes,
} from './eliminate-joint.js';

/** Updates rigid inertias and joint axes to the current kinematics (`updateKinematics`). */
export function updateTreeSystem({
  figure,
  state,
  inertias,
  firstMoments,
  rotatedInertia,
  tree,
}: Dynamics): void {
  const { worldFromBone: m, columnsV: columns, bodyAngularVelocity } = state;
  const { rigidInertia, jointKind, factorStart, factors } = tree;
  const { coordinateStart } = figure;
  for (let b = 0; b < jointKind.length; b++) {
    const i = INERTIA_SIZE * b;
    rotateInertia(m, 12 * b, inertias, i + 4, rotatedInertia, 0);
    setRigidInertia(rotatedInertia, 0, inertias[i], firstMoments, 3 * b, rigidInertia, ARTICULATED_SIZE * b);
    if (jointKind[b] === BALL) continue;
    const first = coordinateStart[b];
    const size = coordinateStart[b + 1] - first;
    const isBall = bodyAngularVelocity[b] === 1;
    const numbers = jointKind[b] === GENERAL ? 6 : 3;
    let o = factorStart[b] + 6 * size;
    for (let k = 0; k < size; k++) {
      for (let n = 0; n < numbers; n++)
        factors[o++] = isBall ? m[12 * b + 3 * n + k] : columns[6 * (first + k) + n];
    }
  }
}

/**
 * Factors H at the inertias and axes of {@link updateTreeSystem}: eliminates the joints from the tips to the root, with the pivots
 * D = S^T U + T, U = IA S and S the motion subspace (`eliminate-joint.ts`).
 *
 * @returns -1, or the first bone with a pivot that is not positive, not finite, or lost to cancellation: a joint without inertia, a singular
 *   chart, or K or T that are not positive semidefinite.
 */
export function factorTreeSystem(dynamics: Dynamics): number {
  const { rigidInertia, boneHessian, articulatedInertia } = dynamics.tree;
  for (let i = 0; i < articulatedInertia.length; i++)
    articulatedInertia[i] = rigidInertia[i] + boneHessian[i];
  return eliminateJoints(dynamics);
}

/** {@link factorTreeSystem} for K = 0. */
export function factorMassMatrix(dynamics: Dynamics): number {
  dynamics.tree.articulatedInertia.set(dynamics.tree.rigidInertia);
  return eliminateJoints(dynamics);
}

function eliminateJoints({ figure, offsets, tree }: Dynamics): number {
  const { articulatedInertia: x, jointKind, pivotScale } = tree;
  const { parents } = figure;
  for (let b = 0; b < parents.length; b++) {
    const i = ARTICULATED_SIZE * b;
    pivotScale[2 * b] = x[i + BLOCK_C] + x[i + BLOCK_C + 1] + x[i + BLOCK_C + 2];
    pivotScale[2 * b + 1] = x[i] + x[i + 1] + x[i + 2];
  }
  for (let b = parents.length - 1; b >= 0; b--) {
    const kind = jointKind[b];
    if (kind === 3) {
      if (!eliminateThreeAxes(tree, b)) return b;
    } else if (kind === 2) {
      if (!eliminateTwoAxes(tree, b)) return b;
    } else if (kind === 1) {
      if (!eliminateOneAxis(tree, b)) return b;
    } else if (kind === BALL) {
      if (!eliminateBall(tree, b)) return b;
    } else if (kind === GENERAL && !eliminateColumns(tree, figure, b)) return b;
    const p = parents[b];
    if (p < 0) continue;
    const rx = offsets[3 * b];
    const ry = offsets[3 * b + 1];
    const rz = offsets[3 * b + 2];
    if (kind === BALL) addShiftedMass(x, ARTICULATED_SIZE * b, offsets, 3 * b, x, ARTICULATED_SIZE * p);
    else addShiftedInertia(x, ARTICULATED_SIZE * b, offsets, 3 * b, x, ARTICULATED_SIZE * p);
    pivotScale[2 * p] += pivotScale[2 * b];
    pivotScale[2 * p + 1] += 2 * (pivotScale[2 * b + 1] + pivotScale[2 * b] * (rx * rx + ry * ry + rz * rz));
  }
  return -1;
}
