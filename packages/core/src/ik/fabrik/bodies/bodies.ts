import { axisDerivativeWriters, type WriteAxisDerivatives } from '../../../figure/joints/axis-derivatives.js';
import { COORDINATE_SPACE, type JointBatch, type JointType } from '../../../figure/joints/joint.js';
import { jointTypes } from '../../../figure/joints/joint-types.js';
import type { LimitComponent } from '../../../figure/limits/limit.js';
import { limitShapes } from '../../../figure/limits/shapes.js';
import type { Figure } from '../../../figure/model/figure.js';
import { createState, type FigureState } from '../../../figure/model/state.js';
import { readJoint } from '../../../figure/pose-from-transforms.js';
import * as quat from '../../../math/geometry/quat.js';
import * as rigid from '../../../math/geometry/rigid-transform.js';
import type { MutableNumbers, Numbers } from '../../../math/linear/types.js';
import type { BoundedNewton } from '../../../math/optimization/bounded-newton.js';
import { multiplyTransposedAt } from './matrices.js';

/**
 * A figure as rigid bodies between movable joints: a bone with a fixed or locked joint belongs to the body of its parent, or to the
 * ground. Parents precede their children. All transforms are 12 numbers, rotation row by row, then position (m).
 */
export interface Bodies {
  readonly figure: Figure;
  readonly state: FigureState;
  readonly count: number;
  /** The bone whose joint moves each body. */
  readonly bones: Int32Array;
  /** Parent body of each body, {@link GROUND} for none. */
  readonly parents: Int32Array;
  /** Body of each bone, {@link GROUND} for none. */
  readonly bodyOfBone: Int32Array;
  /** Frame of each bone in its body; in the world for a bone of the ground. */
  readonly bodyFromBone: Float64Array;
  /** Frame of each body at q = 0 in its parent body; in the world for a body on the ground. */
  readonly parentFromRest: Float64Array;
  /** Joint transform T(q) of each body. */
  readonly joints: Float64Array;
  /** `basisFromBody`: current frame of each body, in the basis of `ground`. */
  readonly frames: Float64Array;
  /** `basisFromWorld`; the identity by default. */
  readonly ground: Float64Array;
  readonly types: readonly JointType[];
  /** Of each body's joint type, undefined where the derivatives of axes are zero. */
  readonly axisDerivativeWriters: readonly (WriteAxisDerivatives | undefined)[];
  /** Unit axis, in rest axes, of each joint with one rotation and no translation; undefined for the others. */
  readonly hingeAxes: readonly (Numbers | undefined)[];
  readonly limits: readonly (readonly LimitComponent[])[];
  /** Newton's method over the angles of each joint, made on first use, and the matrix B that it fits. */
  readonly jointFits: (BoundedNewton | undefined)[];
  readonly fitMatrix: Float64Array;
  /** A batch of one for each body's joint, to evaluate joints one by one. */
  readonly batches: readonly JointBatch[];
  /** Columns of one joint, and the derivatives of their axes; see `JointType`. */
  readonly columns: Float64Array;
  readonly axisDerivatives: Float64Array;
  readonly boneRests: Float64Array;
  readonly isRigid: Uint8Array;
}

/** Index of the ground: the body that does not move. */
export const GROUND = -1;

const restFrame = /* @__PURE__ */ new Float64Array(12);
const bodyFrame = /* @__PURE__ */ new Float64Array(12);
const jointFrame = /* @__PURE__ */ new Float64Array(12);

/** @param locked - 1 for each bone with a locked joint. */
export function createBodies(figure: Figure, locked: Numbers): Bodies {
  const { bones } = figure;
  const state = createState(figure);
  const isRigid = Uint8Array.from(bones, (bone) => (bone.dof === 0 || locked[bone.index] === 1 ? 1 : 0));
  const moving = bones.filter((bone) => isRigid[bone.index] === 0);
  const bodyOfBone = new Int32Array(bones.length);
  for (const { index, parent } of bones) {
    const own = moving.findIndex((bone) => bone.index === index);
    bodyOfBone[index] = own >= 0 ? own : parent < 0 ? GROUND : bodyOfBone[parent];
  }
  const types = moving.map((bone) => jointTypes[bone.joint.type]);
  const joints = new Float64Array(12 * moving.length);
  for (let k = 0; k < moving.length; k++) joints[12 * k] = joints[12 * k + 4] = joints[12 * k + 8] = 1;
  const batches = moving.map(
    (bone, k): JointBatch => ({
      bones: Int32Array.of(k),
      parents: Int32Array.of(GROUND),
      coordinates: Int32Array.of(bone.coordinate),
      parameters: Float64Array.from(types[k].pack(bone.joint, bone.rest)),
      stride: types[k].stride,
    }),
  );
  const bodies: Bodies = {
    figure,
    state,
    count: moving.length,
    bones: Int32Array.from(moving, (bone) => bone.index),
    parents: Int32Array.from(moving, ({ parent }) => (parent < 0 ? GROUND : bodyOfBone[parent])),
    bodyOfBone,
    bodyFromBone: new Float64Array(12 * bones.length),
    parentFromRest: new Float64Array(12 * moving.length),
    joints,
    frames: new Float64Array(12 * moving.length),
    ground: Float64Array.from(rigid.identity()),
    types,
    axisDerivativeWriters: moving.map((bone) => axisDerivativeWriters[bone.joint.type]),
    limits: moving.map((bone) => state.limitsOfBone[bone.index]),
    jointFits: moving.map(() => undefined),
    fitMatrix: new Float64Array(9),
    hingeAxes: types.map((type, k) => {
      if (!type.rotates || type.dof !== 1) return undefined;
      const columns = new Float64Array(6 * figure.dof);
      type.writeColumns(batches[k], new Float64Array(figure.dof), joints, COORDINATE_SPACE, columns);
      return columns.slice(6 * moving[k].coordinate, 6 * moving[k].coordinate + 3);
    }),
    batches,
    columns: new Float64Array(6 * figure.dof),
    axisDerivatives: new Float64Array(9 * figure.dof),
    boneRests: Float64Array.from(
      bones.flatMap(({ rest }) => [...quat.toMatrix(rest.rotation), ...rest.position]),
    ),
    isRigid: isRigid,
  };
  updateBoneFrames(bodies);
  return bodies;
}

/**
 * The mimic joint nearest to `bone` on its path to the root whose source joint can move: its bone, -1 for none. Bodies do not
 * represent mimic joints.
 */
export function mimicJointAbove({ figure, isRigid }: Bodies, bone: number): number {
  for (let b = bone; b >= 0; b = figure.parents[b]) {
    for (const { bone: mimic, source } of figure.mimicJoints) {
      if (mimic === b && isRigid[source] === 0) return b;
    }
  }
  return -1;
}

/** Updates the frames of the bones in their bodies; locked joints as in `state.parentFromBone`. */
export function updateBoneFrames(bodies: Bodies): void {
  const { figure, state, bodyFromBone, parentFromRest, boneRests, bodyOfBone, isRigid } = bodies;
  for (let b = 0; b < figure.bones.length; b++) {
    const p = 12 * figure.parents[b];
    const k = bodyOfBone[b];
    if (isRigid[b] === 1) {
      if (p < 0) copy12(state.parentFromBone, 12 * b, bodyFromBone, 12 * b);
      else rigid.composeAt(bodyFromBone, p, state.parentFromBone, 12 * b, bodyFromBone, 12 * b);
      continue;
    }
    if (p < 0) copy12(boneRests, 12 * b, parentFromRest, 12 * k);
    else rigid.composeAt(bodyFromBone, p, boneRests, 12 * b, parentFromRest, 12 * k);
    for (let n = 0; n < 12; n++) bodyFromBone[12 * b + n] = n % 4 === 0 && n < 9 ? 1 : 0;
  }
}

/** Updates joint transform and frame of body k from the pose; its parent is up to date. */
export function updateBody(bodies: Bodies, k: number, pose: Numbers): void {
  bodies.types[k].writeTransforms(bodies.batches[k], pose, bodies.joints);
  updateBodyFrame(bodies, k);
}

/** Updates the frame of body k from `joints`. */
export function updateBodyFrame(bodies: Bodies, k: number): void {
  writeRestFrame(bodies, k, restFrame);
  rigid.composeAt(restFrame, 0, bodies.joints, 12 * k, bodies.frames, 12 * k);
}

/** Updates all bodies from the pose. */
export function updateBodies(bodies: Bodies, pose: Numbers): void {
  for (let k = 0; k < bodies.count; k++) updateBody(bodies, k, pose);
}

/** `basisFromRest` of body k: its frame at q = 0 for the current frame of its parent. */
export function writeRestFrame(bodies: Bodies, k: number, out: Float64Array): void {
  const { parents, parentFromRest, frames, ground } = bodies;
  const p = parents[k];
  if (p < 0) rigid.composeAt(ground, 0, parentFromRest, 12 * k, out, 0);
  else rigid.composeAt(frames, 12 * p, parentFromRest, 12 * k, out, 0);
}

/**
 * Projects a frame onto those that body k's joint and limits allow: reads T = rest^-1 frame in the joint's coordinates, projects them
 * onto each limit and evaluates them. Writes coordinates to the pose, frame to `frames`.
 *
 * @returns whether a limit changed the coordinates.
 */
export function projectFrame(
  bodies: Bodies,
  k: number,
  frame: Numbers,
  pose: MutableNumbers,
  limits = true,
): boolean {
  writeRestFrame(bodies, k, restFrame);
  relativeTo(restFrame, frame, jointFrame);
  const limited = projectJointTransform(bodies, k, jointFrame, pose, limits);
  rigid.composeAt(restFrame, 0, bodies.joints, 12 * k, bodies.frames, 12 * k);
  return limited;
}

/** Projects `frames` of some bodies, parents first, and writes their coordinates to the pose. */
export function projectFrames(bodies: Bodies, which: Int32Array, pose: MutableNumbers): void {
  for (let n = 0; n < which.length; n++) {
    const k = which[n];
    for (let i = 0; i < 12; i++) bodyFrame[i] = bodies.frames[12 * k + i];
    projectFrame(bodies, k, bodyFrame, pose);
  }
}

/** Writes the feasible coordinates nearest to a joint transform to the pose, and their T(q) to `joints`. @returns whether a limit acted. */
export function projectJointTransform(
  bodies: Bodies,
  k: number,
  transform: Numbers,
  pose: MutableNumbers,
  limits: boolean,
): boolean {
  readJoint(bodies.state, bodies.bones[k], transform, pose);
  const limited = limits && projectOntoLimits(bodies, k, pose);
  bodies.types[k].writeTransforms(bodies.batches[k], pose, bodies.joints);
  return limited;
}

/** Projects the coordinates of body k onto their limits. @returns whether any changed. */
export function projectOntoLimits(bodies: Bodies, k: number, pose: MutableNumbers): boolean {
  const limitsOfBody = bodies.limits[k];
  let moved = false;
  for (let n = 0; n < limitsOfBody.length; n++) {
    const { kind, parameters, coordinate, size } = limitsOfBody[n];
    if (limitShapes[kind].project(parameters, pose, coordinate, size)) moved = true;
  }
  return moved;
}

/** Whether a limit applies to the rotation of body k's joint. */
export function isRotationLimited({ types, limits, batches }: Bodies, k: number): boolean {
  const first = batches[k].coordinates[0] + types[k].translations;
  const limitsOfBody = limits[k];
  for (let n = 0; n < limitsOfBody.length; n++) if (limitsOfBody[n].coordinate >= first) return true;
  return false;
}

/**
 * Clamps the origin of a frame to the translation limits of body k, whose joint is free. @returns whether it changed.
 *
 * @param rest - Frame of the body at q = 0: its axes are those of the translations.
 */
export function clampOrigin(
  { types, limits, batches }: Bodies,
  k: number,
  rest: Numbers,
  frame: MutableNumbers,
): boolean {
  const limitsOfBody = limits[k];
  const { translations } = types[k];
  const start = batches[k].coordinates[0];
  let moved = false;
  for (let n = 0; n < limitsOfBody.length; n++) {
    const { kind, parameters, coordinate } = limitsOfBody[n];
    const axis = coordinate - start;
    // Translation limits are intervals, one per axis: the projection is per axis.
    if (axis >= translations || kind !== 'interval') continue;
    let along = 0;
    for (let r = 0; r < 3; r++) along += rest[3 * r + axis] * (frame[9 + r] - rest[9 + r]);
    const excess = along - Math.min(parameters[1], Math.max(parameters[0], along));
    if (excess === 0) continue;
    moved = true;
    for (let r = 0; r < 3; r++) frame[9 + r] -= excess * rest[3 * r + axis];
  }
  return moved;
}

/** out = a^-1 b. */
export function relativeTo(a: Numbers, b: Numbers, out: MutableNumbers): void {
  const x = b[9] - a[9];
  const y = b[10] - a[10];
  const z = b[11] - a[11];
  multiplyTransposedAt(a, 0, b, 0, out);
  for (let row = 0; row < 3; row++) out[9 + row] = a[row] * x + a[row + 3] * y + a[row + 6] * z;
}

function copy12(from: Numbers, i: number, to: MutableNumbers, o: number): void {
  for (let n = 0; n < 12; n++) to[o + n] = from[i + n];
}
