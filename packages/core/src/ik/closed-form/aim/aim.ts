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
 * The aiming problem of one joint: its coordinates q (from index 0) rotate an axis d of the bone to y = R(q) d; the angle between y
 * and the unit vector u is minimized within the limits. Everything is in the joint's base frame: the parent's, then rest.
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
  /** Secondary objective: an axis of the bone and the direction that it is to be near to; both unit. */
  readonly up: { readonly axis: Vec3; readonly direction: Vec3 } | undefined;
  /** Axis of the last coordinate, where d lies along it: that coordinate has no effect on the angle, and serves `up`. */
  readonly ineffectiveAxis: Vec3 | undefined;
  /** Current coordinates, within the limits. */
  readonly current: readonly number[];
  /** R(current), row by row, in the first nine numbers. */
  readonly currentRotation: Numbers;
}

const ZERO = /* @__PURE__ */ new Int32Array(1);
const NO_PARENT = /* @__PURE__ */ new Int32Array(1).fill(-1);
const frame = /* @__PURE__ */ new Float64Array(12);
const sight: number[] = [0, 0, 0];

/** The fields of an {@link Aim} that depend on the joint only. */
export type IsolatedJoint = Pick<Aim, 'type' | 'batch' | 'dof' | 'limits'>;

/** Cached by state and bone. */
const isolatedJoints = /* @__PURE__ */ new WeakMap<FigureState, IsolatedJoint[]>();

/** A joint isolated from its figure. */
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
    limits: state.limitsOfBone[bone].map((component) => ({
      ...component,
      coordinate: component.coordinate - first,
    })),
  };
}

/** Projects q onto the limits, in place. @returns whether it was outside. */
export function projectOntoLimits(components: readonly LimitComponent[], q: MutableNumbers): boolean {
  let moved = false;
  for (let n = 0; n < components.length; n++) {
    const { kind, parameters, coordinate, size } = components[n];
    if (limitShapes[kind].project(parameters, q, coordinate, size)) moved = true;
  }
  return moved;
}

/** [lower, upper] bound of a coordinate; infinite without an interval. */
export function intervalOf({ limits }: Aim, coordinate: number): readonly number[] {
  for (let n = 0; n < limits.length; n++) {
    if (limits[n].coordinate === coordinate && limits[n].kind === 'interval') return limits[n].parameters;
  }
  return OPEN;
}

const OPEN = /* @__PURE__ */ Object.freeze([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]);

/** R(q), row by row, then the joint's translation. Overwritten by the next call. */
export function rotationAt({ type, batch }: Pick<Aim, 'type' | 'batch'>, q: Numbers): Float64Array {
  // A joint without translations writes no position; that of an earlier free joint may still be in `frame`.
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
 * The secondary objective: the deviation of `up` (chord of unit vectors), or without it the rotation from the current one
 * (|R - R_current|_F = 2 sqrt 2 sin(angle / 2)).
 */
export function secondaryCost({ up, currentRotation }: Aim, rotation: Numbers): number {
  if (up !== undefined) return vec3.distance(rotate(rotation, up.axis, sight), up.direction);
  let sum = 0;
  for (let k = 0; k < 9; k++) sum += (rotation[k] - currentRotation[k]) ** 2;
  return Math.sqrt(sum);
}

/**
 * The ideal rotation if the joint could have any: the smallest rotation from the current one that aims, and with `up` the best roll.
 * All rotations that aim are R_ideal exp(phi [d]), and their {@link secondaryCost} increases with |phi| up to pi.
 */
export function idealRotation({ axis, target, up, currentRotation }: Aim): number[] {
  const current = quat.fromMatrix(currentRotation);
  const local = quat.rotate(quat.conjugate(current), target);
  const ideal = quat.multiply(current, pointsAtRotation(axis, local));
  if (up === undefined) return ideal;
  const { angle } = bestAngle(target, quat.rotate(ideal, up.axis), up.direction);
  return quat.multiply(quatFromTwist(target, angle), ideal);
}
