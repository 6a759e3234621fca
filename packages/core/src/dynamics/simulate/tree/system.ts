/**
 * Linear systems of a figure in time linear in the number of bones: the mass matrix plus the Hessians of springs, dampers and contacts,
 *
 *   H = M + S + sum over bones b of J_b^T K_b J_b,
 *
 * J_b the Jacobian of angular velocity and origin velocity of bone b, world axes. K_b acts as an inertia added to bone b and S as armature of the joints, so
 * the recursion of the articulated-body algorithm (Featherstone 2008, table 7.1) factors H as it does M: elimination from the tips to the root, H = L^T D L
 * (section 6.5), of which L is never formed.
 */
import { ARTICULATED_SIZE, setRigidInertia } from '../../model/articulated-inertia.js';
import type { Dynamics } from '../../model/dynamics.js';
import { INERTIA_SIZE } from '../../model/inertia.js';
import { rotateInertia } from '../../model/rotate-inertia.js';

/** Numbers of S a joint. */
export const JOINT_HESSIAN = 36;

/** Elimination of a joint: none for a fixed joint, 1, 2 or 3 rotation axes, or general columns. */
export const NONE = 0;
export const GENERAL = 4;

/** H and its factors, made once for a figure without mimic joints. */
export interface TreeSystem {
  readonly dynamics: Dynamics;
  /**
   * K_b, 21 numbers a bone (`ARTICULATED`: A, B, C of `articulated-inertia.ts`), world axes, about the bone's origin: couple and force by angular
   * velocity and velocity. The caller writes it before `factorTreeSystem`.
   */
  readonly boneHessian: Float64Array;
  /**
   * S, one symmetric block a joint, both triangles: entry (r, c) of bone b's joint at 36 b + r size + c, `size` its degrees of freedom. The caller
   * writes it, armature (`dynamics.armature`) included.
   */
  readonly jointHessian: Float64Array;
  /** Rigid inertia of each bone at the current kinematics, 21 numbers. */
  readonly rigidInertia: Float64Array;
  /** Articulated-body inertia of each bone, before and after its joint is eliminated. */
  readonly articulatedInertia: Float64Array;
  /**
   * Traces of mass and of inertia about the origin of each bone's subtree, K included, 2 numbers a bone: scales of the pivot test.
   */
  readonly pivotScale: Float64Array;
  /** Of each joint: {@link NONE}, 1, 2, 3 or {@link GENERAL}. */
  readonly jointKind: Uint8Array;
  /** Start of each bone's factors; see `eliminate-tree-joint.ts`. */
  readonly factorStart: Int32Array;
  readonly factors: Float64Array;
  /** All bones, parents first; and `pathBoneCount` bones of a partial solve: some, with their ancestors. */
  readonly allBones: Int32Array;
  readonly pathBones: Int32Array;
  pathBoneCount: number;
  /** Of one solve, 6 numbers a bone: couple and force of the backward pass, angular velocity and velocity of the forward pass. */
  readonly biasWrenches: Float64Array;
  readonly motions: Float64Array;
}

/**
 * Makes the system of a figure without mimic joints. Call {@link updateTreeSystem} before its first use.
 *
 * @param biasWrenches - Scratch for these and the motions; others may use it between solves.
 */
export function createTreeSystem(
  dynamics: Dynamics,
  biasWrenches: Float64Array = new Float64Array(6 * dynamics.figure.bones.length),
  motions: Float64Array = new Float64Array(6 * dynamics.figure.bones.length),
): TreeSystem {
  const { figure, state } = dynamics;
  const count = figure.bones.length;
  const kind = Uint8Array.from(figure.bones, ({ dof, index }) =>
    dof === 0 ? NONE : dof > 3 || state.hasTranslation[index] === 1 ? GENERAL : dof,
  );
  const factorStart = new Int32Array(count);
  let length = 0;
  figure.bones.forEach(({ dof }, b) => {
    factorStart[b] = length;
    // Z and the columns or axes, then the factor of D.
    length += kind[b] === GENERAL ? 12 * dof + dof * dof : 9 * dof + (dof * (dof + 1)) / 2;
  });
  return {
    dynamics,
    boneHessian: new Float64Array(ARTICULATED_SIZE * count),
    jointHessian: new Float64Array(JOINT_HESSIAN * count),
    rigidInertia: new Float64Array(ARTICULATED_SIZE * count),
    articulatedInertia: new Float64Array(ARTICULATED_SIZE * count),
    pivotScale: new Float64Array(2 * count),
    jointKind: kind,
    factorStart,
    factors: new Float64Array(length),
    allBones: Int32Array.from({ length: count }, (_, b) => b),
    pathBones: new Int32Array(count),
    pathBoneCount: 0,
    biasWrenches,
    motions,
  };
}

/** Updates rigid inertias and joint axes to the current kinematics (`placeBones`). */
export function updateTreeSystem({
  dynamics,
  rigidInertia,
  jointKind,
  factorStart,
  factors,
}: TreeSystem): void {
  const { figure, state, inertias, firstMoments, rotatedInertia } = dynamics;
  const { worldFromBone: m, columnsV: columns, bodyAngularVelocity } = state;
  const { coordinateStart } = figure;
  for (let b = 0; b < jointKind.length; b++) {
    const i = INERTIA_SIZE * b;
    rotateInertia(m, 12 * b, inertias, i + 4, rotatedInertia, 0);
    setRigidInertia(rotatedInertia, 0, inertias[i], firstMoments, 3 * b, rigidInertia, ARTICULATED_SIZE * b);
    const first = coordinateStart[b];
    const size = coordinateStart[b + 1] - first;
    const o = factorStart[b] + 6 * size;
    const numbers = jointKind[b] === GENERAL ? 6 : 3;
    for (let k = 0; k < size; k++) {
      for (let n = 0; n < numbers; n++) {
        factors[o + numbers * k + n] =
          bodyAngularVelocity[b] === 1 ? m[12 * b + 3 * n + k] : columns[6 * (first + k) + n];
      }
    }
  }
}

/** Sets S to a diagonal, one number a coordinate. */
export function setDiagonal({ dynamics, jointHessian }: TreeSystem, diagonal: Float64Array): void {
  const { parents, coordinateStart } = dynamics.figure;
  jointHessian.fill(0);
  for (let b = 0; b < parents.length; b++) {
    const first = coordinateStart[b];
    const size = coordinateStart[b + 1] - first;
    for (let r = 0; r < size; r++) jointHessian[JOINT_HESSIAN * b + r * (size + 1)] = diagonal[first + r];
  }
}
