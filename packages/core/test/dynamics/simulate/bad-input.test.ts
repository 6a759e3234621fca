import { describe, expect, test } from 'vitest';
import { createRagdoll } from '../../../src/dynamics/index.js';
import {
  applyImpulse,
  createSimulation,
  type Simulation,
  stepSimulation,
  wakeActor,
} from '../../../src/dynamics/simulate/index.js';
import { DomainError, PoiseError } from '../../../src/errors.js';
import { createFigure } from '../../../src/figure/index.js';
import { createHumanFigure } from '../../../src/humanoid/index.js';
import { ball, box, G, onFloor, run, vector } from './support.js';

const DT = 1 / 120;
const HALF = [0.1, 0.1, 0.1] as const;

/** Boxes that tumble, one asleep, an arm with limit and motor, and a connection. */
function scene(): Simulation {
  const figure = createFigure({
    bones: [
      {
        name: 'arm',
        joint: { type: 'ball' },
        limit: { type: 'angle', max: 1 },
        mass: 1,
        centerOfMass: [0.3, 0, 0],
        inertia: [0.01, 0.02, 0.02, 0, 0, 0],
      },
    ],
  });
  const simulation = createSimulation(
    [
      box(1, HALF, [0, 0.1, 0, 0, 0, 0]),
      box(1, HALF, [0.05, 0.6, 0.03, 0.2, 0.3, 0.1]),
      { figure, motor: { target: [0, 0, 0.5], stiffness: 3, damping: 0.3, maxForce: 2 }, friction: 0.1 },
      box(1, HALF, [9, 0.1, 0, 0, 0, 0]),
    ],
    onFloor(
      {},
      {
        connections: [
          {
            type: 'point',
            a: { actor: 1, bone: 'body', position: [0.1, 0, 0] },
            b: { position: [0, 0.5, 0] },
            maxForce: 3,
          },
        ],
      },
    ),
  );
  run(simulation, 2, DT);
  expect(simulation.actors[3].asleep).toBe(true);
  return simulation;
}

/** The observable state of a simulation. */
const seen = ({ time, actors }: Simulation) =>
  [
    time,
    actors.map(({ pose, velocity, asleep }) => [Array.from(pose), Array.from(velocity), asleep]),
  ] as const;

describe('a failed step is rolled back, and later steps are unaffected', () => {
  const step = (simulation: Simulation) => stepSimulation(simulation, DT);
  test.each<[string, (simulation: Simulation) => void]>([
    ['a force that is none', (s) => stepSimulation(s, DT, (_, { tau }) => tau.fill(Number.NaN))],
    [
      'a force without end',
      (s) =>
        stepSimulation(s, DT, ({ index }, { external }) =>
          external.fill(index === 3 ? Number.POSITIVE_INFINITY : 0),
        ),
    ],
    [
      'forces that throw',
      (s) =>
        stepSimulation(s, DT, ({ index }, { tau }) => {
          tau[0] = 100;
          if (index === 3) throw new Error('mine');
        }),
    ],
    [
      'a step of another length that fails',
      (s) => stepSimulation(s, DT / 2, (_, { tau }) => tau.fill(Number.NaN)),
    ],
    ['a step of no length', (s) => stepSimulation(s, 0)],
    ['a pose that is none', (s) => withWritten(s.actors[1].pose, 3, Number.NaN, () => step(s))],
    [
      'velocities that are none',
      (s) => withWritten(s.actors[3].velocity, 0, Number.POSITIVE_INFINITY, () => step(s)),
    ],
    ['a target that is none', (s) => withWritten(s.actors[2].motor.target, 1, Number.NaN, () => step(s))],
    ['a gain that is none', (s) => withWritten(s.actors[2].motor.stiffness, 1, Number.NaN, () => step(s))],
    ['a bound below zero', (s) => withWritten(s.actors[2].motor.maxForce, 0, -1, () => step(s))],
    ['an anchor that is none', (s) => withWritten(s.connections[0].positionB, 2, Number.NaN, () => step(s))],
  ])('%s', (_, fail) => {
    const [failed, whole] = [scene(), scene()];
    const before = seen(failed);
    let error: unknown;
    try {
      fail(failed);
    } catch (thrown) {
      error = thrown;
    }
    if (!/mine/.test(String(error))) expect(error).toBeInstanceOf(DomainError);
    expect(seen(failed)).toEqual(before);
    for (const each of [failed, whole]) run(each, 0.5, DT);
    expect(seen(failed)).toEqual(seen(whole));
    expect(failed.report.status).toBe('done');
  });

  test('impulses with a sum that is not finite are dropped', () => {
    const [failed, whole] = [scene(), scene()];
    for (let n = 0; n < 2; n++) applyImpulse(failed, 1, 'body', [1e308, 1e308, 0]);
    expect(() => stepSimulation(failed, DT)).toThrow(/actors\[1\]: has forces and impulses whose sum/);
    wakeActor(whole.actors[1]);
    for (const each of [failed, whole]) run(each, 0.2, DT);
    expect(seen(failed)).toEqual(seen(whole));
  });

  /** Runs with one number written, then with the one that was there. */
  function withWritten(numbers: Float64Array, i: number, value: number, body: () => void): void {
    const was = numbers[i];
    numbers[i] = value;
    try {
      body();
    } finally {
      numbers[i] = was;
    }
  }
});

describe('errors name the path', () => {
  test.each<[RegExp, (simulation: Simulation) => void]>([
    [/actors\[1\]\.pose\[3\]: is NaN/, (s) => s.actors[1].pose.fill(Number.NaN, 3)],
    [/actors\[0\]\.velocity\[0\]: is Infinity/, (s) => s.actors[0].velocity.fill(Number.POSITIVE_INFINITY)],
    [/actors\[0\]\.velocity: exceeds the largest/, (s) => s.actors[0].velocity.fill(1e200)],
    [/actors\[2\]\.motor\.target\[0\]: is NaN/, (s) => s.actors[2].motor.target.fill(Number.NaN)],
    [/actors\[2\]\.motor\.stiffness\[0\]: is -1/, (s) => s.actors[2].motor.stiffness.fill(-1)],
    [/actors\[2\]\.damping\[2\]: is NaN/, (s) => s.actors[2].damping.fill(Number.NaN, 2)],
    [/connections\[0\]\.positionA\[0\]: is NaN/, (s) => s.connections[0].positionA.fill(Number.NaN)],
    [/connections\[0\]\.rotationB: is zero/, (s) => s.connections[0].rotationB.fill(0)],
    [/connections\[0\]\.maxForce: is -1/, (s) => Object.assign(s.connections[0], { maxForce: -1 })],
  ])('%s', (message, write) => {
    const simulation = scene();
    write(simulation);
    expect(() => stepSimulation(simulation, DT)).toThrow(message);
  });

  test.each<[RegExp, () => unknown]>([
    [/actors: is empty/, () => createSimulation([])],
    [/actors: is no list/, () => createSimulation(box(1, HALF, [0, 1, 0, 0, 0, 0]) as never)],
    [/actors\[0\]: is null/, () => createSimulation([null as never])],
    [/actors\[0\]\.figure: is undefined/, () => createSimulation([{ shapes: [] } as never])],
    [/actors\[0\]\.pose: has 2 numbers/, () => createSimulation([box(1, HALF, [0, 0])])],
    [
      /actors\[0\]\.velocity\[1\]: is NaN/,
      () =>
        createSimulation([{ ...box(1, HALF, [0, 1, 0, 0, 0, 0]), velocity: [0, Number.NaN, 0, 0, 0, 0] }]),
    ],
    [
      /actors\[0\]\.motor\.maxForce: is -2/,
      () => createSimulation([{ ...box(1, HALF, [0, 1, 0, 0, 0, 0]), motor: { maxForce: -2 } }]),
    ],
    [
      /options\.gravity\[1\]: is NaN/,
      () => createSimulation([box(1, HALF, [0, 1, 0, 0, 0, 0])], { gravity: [0, Number.NaN, 0] }),
    ],
    [
      /options\.collide\.neighbours: is -1/,
      () => createSimulation([box(1, HALF, [0, 1, 0, 0, 0, 0])], { collide: { neighbours: -1 } }),
    ],
    [
      /options\.collide\.exclude\[0\]\[1\]/,
      () =>
        createSimulation([box(1, HALF, [0, 1, 0, 0, 0, 0])], { collide: { exclude: [['body', 'head']] } }),
    ],
    [/options\.contacts: is 0/, () => createSimulation([box(1, HALF, [0, 1, 0, 0, 0, 0])], { contacts: 0 })],
    [
      /connections\[0\]\.a\.bone/,
      () =>
        createSimulation([box(1, HALF, [0, 1, 0, 0, 0, 0])], {
          connections: [{ type: 'point', a: { bone: 'bodi' }, b: {} }],
        }),
    ],
    [
      /connections\[0\]\.b\.actor: is 1/,
      () =>
        createSimulation([box(1, HALF, [0, 1, 0, 0, 0, 0])], {
          connections: [{ type: 'point', a: { bone: 0 }, b: { actor: 1, bone: 0 } }],
        }),
    ],
    [
      /mass/,
      () => createSimulation([{ figure: createFigure({ bones: [{ name: 'a', joint: { type: 'free' } }] }) }]),
    ],
    [/mass/, () => createFigure({ bones: [{ name: 'a', joint: { type: 'free' }, mass: -1 }] })],
    [
      /inertia/,
      () =>
        createSimulation([
          {
            figure: createFigure({
              bones: [{ name: 'a', joint: { type: 'free' }, mass: 1, inertia: [1, 1, 5, 0, 0, 0] }],
            }),
          },
        ]),
    ],
    [
      /shapes\[0\]/,
      () =>
        createSimulation([
          { ...box(1, HALF, [0, 1, 0, 0, 0, 0]), shapes: [{ bone: 'body', type: 'sphere', radius: -1 }] },
        ]),
    ],
  ])('%s', (message, make) => {
    expect(make).toThrow(message);
    expect(make).toThrow(PoiseError);
  });
});

describe('steps are bounded', () => {
  test.each([1e6, 1e12, 1e100])('under a force of %f N on a block at the floor', (force) => {
    for (const direction of [-1, 1]) {
      const simulation = createSimulation([box(1, HALF, [0, 0.1, 0, 0, 0, 0])], onFloor());
      const report = stepSimulation(simulation, DT, (_, { external }) => {
        external[1] = direction * force;
      });
      expect(report.status).toBe('done');
      const { pose, velocity } = simulation.actors[0];
      expect(Math.abs(velocity[1])).toBeLessThan(2001);
      expect(pose[1]).toBeGreaterThan(0.09);
      if (direction > 0) expect(report.warnings).toContain('too-fast');
      run(simulation, 0.1, DT);
      expect(pose[1]).toBeGreaterThan(0.09);
    }
  });

  test('of a body under an excessive downward force: it does not pass the floor', () => {
    const simulation = createSimulation([ball(1, 0.1, [0, 3, 0, 0, 0, 0])], onFloor());
    stepSimulation(simulation, DT, (_, { external }) => {
      external[1] = -1e9;
    });
    run(simulation, 0.5, DT);
    expect(simulation.actors[0].pose[1]).toBeGreaterThan(0.09);
    expect(simulation.actors[0].pose[1]).toBeLessThan(1);
  });

  test('where two bodies start in overlap: they separate slowly, with a warning', () => {
    const simulation = createSimulation(
      [box(1, HALF, [0, 0.5, 0, 0, 0, 0]), box(1, HALF, [0.02, 0.52, 0.01, 0.1, 0, 0])],
      { gravity: [0, 0, 0] },
    );
    stepSimulation(simulation, DT);
    expect(simulation.report.warnings).toContain('overlap');
    run(simulation, 1, DT, () => {
      for (const { velocity } of simulation.actors)
        expect(Math.hypot(...velocity.subarray(0, 3))).toBeLessThan(2);
    });
    expect(simulation.report.depth).toBeLessThan(0.001);
  });

  test('where a human starts half a metre in the floor: it is lifted out, slowly', () => {
    const { figure, shapes, exclude, damping } = createRagdoll(createHumanFigure());
    const pose = vector(figure.dof, { 1: -0.5 });
    const simulation = createSimulation(
      [{ figure, shapes, pose, damping }],
      onFloor({}, { collide: { exclude } }),
    );
    stepSimulation(simulation, DT);
    expect(simulation.report.warnings).toContain('overlap');
    run(simulation, 4, DT, () => {
      expect(simulation.report.status).toBe('done');
      expect(Math.hypot(...simulation.actors[0].velocity.subarray(0, 3))).toBeLessThan(5);
    });
    expect(simulation.report.depth).toBeLessThan(0.01);
  });

  test('where a human starts in the middle of stairs, enclosed from all sides', () => {
    const ragdoll = createRagdoll(createHumanFigure());
    const steps = Array.from({ length: 6 }, (_, k) => ({
      type: 'box' as const,
      halfSizes: [1.54 - 0.14 * k, 0.085 * (k + 1), 4] as const,
      placement: { position: [1.54 + 0.14 * k, 0.085 * (k + 1), 0] as const },
    }));
    const simulation = createSimulation([ragdoll], { world: [{ type: 'plane' }, ...steps] });
    const { report } = simulation;
    run(simulation, 4, DT, () => {
      expect(report.status).toBe('done');
      expect(report.warnings).not.toContain('too-fast');
      // It falls off the trunk that is stuck: 75 kg by up to 0.9 m.
      expect(report.kinetic).toBeLessThan(75 * G * 0.9);
    });
  });

  test('where a chain is dragged beyond its reach without a force bound: it stretches, and does not diverge', () => {
    const bar = (k: number) => ({
      name: `bar${k}`,
      parent: k === 0 ? null : `bar${k - 1}`,
      rest: { position: [k === 0 ? 0 : 1, 0, 0] as const },
      joint: { type: 'ball' } as const,
      mass: 1,
      centerOfMass: [0.5, 0, 0] as const,
      inertia: [0.01, 0.09, 0.09, 0, 0, 0] as const,
    });
    const figure = createFigure({ bones: [bar(0), bar(1)] });
    const simulation = createSimulation([{ figure, damping: 0.1 }], {
      connections: [{ type: 'point', a: { bone: 'bar1', position: [1, 0, 0] }, b: { position: [3, 1, 0] } }],
    });
    run(simulation, 5, DT, () => {
      expect(simulation.report.status).toBe('done');
      expect(simulation.report.kinetic).toBeLessThan(20);
      expect(Math.hypot(...simulation.connections[0].force)).toBeLessThan(1e4);
    });
    // Towards (3, 1), and straight but for what hangs through.
    expect(Math.abs(simulation.actors[0].pose[2] - Math.atan2(1, 3))).toBeLessThan(0.1);
    expect(Math.abs(simulation.actors[0].pose[5])).toBeLessThan(0.15);
  });

  test('where contacts exceed the capacity, with a warning', () => {
    const simulation = createSimulation([box(1, HALF, [0, 0.1, 0, 0, 0, 0])], onFloor({}, { contacts: 2 }));
    expect(stepSimulation(simulation, DT).warnings).toContain('contact-overflow');
    expect(simulation.report.dropped).toBe(2);
  });
});
