import { clampToLimits, createFigure, createPose, limitViolation, regularizePose } from 'poise/figure';
import { createIk, solveIk } from 'poise/ik';
import { expect, test } from 'vitest';

test('an angle limit of pi excludes nothing, and is no wall', () => {
  const figure = createFigure({
    bones: [{ name: 'a', joint: { type: 'ball' }, limit: { type: 'angle', max: Math.PI } }],
  });
  // From 3 rad about z to 3.4 rad, the short way, past pi.
  const pose = Float64Array.of(0, 0, 3);
  const ik = createIk(
    figure,
    [{ type: 'orientation', bone: 'a', target: [0, 0, Math.sin(1.7), Math.cos(1.7)] }],
    { restarts: 0 },
  );
  const { status, activeLimits } = solveIk(ik, pose);
  expect(status).toBe('converged');
  expect(activeLimits).toHaveLength(0);
  const beyond = Float64Array.of(0, 0, 3.4);
  expect(clampToLimits(figure, beyond)).toBe(false);
  expect(limitViolation(figure, beyond)).toBe(0);
  regularizePose(figure, beyond);
  expect(beyond[2]).toBeCloseTo(3.4 - 2 * Math.PI, 14);
});

test('a slider that runs after a far target leaves a pose that the next solve takes', () => {
  const figure = createFigure({ bones: [{ name: 'rail', joint: { type: 'slider', axis: [1, 0, 0] } }] });
  for (const x of [3e8, -1e12, 1e30]) {
    const ik = createIk(figure, [{ type: 'position', bone: 'rail', target: [x, 0, 0] }]);
    const pose = createPose(figure);
    for (let n = 0; n < 3; n++) {
      const { status, residuals } = solveIk(ik, pose);
      expect(status).not.toBe('converged');
      expect(residuals[0].value).toBeCloseTo(Math.abs(x - pose[0]), 0);
    }
  }
});
