import {
  type BoneData,
  boneIndex,
  createFigure,
  createState,
  type Figure,
  forwardKinematics,
  type JointData,
} from 'poise/figure';
import type { BonePoint } from 'poise/ik';
import { Bone, Matrix4, Quaternion, Vector3 } from 'three';
import { randomQuat, randomTriple } from '../../support/random-figure.js';

export const largest = (numbers: ArrayLike<number>): number => Math.max(0, ...Array.from(numbers, Math.abs));
export const gap = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  largest(Array.from(a, (x, k) => x - b[k]));

/** World positions of points on a posed figure, 3 numbers each. */
export function positionsOf(figure: Figure, pose: Float64Array, points: readonly BonePoint[]): Float64Array {
  const frames = framesOf(figure, pose);
  return Float64Array.from(
    points.flatMap(({ bone, point = [0, 0, 0] }) => {
      const m = frames.subarray(12 * boneIndex(figure, bone));
      return [0, 1, 2].map(
        (r) => m[3 * r] * point[0] + m[3 * r + 1] * point[1] + m[3 * r + 2] * point[2] + m[9 + r],
      );
    }),
  );
}

export function framesOf(figure: Figure, pose: Float64Array): Float64Array {
  const state = createState(figure);
  forwardKinematics(state, pose);
  return state.worldFromBone;
}

/** World position of a point by three.js bones: rest, then the joint's rotation built by three's own axis and angle. Balls and hinges. */
export function positionByThree(figure: Figure, pose: Float64Array, target: BonePoint): number[] {
  const bones = figure.bones.map(({ rest, joint, coordinate, parent }, b) => {
    const bone = new Bone();
    const v =
      joint.type === 'hinge'
        ? new Vector3(...joint.axis).multiplyScalar(pose[coordinate])
        : joint.type === 'ball'
          ? new Vector3(pose[coordinate], pose[coordinate + 1], pose[coordinate + 2])
          : new Vector3();
    const angle = v.length();
    const turn = new Quaternion().setFromAxisAngle(angle > 0 ? v.divideScalar(angle) : v.set(1, 0, 0), angle);
    bone.position.set(...rest.position);
    bone.quaternion.set(...rest.rotation).multiply(turn);
    return { bone, parent, b };
  });
  for (const { bone, parent } of bones) if (parent >= 0) bones[parent].bone.add(bone);
  bones[0].bone.updateMatrixWorld(true);
  const world = new Matrix4().copy(bones[boneIndex(figure, target.bone)].bone.matrixWorld);
  const [x, y, z] = Array.from(target.point ?? [0, 0, 0]);
  return new Vector3(x, y, z).applyMatrix4(world).toArray();
}

/** A random tree, any rest rotations and any bone directions. */
export function randomTree(random: () => number, count: number, joint: (k: number) => JointData): Figure {
  const bones: BoneData[] = Array.from({ length: count }, (_, k) => ({
    name: `b${k}`,
    parent: k === 0 ? null : `b${Math.max(0, k - 1 - Math.floor(2 * random()))}`,
    rest: { position: randomTriple(random), rotation: randomQuat(random) },
    joint: joint(k),
    tip: randomTriple(random),
  }));
  return createFigure({ bones });
}
