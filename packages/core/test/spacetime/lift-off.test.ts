/** Contact changes during stance and at lift-off: contact forces fade out, and no residual force acts on the root. */

import { findFootPoints } from 'poise/dynamics';
import { createHumanFigure } from 'poise/humanoid';
import {
  createSpacetimeProblem,
  type SpacetimeTerm,
  sampleTrajectory,
  solveSpacetime,
} from 'poise/spacetime';
import { expect, test } from 'vitest';

const figure = createHumanFigure();
const WEIGHT = 9.81 * figure.bones.reduce((sum, { mass = 0 }) => sum + mass, 0);
const HEELS_LEAVE = 0.3;
const BALLS_LEAVE = 0.5;
const END = 0.6;

const standing: SpacetimeTerm[] = (['leftFoot', 'rightFoot'] as const).flatMap((bone) => {
  const points = findFootPoints(figure, bone);
  return [
    { type: 'contact', bone, points: points.slice(0, 2), over: [0, HEELS_LEAVE] },
    { type: 'contact', bone, points: points.slice(2), over: [0, BALLS_LEAVE] },
  ] as const;
});

test('no residual root force just before and after lift-off', () => {
  const problem = createSpacetimeProblem(figure, {
    duration: END,
    intervals: 9,
    locked: ['leftToes', 'rightToes', 'leftHand', 'rightHand', 'head', 'neck'],
    terms: [
      { type: 'pose', at: 0, weight: 1 },
      ...standing,
      { type: 'physics' },
      { type: 'effort', weight: 1e-3 },
      { type: 'smoothness', weight: 1e-3 },
    ],
  });
  const solution = solveSpacetime(problem, { tolerance: 1e-5, gain: 1e-2, maxIterations: 60 });
  expect(solution.violation).toBeLessThan(1e-4);
  for (const change of [HEELS_LEAVE, BALLS_LEAVE]) {
    for (const by of [-1e-7, 1e-7]) {
      const { torques } = sampleTrajectory(solution.trajectory, change + by);
      for (let i = 0; i < 6; i++) expect(Math.abs(torques[i]) / WEIGHT).toBeLessThan(2e-3);
    }
    const { forces } = sampleTrajectory(solution.trajectory, change);
    problem.contacts.forEach(({ to, firstPoint, points }) => {
      if (to !== change) return;
      for (let k = 3 * firstPoint; k < 3 * (firstPoint + points.length); k++) {
        expect(Math.abs(forces[k]) / WEIGHT).toBeLessThan(1e-12);
      }
    });
  }
});
