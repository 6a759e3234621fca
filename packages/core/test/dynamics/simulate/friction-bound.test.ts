import { expect, test } from 'vitest';
import { createRagdoll } from '../../../src/dynamics/index.js';
import { createSimulation } from '../../../src/dynamics/simulate/index.js';
import { createFigure, createPose } from '../../../src/figure/index.js';
import { createHumanFigure } from '../../../src/humanoid/index.js';
import { box, run } from './support.js';

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

// Friction has to follow the normal, which turns with the crate: under 80 times the crate's weight a tangential penalty of the rod's mass lets the contact creep, by 7e-3 rad.
test('a rod that is jammed between a crate and its connection to the crate stays where it is', () => {
  const [length, radius, drop, depth] = [0.16, 0.02, 0.15, 2e-3];
  const rod = createFigure({
    bones: [
      {
        name: 'rod',
        joint: { type: 'ball' },
        mass: 0.8,
        centerOfMass: [0, -length / 2, 0],
        inertia: [1.7e-3, 1e-4, 1.7e-3, 0, 0, 0],
      },
    ],
  });
  const tilt = Math.acos((drop + depth - radius) / (length - radius));
  const simulation = createSimulation(
    [
      {
        figure: rod,
        shapes: [{ bone: 'rod', type: 'sphere', center: [0, radius - length, 0], radius }],
        pose: [0, 0, tilt],
      },
      box(100, [0.2, 0.2, 0.2], [0, -drop - 0.2, 0, 0, 0, 0]),
    ],
    {
      connections: [
        {
          type: 'point',
          a: { actor: 1, bone: 'body', position: [0, drop + 0.2, 0] },
          b: { actor: 0, bone: 'rod' },
        },
      ],
      sleep: false,
    },
  );
  const { pose } = simulation.actors[0];
  run(simulation, 2, DT);
  expect(Math.hypot(...simulation.connections[0].force)).toBeGreaterThan(10_000);
  const before = pose[2];
  run(simulation, 4, DT);
  expect(Math.abs(pose[2] - before)).toBeLessThan(2e-3);
});
