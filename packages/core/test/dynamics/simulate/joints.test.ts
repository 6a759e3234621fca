import { describe, expect, test } from 'vitest';
import { type ActorOptions, stepSimulation } from '../../../src/dynamics/simulate/index.js';
import type { JointData } from '../../../src/figure/data/types.js';
import { createFigure } from '../../../src/figure/index.js';
import { alone, G, run } from './support.js';

const NO_GRAVITY = { gravity: [0, 0, 0] } as const;

/** A wheel on a hinge, with an inertia about its axis. */
function wheel(inertia: number, options: Omit<ActorOptions, 'figure'> = {}, joint?: JointData) {
  const figure = createFigure({
    bones: [
      {
        name: 'wheel',
        joint: joint ?? { type: 'hinge', axis: [0, 0, 1] },
        mass: 1,
        inertia: [inertia, inertia, inertia, 0, 0, 0],
      },
    ],
  });
  return { figure, ...options };
}

/** Order of convergence: log2 of the ratio of errors as the step is halved. */
function orderOf(errorAt: (dt: number) => number): number {
  return Math.log2(errorAt(1 / 500) / errorAt(1 / 1000));
}

describe('damping', () => {
  test('slows a wheel as exp(-D t / I), in first order', () => {
    const errorAt = (dt: number): number => {
      const { actors } = run(alone(wheel(0.2, { damping: 0.5, velocity: [3] }), NO_GRAVITY), 1, dt);
      return Math.abs(actors[0].velocity[0] - 3 * Math.exp(-2.5));
    };
    expect(errorAt(1 / 1000)).toBeLessThan(1e-3);
    expect(orderOf(errorAt)).toBeCloseTo(1, 1);
  });

  test('of any strength is stable', () => {
    const simulation = alone(wheel(0.2, { damping: 1e9, velocity: [3] }), NO_GRAVITY);
    stepSimulation(simulation, 1 / 60);
    expect(Math.abs(simulation.actors[0].velocity[0])).toBeLessThan(1e-6);
  });

  test('damps a pendulum at its rate', () => {
    // Small swings about the joint: I a'' + D a' + m g l a = 0, an amplitude of exp(-D t / 2 I).
    const figure = createFigure({
      bones: [
        {
          name: 'bob',
          joint: { type: 'hinge', axis: [0, 0, 1] },
          mass: 2,
          centerOfMass: [0, -0.5, 0],
          inertia: [0.01, 0.01, 0.01, 0, 0, 0],
        },
      ],
    });
    const inertia = 0.01 + 2 * 0.25;
    const [damping, dt] = [0.1, 1 / 2000];
    const simulation = alone({ figure, damping, pose: [0.02] });
    const rate = damping / (2 * inertia);
    const frequency = Math.sqrt((2 * G * 0.5) / inertia - rate * rate);
    const time = (2 * Math.PI * 3) / frequency;
    run(simulation, time, dt);
    // First order: the step itself damps by about w^2 h / 2 = 5 % of this rate.
    expect(simulation.actors[0].pose[0] / (0.02 * Math.exp(-rate * time))).toBeCloseTo(1, 1);
  });
});

describe('springs', () => {
  test('oscillate at sqrt(k / I), with armature at sqrt(k / (I + armature))', () => {
    for (const armature of [0, 0.3]) {
      const simulation = alone(wheel(0.2, { stiffness: 20, armature, pose: [0.5] }), NO_GRAVITY);
      let crossings = 0;
      let last = 0;
      let before = 0.5;
      run(simulation, 6, 1 / 2000, (n) => {
        const now = simulation.actors[0].pose[0];
        if (before > 0 && now <= 0) {
          crossings++;
          last = n / 2000;
        }
        before = now;
      });
      // The first at a quarter of a period.
      const period = last / (crossings - 0.75);
      expect(period / (2 * Math.PI * Math.sqrt((0.2 + armature) / 20))).toBeCloseTo(1, 3);
    }
  });

  test('return a ball joint to their rest pose by the shortest rotation', () => {
    const rest = [0.4, -0.3, 0.6];
    const simulation = alone(
      wheel(0.1, { stiffness: 5, damping: 1.5, rest, pose: [-1, 1, 0.5] }, { type: 'ball' }),
      NO_GRAVITY,
    );
    run(simulation, 8, 1 / 120);
    rest.forEach((x, k) => {
      expect(simulation.actors[0].pose[k]).toBeCloseTo(x, 6);
    });
  });
});

describe('motors', () => {
  test('critically damped approach their target as 1 - (1 + w t) exp(-w t), in first order', () => {
    // w^2 = K / I, D = 2 w I
    const [inertia, w] = [0.2, 8];
    const motor = { target: [1], stiffness: w * w * inertia, damping: 2 * w * inertia };
    for (const maxForce of [Number.POSITIVE_INFINITY, 1e6]) {
      const errorAt = (dt: number): number => {
        const { actors } = run(
          alone(wheel(inertia, { motor: { ...motor, maxForce } }), NO_GRAVITY),
          0.25,
          dt,
        );
        return Math.abs(actors[0].pose[0] - (1 - (1 + w * 0.25) * Math.exp(-w * 0.25)));
      };
      expect(errorAt(1 / 1000)).toBeLessThan(3e-3);
      expect(orderOf(errorAt)).toBeCloseTo(1, 1);
    }
  });

  test('with and without a bound agree below the bound', () => {
    const motor = { target: [1, -0.5, 0.3], stiffness: 4, damping: 0.7 };
    const make = (maxForce: number) =>
      run(alone(wheel(0.1, { motor: { ...motor, maxForce } }, { type: 'ball' }), NO_GRAVITY), 1, 1 / 120);
    const [free, bound] = [make(Number.POSITIVE_INFINITY), make(1e5)];
    free.actors[0].pose.forEach((x, k) => {
      expect(bound.actors[0].pose[k]).toBeCloseTo(x, 6);
    });
  });

  test('hold a weight below their bound, and not one above', () => {
    const angleUnder = (maxForce: number): number => {
      const figure = createFigure({
        bones: [
          {
            name: 'arm',
            joint: { type: 'hinge', axis: [0, 0, 1] },
            mass: 1,
            centerOfMass: [1, 0, 0],
            inertia: [0.01, 0.01, 0.01, 0, 0, 0],
          },
        ],
      });
      const motor = { stiffness: 1e5, damping: 1e3, maxForce };
      return run(alone({ figure, motor }), 0.2, 1 / 120).actors[0].pose[0];
    };
    expect(Math.abs(angleUnder(1.001 * G))).toBeLessThan(1e-3);
    // 0.2 s of (m g l - most) / I = 0.1 g / 1.01.
    expect(angleUnder(0.9 * G)).toBeCloseTo((-0.5 * 0.04 * 0.1 * G) / 1.01, 2);
  });
});

describe('dry friction', () => {
  test('stops a wheel after w I / friction', () => {
    for (const friction of [0.5, 2]) {
      const simulation = alone(wheel(0.2, { friction, velocity: [5] }), NO_GRAVITY);
      let stopped = 0;
      run(simulation, 3, 1 / 500, (n) => {
        if (stopped === 0 && Math.abs(simulation.actors[0].velocity[0]) < 1e-4) stopped = n / 500;
      });
      expect(Math.abs(stopped - 1 / friction)).toBeLessThan(2 / 500);
      expect(Math.abs(simulation.actors[0].velocity[0])).toBeLessThan(1e-6);
      // w^2 I / (2 friction)
      expect(simulation.actors[0].pose[0]).toBeCloseTo(2.5 / friction, 1);
    }
  });

  test('holds a pendulum below the breakaway torque, without creep', () => {
    const figure = createFigure({
      bones: [
        {
          name: 'arm',
          joint: { type: 'hinge', axis: [0, 0, 1] },
          mass: 1,
          centerOfMass: [0.5, 0, 0],
          inertia: [0.02, 0.02, 0.02, 0, 0, 0],
        },
      ],
    });
    const at = (friction: number) => run(alone({ figure, friction }), 5, 1 / 120).actors[0].pose[0];
    expect(Math.abs(at(1.01 * 0.5 * G))).toBeLessThan(1e-3);
    expect(Math.abs(at(0.99 * 0.5 * G))).toBeGreaterThan(0.01);
  });
});

test('armature alone acts as inertia', () => {
  // tau / (I + armature)
  const simulation = alone(wheel(0.2, { armature: 0.6 }), NO_GRAVITY);
  run(simulation, 1, 1 / 100, undefined, (_, { tau }) => {
    tau[0] = 4;
  });
  expect(simulation.actors[0].velocity[0]).toBeCloseTo(5, 10);
});
