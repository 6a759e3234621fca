/** Zero and huge masses, steps and forces, overlapping starts, contradictory connections: a typed error, or a bounded result; the next step is done. */
import { threadTime } from '@poise/test-support/thread-time';
import { describe, expect, test } from 'vitest';
import { createRagdoll } from '../../../src/dynamics/index.js';
import {
  applyImpulse,
  attachConnection,
  createSimulation,
  type Simulation,
  stepSimulation,
} from '../../../src/dynamics/simulate/index.js';
import { PoiseError } from '../../../src/errors.js';
import { createHumanFigure } from '../../../src/humanoid/index.js';
import { ball, box, G, onFloor } from './support.js';

const DT = 1 / 60;
const HALF = [0.1, 0.1, 0.1] as const;
const REST = [0, 0.1, 0, 0, 0, 0] as const;

/** All states are finite, and no faster than the largest speed. */
function expectBounded({ actors }: Simulation): void {
  for (const { pose, velocity } of actors) {
    for (const x of [...pose, ...velocity]) expect(Number.isFinite(x)).toBe(true);
    expect(Math.hypot(...velocity.subarray(0, 3))).toBeLessThan(2001);
  }
}

/** Falls far away: within 50 m of a body at the largest speed it would share its island. */
const WITNESS = ball(1, 0.1, [5000, 500, 5000, 0, 0, 0]);

/** Steps on after whatever was done: the witness, the last actor, falls as it would. */
function expectOrdinary(simulation: Simulation, steps = 30): void {
  const witness = simulation.actors[simulation.actors.length - 1];
  const [height, speed] = [witness.pose[1], witness.velocity[1]];
  for (let n = 0; n < steps; n++) stepSimulation(simulation, DT);
  expectBounded(simulation);
  const time = steps * DT;
  expect(witness.velocity[1]).toBeCloseTo(speed - G * time, 9);
  // Semi-implicit Euler: the velocity at the end of each step moves it.
  expect(witness.pose[1]).toBeCloseTo(height + speed * time - (G * time * (time + DT)) / 2, 9);
}

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('a mass of %d is refused', (mass) => {
  expect(() => createSimulation([box(mass, HALF, REST)])).toThrow(PoiseError);
});

test.each([
  [1, 1e-300],
  [1, 1e-10],
  [1e-10, 1],
  [1, 1e10],
  [1e31, 1e31],
  [1e-31, 1e-31],
])('masses of %d and %d kg in one world are refused', (a, b) => {
  const actors = [box(a, HALF, REST), box(b, HALF, [0, 1, 0, 0, 0, 0])];
  expect(() => createSimulation(actors)).toThrow(
    expect.objectContaining({ code: 'out-of-range', path: `actors[${b < a && a < 1e30 ? 1 : 0}].figure` }),
  );
});

test.each([1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9])(
  'bodies of %d kg and of 1 kg on each other stay there, or warn',
  (mass) => {
    for (const masses of [
      [1, mass],
      [mass, 1],
    ]) {
      const simulation = createSimulation(
        [...masses.map((each, k) => box(each, HALF, [0, 0.1 + 0.2 * k, 0, 0, 0, 0])), WITNESS],
        onFloor({}, { sleep: false }),
      );
      expectOrdinary(simulation);
      const [lower, upper] = simulation.actors;
      const warnings = new Set<string>();
      let fastest = 0;
      for (let n = 0; n < 120; n++) {
        for (const each of stepSimulation(simulation, DT).warnings) warnings.add(each);
        for (const { velocity } of [lower, upper])
          fastest = Math.max(fastest, Math.hypot(...velocity.subarray(0, 3)));
      }
      // A light body gives way under 1e4 times its mass and is pressed into the floor; 1e3 times rock on it by some millimetres.
      expect(fastest).toBeLessThan(warnings.has('overlap') ? 5 : 0.05);
      expect(upper.pose[1]).toBeLessThan(0.301);
      if (!warnings.has('overlap')) expect(upper.pose[1]).toBeGreaterThan(0.285);
    }
  },
);

describe('steps', () => {
  test.each([0, -DT, 0.051, 1, Number.NaN])('of %d s are refused, and the next is done', (dt) => {
    const simulation = createSimulation([box(1, HALF, [0, 1, 0, 0, 0, 0])], onFloor());
    expect(() => stepSimulation(simulation, dt)).toThrow(PoiseError);
    expect(simulation.time).toBe(0);
    expect(stepSimulation(simulation, DT).status).toBe('done');
  });

  test.each([Number.MIN_VALUE, 1e-300, 1e-15, 0.05])('of %d s are done', (dt) => {
    const simulation = createSimulation(
      [box(1, HALF, [0, 0.3, 0, 0.3, 0, 0]), ball(2, 0.1, [0.05, 0.6, 0, 0, 0, 0], { restitution: 0.5 })],
      onFloor({}, { sleep: false }),
    );
    for (let n = 0; n < 120; n++) {
      expect(stepSimulation(simulation, n % 3 === 0 ? dt : DT).status).toBe('done');
      expectBounded(simulation);
    }
  });
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])(
  'forces of %d are refused, and the next step is done',
  (force) => {
    const simulation = createSimulation([box(1, HALF, REST), box(1, HALF, [3, 0.1, 0, 0, 0, 0])], onFloor());
    for (const write of ['tau', 'external'] as const) {
      expect(() =>
        stepSimulation(simulation, DT, ({ index }, out) => {
          out[write][1] = index === 1 ? force : 0;
        }),
      ).toThrow(new RegExp(`forces\\(actors\\[1\\]\\)\\.${write}\\[1\\]: is`));
      expect(stepSimulation(simulation, DT).status).toBe('done');
    }
  },
);

test.each([1e10, 1e100, 1e300])('forces of %d N: bounded, with a warning', (force) => {
  const simulation = createSimulation([box(1, HALF, REST), WITNESS], onFloor());
  const report = stepSimulation(simulation, DT, ({ index }, { external, tau }) => {
    external[1] = index === 0 ? force : 0;
    tau[4] = index === 0 ? force : 0;
  });
  expect(report.warnings).toContain('too-fast');
  expectBounded(simulation);
  expectOrdinary(simulation);
});

test('impulses whose sum overflows are refused once', () => {
  const simulation = createSimulation([box(1, HALF, REST)], onFloor());
  for (let n = 0; n < 3; n++) applyImpulse(simulation, 0, 'body', [0, 1e308, 0]);
  expect(() => stepSimulation(simulation, DT)).toThrow(PoiseError);
  expect(stepSimulation(simulation, DT).status).toBe('done');
});

describe('overlapping starts', () => {
  test.each([1, 2, 5, 12])('%i boxes at the same place', (count) => {
    const simulation = createSimulation(
      Array.from({ length: count }, () => box(1, HALF, [0, 0.05, 0, 0, 0, 0])),
      onFloor(),
    );
    expect(stepSimulation(simulation, DT).warnings).toContain('overlap');
    for (let n = 0; n < 120; n++) {
      expect(stepSimulation(simulation, DT).status).toBe('done');
      expect(simulation.report.kinetic).toBeLessThan(10 * count);
    }
  });
});

test('three ragdolls at the same place: steps of bounded time, with a warning', () => {
  const ragdoll = createRagdoll(createHumanFigure());
  const simulation = createSimulation([ragdoll, ragdoll, ragdoll], onFloor());
  const before = threadTime();
  for (let n = 0; n < 5; n++) expect(stepSimulation(simulation, DT).warnings).toContain('overlap');
  // Solved as a whole, by conjugate gradients, they took five seconds.
  expect(threadTime() - before).toBeLessThan(3000);
});

describe('contradictory connections', () => {
  const to = (x: number) => ({
    type: 'point' as const,
    a: { bone: 'body' },
    b: { position: [x, 1, 0] as const },
  });

  test('of one body to places far apart: bounded, and at rest in the end', () => {
    const simulation = createSimulation([box(1, HALF, [0, 1, 0, 0, 0, 0])], {
      connections: [to(-1000), to(1000), to(0)],
    });
    for (let n = 0; n < 300; n++) {
      expect(stepSimulation(simulation, DT).status).toBe('done');
      expectBounded(simulation);
    }
    expect(simulation.report.kinetic).toBeLessThan(10);
  });

  test('of a body to itself', () => {
    const simulation = createSimulation([box(1, HALF, [0, 1, 0, 0, 0, 0]), WITNESS], {
      connections: [{ type: 'weld', a: { bone: 'body' }, b: { bone: 'body', position: [1, 0, 0] } }],
    });
    expectOrdinary(simulation);
  });
});

describe('what a force function may do in mid-step', () => {
  const scene = (): Simulation =>
    createSimulation(
      [box(1, HALF, [0, 1, 0, 0, 0, 0]), box(1, HALF, [3, 1, 0, 0, 0, 0]), WITNESS],
      onFloor({}, { connections: [{ type: 'point', a: { bone: 'body' }, b: { position: [0, 1, 0] } }] }),
    );

  test('actors and connections cannot be added or taken away: it throws, and the world is as before', () => {
    for (const change of [
      (s: Simulation) => (s.actors as unknown[]).push({}),
      (s: Simulation) => (s.actors as unknown[]).pop(),
      (s: Simulation) => (s.connections as unknown[]).splice(0, 1),
      (s: Simulation) => Object.assign(s, { actors: [] }),
      (s: Simulation) => Object.assign(s, { connections: [] }),
    ]) {
      const simulation = scene();
      expect(() => stepSimulation(simulation, DT, () => void change(simulation))).toThrow(
        expect.objectContaining({
          code: 'unsupported',
          path: expect.stringMatching(/^simulation\.(actors|connections)$/),
        }),
      );
      expect(simulation.actors.length).toBe(3);
      expect(simulation.connections.length).toBe(1);
      expect(stepSimulation(simulation, DT).status).toBe('done');
    }
  });

  test('a step within a step is refused', () => {
    const simulation = scene();
    expect(() => stepSimulation(simulation, DT, () => void stepSimulation(simulation, DT))).toThrow(
      /in the middle of a step/,
    );
    expect(simulation.time).toBe(0);
    expect(stepSimulation(simulation, DT).status).toBe('done');
  });

  test('impulses, connections and motors take effect in the same step', () => {
    const simulation = scene();
    stepSimulation(simulation, DT, ({ index, motor }) => {
      if (index === 0) applyImpulse(simulation, 1, 'body', [2, 0, 0]);
      attachConnection(simulation, simulation.connections[0], { actor: 0, bone: 'body' });
      motor.damping.fill(0);
    });
    expect(simulation.actors[1].velocity[0]).toBeCloseTo(2, 6);
    expectOrdinary(simulation);
  });
});
