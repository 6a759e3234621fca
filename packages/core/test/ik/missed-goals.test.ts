import { createPose } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { createFabrik, createIk, missedGoals, solveFabrik, solveIk } from 'poise/ik';
import { describe, expect, test } from 'vitest';

const human = createHumanFigure();

test('a result says what is missed, by how much and in which unit, the farthest first', () => {
  const goals = [
    { type: 'orientation', bone: 'head', target: [0, Math.SQRT1_2, 0, Math.SQRT1_2] },
    { type: 'position', bone: 'leftHand', target: [3, 1.2, 0] },
    { type: 'position', bone: 'rightFoot', target: [-0.08, 0.07, 0] },
    { type: 'posture', weight: 1e-6, priority: 1 },
  ] as const;
  const ik = createIk(human, goals, { locked: ['hips'] });
  const result = solveIk(ik, createPose(human));
  expect(result.residuals.map(({ unit }) => unit)).toEqual(['angle', 'length', 'length', 'angle']);
  const missed = missedGoals(result);
  // Over two metres out of reach; the head turns by 80 of the 90 degrees.
  expect(missed[0]).toMatchObject({ index: 1, bone: 'leftHand', type: 'position', unit: 'length' });
  expect(missed[0].value).toBe(result.residuals[1].value);
  expect(missed[0].text).toMatch(/^leftHand, position: 2\d{3} mm$/);
  for (const { satisfied, tolerance } of missed)
    expect([satisfied, Number.isFinite(tolerance)]).toEqual([false, true]);
  for (const { text, value } of missed.filter(({ unit }) => unit === 'angle')) {
    expect(text).toBe(
      `head, orientation: ${((180 / Math.PI) * value).toFixed(value > 0.175 ? 0 : 1)} degrees`,
    );
  }
  expect(missedGoals(result, { distance: 3, angle: 4 })).toEqual([]);
  expect(() => missedGoals(result, { distance: -1 })).toThrow(/options\.distance/);
});

test('nothing is missed where the status is converged; FABRIK says metres', () => {
  const goals = [{ type: 'position', bone: 'leftHand', target: [0.4, 1.2, 0.3] }] as const;
  const result = solveIk(createIk(human, goals), createPose(human));
  expect([result.status, missedGoals(result)]).toEqual(['converged', []]);
  const far = [{ type: 'position', bone: 'leftHand', target: [0.4, 9, 0.3] }] as const;
  const fabrik = solveFabrik(createFabrik(human, far, { locked: ['hips'] }), createPose(human));
  expect(missedGoals(fabrik)[0].text).toMatch(/^leftHand, position: \d{4} mm$/);
});

describe('what is no result is refused by name', () => {
  const residual = { unit: 'length', value: 0.1, satisfied: false };
  const wrong: [string, unknown, string][] = [
    ['nothing', undefined, 'result'],
    ['null', null, 'result'],
    ['a status', 'stalled', 'result'],
    ['no residuals', { lengthScale: 1 }, 'result.residuals'],
    ['residuals that are no list', { lengthScale: 1, residuals: {} }, 'result.residuals'],
    ['no length scale', { residuals: [] }, 'result.lengthScale'],
    ['a residual that is none', { lengthScale: 1, residuals: [null] }, 'result.residuals[0].unit'],
    [
      'a unit that is none',
      { lengthScale: 1, residuals: [residual, { ...residual, unit: 'm' }] },
      'result.residuals[1].unit',
    ],
    [
      'a value that is none',
      { lengthScale: 1, residuals: [{ ...residual, value: Number.NaN }] },
      'result.residuals[0].value',
    ],
  ];
  test.each(wrong)('%s', (_, result, path) => {
    expect(() => missedGoals(result as never)).toThrow(expect.objectContaining({ name: 'GoalError', path }));
  });
});
