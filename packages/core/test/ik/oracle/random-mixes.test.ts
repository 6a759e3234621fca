import { PoiseError } from 'poise';
import { createFigure, createPose } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { createIk, type Goal, solveIk } from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { runMixes, type SolveMix } from '../../../../../scripts/oracles/ik/mix-run.js';
import { startOf } from '../../../../../scripts/oracles/ik/random-mix.js';
import { seedFromEnvironment } from '../../../../../scripts/test-support/seed.js';

const human = createHumanFigure();

const solve: SolveMix = (mix, last) => {
  const figure = mix.bones === undefined ? human : createFigure({ bones: mix.bones });
  const goals = mix.goals.map((goal) => (goal.priority > last ? { ...goal, weight: 0 } : goal)) as Goal[];
  try {
    const pose = createPose(figure);
    pose.set(startOf(mix, figure.dof));
    return solveIk(createIk(figure, goals, { locked: mix.locked, restarts: 2 }), pose);
  } catch (error) {
    if (!(error instanceof PoiseError) || error.code !== 'immovable-goal') throw error;
    return undefined;
  }
};

describe('mixes of goals of every type and three priorities, on the human and on small trees', () => {
  // 25,000 of them: npm run bench -- ik-mixes.
  it.each([
    ['a seed of their own', 1, 1000, 0.008],
    ["the run's seed (POISE_SEED)", seedFromEnvironment(process.env.POISE_SEED), 300, 0.02],
  ])(
    '%s: lower priorities unmake no met goal, no converged is false, few stall',
    (_title, seed, count, loose) => {
      const tally = runMixes(seed, 0, count, solve);
      expect(tally.unmade, `seed ${seed}`).toEqual([]);
      expect(tally.falseConverged, `seed ${seed}`).toEqual([]);
      expect(tally.kept).toBeGreaterThan(0.5 * count);
      expect(tally.loose.length / tally.solved).toBeLessThan(loose);
    },
  );
});

it('keeps the centre of mass over a corner of its support when a lower priority pulls it along the edges', () => {
  const figure = createFigure({
    bones: [
      { name: 'b0', joint: { type: 'ball' }, mass: 1, centerOfMass: [0, 0, 0.1] },
      {
        name: 'b1',
        parent: 'b0',
        rest: { position: [0, -0.1, 0.3] },
        joint: { type: 'ball' },
        limit: { type: 'angle', max: 1 },
        mass: 1,
        centerOfMass: [-0.2, -0.2, -0.1],
      },
    ],
  });
  const support = [
    [0.2, 0, 0],
    [0.4, 0, 0],
    [0.2, 0, 0.2],
  ];
  const balance: Goal = { type: 'center-of-mass', support };
  const pull: Goal = { type: 'center-of-mass', target: [-0.1, 0.7, 0.8], priority: 1 };
  const alone = solveIk(createIk(figure, [balance]), createPose(figure)).residuals[0];
  const both = solveIk(createIk(figure, [balance, pull]), createPose(figure)).residuals[0];
  expect(alone.satisfied).toBe(true);
  expect(both.satisfied).toBe(true);
  expect(both.value).toBeLessThanOrEqual(alone.value + 1e-12);
});
