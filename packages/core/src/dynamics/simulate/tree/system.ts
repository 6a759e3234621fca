/**
 * Linear systems of a figure that is pushed at its bones and joints, in time linear in the number of bones: the mass matrix with what springs,
 * dampers and contacts add to it,
 *
 *   H = M + S + sum over bones b of J_b^T K_b J_b,
 *
 * J_b being the angular velocity of bone b and the velocity of its origin, world axes, by nu. K_b is one more inertia of that bone, S one more
 * inertia of each joint's rotors, so the recursion of the articulated-body algorithm (Featherstone, table 7.1) factors H as it does M. As
 * elimination, it goes from the tips to the root: H = L^T D L (Featherstone, section 6.5) of which L is never formed.
 */
import { ARTICULATED, setRigid } from '../../model/articulated-inertia.js';
import type { Dynamics } from '../../model/dynamics.js';
import { INERTIA } from '../../model/inertia.js';
import { rotateInertia } from '../../model/rotate-inertia.js';

/** Numbers of S for each joint. */
export const JOINT_HESSIAN = 36;

/** How a joint is taken out: by 1, 2 or 3 axes about which it turns, or by columns of any kind; none has nothing to take out. */
export const NONE = 0;
export const GENERAL = 4;

/** H and its factors, made once for a figure. No joint of it follows another. */
export interface TreeSystem {
  readonly dynamics: Dynamics;
  /**
   * K_b, 21 numbers a bone (`ARTICULATED`: A, B, C of `articulated.ts`), world axes, about the bone's own origin: couple and force by angular
   * velocity and velocity. For the caller to write before `factorTreeSystem`.
   */
  readonly boneHessian: Float64Array;
  /**
   * S, one symmetric block a joint, both triangles: entry (r, c) of bone b's joint at 36 b + r size + c, `size` being its degrees of freedom. For
   * the caller to write; rotors (`dynamics.armature`) belong to it.
   */
  readonly jointHessian: Float64Array;
  /** What each bone weighs by itself at the pose last placed, 21 numbers. */
  readonly rigidInertia: Float64Array;
  /** What each bone is felt with: by all that it carries, and below its own joint once that is taken out. */
  readonly articulatedInertia: Float64Array;
  /**
   * Traces of the mass and of the inertia about the origin of each bone and all that it carries, K among them, 2 numbers a bone: bounds that pivots
   * are held against.
   */
  readonly pivotScale: Float64Array;
  /** Of each joint: {@link NONE}, 1, 2, 3 or {@link GENERAL}. */
  readonly jointKind: Uint8Array;
  /** Where each bone's factors begin; see `take-out-joint.ts`. */
  readonly factorStart: Int32Array;
  readonly factors: Float64Array;
  /** All bones, parents first; and some, `pathBoneCount` of them: those that are looked at, and all that carry them. */
  readonly allBones: Int32Array;
  readonly pathBones: Int32Array;
  pathBoneCount: number;
  /** Of one solve, 6 numbers a bone: couple and force on the way down, angular velocity and velocity on the way back. */
  readonly biasWrenches: Float64Array;
  readonly motions: Float64Array;
}

/**
 * Makes the system of a figure in which no joint follows another. Before its first use: {@link updateTreeSystem}.
 *
 * @param loads - Room for these and the motions, which others may use between solves.
 */
export function createTreeSystem(
  dynamics: Dynamics,
  loads: Float64Array = new Float64Array(6 * dynamics.figure.bones.length),
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
    boneHessian: new Float64Array(ARTICULATED * count),
    jointHessian: new Float64Array(JOINT_HESSIAN * count),
    rigidInertia: new Float64Array(ARTICULATED * count),
    articulatedInertia: new Float64Array(ARTICULATED * count),
    pivotScale: new Float64Array(2 * count),
    jointKind: kind,
    factorStart,
    factors: new Float64Array(length),
    allBones: Int32Array.from({ length: count }, (_, b) => b),
    pathBones: new Int32Array(count),
    pathBoneCount: 0,
    biasWrenches: loads,
    motions,
  };
}

/** Brings the bones' own inertia and the joints' axes to the pose last placed (`placeBones`). */
export function updateTreeSystem({
  dynamics,
  rigidInertia,
  jointKind,
  factorStart,
  factors,
}: TreeSystem): void {
  const { figure, state, inertias, moments, turned } = dynamics;
  const { worldFromBone: m, columnsV: columns, bodyAngularVelocity } = state;
  const { coordinateStart } = figure;
  for (let b = 0; b < jointKind.length; b++) {
    const i = INERTIA * b;
    rotateInertia(m, 12 * b, inertias, i + 4, turned, 0);
    setRigid(turned, 0, inertias[i], moments, 3 * b, rigidInertia, ARTICULATED * b);
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

/** Makes a diagonal, one number a coordinate, all that the joints' terms have. */
export function setDiagonal({ dynamics, jointHessian }: TreeSystem, diagonal: Float64Array): void {
  const { parents, coordinateStart } = dynamics.figure;
  jointHessian.fill(0);
  for (let b = 0; b < parents.length; b++) {
    const first = coordinateStart[b];
    const size = coordinateStart[b + 1] - first;
    for (let r = 0; r < size; r++) jointHessian[JOINT_HESSIAN * b + r * (size + 1)] = diagonal[first + r];
  }
}
