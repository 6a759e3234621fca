/** A simulation goes on after very short steps, deep overlap, figures that cannot be solved for. */
import { describe, expect, test } from 'vitest';
import { createRagdoll, type Ragdoll } from '../../../src/dynamics/index.js';
import { createSimulation, type Simulation, stepSimulation } from '../../../src/dynamics/simulate/index.js';
import { createFigure, createPose } from '../../../src/figure/index.js';
import { createHumanFigure } from '../../../src/humanoid/index.js';
import { box, onFloor, run } from './support.js';

const DT = 1 / 60;
const HALF = [0.2, 0.2, 0.2] as const;
const human = createRagdoll(createHumanFigure());

/** A staircase that climbs along z, its boxes side by side. */
const STAIRS = Array.from({ length: 8 }, (_, k) => ({
  type: 'box' as const,
  halfSizes: [1, 0.1 * (8 - k), 0.15] as const,
  placement: { position: [0, 0.1 * (8 - k), 0.3 * k] as const },
}));

function at(ragdoll: Ragdoll, ...place: readonly number[]): Ragdoll & { readonly pose: Float64Array } {
  const pose = createPose(ragdoll.figure);
  pose.set(place);
  return { ...ragdoll, pose };
}

const energyOf = ({ report }: Simulation): number => report.kinetic + report.potential;

describe('a very short step among ordinary ones', () => {
  /** Two humans and a box that tumble down the stairs. */
  const tumble = (steps: number): Simulation => {
    const simulation = createSimulation(
      [
        at(human, 0, 2.2, 0.2, 0.4, 0.2, 0),
        at(human, 0.2, 3.2, 0.4, 1.2, 0.5, 0.3),
        box(10, HALF, [0.1, 4, 0.5, 0.1, 0.2, 0.3]),
      ],
      { world: [{ type: 'plane' }, ...STAIRS] },
    );
    for (let n = 0; n < steps; n++) stepSimulation(simulation, DT);
    return simulation;
  };

  // Not 60 or 90: an impact falls into the millisecond after them.
  test.each([59, 91, 150])('after %i steps: it moves nothing, and the next is as it was', (steps) => {
    for (const dt of [1e-3, 1e-5, 1e-7, 1e-9, 1e-12]) {
      const simulation = tumble(steps);
      const before = simulation.report.kinetic;
      const { kinetic } = stepSimulation(simulation, dt);
      expect(Math.abs(kinetic - before)).toBeLessThan((0.01 + 20 * dt) * (1 + before));
      for (let n = 0; n < 3; n++) {
        const last = energyOf(simulation);
        expect(stepSimulation(simulation, DT).status).toBe('done');
        expect(energyOf(simulation)).toBeLessThan(last + 1);
        expect(simulation.report.warnings).not.toContain('too-fast');
      }
    }
  });

  test.each([1e-3, 1e-6])('of %d s, now and then: all come to rest', (tiny) => {
    const simulation = tumble(0);
    const step = (n: number) => stepSimulation(simulation, n % 10 === 7 ? tiny : DT);
    // When the second comes to lie on the first is chance.
    let n = 0;
    for (; n < 1500 && simulation.report.asleep < 3; n++) expect(step(n).status).toBe('done');
    for (const end = n + 300; n < end; n++) expect(step(n).asleep).toBe(3);
  });
});

test.each([-0.3, -0.6, -1, -1.5])(
  'a human put %d m deep into stairs on a plane: bounded, and never too fast',
  (y) => {
    const simulation = createSimulation([at(human)], { world: [{ type: 'plane' }, ...STAIRS] });
    simulation.actors[0].pose[1] = y;
    run(simulation, 10, DT, () => {
      expect(simulation.report.status).toBe('done');
      expect(simulation.report.warnings).not.toContain('too-fast');
      expect(simulation.report.kinetic).toBeLessThan(300);
    });
  },
);

test('at the pole of Euler angles a joint moves, beside others that fall', () => {
  const figure = createFigure({
    bones: [
      {
        name: 'arm',
        joint: { type: 'euler', order: 'XYZ' },
        mass: 1,
        centerOfMass: [0.3, 0, 0],
        inertia: [0.01, 0.02, 0.02, 0, 0, 0],
      },
    ],
  });
  const simulation = createSimulation(
    [{ figure, pose: [0, Math.PI / 2, 0] }, box(1, HALF, [5, 2, 0, 0, 0, 0])],
    onFloor({}, { sleep: false }),
  );
  run(simulation, 3, DT, () => {
    expect(simulation.report.status).toBe('done');
    expect(energyOf(simulation)).toBeLessThan(9.81 * (2 + 0.3));
  });
  expect(simulation.actors[1].pose[1]).toBeCloseTo(0.2, 2);
});

test('figures that cannot be solved for are stopped: the status says so, and all others continue', () => {
  const simulation = createSimulation(
    [box(1, HALF, [0, 1, 0, 0, 0, 0]), box(1, HALF, [9, 1, 0, 0, 0, 0])],
    onFloor(),
  );
  // An inertia that no balance holds with.
  simulation.actors[0].work.effectiveInertia.fill(Number.NaN);
  simulation.actors[0].velocity[0] = 1;
  for (let n = 0; n < 120; n++) expect(stepSimulation(simulation, DT).status).toBe('stopped');
  expect(simulation.time).toBeCloseTo(2, 12);
  expect(Array.from(simulation.actors[0].pose)).toEqual([0, 1, 0, 0, 0, 0]);
  expect(simulation.actors[0].asleep).toBe(false);
  expect(simulation.actors[1].pose[1]).toBeCloseTo(0.2, 2);
  expect(simulation.actors[1].asleep).toBe(true);
});

describe('what a force function writes besides forces', () => {
  test('is read as if it were written before the step', () => {
    const [written, inside] = [0, 1].map(() =>
      createSimulation([box(1, HALF, [0, 1, 0, 0, 0, 0])], onFloor()),
    );
    written.actors[0].pose.set([0.3, 2, 0]);
    written.actors[0].velocity.set([1, 0, 0, 0, 0, 3]);
    stepSimulation(written, DT);
    stepSimulation(inside, DT, ({ pose, velocity }) => {
      pose.set([0.3, 2, 0]);
      velocity.set([1, 0, 0, 0, 0, 3]);
    });
    expect(inside.actors[0].pose).toEqual(written.actors[0].pose);
    expect(inside.actors[0].velocity).toEqual(written.actors[0].velocity);
  });

  test('is refused where it is not finite, and the state is as before', () => {
    const simulation = createSimulation([box(1, HALF, [0, 1, 0, 0, 0, 0])], onFloor());
    const step = () =>
      stepSimulation(simulation, DT, ({ pose }) => {
        pose[1] = Number.NaN;
      });
    expect(step).toThrow(/actors\[0\]\.pose\[1\]: is NaN/);
    expect(simulation.actors[0].pose[1]).toBe(1);
    expect(stepSimulation(simulation, DT).status).toBe('done');
  });
});

describe('a human put into boxes side by side gains no more energy than lifting it takes', () => {
  const grid = Array.from({ length: 25 }, (_, k) => ({
    type: 'box' as const,
    halfSizes: [0.25, 0.25, 0.25] as const,
    placement: { position: [0.5 * (k % 5) - 1, 0.25, 0.5 * Math.floor(k / 5) - 1] as const },
  }));
  const solid = {
    type: 'box' as const,
    halfSizes: [1, 1, 1] as const,
    placement: { position: [0, 1, 0] as const },
  };
  test.each([
    ['stairs', STAIRS],
    ['a grid', grid],
    ['one', [solid]],
  ])('%s', (_, boxes) => {
    for (const y of [0, -0.6, -1.5]) {
      const simulation = createSimulation([at(human)], {
        world: [{ type: 'plane' }, ...boxes],
        sleep: false,
      });
      simulation.actors[0].pose[1] = y;
      stepSimulation(simulation, DT);
      let before = energyOf(simulation);
      run(simulation, 1.5, DT, () => {
        // Lifting 74 kg at 1 m/s is 12 J a step; a limb may come free and swing up.
        expect(energyOf(simulation)).toBeLessThan(before + 40);
        before = energyOf(simulation);
      });
    }
  });
});
