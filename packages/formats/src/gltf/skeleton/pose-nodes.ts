/** Node transforms of the file for a pose; formulas in scale.ts. */
import { type Bone, checkPose, createState, type FigureState, forwardKinematics } from 'poise/figure';
import { affine, type Mat3, type Mat3x4, mat3, type Numbers, type Quat, quat, rigid } from 'poise/math';
import type { NodeChange } from '../container/serialize.js';
import { type NodeParts, nodeParts } from './frames.js';
import { type GltfNode, isFarFromUnit, localTransform } from './nodes.js';
import type { GltfRig } from './read-rig.js';
import { conjugateByOrthogonal, splitScale, uniformTolerance } from './scale.js';

/** Relative error of a written linear part above which descendant nodes compensate for it. */
const linearTolerance = 1e-9;

/**
 * The nodes that a pose changes, and their new transforms. A node is unchanged, to the last bit, where all
 * coordinates of its bone are zero and no ancestor deviates from the figure.
 *
 * Where every scale above a bone is uniform, only its `rotation` changes (R' = O^T R_b O with R_b the rotation of
 * `parentFromBone`), and its `translation` where the joint moves its origin (t' = A^-1 p_b). Below non-uniform scale the
 * bone's world frame F and the world linear part L of its parent node as written give
 *
 *     R' = rotation factor of L^-1 R_F A K^-1,    t' = L^-1 (p_F - p_parent):
 *
 * the origin is exact, the rotation is the nearest one, and errors do not accumulate along the chain, since each node targets
 * its own frame.
 *
 * @param state - Workspace, for many poses of one rig.
 * @throws FigureError `wrong-size` | `not-finite` for an invalid pose.
 */
export function poseNodes(
  rig: GltfRig,
  pose: Numbers,
  state: FigureState = createState(rig.figure),
): Map<number, NodeChange> {
  return posePlanned(rig, nodePlans(rig), pose, state);
}

/** What does not depend on the pose: of a node that is a bone. */
export interface NodePlan {
  readonly node: GltfNode;
  readonly bone: Bone;
  readonly factors: NodeParts;
  readonly stretchInverse: Mat3;
  /** Bone of the parent node; -1 for none. With the option `parents` the parent of the bone may be another. */
  readonly parentBone: number;
  readonly parentOutput: Mat3;
  /** Transpose of the orthogonal factor of the parent's output, and whether its scale is uniform. */
  readonly back: Mat3;
  readonly isUniform: boolean;
}

/** Plans of the nodes that are bones, parents first. @param bones - Bones for which `poseNodes` is asked: their nodes and all above. Default: all. */
export function nodePlans({ figure, binding }: GltfRig, bones?: readonly number[]): NodePlan[] {
  const { nodes, boneOfNode, order } = binding;
  const wanted = new Set<number>();
  for (const bone of bones ?? figure.bones.keys()) {
    for (let n = binding.bones[bone].node; n >= 0 && !wanted.has(n); n = nodes[n].parent) wanted.add(n);
  }
  return order.flatMap((index): NodePlan[] => {
    const b = boneOfNode[index];
    if (b < 0 || !wanted.has(index)) return [];
    const node = nodes[index];
    const parentBone = node.parent < 0 ? -1 : boneOfNode[node.parent];
    const parentOutput = parentBone < 0 ? mat3.identity() : binding.bones[parentBone].outputMatrix;
    const { orthogonal, departure } = splitScale(parentOutput);
    const parts = nodeParts(node);
    return [
      {
        node,
        bone: figure.bones[b],
        factors: parts,
        stretchInverse: mat3.inverse(parts.stretch),
        parentBone,
        parentOutput,
        back: mat3.transpose(orthogonal),
        isUniform: departure <= uniformTolerance,
      },
    ];
  });
}

/** As {@link poseNodes}, for the nodes of the plans. */
export function posePlanned(
  { figure, binding }: GltfRig,
  plans: readonly NodePlan[],
  pose: Numbers,
  state: FigureState,
): Map<number, NodeChange> {
  checkPose(figure, pose);
  forwardKinematics(state, pose);
  const own = figure.bones.map((bone) => isMoved(bone, pose));
  figure.mimicJoints.forEach(({ bone }, k) => {
    own[bone] = state.jointCoordinates[figure.dof + k] !== 0;
  });
  const moved = movedBones(figure.bones, own);
  const changes = new Map<number, NodeChange>();
  // World transforms of the nodes as written, and whether a node's linear part deviates from the figure's.
  const written: Mat3x4[] = new Array(binding.nodes.length);
  const inexact: boolean[] = new Array(binding.nodes.length).fill(false);

  for (const {
    node,
    bone,
    factors: parts,
    stretchInverse,
    parentBone,
    parentOutput,
    back: o,
    isUniform,
  } of plans) {
    const { index } = node;
    const b = bone.index;
    const outer = parentBone < 0 ? affine.identity() : written[node.parent];
    const parentInexact = parentBone >= 0 && inexact[node.parent];
    const sameParent = bone.parent === parentBone;
    const direct = sameParent && !parentInexact && isUniform;
    const ownMoves = own[b];
    const parentFromBone = state.parentFromBone.subarray(12 * b, 12 * b + 12);
    const worldFromBone = state.worldFromBone.subarray(12 * b, 12 * b + 12);
    const target = mat3.multiply(worldFromBone, binding.bones[b].outputMatrix);

    let change: NodeChange | undefined;
    if (direct) {
      if (ownMoves) {
        const rotation = conjugateByOrthogonal(o, quat.fromMatrix(parentFromBone));
        const translation = originMoves(bone, parentFromBone)
          ? mat3.solve(parentOutput, rigid.toPosition(parentFromBone))
          : undefined;
        change = changeOf(node, parts, rotation, translation);
      }
    } else if (sameParent ? ownMoves || parentInexact : moved[b] || parentInexact || moved[parentBone]) {
      const back = affine.inverse(outer);
      const linear = mat3.multiply(mat3.multiply(back, target), stretchInverse);
      const stays = sameParent && !parentInexact && !originMoves(bone, parentFromBone);
      const translation = stays ? undefined : affine.transformPoint(back, rigid.toPosition(worldFromBone));
      change = changeOf(node, parts, quat.fromMatrix(mat3.rotationFactor(linear)), translation);
    }
    if (!change && isFarFromUnit(node)) change = changeOf(node, parts, parts.rotation, undefined);
    if (change) changes.set(index, change);
    written[index] = affine.compose(outer, localTransform(change ? { ...node, ...change } : node));
    inexact[index] = !direct && change !== undefined && deviates(written[index], target);
  }
  return changes;
}

/** New members of a node with this rotation and, where given, translation. */
function changeOf(
  node: GltfNode,
  parts: NodeParts,
  rotation: Quat,
  translation: Numbers | undefined,
): NodeChange {
  // Of q and -q the one nearer to the file's, so that later interpolation takes the short arc.
  const sign = quat.dot(rotation, parts.rotation) < 0 ? -1 : 1;
  const q = quat.normalize(Array.from(rotation, (value) => sign * value));
  if (!node.matrix) return { rotation: q, ...(translation && { translation: Array.from(translation) }) };
  const linear = mat3.multiply(quat.toMatrix(q), parts.stretch);
  return { matrix: affine.toColumnMajor4([...linear, ...Array.from(translation ?? node.translation)]) };
}

/** Whether the joint has a nonzero coordinate; mimic joints have no coordinates. */
function isMoved(bone: Bone, pose: Numbers): boolean {
  for (let i = 0; i < bone.dof; i++) if (pose[bone.coordinate + i] !== 0) return true;
  return false;
}

/** Whether each bone or one of its ancestors in the figure moves, from `own` for its own joint. */
function movedBones(bones: readonly Bone[], own: readonly boolean[]): boolean[] {
  const moved: boolean[] = [];
  for (const bone of bones) moved.push(own[bone.index] || (bone.parent >= 0 && moved[bone.parent]));
  return moved;
}

/** Whether the joint displaces the bone's origin in its parent. */
function originMoves(bone: Bone, parentFromBone: Mat3x4): boolean {
  const [x, y, z] = bone.rest.position;
  return parentFromBone[9] !== x || parentFromBone[10] !== y || parentFromBone[11] !== z;
}

/** Whether a written linear part deviates from its target by more than rounding. */
function deviates(written: Mat3, target: Mat3): boolean {
  return mat3.frobeniusNorm(mat3.subtract(written, target)) > linearTolerance * mat3.frobeniusNorm(target);
}
