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

  // Found by the soak: a substep kept 12 of 70 J of motion, as its links straightened at 40 rad/s, and could return 48; the next step rose by 22 J.
  it('keeps its energy at every step while light links whip', () => {
    const length = 0.234;
    const link = {
      mass: 1,
      centerOfMass: [length / 2, 0, 0],
      inertia: [4e-4, 4.8e-3, 4.8e-3, 0, 0, 0],
    } as const;
    const joint = { type: 'hinge', axis: [0, 0, 1] } as const;
    const rest = { position: [length, 0, 0] } as const;
    const pendulum = createFigure({
      bones: [
        { name: 'upper', joint, ...link },
        { name: 'lower', parent: 'upper', rest, joint, ...link },
        { name: 'bob', parent: 'lower', rest, joint, mass: 8, inertia: [0.03, 0.03, 0.03, 0, 0, 0] },
      ],
    });
    let worst = 0;
    for (let angle = 0.8; angle < 1.2; angle += 0.04) {
      const simulation = createSimulation([
        { figure: pendulum, pose: [angle, 0, 0], velocity: [1.35, 0, 0] },
      ]);
      const { report } = simulation;
      let start = Number.NaN;
      for (let n = 0; n < 120; n++) {
        stepSimulation(simulation, 1 / 60);
        if (n === 0) start = report.kinetic + report.potential;
        worst = Math.max(worst, Math.abs(report.kinetic + report.potential - start));
      }
    }
    expect(worst).toBeLessThan(1e-9);
  });
});
