import { describe, expect, test } from 'vitest';
import {
  type BoneData,
  createFigure,
  createState,
  type Figure,
  figureToData,
  forwardKinematics,
} from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import { mat3, quat } from '../../src/math/index.js';
import { createMotionSampler, type Motion, motionFromPoses, samplePose } from '../../src/motion/index.js';
import { createRetargeter, retargetMotion } from '../../src/retarget/index.js';

/** The built-in human with balls for joints, without limits. */
function ballHuman(height: number): Figure {
  const data = figureToData(createHumanFigure({ height }));
  return createFigure({
    ...data,
    bones: data.bones.map(
      ({ limit: _, ...bone }, b): BoneData => ({ ...bone, joint: { type: b === 0 ? 'free' : 'ball' } }),
    ),
  });
}

/** The same body at rest in another pose, in a world whose axes are rotated by `world`, with bone axes rotated by some rotation of their own. */
function restedAs(figure: Figure, pose: Float64Array, world: readonly number[]): Figure {
  const state = createState(figure);
  forwardKinematics(state, pose);
  const own = figure.bones.map((_, b) => quat.normalize([0.3 * b, 1, -0.2 * b, 2]));
  const rotations = figure.bones.map((_, b) =>
    quat.multiply(
      quat.multiply(world, quat.fromMatrix(state.worldFromBone.subarray(12 * b, 12 * b + 9))),
      own[b],
    ),
  );
  const positions = figure.bones.map((_, b) =>
    quat.rotate(world, state.worldFromBone.subarray(12 * b + 9, 12 * b + 12)),
  );
  const [x, y, z] = quat.rotate(world, figure.up);
  const bones = figure.bones.map(({ name, parent, joint }, b): BoneData => {
    const position = positions[b].map((p, k) => p - (parent < 0 ? 0 : positions[parent][k]));
    const above = parent < 0 ? [0, 0, 0, 1] : rotations[parent];
    const [px, py, pz] = quat.rotate(quat.conjugate(above), position);
    const [qx, qy, qz, qw] = quat.multiply(quat.conjugate(above), rotations[b]);
    return {
      name,
      parent: parent < 0 ? null : figure.bones[parent].name,
      joint,
      rest: { position: [px, py, pz], rotation: [qx, qy, qz, qw] },
    };
  });
  return createFigure({ name: 'other', up: [x, y, z], bones });
}

/** A pose with joints about axes of the T-pose, rad. */
function poseOf(
  figure: Figure,
  angles: Readonly<Record<string, readonly [number, number, number]>>,
): Float64Array {
  const pose = new Float64Array(figure.dof);
  for (const [name, angle] of Object.entries(angles)) {
    const { coordinate, dof } = figure.bones.find((bone) => bone.name === name) as Figure['bones'][number];
    pose.set(angle, coordinate + dof - 3);
  }
  return pose;
}

function originsOf(figure: Figure, motion: Motion, time: number): number[][] {
  const state = createState(figure);
  forwardKinematics(
    state,
    samplePose(createMotionSampler(figure, motion), time, new Float64Array(figure.dof)),
  );
  return figure.bones.map((_, b) => Array.from(state.worldFromBone.subarray(12 * b + 9, 12 * b + 12)));
}

const source = ballHuman(1.75);
const reach = poseOf(source, {
  hips: [0.1, 0.4, -0.05],
  spine: [0.2, 0.1, 0],
  head: [-0.1, 0.3, 0.05],
  leftUpperArm: [0, -0.9, 0.6],
  leftLowerArm: [0, -0.8, 0],
  rightUpperArm: [0.2, 0.5, -0.7],
  leftUpperLeg: [-0.7, 0.1, 0.1],
  leftLowerLeg: [0.9, 0, 0],
  leftFoot: [0.2, 0, 0],
});
reach.set([0.4, 0.1, 0.7], 0);
const clip = motionFromPoses(
  source,
  [0, 1, 2],
  [new Float64Array(source.dof), reach, new Float64Array(source.dof)],
);

const RESTS = {
  'in T-pose': {},
  'in A-pose': { leftUpperArm: [0, 0, -0.8], rightUpperArm: [0, 0, 0.8] },
  'with bent elbows and legs apart': {
    leftUpperArm: [0, 0, -1.2],
    rightUpperArm: [0, 0, 1.2],
    leftLowerArm: [0, -0.5, 0],
    rightLowerArm: [0, 0.5, 0],
    leftUpperLeg: [0, 0, 0.35],
    rightUpperLeg: [0, 0, -0.35],
    leftFoot: [0, 0, -0.35],
    rightFoot: [0, 0, 0.35],
  },
} as const;
const WORLDS = {
  'the same axes': [0, 0, 0, 1],
  '+Z up': quat.fromAxisAngle([1, 0, 0], Math.PI / 2),
  'facing left': quat.fromAxisAngle([0, 1, 0], Math.PI / 2),
} as const;

describe('a body of the same lengths, with other bone axes, goes where the source does', () => {
  for (const [rest, angles] of Object.entries(RESTS)) {
    for (const [axes, world] of Object.entries(WORLDS)) {
      test(`at rest ${rest}, ${axes}`, () => {
        const target = restedAs(source, poseOf(source, angles), world);
        const retargeter = createRetargeter(source, target);
        expect(retargeter.scale).toBeCloseTo(1, 12);
        const { motion } = retargetMotion(retargeter, clip, { contacts: [] });
        const turn = quat.toMatrix(world);
        for (const time of [0, 0.4, 1, 1.7]) {
          const given = originsOf(source, clip, time).map((at) => mat3.multiplyVector(turn, at));
          const own = originsOf(target, motion, time);
          const height = given[0].map((x, k) => own[0][k] - x);
          // The ground of the source is not known without contacts: the whole is as high as its rest pose says.
          own.forEach((at, b) => {
            const error = Math.max(...at.map((x, k) => Math.abs(x - given[b][k] - height[k])));
            expect(error).toBeLessThan(1e-6);
          });
        }
      });
    }
  }
});

test('a body of half the size goes half as far, as high over its ground', () => {
  const target = ballHuman(0.875);
  const { motion, report } = retargetMotion(createRetargeter(source, target), clip, { contacts: [] });
  const given = originsOf(source, clip, 1);
  const own = originsOf(target, motion, 1);
  own.forEach((at, b) => {
    const error = Math.max(...at.map((x, k) => Math.abs(x - own[0][k] - 0.5 * (given[b][k] - given[0][k]))));
    expect(error).toBeLessThan(1e-6);
  });
  expect(own[0][0]).toBeCloseTo(0.5 * given[0][0], 6);
  expect(report.summary.frames).toBe(report.times.length);
});

test('a figure that is no humanoid, and one that cannot move, are refused with a remedy', () => {
  const chain = createFigure({
    bones: [
      { name: 'a', joint: { type: 'free' } },
      { name: 'b', parent: 'a', joint: { type: 'ball' } },
    ],
  });
  expect(() => createRetargeter(chain, source)).toThrow(/source: .*not recognised.*sourceBones/);
  const data = figureToData(source);
  const fixed = createFigure({
    ...data,
    bones: data.bones.map((bone, b) =>
      b === 0 ? { ...bone, joint: { type: 'slider', axis: [0, 1, 0] } } : bone,
    ),
  });
  expect(() => createRetargeter(source, fixed)).toThrow(/target: .*cannot move.*'free'/);
});
