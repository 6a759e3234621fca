import { describe, expect, test } from 'vitest';
import {
  createFigure,
  createState,
  forwardKinematics,
  regularizePose,
  velocityFromRates,
} from '../../src/figure/index.js';
import {
  createRandom,
  direction,
  expectClose,
  expectSameBits,
  randomFigureData,
  randomPose,
  within,
} from './support.js';

/** A vector of angle `angle` in a random direction. */
function rotate(random: () => number, angle: number): number[] {
  return direction(random).map((x) => x * angle);
}

describe('regularizePose', () => {
  test('reparameterizes balls and free joints to |v| <= pi and keeps every frame, from multiples of 2 pi', () => {
    const random = createRandom(400);
    for (let n = 0; n < 50; n++) {
      const figure = createFigure(randomFigureData(random, 20));
      const state = createState(figure);
      const pose = randomPose(figure, random);
      for (const { joint, coordinate } of figure.bones) {
        if (joint.type === 'ball') pose.set(rotate(random, 20 * random()), coordinate);
        if (joint.type === 'free') pose.set(rotate(random, 20 * random()), coordinate + 3);
      }
      forwardKinematics(state, pose);
      const before = Float64Array.from(state.worldFromBone);
      const old = Float64Array.from(pose);
      regularizePose(figure, pose);
      forwardKinematics(state, pose);
      expectClose(state.worldFromBone, before, 1e-13);
      for (const { joint, coordinate, dof } of figure.bones) {
        if (joint.type === 'ball' || joint.type === 'free') {
          const i = coordinate + dof - 3;
          expect(Math.hypot(pose[i], pose[i + 1], pose[i + 2])).toBeLessThanOrEqual(Math.PI * (1 + 1e-15));
          if (joint.type === 'free') expectSameBits(pose.slice(coordinate, i), old.slice(coordinate, i));
        } else
          expectSameBits(pose.slice(coordinate, coordinate + dof), old.slice(coordinate, coordinate + dof));
      }
    }
  });

  test('maps rates: the joint velocity does not change', () => {
    const random = createRandom(401);
    const figure = createFigure({
      bones: [
        { name: 'root', joint: { type: 'free' } },
        { name: 'ball', parent: 'root', joint: { type: 'ball' } },
      ],
    });
    const state = createState(figure);
    for (let n = 0; n < 100; n++) {
      // Shells are singular: stay half a radian away from 2 pi and its multiples.
      const angle = () =>
        2 * Math.PI * Math.floor(1 + 2 * random()) + (0.5 + 2 * random()) * (random() < 0.5 ? 1 : -1);
      const pose = Float64Array.from([1, 2, 3, ...rotate(random, angle()), ...rotate(random, angle())]);
      const rates = pose.map(() => within(random, 1));
      const second = pose.map(() => within(random, 1));
      const velocity = new Float64Array(9);
      const secondVelocity = new Float64Array(9);
      velocityFromRates(state, pose, rates, velocity);
      velocityFromRates(state, pose, second, secondVelocity);
      expect(regularizePose(figure, pose, rates, second)).toBe(true);
      const after = new Float64Array(9);
      velocityFromRates(state, pose, rates, after);
      expectClose(after, velocity, 1e-14 * 10);
      velocityFromRates(state, pose, second, after);
      expectClose(after, secondVelocity, 1e-14 * 10);
    }
  });

  test('a pose within pi stays to the bit, with its tangents', () => {
    const random = createRandom(402);
    const figure = createFigure(randomFigureData(random, 30));
    const pose = randomPose(figure, random, 3.1);
    const tangent = pose.map(() => within(random, 1));
    const [oldPose, oldTangent] = [Float64Array.from(pose), Float64Array.from(tangent)];
    expect(regularizePose(figure, pose, tangent)).toBe(false);
    expectSameBits(pose, oldPose);
    expectSameBits(tangent, oldTangent);
  });

  test('limited balls, swings, twists, hinges and Euler angles are unchanged: their limits are sets of coordinates', () => {
    const figure = createFigure({
      bones: [
        { name: 'ball', joint: { type: 'ball' }, limit: { type: 'angle', max: 3 } },
        { name: 'socket', joint: { type: 'ball-and-socket', axis: [0, 1, 0] } },
        { name: 'hinge', joint: { type: 'hinge', axis: [0, 1, 0] } },
        { name: 'euler', joint: { type: 'euler', order: 'XYZ' } },
      ],
    });
    const pose = new Float64Array(figure.dof).fill(5);
    expect(regularizePose(figure, pose)).toBe(false);
    expect(pose.every((x) => x === 5)).toBe(true);
  });

  test('a free joint with a limited position is regularized: the limit is not on its rotation', () => {
    const figure = createFigure({
      bones: [
        {
          name: 'root',
          joint: { type: 'free' },
          limit: { type: 'box', min: [0, 0, 0, null, null, null], max: [1, 1, 1, null, null, null] },
        },
      ],
    });
    const pose = Float64Array.of(0.5, 0.5, 0.5, 0, 4, 0);
    expect(regularizePose(figure, pose)).toBe(true);
    expect(pose[4]).toBeCloseTo(4 - 2 * Math.PI, 15);
  });

  test('vectors of angle pi are unchanged, nonfinite ones refused', () => {
    const figure = createFigure({ bones: [{ name: 'ball', joint: { type: 'ball' } }] });
    const pi = Float64Array.of(0, Math.PI, 0);
    expect(regularizePose(figure, pi)).toBe(false);
    for (const bad of [Number.NaN, Infinity]) {
      const pose = Float64Array.of(bad, 0, 0);
      expect(() => regularizePose(figure, pose)).toThrow(`pose[0]: is ${bad} (bone 'ball').`);
    }
  });
});
