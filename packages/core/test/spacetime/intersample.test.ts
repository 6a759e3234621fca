/** What constraints do between their samples, and the words for it. */
import { expect, test } from 'vitest';
import { createFigure } from '../../src/figure/index.js';
import {
  createSpacetimeProblem,
  describeIntersample,
  type IntersampleViolation,
  sampleTrajectory,
  solveSpacetime,
} from '../../src/spacetime/index.js';

test('is told with its real time, where the duration is free', () => {
  const block = createFigure({
    bones: [{ name: 'block', joint: { type: 'slider', axis: [1, 0, 0] }, mass: 1 }],
  });
  const limit = 4;
  // In 1 s instead of 2 s.
  const problem = createSpacetimeProblem(block, {
    duration: { min: 0.3, max: 6, start: 2 },
    terms: [
      { type: 'pose', at: 0, pose: [0] },
      { type: 'velocity', at: 0 },
      { type: 'pose', at: 2, pose: [1] },
      { type: 'velocity', at: 2 },
      { type: 'torque-limit', limit },
      { type: 'duration' },
    ],
  });
  const { intersample, trajectory, duration } = solveSpacetime(problem);
  expect(duration).toBeLessThan(1.01);
  const [worst] = intersample;
  expect(worst.violation).toBeGreaterThan(1e-4);
  const [torque] = sampleTrajectory(trajectory, worst.at).torques;
  expect(Math.abs(torque) / limit - 1).toBeCloseTo(worst.violation, 9);
  expect(describeIntersample(problem, worst)).toContain(`at ${worst.at.toFixed(2)} s.`);
});

test('the report of a term tells real time, as what is between its samples does', () => {
  const block = createFigure({
    bones: [{ name: 'block', joint: { type: 'slider', axis: [1, 0, 0] }, mass: 1 }],
  });
  // 2 s in the problem, which shrink to 0.3 s; it cannot be both at 1 and at 2 at the end.
  const { report, duration } = solveSpacetime(
    createSpacetimeProblem(block, {
      duration: { min: 0.3, max: 6, start: 2 },
      terms: [
        { type: 'pose', at: 0, pose: [0] },
        { type: 'pose', at: 2, pose: [1], name: 'here' },
        { type: 'pose', at: 2, pose: [2], name: 'there' },
        { type: 'duration' },
      ],
    }),
    { maxIterations: 30 },
  );
  expect(duration).toBeLessThan(1.9);
  const there = report.terms.find(({ name }) => name === 'there');
  expect(there?.violation).toBeGreaterThan(0.1);
  expect(there?.at).toBeCloseTo(duration, 12);
});

test.each<readonly [Partial<IntersampleViolation>, string]>([
  [
    { type: 'physics', unit: 'N', violation: 705.2 },
    'Between keys the motion needs up to 705 N of external force at the root, at 1.24 s.',
  ],
  [
    { type: 'physics', unit: 'N m', violation: 12.34 },
    'Between keys the motion needs up to 12 N m of external torque at the root, at 1.24 s.',
  ],
  [
    { type: 'torque-limit', unit: '', violation: 0.0123 },
    'Between keys motor is exceeded by up to 1.2 %, at 1.24 s.',
  ],
])('is said in words: %o', (entry, expected) => {
  const violation = {
    name: 'motor',
    index: 0,
    type: 'physics',
    violation: 0,
    unit: '',
    at: 1.236,
    tolerance: 0,
  } as const;
  expect(
    describeIntersample({ data: { duration: 2, terms: [{ type: 'physics' }] } }, { ...violation, ...entry }),
  ).toBe(expected);
});
