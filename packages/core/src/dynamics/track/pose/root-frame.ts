import { forwardKinematics } from '../../../figure/kinematics/forward-kinematics.js';
import type { Figure } from '../../../figure/model/figure.js';
import { createState } from '../../../figure/model/state.js';
import * as quat from '../../../math/geometry/quat.js';
import { dot } from '../../../math/geometry/vec3.js';
import type { MutableNumbers, Numbers, Quat, Vec3 } from '../../../math/linear/types.js';
import { writeQuaternion } from '../../../rotation/rotation-vector/kernels.js';
import { rotationVectorFromQuat } from '../../../rotation/rotation-vector/log.js';
import { twistAngleFromQuat } from '../../../rotation/swing-twist/twist.js';

/** The bone that carries a figure about. */
export interface Root {
  readonly bone: number;
  /** First of its six. */
  readonly coordinate: number;
  /** World frame from its frame at q = 0, unit quaternion and m. */
  readonly rotation: Quat;
  readonly position: Vec3;
}

/** The free bone on which all others hang that move; undefined for a figure without. Above it may stand bones that do not move, as files have them. */
export function findRoot(figure: Figure): Root | undefined {
  const { bones, dof, parents } = figure;
  const root = bones.find(({ joint }) => joint.type === 'free');
  if (root === undefined) return undefined;
  const hangs = new Set([root.index]);
  for (const { index, dof: own, mimic } of bones) {
    if (hangs.has(parents[index])) hangs.add(index);
    else if (index !== root.index && (own > 0 || mimic !== undefined)) return undefined;
  }
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(dof));
  const frame = state.worldFromBone.subarray(12 * root.index, 12 * root.index + 12);
  return {
    bone: root.index,
    coordinate: root.coordinate,
    rotation: quat.normalize(quat.fromMatrix(frame)) as Quat,
    position: [frame[9], frame[10], frame[11]],
  };
}

/** Where an animation plays: turned about the upright through the world's origin, then moved. */
export interface RootFrame {
  /** rad */
  heading: number;
  /** World axes, m; level. */
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
 * Puts an animation where its pose stands over the root of another pose and heads the same way: the turn about `up` that brings the two roots'
 * rotations nearest to each other (the twist of one against the other), then the level way between their origins. Height stays the animation's.
 */
export function alignRootFrame(root: Root, pose: Numbers, to: Numbers, up: Vec3, anchor: RootFrame): void {
  readRoot(root, to, rotationB, originB);
  readRoot(root, pose, rotationA, originA);
  quat.conjugate(rotationA, rotationA);
  anchor.heading = twistAngleFromQuat(quat.multiply(rotationB, rotationA, rotationA), up);
  quat.rotate(quat.fromAxisAngle(up, anchor.heading, yaw), originA, originA);
  for (let k = 0; k < 3; k++) anchor.position[k] = originB[k] - originA[k];
  const rise = dot(anchor.position, up);
  for (let k = 0; k < 3; k++) anchor.position[k] -= rise * up[k];
}

/** The pose played at the anchor: only the root's coordinates differ. */
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
  // Back into rest axes: J = rest^-1 world.
  quat.conjugate(root.rotation, rotationB);
  quat.rotate(rotationB, originA, originA);
  rotationVectorFromQuat(quat.multiply(rotationB, rotationA, rotationA), NONE, found);
  for (let k = 0; k < 3; k++) {
    out[coordinate + k] = originA[k];
    out[coordinate + 3 + k] = found[k];
  }
}

/** World rotation and origin of the root in a pose. */
export function readRoot(
  root: Root,
  pose: Numbers,
  rotation: [number, number, number, number],
  place: [number, number, number],
): void {
  const i = root.coordinate;
  writeQuaternion(pose[i + 3], pose[i + 4], pose[i + 5], rotation, 0);
  quat.multiply(root.rotation, rotation, rotation);
  for (let k = 0; k < 3; k++) place[k] = pose[i + k];
  quat.rotate(root.rotation, place, place);
  for (let k = 0; k < 3; k++) place[k] += root.position[k];
}
