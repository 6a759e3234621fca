/** The body at rest as directions: for each human bone the axes of the built-in human in T-pose, laid along the rig. */
import type { Rest } from '../../figure/kinematics/rest-pose.js';
import { originOf } from '../../figure/kinematics/rest-pose.js';
import { rotationBetween, segmentAxesOf } from '../../humanoid/anatomy/segment-axes.js';
import type { Humanoid } from '../../humanoid/find-humanoid.js';
import { createHumanFigure } from '../../humanoid/human.js';
import type { DetailBone, HumanBone, HumanBoneMap } from '../../humanoid/recognition/human-bones.js';
import * as mat3 from '../../math/geometry/mat3.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Mat3 } from '../../math/linear/types.js';
import { matrixFromRotationVector } from '../../rotation/rotation-vector/exponential.js';
import { rotationVectorFromMatrix } from '../../rotation/rotation-vector/log.js';

/** Bones whose rest pose is a posture, T or A: aligned by direction. Elsewhere rigs differ in proportions, and the axes of the body count. */
const LIMB = /UpperArm|LowerArm|Hand/;
const LEG = /UpperLeg|LowerLeg/;
const FINGERS = ['Index', 'Middle', 'Ring', 'Little'] as const;
const PHALANGES = ['Proximal', 'Intermediate', 'Distal'] as const;
/** Cosine between hand and forearm at rest below which the knuckles do not say where the hand points. */
const MIN_STRAIGHT = 0.3;

/** Cosine of the angle up to which a body that nearly faces along an axis of the world does so: its limbs are not quite symmetric. */
const ALIGNED = Math.cos(Math.PI / 90);

/** World axes from body axes at rest: columns left, up, forward. */
export function bodyAxesOf({ left, up, forward }: Humanoid): number[] {
  const x = onAxis(left);
  const y = onAxis(up);
  const z = Math.abs(vec3.dot(x, y)) < 1e-9 ? vec3.cross(x, y) : forward;
  const first = z === forward ? left : x;
  const second = z === forward ? up : y;
  return [first[0], second[0], z[0], first[1], second[1], z[1], first[2], second[2], z[2]];
}

function onAxis(direction: readonly number[]): readonly number[] {
  const k = direction.findIndex((x) => Math.abs(x) > ALIGNED);
  return k < 0 ? direction : direction.map((x, i) => (i === k ? Math.sign(x) : 0));
}

/**
 * World axes from the axes of each human bone of the built-in human in T-pose, at the rest pose of the figure; nine numbers a bone. Limbs: the
 * direction of the bone, about which knees and elbows keep their axis by the shortest rotation from the T-pose, and hands their palm by the
 * knuckles. Trunk, head, shoulders and feet: left, up, forward of the body.
 */
export function restAxesOf(rest: Rest, humanoid: Humanoid, size: number): HumanBoneMap<number[]> {
  const body = bodyAxesOf(humanoid);
  const axes: HumanBoneMap<number[]> = {};
  for (const { human, worldFromHuman } of segmentAxesOf(rest, humanoid, createHumanFigure(), size)) {
    if (LEG.test(human)) axes[human] = legAxes(worldFromHuman, body);
    else axes[human] = LIMB.test(human) ? Array.from(worldFromHuman) : body;
  }
  for (const side of ['left', 'right'] as const) {
    alignHand(rest, humanoid, side, size, axes);
    alignFingers(rest, humanoid, side, axes);
  }
  for (const bone of ['leftEye', 'rightEye', 'jaw'] as const) {
    if (humanoid.bones[bone] !== undefined) axes[bone] = body;
  }
  return axes;
}

/** Legs at rest that are this far from vertical, rad, stand: hips and ankles are not equally wide. From the second angle on they are posed. */
const STANDING = [Math.PI / 36, Math.PI / 18] as const;

function legAxes(leg: Mat3, body: readonly number[]): number[] {
  const change = rotationVectorFromMatrix(mat3.multiply(mat3.transpose(body), leg));
  const angle = vec3.norm(change);
  const share = Math.min(1, Math.max(0, (angle - STANDING[0]) / (STANDING[1] - STANDING[0])));
  return mat3.multiply(body, matrixFromRotationVector(vec3.scale(change, share)));
}

type Side = 'left' | 'right';

/** Sine of the angle between an arm and the hinge of its elbow from which the hinge says how the arm is rolled. */
const MIN_ACROSS = 0.5;

/** Arms whose elbow is a hinge, rolled about their bones so that it flexes them: a robot's zero may have it across. */
export function alignElbows(rest: Rest, { bones }: Humanoid, axes: HumanBoneMap<number[]>): void {
  const { figure, worldFromBone } = rest;
  for (const side of ['left', 'right'] as const) {
    const elbow = bones[`${side}LowerArm`];
    if (elbow === undefined) continue;
    const { joint, limit } = figure.bones[elbow];
    if (joint.type !== 'hinge') continue;
    const hinge = vec3.normalize(
      mat3.multiplyVector(worldFromBone.subarray(12 * elbow, 12 * elbow + 9), joint.axis),
    );
    const [upper, hand] = [bones[`${side}UpperArm`], bones[`${side}Hand`]];
    if (upper === undefined || hand === undefined) continue;
    const arm = vec3.subtract(originOf(rest, elbow), originOf(rest, upper));
    const forearm = vec3.subtract(originOf(rest, hand), originOf(rest, elbow));
    // Flexion is where the range goes from the angle at which the arm is straight: about -y on the left, y on the right.
    const [a, f] = [arm, forearm].map((v) => vec3.addScaled(v, hinge, -vec3.dot(v, hinge)));
    const straight = Math.atan2(vec3.dot(hinge, vec3.cross(f, a)), vec3.dot(f, a));
    const { min, max } = limit?.type === 'interval' ? limit : { min: null, max: null };
    const middle = ((min ?? -Math.PI) + (max ?? Math.PI)) / 2;
    const sign = (Math.sin(middle - straight) < 0 ? -1 : 1) * (side === 'left' ? -1 : 1);
    for (const part of ['UpperArm', 'LowerArm'] as const) {
      const own = axes[`${side}${part}`];
      if (own === undefined) continue;
      const x = columnOf(own, 0);
      const y = vec3.scale(vec3.addScaled(hinge, x, -vec3.dot(hinge, x)), sign);
      if (vec3.norm(y) > MIN_ACROSS) axes[`${side}${part}`] = axesOf(x, vec3.cross(x, y));
    }
  }
}

/** The hand along its knuckles, its palm by those of index and little finger; the forearm rolled with it: pronation is in the forearm. */
function alignHand(
  rest: Rest,
  { bones }: Humanoid,
  side: Side,
  size: number,
  axes: HumanBoneMap<number[]>,
): void {
  const hand = bones[`${side}Hand`];
  const forearmAxes = axes[`${side}LowerArm`];
  if (hand === undefined || forearmAxes === undefined) return;
  const knuckles = FINGERS.flatMap((finger) => {
    const bone = bones[`${side}${finger}Proximal`];
    return bone === undefined ? [] : [originOf(rest, bone)];
  });
  if (knuckles.length < 2) return;
  const sum = new Float64Array(3);
  for (const knuckle of knuckles) vec3.add(sum, knuckle, sum);
  const along = vec3.addScaled(vec3.scale(sum, 1 / knuckles.length), originOf(rest, hand), -1);
  const across = vec3.subtract(knuckles[0], knuckles[knuckles.length - 1]);
  const outward = side === 'left' ? 1 : -1;
  const forearm = vec3.scale(columnOf(forearmAxes, 0), outward);
  if (vec3.norm(along) < 1e-3 * size || vec3.norm(across) < 1e-3 * size) return;
  const direction = vec3.normalize(along);
  if (vec3.dot(direction, forearm) < MIN_STRAIGHT) return;
  // Of the built-in human: x to the left, along or against the hand; z from the little finger to the index, forward in T-pose.
  axes[`${side}Hand`] = axesOf(vec3.scale(direction, outward), across);
  axes[`${side}LowerArm`] = axesOf(columnOf(forearmAxes, 0), across);
}

/** Fingers along their bones, turned from the hand by the shortest rotation; thumbs, whose rest differs, with the hand. */
function alignFingers(rest: Rest, { bones }: Humanoid, side: Side, axes: HumanBoneMap<number[]>): void {
  const hand = axes[`${side}Hand`];
  if (hand === undefined) return;
  for (const part of ['Metacarpal', 'Proximal', 'Distal'] as const) {
    if (bones[`${side}Thumb${part}`] !== undefined) axes[`${side}Thumb${part}`] = hand;
  }
  const straight = vec3.scale(columnOf(hand, 0), side === 'left' ? 1 : -1);
  for (const finger of FINGERS) {
    const chain = PHALANGES.flatMap((part) => {
      const name: DetailBone = `${side}${finger}${part}`;
      const bone = bones[name];
      return bone === undefined ? [] : [{ name, origin: originOf(rest, bone) }];
    });
    let direction = straight;
    chain.forEach(({ name, origin }, k) => {
      const along = k + 1 < chain.length ? vec3.subtract(chain[k + 1].origin, origin) : [0, 0, 0];
      if (vec3.norm(along) > 0) direction = vec3.normalize(along);
      axes[name] = mat3.multiply(rotationBetween(straight, direction), hand);
    });
  }
}

/** Axes with the unit x given and the z nearest to `z`. */
function axesOf(x: readonly number[], z: readonly number[]): number[] {
  const along = vec3.dot(x, z);
  const unitZ = vec3.normalize(vec3.addScaled(z, x, -along));
  const y = vec3.cross(unitZ, x);
  return [x[0], y[0], unitZ[0], x[1], y[1], unitZ[1], x[2], y[2], unitZ[2]];
}

function columnOf(m: readonly number[], k: number): number[] {
  return [m[k], m[k + 3], m[k + 6]];
}

/** A human bone, of the body or a detail. */
export type AnyHumanBone = HumanBone | DetailBone;
