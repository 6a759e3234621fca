import { expect, test } from 'vitest';
import {
  createState,
  forwardKinematics,
  pointJacobianQ,
  poseFromLocalTransforms,
  restTransforms,
  restTransformsOfPose,
  setRestTransforms,
  updateMotionSubspaceQ,
} from '../../src/figure/index.js';
import { createFigure } from '../../src/figure/model/figure.js';
import { rigid } from '../../src/math/index.js';
import {
  createRandom,
  derivative,
  direction,
  expectClose,
  expectSameBits,
  randomFigureData,
  randomPose,
  within,
} from './support.js';

test('random local transforms are reproduced: every position, and rotations of fixed joints', () => {
  for (let salt = 0; salt < 30; salt++) {
    const random = createRandom(salt);
    const figure = createFigure(randomFigureData(random, 14));
    const state = createState(figure);
    forwardKinematics(state, randomPose(figure, random, 1.5));
    const clip = state.parentFromBone.slice();
    for (const { index, joint } of figure.bones) {
      const rotation = joint.type === 'fixed' ? direction(random, 4) : undefined;
      if (rotation) clip.set(rigid.fromQuatPosition(rotation, [0, 0, 0]).slice(0, 9), 12 * index);
      for (let i = 9; i < 12; i++) clip[12 * index + i] += within(random, 0.4);
    }
    const pose = new Float64Array(figure.dof);
    poseFromLocalTransforms(state, clip, pose);
    const rests = restTransformsOfPose(figure, clip, pose);
    setRestTransforms(state, rests);
    forwardKinematics(state, pose);
    expectClose(state.parentFromBone, clip, 1e-13);

    // Jacobians are those of the bones as placed.
    const bone = figure.bones.length - 1;
    const tip = (q: Float64Array): Float64Array => {
      forwardKinematics(state, q);
      return state.worldFromBone.slice(12 * bone + 9, 12 * bone + 12);
    };
    updateMotionSubspaceQ(state, pose);
    const jacobian = new Float64Array(3 * figure.dof);
    pointJacobianQ(state, bone, tip(pose), jacobian);
    for (let i = 0; i < figure.dof; i++) {
      const along = (h: number) => tip(pose.map((x, k) => (k === i ? x + h : x)));
      const column = [0, 1, 2].map((row) => jacobian[row * figure.dof + i]);
      expectClose(derivative(along), column, 1e-6 * Math.max(1, Math.hypot(...column)));
    }

    // Back to the figure's own.
    setRestTransforms(state, restTransforms(figure));
    forwardKinematics(state, pose);
    const fresh = createState(figure);
    forwardKinematics(fresh, pose);
    expectSameBits(state.worldFromBone, fresh.worldFromBone);
  }
});

test('a pose read from its own frames leaves the rest transforms of the figure', () => {
  const random = createRandom(7);
  const figure = createFigure(randomFigureData(random, 14));
  const state = createState(figure);
  const pose = randomPose(figure, random, 1);
  forwardKinematics(state, pose);
  const locals = state.parentFromBone.slice();
  poseFromLocalTransforms(state, locals, pose);
  const rests = restTransformsOfPose(figure, locals, pose);
  expectClose(rests, restTransforms(figure), 1e-14);
  expect(rests).toHaveLength(12 * figure.bones.length);
});
