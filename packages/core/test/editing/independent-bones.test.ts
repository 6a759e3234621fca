/** Cleaned clips: bones that carry next to nothing are smoothed and have no place in the solve. */
import { expect, test } from 'vitest';
import { cleanMotion } from '../../src/editing/index.js';
import { createFigure } from '../../src/figure/index.js';
import { createMotion, linearCurve } from '../../src/motion/index.js';
import { testRandom } from '../support/random-figure.js';
import { poseOf, sampleTimes } from './support.js';

const inertia = (size: number) => [size, size, size, 0, 0, 0] as const;
const figure = createFigure({
  bones: [
    { name: 'body', joint: { type: 'free' }, mass: 10, inertia: inertia(0.2) },
    {
      name: 'arm',
      parent: 'body',
      joint: { type: 'ball' },
      mass: 2,
      inertia: inertia(0.02),
      tip: [0.3, 0, 0],
    },
    {
      name: 'finger',
      parent: 'arm',
      joint: { type: 'hinge', axis: [0, 0, 1] },
      rest: { position: [0.3, 0, 0] },
      mass: 0.01,
      inertia: inertia(1e-6),
    },
  ],
});

const NOISE = 0.02;
const fingerAt = (time: number): number => 0.4 * Math.sin(3 * time);
const random = testRandom(5);
const times = sampleTimes(0, 1, 31);
const clip = createMotion(figure, {
  tracks: [
    {
      coordinate: 0,
      curve: linearCurve({
        times,
        values: times.flatMap((t) =>
          Array.from({ length: figure.dof }, (_, i) => {
            const smooth =
              i === 1 ? -4.905 * t * t : i === figure.dof - 1 ? fingerAt(t) : 0.1 * Math.sin(2 * t + i);
            return smooth + NOISE * (2 * random() - 1);
          }),
        ),
      }),
    },
  ],
});

test.each([
  [true, ['finger']],
  [false, ['arm', 'finger']],
])('with physics %s', (physics, smoothed) => {
  const contacts = physics ? [] : [{ bone: 'body', points: [[0, 0, 0] as const], over: [0, 0.3] as const }];
  const { motion, solution } = cleanMotion(figure, clip, { physics, contacts });
  expect(solution.status).toBe('converged');
  const { locked = [] } = solution.trajectory.problem.data;
  expect(locked).toEqual(smoothed);
  const pose = poseOf(figure, motion);
  for (const time of sampleTimes(0.05, 0.95, 41)) {
    expect(Math.abs(pose(time)[figure.dof - 1] - fingerAt(time))).toBeLessThan(NOISE);
  }
  // The whole still falls freely, fingers included.
  const physical = solution.intersample.find(({ type, unit }) => type === 'physics' && unit === 'N');
  if (physics) expect(physical?.violation).toBeLessThan(1e-3 * 9.81 * 12.01);
});
