import type { JointBatch, JointType } from '../../../figure/joints/joint.js';
import type { LimitComponent } from '../../../figure/limits/limit.js';
import { limitShapes } from '../../../figure/limits/shapes.js';
import type { FigureState } from '../../../figure/model/state.js';
import * as quat from '../../../math/geometry/quat.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { MutableNumbers, Numbers, Vec3 } from '../../../math/linear/types.js';
import { quatFromTwist } from '../../../rotation/swing-twist/twist.js';
import { bestAngle } from './best-angle.js';
import { pointsAtRotation } from './points-at.js';

/**
 * One joint by itself: its coordinates q (from index 0) turn an axis d of the bone to y = R(q) d, which is to come as near as
 * the limits allow to the unit vector u. Everything is in the frame that the joint starts from: the parent's, then rest.
 */
export interface Aim {
  readonly type: JointType;
  /** This one joint, its coordinates from 0, its transform to 0. */
  readonly batch: JointBatch;
  readonly dof: number;
  /** Its limits, coordinates counted from 0. */
  readonly limits: readonly LimitComponent[];
  /** d, unit, bone frame. */
  readonly axis: Vec3;
  /** u, unit. */
  readonly target: Vec3;
  /** Second wish: an axis of the bone, and the direction it is to be near to; both unit. */
  readonly up: { readonly axis: Vec3; readonly direction: Vec3 } | undefined;
  /** The last coordinate turns about this axis of the bone, and d lies along it: it changes no angle, and `up` may have it. */
  readonly ineffectiveAxis: Vec3 | undefined;
  /** Coordinates at the start, within the limits. */
  readonly current: readonly number[];
  /** R(now), row by row, in the first nine numbers. */
  readonly currentRotation: Numbers;
}

const ZERO = /* @__PURE__ */ new Int32Array(1);
const NO_PARENT = /* @__PURE__ */ new Int32Array(1).fill(-1);
const frame = /* @__PURE__ */ new Float64Array(12);
const sight: number[] = [0, 0, 0];

/** What an {@link Aim} says of the joint alone. */
export type IsolatedJoint = Pick<Aim, 'type' | 'batch' | 'dof' | 'parts'>;

/** Made once a state and bone. */
const isolatedJoints = /* @__PURE__ */ new WeakMap<FigureState, IsolatedJoint[]>();

/** One joint as if the figure had no other. */
export function isolateJoint(state: FigureState, bone: number): IsolatedJoint {
  let joints = isolatedJoints.get(state);
  if (joints === undefined) {
    joints = [];
    isolatedJoints.set(state, joints);
  }
  joints[bone] ??= createIsolatedJoint(state, bone);
  return joints[bone];
}

function createIsolatedJoint(state: FigureState, bone: number): IsolatedJoint {
  const { type, batch } = state.groups[state.groupOfBone[bone]];
  const first = state.figure.bones[bone].coordinate;
  const from = batch.stride * state.batchIndex[bone];
  return {
    type,
    batch: {
      bones: ZERO,
      parents: NO_PARENT,
      coordinates: ZERO,
      parameters: batch.parameters.slice(from, from + batch.stride),
      stride: batch.stride,
    },
    dof: type.dof,
    limits: state.limitsOfBone[bone].map((part) => ({ ...part, coordinate: part.coordinate - first })),
  };
}

/** Moves q to the nearest allowed coordinates, in place; whether it was outside. */
export function projectOntoLimits(parts: readonly LimitComponent[], q: MutableNumbers): boolean {
  let moved = false;
  for (let n = 0; n < parts.length; n++) {
    const { kind, parameters, coordinate, size } = parts[n];
    if (limitShapes[kind].project(parameters, q, coordinate, size)) moved = true;
  }
  return moved;
}

/** [least, greatest] of an angle with an interval or none. */
export function intervalOf({ limits }: Aim, coordinate: number): readonly number[] {
  for (let n = 0; n < limits.length; n++) {
    if (limits[n].coordinate === coordinate && limits[n].kind === 'interval') return limits[n].parameters;
  }
  return OPEN;
}

const OPEN = /* @__PURE__ */ Object.freeze([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]);

/** R(q), row by row, then the joint's move. Good until the next call. */
export function rotationAt({ type, batch }: Pick<Aim, 'type' | 'batch'>, q: Numbers): Float64Array {
  // A joint that does not slide writes no position, and a free one before it may have left its own.
  if (type.translations === 0) frame.fill(0, 9);
  type.writeTransforms(batch, q, frame);
  return frame;
}

/** out = R v, R the first nine numbers of m. */
export function rotate(m: Numbers, v: Vec3, out: number[] = [0, 0, 0]): number[] {
  const x = v[0];
  const y = v[1];
  const z = v[2];
  for (let r = 0; r < 3; r++) out[r] = m[3 * r] * x + m[3 * r + 1] * y + m[3 * r + 2] * z;
  return out;
}

/** Angle between the aimed axis and the target under a rotation, rad: 2 atan(|y - u| / |y + u|), exact near 0 and near pi. */
export function aimAngle({ axis, target }: Aim, rotation: Numbers): number {
  return angleBetween(rotate(rotation, axis, sight), target);
}

/** Angle between two unit vectors, rad. */
export function angleBetween(a: Vec3, b: Vec3): number {
  return 2 * Math.atan2(vec3.distance(a, b), vec3.length(a[0] + b[0], a[1] + b[1], a[2] + b[2]));
}

/**
 * What is second to the angle, smaller is better: how far `up` is off (chord of unit vectors), or without one how far the bone
 * has turned from where it was (|R - R_now|_F = 2 sqrt 2 sin(half the angle)).
 */
export function secondaryCost({ up, currentRotation }: Aim, rotation: Numbers): number {
  if (up !== undefined) return vec3.distance(rotate(rotation, up.axis, sight), up.direction);
  let sum = 0;
  for (let k = 0; k < 9; k++) sum += (rotation[k] - currentRotation[k]) ** 2;
  return Math.sqrt(sum);
}

/**
 * The rotation that the joint would best have if it could have any: the smallest turn from now that aims, and with `up` the
 * roll that brings `up` nearest. All rotations that aim are R_wanted exp(phi [d]), and the further phi is from 0, up to pi,
 * the larger their {@link secondaryCost}.
 */
export function idealRotation({ axis, target, up, currentRotation }: Aim): number[] {
  const now = quat.fromMatrix(currentRotation);
  const local = quat.rotate(quat.conjugate(now), target);
  const wanted = quat.multiply(now, pointsAtRotation(axis, local));
  if (up === undefined) return wanted;
  const { turn } = bestAngle(target, quat.rotate(wanted, up.axis), up.direction);
  return quat.multiply(quatFromTwist(target, turn), wanted);
}
