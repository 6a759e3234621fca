import { describe, expect, test } from 'vitest';
import { createFigure, createState, forwardKinematics } from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import { writeRotationMatrix } from '../../src/rotation/rotation-vector/kernels.js';
import {
  createRandom,
  expectClose,
  expectSameBits,
  randomFigureData,
  randomPose,
  worldByThree,
} from './support.js';

describe('forwardKinematics', () => {
  test('agrees with three.js Object3D on random forests with all joint types, to 1e-13', () => {
    const random = createRandom(100);
    for (let n = 0; n < 60; n++) {
      const figure = createFigure(randomFigureData(random, 1 + Math.floor(random() * 60)));
      const state = createState(figure);
      const pose = randomPose(figure, random);
      forwardKinematics(state, pose);
      expectClose(state.worldFromBone, worldByThree(figure, pose), 1e-13);
    }
  });

  test('agrees with three.js on chains of 200 bones, to 1e-13 of their length', () => {
    const random = createRandom(101);
    const figure = createFigure({
      bones: Array.from({ length: 200 }, (_, i) => ({
        name: `b${i}`,
        parent: i === 0 ? null : `b${i - 1}`,
        rest: { position: [0, 1, 0] as const },
        joint: { type: 'ball' as const },
      })),
    });
    const state = createState(figure);
    const pose = randomPose(figure, random);
    forwardKinematics(state, pose);
    expectClose(state.worldFromBone, worldByThree(figure, pose), 200e-12);
  });

  test('keeps rest rotations of 1e-9 rad, whose quaternion has w = 1', () => {
    const figure = createFigure({
      bones: [{ name: 'a', rest: { rotation: [5e-10, 0, 0, 1] }, joint: { type: 'hinge', axis: [0, 1, 0] } }],
    });
    const state = createState(figure);
    forwardKinematics(state, [0]);
    expect(state.worldFromBone[7]).toBeCloseTo(1e-9, 22);
    expect(state.worldFromBone[5]).toBeCloseTo(-1e-9, 22);
  });

  test('depends on the pose alone: same pose, same bits, whatever was evaluated between', () => {
    const random = createRandom(102);
    const figure = createFigure(randomFigureData(random, 40));
    const pose = randomPose(figure, random);
    const state = createState(figure);
    forwardKinematics(state, pose);
    const first = Float64Array.from(state.worldFromBone);
    for (let n = 0; n < 10; n++) {
      forwardKinematics(state, randomPose(figure, random));
      forwardKinematics(state, pose);
      expectSameBits(state.worldFromBone, first);
    }
    const other = createState(figure);
    forwardKinematics(other, Array.from(pose));
    expectSameBits(other.worldFromBone, first);
  });

  test('stays finite for coordinates of 1e-300 and 1e15', () => {
    const figure = createHumanFigure();
    const state = createState(figure);
    for (const size of [0, -0, 1e-300, 1e-160, 1e15]) {
      forwardKinematics(state, new Float64Array(figure.dof).fill(size));
      expect(state.worldFromBone.every(Number.isFinite)).toBe(true);
    }
  });

  test('a figure without bones and one without coordinates are figures', () => {
    const empty = createState(createFigure({ bones: [] }));
    forwardKinematics(empty, []);
    expect(empty.worldFromBone.length).toBe(0);
    const still = createState(createFigure({ bones: [{ name: 'a', rest: { position: [1, 2, 3] } }] }));
    forwardKinematics(still, []);
    expect(Array.from(still.worldFromBone)).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 2, 3]);
  });
});

describe('a ball evaluated on the way down the tree', () => {
  test('has the very bits of writeRotationMatrix up to 2 rad, and is within 1e-15 of it beyond', () => {
    const figure = createFigure({ bones: [{ name: 'ball', joint: { type: 'ball' } }] });
    const state = createState(figure);
    const expected = new Float64Array(9);
    for (const angle of [0, 1e-300, 1e-8, 0.1, 1, 1.99, 2.01, 3, Math.PI, 3.2, 4.2, 4.3, 6, 20]) {
      const v = [0.48 * angle, -0.6 * angle, 0.64 * angle];
      forwardKinematics(state, v);
      writeRotationMatrix(v[0], v[1], v[2], expected, 0);
      const world = state.worldFromBone.subarray(0, 9);
      if (angle < 2) expect(world).toEqual(expected);
      else expect(Math.hypot(...world.map((x, k) => x - expected[k])) / Math.sqrt(3)).toBeLessThan(1e-15);
      expect(state.parentFromBone.subarray(0, 9)).toEqual(world);
    }
  });
});
