/** The joints of a robot that move what follows a human. */
import { FigureError } from '../../errors.js';
import type { Triple } from '../../figure/data/types.js';
import type { Bone, Figure } from '../../figure/model/figure.js';
import * as quat from '../../math/geometry/quat.js';

/** Kinds of joints. A free joint is the root. */
export const HINGE = 0;
export const SLIDER = 1;
export const FREE = 2;

/**
 * The joints at or above the bones that follow a human, parents first; fixed bones are folded into them. Coordinates are velocities: of a
 * free joint its velocity and its angular velocity about its origin, both in world axes.
 */
export interface RobotTree {
  readonly figure: Figure;
  readonly joints: number;
  /** Of each joint: bone, kind, parent joint (-1 for the world), first coordinate. */
  readonly bone: Int32Array;
  readonly kind: Uint8Array;
  readonly parent: Int32Array;
  readonly first: Int32Array;
  /** Frame of each joint at zero in its parent joint: unit quaternion `x y z w` and position. */
  readonly restRotation: Float64Array;
  readonly restPosition: Float64Array;
  /** Axis of each hinge and slider, in that frame. */
  readonly axis: Float64Array;
  /** Number of coordinates. */
  readonly size: number;
  /** Index in the pose of each coordinate. */
  readonly inPose: Int32Array;
  /** Parent of each coordinate, -1 at a root: the sparsity of the Hessian. */
  readonly parents: Int32Array;
  /** Joint of each coordinate. */
  readonly jointOf: Int32Array;
  /** Index of the free joint, -1 for a robot that stands fixed. */
  readonly root: number;
  /** Limits of each coordinate. */
  readonly min: Float64Array;
  readonly max: Float64Array;
  /** Of each bone: the joint that it moves with, -1 for the world, and its frame there with all other joints at zero. */
  readonly jointOfBone: Int32Array;
  readonly boneRotation: Float64Array;
  readonly bonePosition: Float64Array;
}

/**
 * @param matched - Indices of the bones that follow a human.
 * @throws FigureError `unsupported` for a joint above them that is no hinge, slider or fixed one, or a free one that is no root or limited.
 */
export function createRobotTree(figure: Figure, matched: readonly number[]): RobotTree {
  const { bones } = figure;
  const isMoving = new Uint8Array(bones.length);
  for (const bone of matched)
    for (let b = bone; b >= 0; b = bones[b].parent) if (bones[b].joint.type !== 'fixed') isMoving[b] = 1;
  const moving = bones.filter(({ index }) => isMoving[index] === 1);
  for (const bone of moving) requireJoint(figure, bone);
  const joints = moving.length;
  const size = moving.reduce((sum, { dof }) => sum + dof, 0);
  const tree: RobotTree = {
    figure,
    joints,
    bone: Int32Array.from(moving, ({ index }) => index),
    kind: Uint8Array.from(moving, ({ joint }) =>
      joint.type === 'free' ? FREE : joint.type === 'hinge' ? HINGE : SLIDER,
    ),
    parent: new Int32Array(joints).fill(-1),
    first: new Int32Array(joints),
    restRotation: new Float64Array(4 * joints),
    restPosition: new Float64Array(3 * joints),
    axis: new Float64Array(3 * joints),
    size,
    inPose: new Int32Array(size),
    parents: new Int32Array(size),
    jointOf: new Int32Array(size),
    root: moving.findIndex(({ joint }) => joint.type === 'free'),
    min: new Float64Array(size).fill(Number.NEGATIVE_INFINITY),
    max: new Float64Array(size).fill(Number.POSITIVE_INFINITY),
    jointOfBone: new Int32Array(bones.length).fill(-1),
    boneRotation: new Float64Array(4 * bones.length),
    bonePosition: new Float64Array(3 * bones.length),
  };
  let joint = 0;
  let coordinate = 0;
  for (const bone of bones) {
    placeBone(tree, bone);
    if (isMoving[bone.index] === 0) continue;
    addJoint(tree, bone, joint, coordinate);
    joint++;
    coordinate += bone.dof;
  }
  for (const { coordinate: at, kind, parameters } of figure.limitComponents) {
    const i = tree.inPose.indexOf(at);
    if (i < 0 || kind !== 'interval') continue;
    tree.min[i] = parameters[0];
    tree.max[i] = parameters[1];
  }
  return tree;
}

function requireJoint({ name, limitComponents }: Figure, bone: Bone): void {
  const { type } = bone.joint;
  const refuse = (what: string, remedy: string) => {
    throw new FigureError('unsupported', what, { path: `figure ${name}, bone '${bone.name}'`, remedy });
  };
  if (bone.mimic !== undefined) {
    refuse('is a mimic joint above a bone that follows a human.', "Read the robot with mimic: 'free'.");
  }
  if (type === 'hinge' || type === 'slider') return;
  if (type !== 'free')
    refuse(`has a joint of type '${type}'.`, 'Give hinges, sliders, fixed joints and a free root.');
  if (bone.parent >= 0) refuse('is free below another bone.', 'Give the free joint to the root.');
  if (limitComponents.some((limit) => limit.bone === bone.index))
    refuse('is free with limits.', 'Leave them out.');
}

/** The frame of a bone at zero in the joint that moves its parent. */
function placeBone(tree: RobotTree, { index, parent, rest }: Bone): void {
  const { jointOfBone, boneRotation, bonePosition } = tree;
  const above = parent < 0 ? [0, 0, 0, 1] : [...boneRotation.subarray(4 * parent, 4 * parent + 4)];
  const at = parent < 0 ? [0, 0, 0] : [...bonePosition.subarray(3 * parent, 3 * parent + 3)];
  const [x, y, z] = quat.rotate(above as [number, number, number, number], rest.position);
  boneRotation.set(quat.multiply(above as [number, number, number, number], rest.rotation), 4 * index);
  bonePosition.set([at[0] + x, at[1] + y, at[2] + z], 3 * index);
  jointOfBone[index] = parent < 0 ? -1 : jointOfBone[parent];
}

function addJoint(tree: RobotTree, bone: Bone, joint: number, coordinate: number): void {
  const { jointOfBone, boneRotation, bonePosition } = tree;
  const b = bone.index;
  const parent = jointOfBone[b];
  tree.parent[joint] = parent;
  tree.first[joint] = coordinate;
  tree.restRotation.set(boneRotation.subarray(4 * b, 4 * b + 4), 4 * joint);
  tree.restPosition.set(bonePosition.subarray(3 * b, 3 * b + 3), 3 * joint);
  if ('axis' in bone.joint) tree.axis.set(bone.joint.axis, 3 * joint);
  for (let k = 0; k < bone.dof; k++) {
    tree.inPose[coordinate + k] = bone.coordinate + k;
    tree.jointOf[coordinate + k] = joint;
    // The last coordinate of the parent is the parent of the first.
    tree.parents[coordinate + k] =
      k > 0
        ? coordinate + k - 1
        : parent < 0
          ? -1
          : tree.first[parent] + (tree.kind[parent] === FREE ? 5 : 0);
  }
  jointOfBone[b] = joint;
  boneRotation.set([0, 0, 0, 1], 4 * b);
  bonePosition.fill(0, 3 * b, 3 * b + 3);
}

/** A point of a bone in the frame of the joint that it moves with. */
export function pointInJoint({ boneRotation, bonePosition }: RobotTree, bone: number, point: Triple): Triple {
  const [x, y, z, w] = boneRotation.subarray(4 * bone, 4 * bone + 4);
  const rotated = quat.rotate([x, y, z, w], point);
  const [px, py, pz] = bonePosition.subarray(3 * bone, 3 * bone + 3);
  return [rotated[0] + px, rotated[1] + py, rotated[2] + pz];
}
