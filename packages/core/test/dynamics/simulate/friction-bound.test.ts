import { expect, test } from 'vitest';
import { createRagdoll } from '../../../src/dynamics/index.js';
import { createSimulation } from '../../../src/dynamics/simulate/index.js';
import { createPose } from '../../../src/figure/index.js';
import { createHumanFigure } from '../../../src/humanoid/index.js';
import { run } from './support.js';

const DT = 1 / 120;
const human = createRagdoll(createHumanFigure());
const STAIRS = Array.from({ length: 6 }, (_, k) => ({
  type: 'box' as const,
  halfSizes: [1, 0.085 * (6 - k), 0.14] as const,
  placement: { position: [0, 0.085 * (6 - k), 0.28 * k] as const },
}));

// A contact that closes only when it slides opens with friction's bound mu N, and has that N with the bound 0.
test.each([15, 37, 62, 63])('a human that lies on stairs after fall %i needs about one solve a step', (k) => {
  const pose = createPose(human.figure);
  pose.set([0, 1.8, 0.6, 0.26 * k, 0.05 * k, 0.1 * k]);
  const simulation = createSimulation([{ ...human, pose }], {
    world: [{ type: 'plane' }, ...STAIRS],
    sleep: false,
  });
  run(simulation, 5, DT);
  let solves = 0;
  run(simulation, 3, DT, () => {
    solves += simulation.report.outerIterations;
  });
  expect((solves * DT) / 3).toBeLessThan(1.5);
});
