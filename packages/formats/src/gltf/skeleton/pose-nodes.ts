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
  const { figure, binding } = rig;
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

  for (const index of binding.order) {
    const b = binding.boneOfNode[index];
    if (b < 0) continue;
    const node = binding.nodes[index];
    const bone = figure.bones[b];
    const parentBone = node.parent < 0 ? -1 : binding.boneOfNode[node.parent];
    const outer = parentBone < 0 ? affine.identity() : written[node.parent];
    const parentInexact = parentBone >= 0 && inexact[node.parent];
    const parentOutput = parentBone < 0 ? mat3.identity() : binding.bones[parentBone].outputMatrix;
    const scale = splitScale(parentOutput);
    // With the option `parents` the parent of a bone may differ from that of its node.
    const sameParent = bone.parent === parentBone;
    const direct = sameParent && !parentInexact && scale.departure <= uniformTolerance;
    const ownMoves = own[b];
    const parts = nodeParts(node);
    const parentFromBone = state.parentFromBone.subarray(12 * b, 12 * b + 12);
    const worldFromBone = state.worldFromBone.subarray(12 * b, 12 * b + 12);
    const target = mat3.multiply(worldFromBone, binding.bones[b].outputMatrix);

    let change: NodeChange | undefined;
    if (direct) {
      if (ownMoves) {
        const rotation = conjugateByOrthogonal(
          mat3.transpose(scale.orthogonal),
          quat.fromMatrix(parentFromBone),
        );
        const translation = originMoves(bone, parentFromBone)
          ? mat3.solve(parentOutput, rigid.toPosition(parentFromBone))
          : undefined;
        change = changeOf(node, parts, rotation, translation);
      }
    } else if (sameParent ? ownMoves || parentInexact : moved[b] || parentInexact || moved[parentBone]) {
      const back = affine.inverse(outer);
      const linear = mat3.multiply(mat3.multiply(back, target), mat3.inverse(parts.stretch));
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
