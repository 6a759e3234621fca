import { describe, test } from 'vitest';
import {
  boneVelocitiesFromRates,
  boneVelocitiesFromVelocity,
  createFigure,
  createState,
  forwardKinematics,
  ratesFromVelocity,
  updateMotionSubspaceQ,
  updateMotionSubspaceV,
  velocityFromRates,
} from '../../src/figure/index.js';
import {
  angularVelocity,
  createRandom,
  derivative,
  expectClose,
  randomFigureData,
  randomPose,
  within,
} from './support.js';

describe('bone velocities', () => {
  test('from rates and from v: the derivative of all frames along a trajectory that curves, 1e-10', () => {
    const random = createRandom(120);
    for (let n = 0; n < 50; n++) {
      const figure = createFigure(randomFigureData(random, 20));
      const state = createState(figure);
      const pose = randomPose(figure, random);
      const rates = pose.map(() => within(random, 1));
      const bend = pose.map(() => within(random, 1));
      const frames = (t: number) => {
        forwardKinematics(
          state,
          pose.map((p, i) => p + t * rates[i] + t * t * bend[i]),
        );
        return Float64Array.from(state.worldFromBone);
      };
      const rate = derivative(frames, 0.002);
      const now = frames(0);
      const expected = figure.bones.flatMap(({ index }) => {
        const o = 12 * index;
        return [...angularVelocity(now.slice(o, o + 9), rate.slice(o, o + 9)), ...rate.slice(o + 9, o + 12)];
      });
      const velocity = new Float64Array(figure.dof);
      velocityFromRates(state, pose, rates, velocity);
      updateMotionSubspaceQ(state, pose);
      updateMotionSubspaceV(state, pose);
      const byRates = new Float64Array(6 * figure.bones.length);
      const byVelocity = new Float64Array(6 * figure.bones.length).fill(Number.NaN);
      boneVelocitiesFromRates(state, rates, byRates);
      boneVelocitiesFromVelocity(state, velocity, byVelocity);
      expectClose(byRates, expected, 1e-10);
      expectClose(byVelocity, byRates, 1e-12);
    }
  });

  test('rates from v and back for a whole pose of all joint types', () => {
    const random = createRandom(121);
    for (let n = 0; n < 50; n++) {
      const figure = createFigure(randomFigureData(random, 30));
      const state = createState(figure);
      const pose = randomPose(figure, random);
      const velocity = pose.map(() => within(random, 1));
      const rates = new Float64Array(figure.dof).fill(Number.NaN);
      const back = new Float64Array(figure.dof).fill(Number.NaN);
      ratesFromVelocity(state, pose, velocity, rates);
      velocityFromRates(state, pose, rates, back);
      expectClose(back, velocity, 1e-12);
    }
  });
});
