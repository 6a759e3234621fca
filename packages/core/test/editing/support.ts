/** Helpers of the motion editing tests. */
import {
  type BoneData,
  createFigure,
  createState,
  type Figure,
  figureToData,
  forwardKinematics,
  type Triple,
} from '../../src/figure/index.js';
import { quat } from '../../src/math/index.js';
import { createMotionSampler, type Motion, samplePose } from '../../src/motion/index.js';

/** Pose of a clip at a time. */
export function poseOf(figure: Figure, motion: Motion): (time: number) => Float64Array {
  const sampler = createMotionSampler(figure, motion);
  return (time) => samplePose(sampler, time, new Float64Array(figure.dof));
}

/** Position of a point of a bone in a clip, world, m. */
export function pointOf(
  figure: Figure,
  motion: Motion,
  bone: string,
  point: readonly number[] = [0, 0, 0],
): (time: number) => number[] {
  const pose = poseOf(figure, motion);
  const state = createState(figure);
  const index = figure.bones.findIndex(({ name }) => name === bone);
  return (time) => {
    forwardKinematics(state, pose(time));
    const w = state.worldFromBone.subarray(12 * index, 12 * index + 12);
    return [0, 1, 2].map(
      (r) => w[3 * r] * point[0] + w[3 * r + 1] * point[1] + w[3 * r + 2] * point[2] + w[9 + r],
    );
  };
}

export function distance(a: readonly number[], b: readonly number[]): number {
  return Math.hypot(...a.map((x, k) => x - b[k]));
}

/** Evenly spaced times, ends included. */
export function sampleTimes(from: number, to: number, count: number): number[] {
  return Array.from({ length: count }, (_, k) => from + ((to - from) * k) / (count - 1));
}

/**
 * The figure below two fixed bones, as files have them, with the same coordinates.
 *
 * @param axes - Rotation vector and place of the bones; the rest frames of the roots make up for it.
 */
export function belowFixedBones(figure: Figure, axes: readonly [Triple, Triple]): Figure {
  const data = figureToData(figure);
  const [rotation, position] = [quatOf(axes[0]), axes[1]];
  const back = quat.conjugate(rotation);
  const placed = (bone: BoneData): BoneData => {
    const { position: p = [0, 0, 0], rotation: r = [0, 0, 0, 1] } = bone.rest ?? {};
    const [x, y, z] = quat.rotate(
      back,
      p.map((c, k) => c - position[k]),
    );
    const [a, b, c, d] = quat.multiply(back, r);
    return { ...bone, parent: 'Armature', rest: { position: [x, y, z], rotation: [a, b, c, d] } };
  };
  return createFigure({
    ...data,
    bones: [
      { name: 'Scene', parent: null },
      { name: 'Armature', parent: 'Scene', rest: { position, rotation } },
      ...data.bones.map((bone) => (bone.parent === null ? placed(bone) : bone)),
    ],
  });
}

function quatOf([x, y, z]: Triple): [number, number, number, number] {
  const angle = Math.hypot(x, y, z);
  const s = angle > 0 ? Math.sin(angle / 2) / angle : 0;
  return [s * x, s * y, s * z, Math.cos(angle / 2)];
}
