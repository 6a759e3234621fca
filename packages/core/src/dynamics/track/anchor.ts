import type { Figure } from '../../figure/figure.js';
import * as quat from '../../math/quat.js';
import type { MutableNumbers, Numbers, Vec3 } from '../../math/types.js';
import { dot } from '../../math/vec3.js';
import { writeQuaternion } from '../../rotation/kernels.js';
import { rotationVectorFromQuat } from '../../rotation/log.js';
import { twistAngleFromQuat } from '../../rotation/twist.js';

/** Where an animation plays: turned about the upright through the world's origin, then moved. */
export interface Anchor {
  /** rad */
  heading: number;
  /** World axes, m; level. */
  readonly position: Float64Array;
}

export function createAnchor(): Anchor {
  return { heading: 0, position: new Float64Array(3) };
}

const NONE: readonly number[] = [0, 0, 0];
const rotationA: [number, number, number, number] = [0, 0, 0, 1];
const rotationB: [number, number, number, number] = [0, 0, 0, 1];
const yaw: [number, number, number, number] = [0, 0, 0, 1];
const placeA: [number, number, number] = [0, 0, 0];
const placeB: [number, number, number] = [0, 0, 0];
const found: number[] = [0, 0, 0];

/**
 * Puts an animation where its pose stands over the root of another pose and heads the same way: the turn about `up` that brings the two roots'
 * rotations nearest to each other (the twist of one against the other), then the level way between their origins. Height stays the animation's.
 */
export function alignAnchor(figure: Figure, pose: Numbers, to: Numbers, up: Vec3, anchor: Anchor): void {
  readRoot(figure, to, rotationB, placeB);
  readRoot(figure, pose, rotationA, placeA);
  quat.conjugate(rotationA, rotationA);
  anchor.heading = twistAngleFromQuat(quat.multiply(rotationB, rotationA, rotationA), up);
  quat.rotate(quat.fromAxisAngle(up, anchor.heading, yaw), placeA, placeA);
  for (let k = 0; k < 3; k++) anchor.position[k] = placeB[k] - placeA[k];
  const rise = dot(anchor.position, up);
  for (let k = 0; k < 3; k++) anchor.position[k] -= rise * up[k];
}

/** The pose played at the anchor: only the root's coordinates differ. */
export function placeAtAnchor(
  figure: Figure,
  pose: Numbers,
  { heading, position }: Anchor,
  up: Vec3,
  out: MutableNumbers,
): void {
  for (let i = 0; i < figure.dof; i++) out[i] = pose[i];
  if (heading === 0 && position[0] === 0 && position[1] === 0 && position[2] === 0) return;
  const { rest } = figure.bones[0];
  readRoot(figure, pose, rotationA, placeA);
  quat.fromAxisAngle(up, heading, yaw);
  quat.rotate(yaw, placeA, placeA);
  for (let k = 0; k < 3; k++) placeA[k] += position[k] - rest.position[k];
  quat.multiply(yaw, rotationA, rotationA);
  // Back into rest axes: J = rest^-1 world.
  quat.conjugate(rest.rotation, rotationB);
  quat.rotate(rotationB, placeA, placeA);
  rotationVectorFromQuat(quat.multiply(rotationB, rotationA, rotationA), NONE, found);
  for (let k = 0; k < 3; k++) {
    out[k] = placeA[k];
    out[3 + k] = found[k];
  }
}

/** World rotation and origin of a free root, bone 0. */
export function readRoot(
  { bones }: Figure,
  pose: Numbers,
  rotation: [number, number, number, number],
  place: [number, number, number],
): void {
  const { rest } = bones[0];
  writeQuaternion(pose[3], pose[4], pose[5], rotation, 0);
  quat.multiply(rest.rotation, rotation, rotation);
  for (let k = 0; k < 3; k++) place[k] = pose[k];
  quat.rotate(rest.rotation, place, place);
  for (let k = 0; k < 3; k++) place[k] += rest.position[k];
}
