import { forwardKinematics } from '../../../figure/kinematics/forward-kinematics.js';
import type { Figure } from '../../../figure/model/figure.js';
import { findRootJoints } from '../../../figure/model/floating-base.js';
import { createState } from '../../../figure/model/state.js';
import * as quat from '../../../math/geometry/quat.js';
import { dot } from '../../../math/geometry/vec3.js';
import type { MutableNumbers, Numbers, Quat, Vec3 } from '../../../math/linear/types.js';
import { writeQuaternion } from '../../../rotation/rotation-vector/kernels.js';
import { rotationVectorFromQuat } from '../../../rotation/rotation-vector/log.js';
import { twistAngleFromQuat } from '../../../rotation/swing-twist/twist.js';

/** The floating base of a figure. */
export interface Root {
  readonly bone: number;
  /** First of its six coordinates. */
  readonly coordinate: number;
  /** World frame from its frame at q = 0, unit quaternion and m. */
  readonly rotation: Quat;
  readonly position: Vec3;
}

/** The free root that carries all other joints; undefined for a figure without. */
export function findRoot(figure: Figure): Root | undefined {
  const [bone, ...others] = findRootJoints(figure);
  if (bone === undefined || others.length > 0 || figure.bones[bone].joint.type !== 'free') return undefined;
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(figure.dof));
  const frame = state.worldFromBone.subarray(12 * bone, 12 * bone + 12);
  return {
    bone,
    coordinate: figure.bones[bone].coordinate,
    rotation: quat.normalize(quat.fromMatrix(frame)) as Quat,
    position: [frame[9], frame[10], frame[11]],
  };
}

/** Frame in which an animation plays: a rotation about the vertical through the world's origin, then a horizontal translation. */
export interface RootFrame {
  /** rad */
  heading: number;
  /** World axes, m; horizontal. */
  readonly position: Float64Array;
}

export function createRootFrame(): RootFrame {
  return { heading: 0, position: new Float64Array(3) };
}

const NONE: readonly number[] = [0, 0, 0];
const rotationA: [number, number, number, number] = [0, 0, 0, 1];
const rotationB: [number, number, number, number] = [0, 0, 0, 1];
const yaw: [number, number, number, number] = [0, 0, 0, 1];
const originA: [number, number, number] = [0, 0, 0];
const originB: [number, number, number] = [0, 0, 0];
const found: number[] = [0, 0, 0];

/**
 * Aligns the frame so that the root of an animation's pose stands over the root of another pose with the same heading: the rotation about `up` that brings
 * the two root rotations nearest to each other (the twist of one relative to the other), then the horizontal translation between their origins. Height
 * stays the animation's.
 */
export function alignRootFrame(root: Root, pose: Numbers, to: Numbers, up: Vec3, frame: RootFrame): void {
  readRoot(root, to, rotationB, originB);
  readRoot(root, pose, rotationA, originA);
  quat.conjugate(rotationA, rotationA);
  frame.heading = twistAngleFromQuat(quat.multiply(rotationB, rotationA, rotationA), up);
  quat.rotate(quat.fromAxisAngle(up, frame.heading, yaw), originA, originA);
  for (let k = 0; k < 3; k++) frame.position[k] = originB[k] - originA[k];
  const rise = dot(frame.position, up);
  for (let k = 0; k < 3; k++) frame.position[k] -= rise * up[k];
}

/** Writes the pose in the root frame: only the root's coordinates differ. */
export function applyRootFrame(
  root: Root,
  pose: Numbers,
  { heading, position }: RootFrame,
  up: Vec3,
  out: MutableNumbers,
): void {
  for (let i = 0; i < pose.length; i++) out[i] = pose[i];
  if (heading === 0 && position[0] === 0 && position[1] === 0 && position[2] === 0) return;
  const { coordinate } = root;
  readRoot(root, pose, rotationA, originA);
  quat.fromAxisAngle(up, heading, yaw);
  quat.rotate(yaw, originA, originA);
  for (let k = 0; k < 3; k++) originA[k] += position[k] - root.position[k];
  quat.multiply(yaw, rotationA, rotationA);
  // To rest axes: J = rest^-1 world.
  quat.conjugate(root.rotation, rotationB);
  quat.rotate(rotationB, originA, originA);
  rotationVectorFromQuat(quat.multiply(rotationB, rotationA, rotationA), NONE, found);
  for (let k = 0; k < 3; k++) {
    out[coordinate + k] = originA[k];
    out[coordinate + 3 + k] = found[k];
  }
}

/** Reads world rotation and origin of the root in a pose. */
export function readRoot(
  root: Root,
  pose: Numbers,
  rotation: [number, number, number, number],
  origin: [number, number, number],
): void {
  const i = root.coordinate;
  writeQuaternion(pose[i + 3], pose[i + 4], pose[i + 5], rotation, 0);
  quat.multiply(root.rotation, rotation, rotation);
  for (let k = 0; k < 3; k++) origin[k] = pose[i + k];
  quat.rotate(root.rotation, origin, origin);
  for (let k = 0; k < 3; k++) origin[k] += root.position[k];
}
