import { describe, expect, test } from 'vitest';
import { createRagdoll } from '../../../src/dynamics/index.js';
import {
  type ActorOptions,
  applyImpulse,
  createSimulation,
  type Simulation,
  stepSimulation,
} from '../../../src/dynamics/simulate/index.js';
import { createFigure, type Figure, limitViolation } from '../../../src/figure/index.js';
import { createHumanFigure } from '../../../src/humanoid/index.js';
import { createRandom, within } from '../../figure/support.js';
import { randomFigure, randomPose } from '../../support/random-figure.js';
import { randomInertia } from '../support.js';
import { alone, ball, box, onFloor, run } from './support.js';

/** A random figure of all joints and limits, with inertia, sometimes with a free root. */
function limited(random: () => number): Figure {
  const { bones } = randomFigure(random, 6);
  return createFigure({
    bones: bones.map(({ name, parent, rest, joint, limit, mass, centerOfMass }) => ({
      name,
      parent: parent < 0 ? null : bones[parent].name,
      rest,
      joint,
      ...(limit && { limit }),
      ...(mass && { mass }),
      ...(centerOfMass && { centerOfMass }),
      inertia: randomInertia(random),
    })),
  });
}

describe('figures of all joints and limits under random impulses', () => {
  test.each([60, 120, 240])('violate no limit, and gain energy only by impulses, at %d Hz', (rate) => {
    for (let salt = 0; salt < 8; salt++) {
      const random = createRandom(salt);
      const figure = limited(random);
      const simulation = alone({ figure, pose: randomPose(figure, random, 1), damping: 0.02 });
      const [actor] = simulation.actors;
      let energy = Number.POSITIVE_INFINITY;
      let pushed = false;
      run(simulation, 1.5, 1 / rate, (n) => {
        expect(simulation.report.status).toBe('done');
        expect(limitViolation(figure, actor.pose)).toBeLessThan(1e-12);
        const { kinetic, potential } = simulation.report;
        // Where all stands still there is no kinetic energy to take what the clamp to a limit lifts.
        if (!pushed) expect(kinetic + potential).toBeLessThan(energy + 1e-3);
        energy = kinetic + potential;
        pushed = n % 31 === 0;
        if (!pushed) return;
        const bone = Math.floor(figure.bones.length * random());
        applyImpulse(simulation, 0, bone, [within(random, 3), within(random, 3), within(random, 3)]);
      });
    }
  });
});

describe('ragdolls of the built-in human', () => {
  const ragdoll = createRagdoll(createHumanFigure());
  const actor = (options: Partial<ActorOptions> = {}): ActorOptions => ({ ...ragdoll, ...options });
  const { dof } = ragdoll.figure;

  /** A drop from 0.3 to 1.3 m above standing height, turned any way, limbs anyhow, in motion. */
  function dropped(salt: number): Simulation {
    const random = createRandom(100 + salt);
    const pose = Float64Array.from({ length: dof }, () => within(random, 0.5));
    pose.set([0, 1 + random(), 0, within(random, 2), within(random, 2), within(random, 2)]);
    const velocity = Float64Array.from({ length: dof }, () => within(random, 2));
    return createSimulation([actor({ pose, velocity })], onFloor());
  }

  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])(
    'drop %d: within limits, not through the floor, to sleep',
    (salt) => {
      const simulation = dropped(salt);
      const { contacts, report, actors } = simulation;
      let energy = Number.POSITIVE_INFINITY;
      let slept = Number.POSITIVE_INFINITY;
      for (let n = 1; n <= 1200 && slept > n; n++) {
        stepSimulation(simulation, 1 / 120);
        expect(report.status).toBe('done');
        expect(limitViolation(ragdoll.figure, actors[0].pose)).toBeLessThan(1e-12);
        for (let c = 0; c < contacts.count; c++) {
          if (contacts.bodyB[c] < 0) expect(contacts.separation[c]).toBeGreaterThan(-0.01);
        }
        // What is undone of depths lifts 75 kg by 0.1 mm at most.
        expect(report.kinetic + report.potential).toBeLessThan(energy + 0.075);
        energy = report.kinetic + report.potential;
        if (actors[0].asleep) slept = n;
      }
      expect(slept).toBeGreaterThanOrEqual(120);
      expect(slept).toBeLessThan(1200);
      expect(report.kinetic).toBe(0);
    },
  );

  test('fall alike to the bit, and independently of each other', () => {
    const first = dropped(3);
    const again = dropped(3);
    const pose = Float64Array.from(first.actors[0].pose);
    pose[0] = 1000;
    const other = actor({
      pose: Float64Array.from(first.actors[0].pose),
      velocity: Float64Array.from(first.actors[0].velocity),
    });
    const both = createSimulation([{ ...other, pose }, other], onFloor());
    for (let n = 0; n < 120; n++) {
      for (const each of [first, again, both]) stepSimulation(each, 1 / 120);
      expect(again.actors[0].pose).toEqual(first.actors[0].pose);
      // Contacts are looked for as far as the faster one may come, both alike: the same to the bit.
      if (n < 60) {
        both.actors[1].pose.forEach((x, i) => {
          expect(Math.abs(x - first.actors[0].pose[i])).toBeLessThan(1e-9);
        });
      }
    }
    expect(again.actors[0].velocity).toEqual(first.actors[0].velocity);
  });
});

test('the order of actors does not matter', () => {
  const actors = [
    box(1, [0.1, 0.1, 0.1], [0, 0.1, 0, 0, 0, 0]),
    box(2, [0.1, 0.1, 0.1], [0.02, 0.31, 0.01, 0, 0.2, 0]),
    ball(1, 0.1, [-0.5, 0.1, 0, 0, 0, 0]),
  ];
  const nus = [[], [], [2, 0, 0, 0, 0, 0]];
  const outcome = (order: readonly number[]): number[][] => {
    const simulation = createSimulation(
      order.map((k) => ({ ...actors[k], ...(nus[k].length > 0 && { velocity: nus[k] }) })),
      onFloor(),
    );
    run(simulation, 2, 1 / 120);
    return actors.map((_, k) => Array.from(simulation.actors[order.indexOf(k)].pose));
  };
  const plain = outcome([0, 1, 2]);
  for (const order of [
    [2, 1, 0],
    [1, 2, 0],
  ]) {
    outcome(order).forEach((pose, k) => {
      // Solved to 3e-4 of all impulses, in another order: some mm after an impact.
      expect(Math.hypot(...[0, 1, 2].map((i) => pose[i] - plain[k][i]))).toBeLessThan(5e-3);
    });
  }
});
