import { COORDINATE_SPACE, type JointBatch, type JointType } from '../../../figure/joints/joint.js';
import { jointTypes } from '../../../figure/joints/joint-types.js';
import type { LimitPart } from '../../../figure/limits/limit.js';
import { limitShapes } from '../../../figure/limits/shapes.js';
import type { Figure } from '../../../figure/model/figure.js';
import { createState, type FigureState } from '../../../figure/model/state.js';
import { readJoint } from '../../../figure/pose-from-transforms.js';
import * as quat from '../../../math/geometry/quat.js';
import * as rigid from '../../../math/geometry/rigid-transform.js';
import type { MutableNumbers, Numbers } from '../../../math/linear/types.js';

/**
 * A figure as rigid bodies between joints that move: a bone that is fixed or held belongs to the body of its parent, or to the
 * ground. Bodies have their parents before them. All transforms are 12 numbers, rotation row by row, then position (m).
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
  /** J(q) of each body. */
  readonly joints: Float64Array;
  /** `basisFromBody`: the bodies as they stand, in the basis of `ground`. */
  readonly frames: Float64Array;
  /** `basisFromWorld`, the identity unless another basis was asked for. */
  readonly ground: Float64Array;
  readonly types: readonly JointType[];
  /** Unit axis, in rest axes, of each joint that does nothing but turn about it; undefined for the others. */
  readonly hingeAxes: readonly (Numbers | undefined)[];
  readonly limits: readonly (readonly LimitPart[])[];
  /** Each body's joint as a batch of its own, so that one joint can be evaluated. */
  readonly batches: readonly JointBatch[];
  /** Columns of one joint at a time, and how their axes turn with its angles; see `JointType`. */
  readonly columns: Float64Array;
  readonly bends: Float64Array;
  readonly boneRests: Float64Array;
  readonly rigid: Uint8Array;
}

/** The body that does not move. */
export const GROUND = -1;

const restFrame = /* @__PURE__ */ new Float64Array(12);
const ownFrame = /* @__PURE__ */ new Float64Array(12);
const jointFrame = /* @__PURE__ */ new Float64Array(12);

/** @param held - 1 for each bone whose joint stays as it is. */
export function createBodies(figure: Figure, held: Numbers): Bodies {
  const { bones } = figure;
  const state = createState(figure);
  const isRigid = Uint8Array.from(bones, (bone) => (bone.dof === 0 || held[bone.index] === 1 ? 1 : 0));
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
    limits: moving.map((bone) => state.limitsOfBone[bone.index]),
    hingeAxes: types.map((type, k) => {
      if (!type.turns || type.dof !== 1) return undefined;
      const columns = new Float64Array(6 * figure.dof);
      type.writeColumns(batches[k], new Float64Array(figure.dof), joints, COORDINATE_SPACE, columns);
      return columns.slice(6 * moving[k].coordinate, 6 * moving[k].coordinate + 3);
    }),
    batches,
    columns: new Float64Array(6 * figure.dof),
    bends: new Float64Array(9 * figure.dof),
    boneRests: Float64Array.from(
      bones.flatMap(({ rest }) => [...quat.toMatrix(rest.rotation), ...rest.position]),
    ),
    rigid: isRigid,
  };
  placeBones(bodies);
  return bodies;
}

/**
 * The bone nearest to `bone` on its way to the root whose joint follows one that moves: -1 for none. Bodies know no
 * couplings.
 */
export function followerAbove({ figure, rigid: isRigid }: Bodies, bone: number): number {
  for (let b = bone; b >= 0; b = figure.parents[b]) {
    for (const { bone: follower, source } of figure.mimicJoints) {
      if (follower === b && isRigid[source] === 0) return b;
    }
  }
  return -1;
}

/** Where the bones stand in their bodies, held ones as `state.parentFromBone` has them. */
export function placeBones(bodies: Bodies): void {
  const { figure, state, bodyFromBone, parentFromRest, boneRests, bodyOfBone, rigid: isRigid } = bodies;
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

/** Puts body k where its joint's coordinates in the pose have it, its parent standing already. */
export function poseBody(bodies: Bodies, k: number, pose: Numbers): void {
  bodies.types[k].writeTransforms(bodies.batches[k], pose, bodies.joints);
  placeBody(bodies, k);
}

/** Puts body k where `joints` has it. */
export function placeBody(bodies: Bodies, k: number): void {
  writeRestFrame(bodies, k, restFrame);
  rigid.composeAt(restFrame, 0, bodies.joints, 12 * k, bodies.frames, 12 * k);
}

/** Puts all bodies where the pose has them. */
export function poseBodies(bodies: Bodies, pose: Numbers): void {
  for (let k = 0; k < bodies.count; k++) poseBody(bodies, k, pose);
}

/** `basisFromRest` of body k: where it stands at q = 0, its parent as it stands. */
export function writeRestFrame(bodies: Bodies, k: number, out: Float64Array): void {
  const { parents, parentFromRest, frames, ground } = bodies;
  const p = parents[k];
  if (p < 0) rigid.composeAt(ground, 0, parentFromRest, 12 * k, out, 0);
  else rigid.composeAt(frames, 12 * p, parentFromRest, 12 * k, out, 0);
}

/**
 * Brings body k as near to a frame as its joint and its limits allow: decomposes J = rest^-1 frame in the joint's own coordinates,
 * projects each limit part on its nearest point and rebuilds. Coordinates to the pose, frame to `frames`.
 *
 * @returns Whether a limit moved it.
 */
export function settleBody(
  bodies: Bodies,
  k: number,
  frame: Numbers,
  pose: MutableNumbers,
  limits = true,
): boolean {
  writeRestFrame(bodies, k, restFrame);
  relativeTo(restFrame, frame, jointFrame);
  const limited = readBody(bodies, k, jointFrame, pose, limits);
  rigid.composeAt(restFrame, 0, bodies.joints, 12 * k, bodies.frames, 12 * k);
  return limited;
}

/** Reads the coordinates of some bodies, parents first, from `frames`, to the pose; within their limits. */
export function readBodies(bodies: Bodies, which: Int32Array, pose: MutableNumbers): void {
  for (let n = 0; n < which.length; n++) {
    const k = which[n];
    for (let i = 0; i < 12; i++) ownFrame[i] = bodies.frames[12 * k + i];
    settleBody(bodies, k, ownFrame, pose);
  }
}

/** Coordinates within the limits nearest to a joint transform, to the pose, and their J(q) to `joints`. */
export function readBody(
  bodies: Bodies,
  k: number,
  transform: Numbers,
  pose: MutableNumbers,
  limits: boolean,
): boolean {
  readJoint(bodies.state, bodies.bones[k], transform, pose);
  const limited = limits && projectBody(bodies, k, pose);
  bodies.types[k].writeTransforms(bodies.batches[k], pose, bodies.joints);
  return limited;
}

/** Moves the coordinates of body k to the nearest allowed ones; whether any moved. */
export function projectBody(bodies: Bodies, k: number, pose: MutableNumbers): boolean {
  const parts = bodies.limits[k];
  let moved = false;
  for (let n = 0; n < parts.length; n++) {
    const { kind, parameters, coordinate, size } = parts[n];
    if (limitShapes[kind].project(parameters, pose, coordinate, size)) moved = true;
  }
  return moved;
}

/** Whether some limit holds the turn of body k's joint, not only its move. */
export function turnIsLimited({ types, limits, batches }: Bodies, k: number): boolean {
  const first = batches[k].coordinates[0] + types[k].translations;
  const parts = limits[k];
  for (let n = 0; n < parts.length; n++) if (parts[n].coordinate >= first) return true;
  return false;
}

/**
 * Moves the origin of a frame for body k, whose joint is free, to the nearest that its limits allow; whether it had to.
 *
 * @param rest - Frame of the body at q = 0: its axes are those of the translations.
 */
export function clampOrigin(
  { types, limits, batches }: Bodies,
  k: number,
  rest: Numbers,
  frame: MutableNumbers,
): boolean {
  const parts = limits[k];
  const { translations } = types[k];
  const start = batches[k].coordinates[0];
  let moved = false;
  for (let n = 0; n < parts.length; n++) {
    const { kind, parameters, coordinate } = parts[n];
    const axis = coordinate - start;
    // Translations are held by intervals, one an axis: the nearest place is the nearest on each.
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
  for (let row = 0; row < 3; row++) {
    const a0 = a[row];
    const a1 = a[row + 3];
    const a2 = a[row + 6];
    for (let n = 0; n < 3; n++) out[3 * row + n] = a0 * b[n] + a1 * b[n + 3] + a2 * b[n + 6];
    out[9 + row] = a0 * x + a1 * y + a2 * z;
  }
}

function copy12(from: Numbers, i: number, to: MutableNumbers, o: number): void {
  for (let n = 0; n < 12; n++) to[o + n] = from[i + n];
}
