import * as quat from '../../math/geometry/quat.js';
import type { JointTypeName } from '../data/types.js';
import type { JointBatch, JointType } from '../joints/joint.js';
import { jointTypes } from '../joints/joint-types.js';
import type { LimitComponent } from '../limits/limit.js';
import type { Bone, Figure } from './figure.js';
import { type MimicFunction, mimicFunctionOf } from './mimic-function.js';

/** The joints of one type, with their functions. */
interface JointGroup {
  readonly name: JointTypeName;
  readonly type: JointType;
  readonly batch: JointBatch;
  /** The joints of the batch without the plain balls (see `FigureState.plainBall`), for `writeTransforms`; the batch itself where there are none. */
  readonly transformed: JointBatch;
  /** Whether these are mimic joints. */
  readonly isMimic: boolean;
}

/**
 * Workspace for the kinematics of a figure, allocated once and overwritten by every evaluation. One figure may have several
 * states, e.g. one per thread or per candidate pose.
 */
export interface FigureState {
  readonly figure: Figure;
  /** Parent frame from bone frame, 12 numbers a bone (rotation row by row, then position). */
  readonly parentFromBone: Float64Array;
  /** World frame from bone frame, 12 numbers a bone. */
  readonly worldFromBone: Float64Array;
  /**
   * Columns of the motion subspace with respect to q', 6 numbers a coordinate; see `updateMotionSubspaceQ`. After those of the pose
   * come those of the mimic joints, with respect to their own coordinates, in the order of `figure.mimicJoints`.
   */
  readonly columnsQ: Float64Array;
  /**
   * Columns of the motion subspace with respect to the joint velocity v, 6 numbers a coordinate; see `updateMotionSubspaceV`. Not
   * written for the bones of `bodyAngularVelocity`: theirs are the columns of the rotation in `worldFromBone`.
   */
  readonly columnsV: Float64Array;
  /** Derivatives of the axes of a joint with respect to its own coordinates, 9 numbers a coordinate; see `updateAxisDerivatives`. */
  readonly axisDerivatives: Float64Array;
  /** Whether the figure has mimic joints. */
  readonly hasMimicJoints: boolean;
  /** Coordinates of all joints: the pose, then phi(y) of each mimic joint. Empty without mimic joints. */
  readonly jointCoordinates: Float64Array;
  /** phi of each mimic joint. */
  readonly mimicFunctions: readonly MimicFunction[];
  /** phi' of each mimic joint at the pose last given. */
  readonly mimicDerivatives: Float64Array;
  /** phi'' of each mimic joint at the pose last given. */
  readonly mimicSecondDerivatives: Float64Array;
  /** First column of each bone's joint in `columnsQ` and `columnsV`, mimic joints included. */
  readonly columnStart: Int32Array;
  /** End of the columns of each bone's joint. */
  readonly columnEnd: Int32Array;
  /** Index of each bone in `figure.mimicJoints`, -1 for a bone without a mimic joint. */
  readonly mimicOfBone: Int32Array;
  /** The joints, grouped by type. */
  readonly groups: readonly JointGroup[];
  /** Index of each bone in the batch of its group. */
  readonly batchIndex: Int32Array;
  /** Limit components of each bone. */
  readonly limitsOfBone: readonly (readonly LimitComponent[])[];
  /** Group of each bone (index into `groups`), -1 for a bone without a coordinate in the pose. */
  readonly groupOfBone: Int32Array;
  /** First coordinate of each plain ball (a ball joint whose rest rotation is the identity), -1 for every other bone. */
  readonly plainBall: Int32Array;
  /** 1 for a bone whose joint velocity is its angular velocity in the bone frame (ball joints). */
  readonly bodyAngularVelocity: Uint8Array;
  /** 1 for a bone whose joint has translations: only its columns have linear components. */
  readonly hasTranslation: Uint8Array;
  /** Bones with a rotating joint and a rest rotation other than the identity. */
  readonly restRotatedBones: Int32Array;
  /** Their rest rotations, 9 numbers each. */
  readonly restRotations: Float64Array;
  /** Bones whose joint has translations. */
  readonly translatingBones: Int32Array;
  /** Their rest transforms, 12 numbers each. */
  readonly translatingRests: Float64Array;
}

/** @param coordinateOf - Index of a bone's first coordinate in the pose followed by the mimic joints. */
function batchOf(bones: readonly Bone[], type: JointType, coordinateOf: (bone: Bone) => number): JointBatch {
  const parameters = new Float64Array(type.stride * bones.length);
  for (let k = 0; k < bones.length; k++) {
    parameters.set(type.pack(bones[k].joint, bones[k].rest), type.stride * k);
  }
  return {
    bones: Int32Array.from(bones.map((bone) => bone.index)),
    parents: Int32Array.from(bones.map((bone) => bone.parent)),
    coordinates: Int32Array.from(bones.map(coordinateOf)),
    parameters,
    stride: type.stride,
  };
}

/** Tests x, y, z: |w| rounds to one for rotations up to 1e-8 rad. */
function hasRestRotation({ rest: { rotation } }: Bone): boolean {
  return rotation[0] !== 0 || rotation[1] !== 0 || rotation[2] !== 0;
}

/** A ball joint whose rest rotation is the identity; `forwardKinematics` evaluates it while composing world transforms. */
function isPlainBall(bone: Bone): boolean {
  return bone.joint.type === 'ball' && !hasRestRotation(bone);
}

const matrix = /* @__PURE__ */ new Float64Array(9);

/** Allocates the workspace of a figure, at rest until the first evaluation. */
export function createState(figure: Figure): FigureState {
  const { bones, dof, mimicJoints } = figure;
  const groups: JointGroup[] = [];
  const groupOfBone = new Int32Array(bones.length).fill(-1);
  const batchIndex = new Int32Array(bones.length);
  const mimicOfBone = new Int32Array(bones.length).fill(-1);
  mimicJoints.forEach(({ bone }, k) => {
    mimicOfBone[bone] = k;
  });
  const coordinateOf = ({ index, coordinate }: Bone) =>
    mimicOfBone[index] < 0 ? coordinate : dof + mimicOfBone[index];
  for (const isMimic of mimicJoints.length > 0 ? [false, true] : [false]) {
    for (const name of Object.keys(jointTypes) as JointTypeName[]) {
      const type = jointTypes[name];
      if (type.dof === 0) continue;
      const members = bones.filter(
        ({ index, joint }) => joint.type === name && mimicOfBone[index] >= 0 === isMimic,
      );
      if (members.length === 0) continue;
      members.forEach((bone, k) => {
        if (!isMimic) groupOfBone[bone.index] = groups.length;
        batchIndex[bone.index] = k;
      });
      const batch = batchOf(members, type, coordinateOf);
      const transformed = members.filter((bone) => !isPlainBall(bone));
      groups.push({
        name,
        type,
        batch,
        transformed: transformed.length === members.length ? batch : batchOf(transformed, type, coordinateOf),
        isMimic,
      });
    }
  }
  const coordinates = dof + mimicJoints.length;
  const parentFromBone = new Float64Array(12 * bones.length);
  bones.forEach(({ rest }, b) => {
    quat.toMatrix(rest.rotation, matrix);
    parentFromBone.set(matrix, 12 * b);
    parentFromBone.set(rest.position, 12 * b + 9);
  });
  const restsOf = (members: readonly Bone[], size: number): Float64Array => {
    const rests = new Float64Array(size * members.length);
    members.forEach(({ index }, k) => {
      rests.set(parentFromBone.subarray(12 * index, 12 * index + size), size * k);
    });
    return rests;
  };
  const restRotated = bones.filter((bone) => jointTypes[bone.joint.type].rotates && hasRestRotation(bone));
  const translating = bones.filter(({ joint }) => jointTypes[joint.type].translations > 0);
  return {
    figure,
    parentFromBone,
    worldFromBone: parentFromBone.slice(),
    columnsQ: new Float64Array(6 * coordinates),
    columnsV: new Float64Array(6 * coordinates),
    axisDerivatives: new Float64Array(9 * coordinates),
    hasMimicJoints: mimicJoints.length > 0,
    jointCoordinates: new Float64Array(mimicJoints.length > 0 ? coordinates : 0),
    mimicFunctions: mimicJoints.map(mimicFunctionOf),
    mimicDerivatives: new Float64Array(mimicJoints.length),
    mimicSecondDerivatives: new Float64Array(mimicJoints.length),
    columnStart: Int32Array.from(bones.map(coordinateOf)),
    columnEnd: Int32Array.from(
      bones.map((bone) => coordinateOf(bone) + (bone.mimic === undefined ? bone.dof : 1)),
    ),
    mimicOfBone,
    groups,
    groupOfBone,
    batchIndex,
    limitsOfBone: limitsByBone(figure),
    plainBall: Int32Array.from(bones.map((bone) => (isPlainBall(bone) ? bone.coordinate : -1))),
    bodyAngularVelocity: Uint8Array.from(
      bones.map(({ joint }) => (jointTypes[joint.type].bodyAngularVelocity ? 1 : 0)),
    ),
    hasTranslation: Uint8Array.from(
      bones.map(({ joint }) => (jointTypes[joint.type].translations > 0 ? 1 : 0)),
    ),
    restRotatedBones: Int32Array.from(restRotated.map((bone) => bone.index)),
    restRotations: restsOf(restRotated, 9),
    translatingBones: Int32Array.from(translating.map((bone) => bone.index)),
    translatingRests: restsOf(translating, 12),
  };
}

/** The limit components of each bone. */
function limitsByBone({ bones, limitComponents }: Figure): LimitComponent[][] {
  const byBone: LimitComponent[][] = bones.map(() => []);
  for (const component of limitComponents) byBone[component.bone].push(component);
  return byBone;
}
