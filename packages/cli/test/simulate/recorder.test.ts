import { createFigure, createPose } from 'poise/figure';
import { quat } from 'poise/math';
import { createMotionSampler, samplePose } from 'poise/motion';
import { quatFromRotationVector, regularize } from 'poise/rotation';
import { describe, expect, test } from 'vitest';
import { createRecorder, motionOf, record } from '../../src/simulate/recorder.js';

const body = createFigure({ bones: [{ name: 'body', joint: { type: 'free' } }] });

describe('recorded poses', () => {
  test('a rotating body keeps rotating where its rotation vector changes chart', () => {
    const recorder = createRecorder();
    const rate = 9;
    const dt = 1 / 30;
    for (let n = 0; n <= 60; n++) {
      const vector = regularize([0, rate * n * dt, 0], [0, 0, 0]);
      record(recorder, n * dt, Float64Array.from([n, 0, 0, ...vector]));
    }
    const sampler = createMotionSampler(body, motionOf(body, recorder, 'turns'));
    const pose = createPose(body);
    for (let t = 0; t <= 2; t += 0.001) {
      samplePose(sampler, t, pose);
      const wanted = quatFromRotationVector([0, rate * t, 0]);
      // About one axis the vector is exact in between, and so is the place.
      expect(quat.angleBetween(quatFromRotationVector(Array.from(pose.slice(3))), wanted)).toBeLessThan(1e-7);
      expect(pose[0]).toBeCloseTo(30 * t, 9);
    }
  });

  test('of equal consecutive poses the first and the last are kept', () => {
    const recorder = createRecorder();
    const still = Float64Array.from([1, 2, 3, 0, 0, 0]);
    record(recorder, 0, createPose(body));
    for (let n = 1; n <= 10; n++) record(recorder, n, still);
    expect(recorder.times).toEqual([0, 1, 10]);
    still[0] = 9;
    record(recorder, 11, still);
    expect(recorder.times).toEqual([0, 1, 10, 11]);
    expect(recorder.poses.map((pose) => pose[0])).toEqual([0, 1, 1, 9]);
  });
});
