/**
 * Linear systems of a figure in time linear in the number of bones: the mass matrix plus the Hessians of springs, dampers and contacts,
 *
 *   H = M + T + sum over bones b of J_b^T K_b J_b,
 *
 * J_b the Jacobian of angular velocity and origin velocity of bone b, world axes. K_b acts as an inertia added to bone b and T as armature of the joints, so
 * the recursion of the articulated-body algorithm (Featherstone 2008, table 7.1) factors H as it does M: elimination from the tips to the root, H = L^T D L
 * (section 6.5), of which L is never formed. Forward dynamics is the solve with K = 0 and T the armature.
 */
import type { Figure } from '../../figure/model/figure.js';
import type { FigureState } from '../../figure/model/state.js';
import { ARTICULATED_SIZE } from './articulated-inertia.js';

/** Numbers of T a joint. */
export const JOINT_HESSIAN = 36;

/** Elimination of a joint: none for a fixed joint, 1, 2 or 3 rotation axes, general columns, or a ball with T = 0. */
export const NONE = 0;
export const GENERAL = 4;
export const BALL = 5;

/** H and its factors. Mimic joints have no part in it: they close force loops. */
export interface TreeSystem {
  /**
   * K_b, 21 numbers a bone (A, B, C of `articulated-inertia.ts`), world axes, about the bone's origin: derivatives of couple and force with
   * respect to angular velocity and velocity. The caller writes it before `factorTreeSystem`.
   */
  readonly boneHessian: Float64Array;
  /**
   * T, one symmetric block a joint, both triangles: entry (r, c) of bone b's joint at 36 b + r size + c, `size` its degrees of freedom. The caller
   * writes it, armature (`dynamics.armature`) included.
   */
  readonly jointHessian: Float64Array;
  /** Rigid inertia of each bone at the current kinematics, 21 numbers. */
  readonly rigidInertia: Float64Array;
  /** Articulated-body inertia of each bone, before and after its joint is eliminated; after a {@link BALL} only C is valid, A = B = 0. */
  readonly articulatedInertia: Float64Array;
  /**
   * Traces of mass and of inertia about the origin of each bone's subtree, K included, 2 numbers a bone: scales of the pivot test.
   */
  readonly pivotScale: Float64Array;
  /** Of each joint: {@link NONE}, 1, 2, 3, {@link GENERAL} or {@link BALL}. */
  readonly jointKind: Uint8Array;
  /** Start of each bone's factors; see `eliminate-joint.ts`. */
  readonly factorStart: Int32Array;
  readonly factors: Float64Array;
  /** All bones, parents first; and `pathBoneCount` bones of a partial solve: some, with their ancestors. */
  readonly allBones: Int32Array;
  readonly pathBones: Int32Array;
  pathBoneCount: number;
  /**
   * Of one solve, 6 numbers a bone: couple and force of the backward pass, angular velocity and velocity of the forward pass. Others may use
   * them between solves: the simulation's actors have views of its own arrays here.
   */
  biasWrenches: Float64Array;
  motions: Float64Array;
}

/** Makes the system with K = 0 and T the armature. */
export function createTreeSystem(
  figure: Figure,
  { hasTranslation, bodyAngularVelocity }: FigureState,
  armature: Float64Array,
): TreeSystem {
  const { bones } = figure;
  const count = bones.length;
  const jointKind = Uint8Array.from(bones, ({ dof, index, coordinate }) => {
    if (dof === 0) return NONE;
    if (dof > 3 || hasTranslation[index] === 1) return GENERAL;
    const hasArmature = armature.subarray(coordinate, coordinate + dof).some((x) => x > 0);
    return bodyAngularVelocity[index] === 1 && !hasArmature ? BALL : dof;
  });
  const factorStart = new Int32Array(count);
  let length = 0;
  bones.forEach(({ dof }, b) => {
    factorStart[b] = length;
    // Z and the columns or axes, then the factor of D.
    length += jointKind[b] === GENERAL ? 12 * dof + dof * dof : 9 * dof + (dof * (dof + 1)) / 2;
  });
  const jointHessian = new Float64Array(JOINT_HESSIAN * count);
  setDiagonal(jointHessian, figure, armature);
  return {
    boneHessian: new Float64Array(ARTICULATED_SIZE * count),
    jointHessian,
    rigidInertia: new Float64Array(ARTICULATED_SIZE * count),
    articulatedInertia: new Float64Array(ARTICULATED_SIZE * count),
    pivotScale: new Float64Array(2 * count),
    jointKind,
    factorStart,
    factors: new Float64Array(length),
    allBones: Int32Array.from({ length: count }, (_, b) => b),
    pathBones: new Int32Array(count),
    pathBoneCount: 0,
    biasWrenches: new Float64Array(6 * count),
    motions: new Float64Array(6 * count),
  };
}

/** Allows any T: balls take three axes. */
export function allowJointHessian({ jointKind }: TreeSystem): void {
  for (let b = 0; b < jointKind.length; b++) if (jointKind[b] === BALL) jointKind[b] = 3;
}

/** Sets T to a diagonal, one number a coordinate. */
export function setDiagonal(
  jointHessian: Float64Array,
  { bones, coordinateStart }: Figure,
  diagonal: Float64Array,
): void {
  jointHessian.fill(0);
  for (let b = 0; b < bones.length; b++) {
    const first = coordinateStart[b];
    const size = coordinateStart[b + 1] - first;
    for (let r = 0; r < size; r++) jointHessian[JOINT_HESSIAN * b + r * (size + 1)] = diagonal[first + r];
  }
}
