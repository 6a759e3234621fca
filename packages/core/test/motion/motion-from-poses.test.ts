import { describe, expect, test } from 'vitest';
import { createFigure, createPose } from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import { quat } from '../../src/math/index.js';
import { createMotionSampler, motionFromPoses, samplePose } from '../../src/motion/index.js';
import { quatFromRotationVector, regularize } from '../../src/rotation/index.js';
import { createRandom } from '../figure/support.js';

const body = createFigure({ bones: [{ name: 'body', joint: { type: 'free' } }] });
const RATE = 9;
const times = Float64Array.from({ length: 61 }, (_, n) => n / 30);
const turning = Array.from(times, (t, n) =>
  Float64Array.from([n, 0, 0, ...regularize([0, RATE * t, 0], [0, 0, 0])]),
);

describe('a motion from poses', () => {
  // About one axis the rotation vector is linear in time, and so is the place: both forms are exact between poses.
  test.each(['smooth', 'linear'] as const)(
    '%s: a body keeps rotating where its rotation vector changes chart',
    (interpolation) => {
      const sampler = createMotionSampler(body, motionFromPoses(body, times, turning, { interpolation }));
      const pose = createPose(body);
      for (let t = 0; t <= 2; t += 0.001) {
        samplePose(sampler, t, pose);
        const wanted = quatFromRotationVector([0, RATE * t, 0]);
        expect(quat.angleBetween(quatFromRotationVector(Array.from(pose.slice(3))), wanted)).toBeLessThan(
          1e-7,
        );
        expect(pose[0]).toBeCloseTo(30 * t, 9);
      }
    },
  );

  test('it passes through every pose: coordinates within one chart to the last bit', () => {
    const figure = createHumanFigure();
    const random = createRandom(20261123);
    const poses = Array.from({ length: 9 }, () =>
      Float64Array.from({ length: figure.dof }, () => random() - 0.5),
    );
    for (const interpolation of ['smooth', 'linear'] as const) {
      const motion = motionFromPoses(figure, [0, 0.1, 0.3, 0.4, 0.7, 1, 1.1, 1.5, 2], poses, {
        name: 'frames',
        interpolation,
      });
      expect([motion.name, motion.start, motion.end]).toEqual(['frames', 0, 2]);
      const sampler = createMotionSampler(figure, motion);
      [0, 0.1, 0.3, 0.4, 0.7, 1, 1.1, 1.5, 2].forEach((time, k) => {
        expect(samplePose(sampler, time, createPose(figure))).toEqual(poses[k]);
      });
    }
  });

  test('poses that do not fit are refused with their index', () => {
    expect(() => motionFromPoses(body, [0, 1], [createPose(body)])).toThrow(
      'poses: has 1 poses for 2 times.',
    );
    expect(() => motionFromPoses(body, [0, 1], [createPose(body), [1]])).toThrow('poses[1]');
    expect(() => motionFromPoses(body, [0, 0], [createPose(body), createPose(body)])).toThrow('times[1]');
    const options = { interpolation: 'cubic' } as unknown as { interpolation: 'linear' };
    expect(() => motionFromPoses(body, [0, 1], turning.slice(0, 2), options)).toThrow('interpolation');
  });
});
