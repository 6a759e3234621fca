/** World orientations of bones as coordinates of their joints, down the tree, within the limits. */
import type { JointBatch } from '../../figure/joints/joint.js';
import { jointTypes } from '../../figure/joints/joint-types.js';
import type { Figure } from '../../figure/model/figure.js';
import { createPose } from '../../figure/model/pose.js';
import { createState, type FigureState } from '../../figure/model/state.js';
import { readJoint } from '../../figure/pose-from-transforms.js';
import * as rigid from '../../math/geometry/rigid-transform.js';
import { copyAt, transposedMultiplyAt } from '../kernel/rotations.js';
import { projectLimit } from './project-limit.js';

/** Joints of a figure being written, bone by bone; parents first. */
export interface JointWriter {
  readonly figure: Figure;
  readonly state: FigureState;
  /** World from bone as the joints written so far have it, twelve numbers a bone. */
  readonly world: Float64Array;
  /** Rest transform of each bone, twelve numbers. */
  readonly rest: Float64Array;
  /** Of each bone that moves its joint alone. */
  readonly batches: readonly (JointBatch | undefined)[];
  /** Of each bone: 1 where its joint is a rotation, any within its limits. */
  readonly isAnyRotation: Uint8Array;
  /** Joint transforms, twelve numbers a bone; the identity where there is no joint. */
  readonly joints: Float64Array;
  /** Columns of the motion subspace, six numbers a coordinate. */
  readonly columns: Float64Array;
  /** By the first coordinate of each limit: what it took from the orientation last written, and how far the next is moved inwards; see {@link projectLimit}. */
  readonly excess: Float64Array;
  readonly inwards: Float64Array;
  /** The rest pose, within limits. */
  readonly restPose: Float64Array;
}

export function createJointWriter(figure: Figure): JointWriter {
  const state = createState(figure);
  const batches = figure.bones.map((bone): JointBatch | undefined => {
    if (bone.dof === 0) return undefined;
    const type = jointTypes[bone.joint.type];
    return {
      bones: Int32Array.of(bone.index),
      parents: Int32Array.of(bone.parent),
      coordinates: Int32Array.of(bone.coordinate),
      parameters: Float64Array.from(type.pack(bone.joint as never, bone.rest)),
      stride: type.stride,
    };
  });
  const joints = new Float64Array(12 * figure.bones.length);
  for (let b = 0; b < figure.bones.length; b++) for (const k of [0, 4, 8]) joints[12 * b + k] = 1;
  return {
    figure,
    state,
    world: new Float64Array(12 * figure.bones.length),
    rest: state.parentFromBone.slice(),
    batches,
    isAnyRotation: Uint8Array.from(figure.bones, ({ joint: { type } }) =>
      type === 'ball' || type === 'ball-and-socket' ? 1 : 0,
    ),
    joints,
    columns: new Float64Array(6 * figure.dof),
    excess: new Float64Array(figure.dof),
    inwards: new Float64Array(figure.dof),
    restPose: createPose(figure),
  };
}

const base = /* @__PURE__ */ new Float64Array(12);
const wanted = /* @__PURE__ */ new Float64Array(12);

/** World transform of a bone from the coordinates that the pose has. */
export function placeBone(writer: JointWriter, b: number, pose: Float64Array): void {
  const batch = writer.batches[b];
  if (batch !== undefined)
    jointTypes[writer.figure.bones[b].joint.type].writeTransforms(batch, pose, writer.joints);
  writeBase(writer, b);
  rigid.composeAt(base, 0, writer.joints, 12 * b, writer.world, 12 * b);
}

/** Frame of the joint: that of the parent times the rest transform. */
function writeBase({ figure, world, rest }: JointWriter, b: number): void {
  const parent = figure.parents[b];
  if (parent < 0) copyAt(rest, 12 * b, base, 0, 12);
  else rigid.composeAt(world, 12 * parent, rest, 12 * b, base, 0);
}

/**
 * Gives a bone the world orientation nearest to the one at rotation[o..] that its joint has within its limits, and a free joint the position too.
 * The coordinates are continued from those of the pose.
 */
export function orientBone(
  writer: JointWriter,
  b: number,
  rotation: Float64Array,
  o: number,
  position: ArrayLike<number> | undefined,
  pose: Float64Array,
): void {
  const { state } = writer;
  if (state.groupOfBone[b] < 0) {
    placeBone(writer, b, pose);
    return;
  }
  writeBase(writer, b);
  transposedMultiplyAt(base, 0, rotation, o, wanted, 0);
  for (let k = 0; k < 3; k++) {
    wanted[9 + k] =
      position === undefined
        ? 0
        : base[k] * (position[0] - base[9]) +
          base[k + 3] * (position[1] - base[10]) +
          base[k + 6] * (position[2] - base[11]);
  }
  readJoint(state, b, wanted, pose);
  const limits = state.limitsOfBone[b];
  let isExact = writer.isAnyRotation[b] === 1;
  for (let n = 0; n < limits.length; n++) {
    const { coordinate } = limits[n];
    const inwards = writer.inwards[coordinate];
    const excess = projectLimit(limits[n], pose, inwards);
    writer.excess[coordinate] = excess;
    if (excess !== 0 || inwards !== 0) isExact = false;
  }
  if (isExact) {
    copyAt(rotation, o, writer.world, 12 * b, 9);
    copyAt(base, 9, writer.world, 12 * b + 9, 3);
    return;
  }
  placeBone(writer, b, pose);
}
