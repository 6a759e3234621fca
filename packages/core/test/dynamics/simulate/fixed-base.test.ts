import { describe, expect, it } from 'vitest';
import { createSimulation, stepSimulation } from '../../../src/dynamics/simulate/index.js';
import { createFigure } from '../../../src/figure/model/figure.js';

/** An arm of 1 m on a hinge about z through its origin, on a fixed post. */
const arm = createFigure({
  bones: [
    { name: 'post', joint: { type: 'fixed' }, mass: 5, inertia: [0.1, 0.1, 0.1, 0, 0, 0] },
    {
      name: 'arm',
      parent: 'post',
      rest: { position: [0, 0.5, 0] },
      joint: { type: 'hinge', axis: [0, 0, 1] },
      mass: 2,
      centerOfMass: [0.5, 0, 0],
      inertia: [0.01, 0.17, 0.17, 0, 0, 0],
    },
  ],
});

describe('a figure with a fixed base', () => {
  it('may start below the floor, and comes to rest on it', () => {
    const simulation = createSimulation(
      [
        {
          figure: arm,
          damping: 0.2,
          shapes: [
            { bone: 'post', type: 'box', halfSizes: [0.1, 0.1, 0.1] },
            { bone: 'arm', type: 'capsule', from: [0, 0, 0], to: [1, 0, 0], radius: 0.05 },
          ],
        },
      ],
      { world: [{ type: 'plane' }] },
    );
    const { actors, report } = simulation;
    let energy = Number.POSITIVE_INFINITY;
    for (let n = 0; n < 360; n++) {
      expect(stepSimulation(simulation, 1 / 120).status).toBe('done');
      // What has sunk in is lifted out: a tenth of a micrometre of 20 N.
      expect(report.kinetic + report.potential).toBeLessThan(energy + 2e-6);
      energy = report.kinetic + report.potential;
    }
    // The end of the arm lies on the floor: sin of the angle is (0.5 - 0.05) / 1.
    expect(actors[0].pose[0]).toBeCloseTo(-Math.asin(0.45), 3);
    expect(actors[0].asleep).toBe(true);
  });
});
