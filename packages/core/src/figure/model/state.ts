import * as quat from '../../math/geometry/quat.js';
import type { JointTypeName } from '../data/types.js';
import type { JointBatch, JointType } from '../joints/joint.js';
import { jointTypes } from '../joints/joint-types.js';
import type { LimitPart } from '../limits/limit.js';
import type { Bone, Figure } from './figure.js';

/** The bones of one joint type and the code that moves them. */
interface JointGroup {
  readonly type: JointType;
  readonly batch: JointBatch;
  /** Those of the batch whose local transform the type writes: all but the plain balls. */
  readonly transformed: JointBatch;
  /** Whether these are joints that follow others. */
  readonly coupled: boolean;
}

/**
 * Scratch for one figure: made once, written by every evaluation, never grown. Model and data apart, so one figure
 * may have many states (one per thread, one per candidate pose).
 */
export interface FigureState {
  readonly figure: Figure;
  /** Parent frame from bone frame, 12 numbers a bone (rotation row by row, then position). */
  readonly parentFromBone: Float64Array;
  /** World frame from bone frame, 12 numbers a bone. */
  readonly worldFromBone: Float64Array;
  /**
   * Motion columns against q', 6 numbers a coordinate; see `updateMotionSubspaceQ`. Behind those of the pose stand those of the
   * joints that follow others, against their own coordinates, in the order of `figure.couplings`.
   */
  readonly columnsQ: Float64Array;
  /**
   * Motion columns against nu, 6 numbers a coordinate; see `updateColumnsNu`. Not of the bones of `bodyTurn`: theirs are
   * the columns of the rotation in `worldFromBone` and are not kept twice.
   */
  readonly columnsNu: Float64Array;
  /** How the axes of a joint turn with its own coordinates, 9 numbers a coordinate; see `updateAxisDerivatives`. */
  readonly axisDerivatives: Float64Array;
  /** Whether there are couplings: what comes for them costs others one test. */
  readonly coupled: boolean;
  /** All coordinates of the joints: the pose, then phi(y) of each coupling. Only where there are couplings. */
  readonly joints: Float64Array;
  /** phi of each coupling: its coefficients. */
  readonly polynomials: readonly Float64Array[];
  /** phi' and phi'' of each coupling at the pose last given. */
  readonly slopes: Float64Array;
  readonly curvatures: Float64Array;
  /** The columns of each bone's joint, whether it owns coordinates or follows: [columnStart[b], columnEnd[b]). */
  readonly columnStart: Int32Array;
  readonly columnEnd: Int32Array;
  /** Index in `figure.couplings` of each bone, -1 for a bone that follows none. */
  readonly mimicOfBone: Int32Array;
  /** The joints, grouped by type. */
  readonly groups: readonly JointGroup[];
  /** Where each bone stands in its group's batch. */
  readonly placeInBatch: Int32Array;
  /** Limit parts of each bone. */
  readonly limitsOfBone: readonly (readonly LimitPart[])[];
  /** Group of each bone (index into `groups`), -1 for a bone that owns no coordinate of the pose. */
  readonly groupOfBone: Int32Array;
  /** First coordinate of each plain ball, -1 for every other bone. */
  readonly plainBall: Int32Array;
  /** 1 for a bone whose joint velocity is its angular velocity in its own frame (a ball). */
  readonly bodyTurn: Uint8Array;
  /** 1 for a bone whose joint has translations: only its motion columns have linear parts. */
  readonly slides: Uint8Array;
  /** Turning bones whose rest rotation is not the identity, and those rotations, 9 numbers each. */
  readonly restTurned: Int32Array;
  readonly restRotations: Float64Array;
  /** Bones whose joint moves their origin; their rest transforms, 12 numbers each. */
  readonly moved: Int32Array;
  readonly movedRest: Float64Array;
}

/** @param coordinateOf - Index of a bone's first coordinate among those of the pose and of the couplings behind it. */
function batchOf(bones: readonly Bone[], type: JointType, coordinateOf: (bone: Bone) => number): JointBatch {
  return {
    bones: Int32Array.from(bones, (bone) => bone.index),
    parents: Int32Array.from(bones, (bone) => bone.parent),
    coordinates: Int32Array.from(bones, coordinateOf),
    parameters: Float64Array.from(bones.flatMap((bone) => [...type.pack(bone.joint, bone.rest)])),
    stride: type.stride,
  };
}

/** Not |w| = 1: w rounds to one while x, y, z still turn by 1e-8. */
function isTurnedAtRest({ rest: { rotation } }: Bone): boolean {
  return rotation.some((x, k) => k < 3 && x !== 0);
}

/** A ball without a rest rotation, which `forwardKinematics` evaluates on its way down the tree. */
function isPlainBall(bone: Bone): boolean {
  return bone.joint.type === 'ball' && !isTurnedAtRest(bone);
}

/** Makes the scratch of a figure. Evaluation fills it; it holds no pose of its own. */
export function createState(figure: Figure): FigureState {
  const { bones, dof, mimicJoints } = figure;
  const groups: JointGroup[] = [];
  const groupOfBone = new Int32Array(bones.length).fill(-1);
  const placeInBatch = new Int32Array(bones.length);
  const mimicOfBone = new Int32Array(bones.length).fill(-1);
  mimicJoints.forEach(({ bone }, k) => {
    mimicOfBone[bone] = k;
  });
  const coordinateOf = ({ index, coordinate }: Bone) =>
    mimicOfBone[index] < 0 ? coordinate : dof + mimicOfBone[index];
  for (const coupled of mimicJoints.length > 0 ? [false, true] : [false]) {
    for (const name of Object.keys(jointTypes) as JointTypeName[]) {
      const members = bones.filter(
        ({ index, joint }) => joint.type === name && mimicOfBone[index] >= 0 === coupled,
      );
      const type = jointTypes[name];
      if (members.length === 0 || type.dof === 0) continue;
      members.forEach((bone, k) => {
        if (!coupled) groupOfBone[bone.index] = groups.length;
        placeInBatch[bone.index] = k;
      });
      const transformed = members.filter((bone) => !isPlainBall(bone));
      groups.push({
        type,
        batch: batchOf(members, type, coordinateOf),
        transformed: batchOf(transformed, type, coordinateOf),
        coupled,
      });
    }
  }
  const coordinates = dof + mimicJoints.length;
  const rests = bones.map(({ rest }) => [...quat.toMatrix(rest.rotation), ...rest.position]);
  const turned = bones.filter((bone) => jointTypes[bone.joint.type].turns && isTurnedAtRest(bone));
  const moved = bones.filter(({ joint }) => jointTypes[joint.type].translations > 0);
  const parentFromBone = Float64Array.from(rests.flat());
  return {
    figure,
    parentFromBone,
    worldFromBone: Float64Array.from(parentFromBone),
    columnsQ: new Float64Array(6 * coordinates),
    columnsNu: new Float64Array(6 * coordinates),
    axisDerivatives: new Float64Array(9 * coordinates),
    coupled: mimicJoints.length > 0,
    joints: new Float64Array(mimicJoints.length > 0 ? coordinates : 0),
    polynomials: mimicJoints.map(({ polynomial }) => Float64Array.from(polynomial)),
    slopes: new Float64Array(mimicJoints.length),
    curvatures: new Float64Array(mimicJoints.length),
    columnStart: Int32Array.from(bones, coordinateOf),
    columnEnd: Int32Array.from(
      bones,
      (bone) => coordinateOf(bone) + (bone.mimic === undefined ? bone.dof : 1),
    ),
    mimicOfBone,
    groups,
    groupOfBone,
    placeInBatch,
    limitsOfBone: bones.map(({ index }) => figure.limitParts.filter((part) => part.bone === index)),
    plainBall: Int32Array.from(bones, (bone) => (isPlainBall(bone) ? bone.coordinate : -1)),
    bodyTurn: Uint8Array.from(bones, ({ joint }) => (jointTypes[joint.type].bodyTurn ? 1 : 0)),
    slides: Uint8Array.from(bones, ({ joint }) => (jointTypes[joint.type].translations > 0 ? 1 : 0)),
    restTurned: Int32Array.from(turned, (bone) => bone.index),
    restRotations: Float64Array.from(turned.flatMap((bone) => rests[bone.index].slice(0, 9))),
    moved: Int32Array.from(moved, (bone) => bone.index),
    movedRest: Float64Array.from(moved.flatMap((bone) => rests[bone.index])),
  };
}
