import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ActorOptions,
  type ConnectionOptions,
  createSimulation,
  type Simulation,
  type SimulationOptions,
  stepSimulation,
} from '../../../src/dynamics/simulate/index.js';
import { createFigure, type Figure } from '../../../src/figure/index.js';
import { box, onFloor, vector } from './support.js';

const LINK = { mass: 0.1, centerOfMass: [0.05, 0, 0], inertia: [1e-5, 1e-4, 1e-4, 0, 0, 0] } as const;

/** One figure: links of 0.1 m and 0.1 kg on balls or hinges, the first at the world, and a weight at the end. */
function chain(count: number, bob: number, type: 'ball' | 'hinge' = 'ball'): Figure {
  const joint = type === 'ball' ? ({ type } as const) : ({ type, axis: [0, 0, 1] } as const);
  const rest = { position: [0.1, 0, 0] } as const;
  return createFigure({
    bones: [
      ...Array.from({ length: count }, (_, k) => ({
        name: `link${k}`,
        ...(k > 0 && { parent: `link${k - 1}`, rest }),
        joint,
        ...LINK,
      })),
      ...(bob > 0
        ? [
            {
              name: 'bob',
              parent: `link${count - 1}`,
              rest,
              joint,
              mass: bob,
              inertia: [0.004 * bob, 0.004 * bob, 0.004 * bob, 0, 0, 0] as const,
            },
          ]
        : []),
    ],
  });
}

function body(mass: number, inertia: readonly [number, number, number]): Figure {
  return createFigure({
    bones: [{ name: 'body', joint: { type: 'free' }, mass, inertia: [...inertia, 0, 0, 0] }],
  });
}

/** The same of free bodies joined by point connections; straight, at an angle to the horizontal. */
function connected(count: number, bob: number, angle = 0, isFixed = true): Simulation {
  const link = body(0.1, [1e-5, 1e-4, 1e-4]);
  const at = (x: number) => [x * Math.cos(angle), x * Math.sin(angle), 0, 0, 0, angle];
  const actors: ActorOptions[] = Array.from({ length: count }, (_, k) => ({
    figure: link,
    pose: at(0.05 + 0.1 * k),
  }));
  const connections: ConnectionOptions[] = [];
  const a = (actor: number) => ({ actor, bone: 'body', position: [-0.05, 0, 0] }) as const;
  const b = (actor: number) => ({ actor, bone: 'body', position: [0.05, 0, 0] }) as const;
  if (isFixed) connections.push({ type: 'point', a: a(0), b: {} });
  for (let k = 1; k < count; k++) connections.push({ type: 'point', a: a(k), b: b(k - 1) });
  if (bob > 0) {
    actors.push({ figure: body(bob, [0.004 * bob, 0.004 * bob, 0.004 * bob]), pose: at(0.1 * count) });
    connections.push({ type: 'point', a: { actor: count, bone: 'body' }, b: b(count - 1) });
  }
  return createSimulation(actors, { connections, sleep: false });
}

function alone(options: ActorOptions, world: SimulationOptions = {}): Simulation {
  return createSimulation([options], { sleep: false, ...world });
}

interface Extremes {
  /** Largest and smallest energy less that at the beginning, relative to the largest kinetic energy. */
  readonly up: number;
  readonly down: number;
  /** m */
  readonly gap: number;
  readonly warnings: Set<string>;
}

function extremes(simulation: Simulation, seconds: number, rate: number): Extremes {
  let start = 0;
  for (const { work } of simulation.actors) start += work.energy.kinetic + work.energy.potential;
  let [up, down, fastest, gap] = [0, 0, 0, 0];
  const warnings = new Set<string>();
  for (let k = 0; k < seconds * rate; k++) {
    const report = stepSimulation(simulation, 1 / rate);
    expect(report.status).toBe('done');
    up = Math.max(up, report.kinetic + report.potential - start);
    down = Math.max(down, start - report.kinetic - report.potential);
    fastest = Math.max(fastest, report.kinetic);
    for (const each of report.warnings) warnings.add(each);
    for (const { positionError } of simulation.connections) gap = Math.max(gap, Math.hypot(...positionError));
  }
  return { up: up / fastest, down: down / fastest, gap, warnings };
}

const ROD = createFigure({
  bones: [
    {
      name: 'rod',
      joint: { type: 'hinge', axis: [0, 0, 1] },
      mass: 1,
      centerOfMass: [0, -0.5, 0],
      inertia: [1 / 12, 1e-4, 1 / 12, 0, 0, 0],
    },
  ],
});
const TOP = createFigure({
  bones: [
    {
      name: 'top',
      joint: { type: 'ball' },
      mass: 1,
      centerOfMass: [0, 0.1, 0],
      inertia: [1e-3, 2e-3, 1e-3, 0, 0, 0],
    },
  ],
});
const DEGREE = Math.PI / 180;

describe('energy without friction', () => {
  const gravity = [0, 0, 0] as const;
  const floating = createFigure({
    bones: Array.from({ length: 4 }, (_, k) => ({
      name: `link${k}`,
      ...(k > 0 && { parent: `link${k - 1}`, rest: { position: [0.1, 0, 0] as const } }),
      joint: { type: k === 0 ? ('free' as const) : ('ball' as const) },
      ...LINK,
    })),
  });
  it.each([
    ['a pendulum', () => alone({ figure: ROD, pose: [86 * DEGREE] })],
    ['a double pendulum', () => alone({ figure: chain(2, 0, 'hinge') })],
    ['a chain of balls', () => alone({ figure: chain(10, 0) })],
    ['a chain of balls with a weight', () => alone({ figure: chain(3, 10) })],
    ['a spinning top', () => alone({ figure: TOP, pose: [0.4, 0, 0], velocity: [0, 60, 0] })],
    [
      'a body that tumbles',
      () => alone({ figure: body(1, [0.1, 0.2, 0.3]), velocity: [0, 0, 0, 0.01, 8, 0.02] }, { gravity }),
    ],
    [
      'a figure with a floating base',
      () =>
        alone({ figure: floating, velocity: [0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -6, 2, 0, 0] }, { gravity }),
    ],
    ['a chain of connections', () => connected(4, 0)],
  ] as const)('of %s stays within 1 %% over 30 s, and never rises', (_, make) => {
    const { up, down } = extremes(make(), 30, 120);
    expect(up).toBeLessThan(1e-9);
    expect(down).toBeLessThan(0.01);
  });

  it('never rises in chains of light links under heavy weights, in one figure', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 }),
        fc.double({ min: 0.1, max: 10, noNaN: true }),
        fc.integer({ min: 60, max: 240 }),
        (count, bob, rate) => {
          expect(extremes(alone({ figure: chain(count, bob) }), 2, rate).up).toBeLessThan(1e-6);
        },
      ),
      { numRuns: 12 },
    );
  });

  it('never rises in chains that start nearly hanging, and these swing', () => {
    for (const [count, bob, degrees] of [
      [4, 50, 20],
      [6, 50, 20],
      [10, 5, 8],
      [10, 50, 3],
    ]) {
      for (const rate of [30, 60, 120]) {
        const figure = chain(count, bob);
        const hang = (angle: number) => alone({ figure, pose: vector(figure.dof, { 2: angle * DEGREE }) });
        const height = ({ actors: [{ work }] }: Simulation) => work.energy.potential;
        const simulation = hang(degrees - 90);
        const [start, lowest] = [height(simulation), height(hang(-90))];
        let least = start;
        for (let k = 0; k < 3 * rate; k++) {
          const { kinetic, potential } = stepSimulation(simulation, 1 / rate);
          expect(kinetic + potential).toBeLessThan(start + 1e-6 * (start - lowest));
          least = Math.min(least, potential);
        }
        expect(least - lowest).toBeLessThan(0.2 * (start - lowest));
      }
    }
  });

  it('gives a pendulum its period', () => {
    // 4 K(sin(43 degrees)) / w by the arithmetic-geometric mean
    let [a, b] = [1, Math.cos(43 * DEGREE)];
    for (let k = 0; k < 8; k++) [a, b] = [(a + b) / 2, Math.sqrt(a * b)];
    const exact = (2 * Math.PI) / (a * Math.sqrt((9.81 * 0.5) / (1 / 3)));
    const simulation = alone({ figure: ROD, pose: [86 * DEGREE] });
    const crossings: number[] = [];
    let before = 1;
    for (let k = 0; k < 3600; k++) {
      stepSimulation(simulation, 1 / 120);
      const [angle] = simulation.actors[0].pose;
      if (before > 0 && angle <= 0) crossings.push((k + before / (before - angle)) / 120);
      before = angle;
    }
    const period = (crossings[crossings.length - 1] - crossings[0]) / (crossings.length - 1);
    expect(Math.abs(period / exact - 1)).toBeLessThan(1e-3);
  });

  it('is dissipated by damping as by the exact solution', () => {
    // Small angles: the amplitude falls by exp(-d t / 2 I).
    const simulation = alone({ figure: ROD, pose: [0.1], damping: 0.1 });
    const { energy } = simulation.actors[0].work;
    const start = energy.potential + 0.5 * 9.81;
    for (let k = 0; k < 1200; k++) stepSimulation(simulation, 1 / 120);
    const left = energy.kinetic + energy.potential + 0.5 * 9.81;
    expect(left / start).toBeGreaterThan(0.9 * Math.exp(-0.3 * 10));
    expect(left / start).toBeLessThan(1.1 * Math.exp(-0.3 * 10));
  });

  it('that was in reserve is dropped by a contact and by what the caller writes', () => {
    const simulation = createSimulation(
      [box(1, [0.1, 0.1, 0.1], [0, 0.1, 0, 0, 0, 0])],
      onFloor({}, { sleep: false }),
    );
    const { account } = simulation.actors[0].work;
    account.reserve = 100;
    stepSimulation(simulation, 1 / 120);
    expect(account.reserve).toBe(0);
    expect(simulation.report.kinetic).toBeLessThan(0.01);
    const rod = alone({ figure: ROD, pose: [86 * DEGREE] });
    rod.actors[0].work.account.reserve = 100;
    rod.actors[0].pose[0] = 0.1;
    expect(stepSimulation(rod, 1 / 120).kinetic).toBeLessThan(0.01);
  });
});

describe('light links under heavy weights, joined by connections', () => {
  it.each([0, -90])('stay joined to 5 mm and gain no energy, at %s degrees', (degrees) => {
    for (const [count, bob] of [
      [2, 10],
      [3, 10],
      [10, 1],
      [10, 10],
      [2, 100],
    ]) {
      for (const rate of [60, 120]) {
        const { up, gap, warnings } = extremes(connected(count, bob, degrees * DEGREE), 4, rate);
        expect(gap).toBeLessThan(5e-3);
        expect([...warnings]).toEqual([]);
        // A chain that hangs still has no energy to give for the gaps that are closed.
        if (degrees === 0) expect(up).toBeLessThan(1e-6);
      }
    }
  });

  it.each([
    [8, -80, 60],
    [8, -80, 67],
    [8, -80, 120],
    [8, -85, 60],
    [8, -85, 67],
    [8, -85, 120],
    [20, -80, 60],
    [20, -80, 67],
    [20, -80, 120],
  ])(
    'of equal mass, %s nearly hanging at %s degrees and %s Hz, neither gain energy nor halt',
    (count, degrees, rate) => {
      const potential = ({ actors }: Simulation): number =>
        actors.reduce((sum, { work }) => sum + work.energy.potential, 0);
      const simulation = connected(count, 0, degrees * DEGREE);
      const start = potential(simulation);
      const span = start - potential(connected(count, 0, -90 * DEGREE));
      let [least, left, right, up, down, gap] = [start, 0, 0, 0, 0, 0];
      for (let k = 0; k < (rate === 120 && count === 8 ? 30 : 10) * rate; k++) {
        const report = stepSimulation(simulation, 1 / rate);
        const gain = report.kinetic + report.potential - start;
        [up, down, least] = [Math.max(up, gain), Math.max(down, -gain), Math.min(least, report.potential)];
        for (const { positionError } of simulation.connections)
          gap = Math.max(gap, Math.hypot(...positionError));
        const [x] = simulation.actors[count - 1].pose;
        [left, right] = [Math.min(left, x), Math.max(right, x)];
      }
      expect(up).toBeLessThan(1e-6 * span);
      if (rate === 120) expect(down).toBeLessThan(0.01 * span);
      expect(gap).toBeLessThan(5e-4);
      expect(least - start).toBeLessThan(-0.8 * span);
      // From side to side, about as far as it started.
      expect(Math.min(-left, right)).toBeGreaterThan(0.08 * count * Math.cos(degrees * DEGREE));
    },
  );

  it.each([
    [8, 240],
    [12, 60],
    [20, 240],
    [30, 60],
    [30, 240],
  ])('of equal mass, %s that hang straight down at %s Hz, stay where they are', (count, rate) => {
    const simulation = connected(count, 0, -90 * DEGREE);
    const starts = simulation.actors.map(({ pose }) => Float64Array.from(pose));
    for (let k = 0; k < 4 * rate; k++) {
      const { substeps, kinetic } = stepSimulation(simulation, 1 / rate);
      expect([substeps, kinetic < 1e-6]).toEqual([1, true]);
    }
    simulation.actors.forEach(({ pose }, k) => {
      pose.forEach((x, i) => {
        expect(Math.abs(x - starts[k][i])).toBeLessThan(1e-5);
      });
    });
  });

  it.each([0.4, 0.1, 0.02])('of %s kg, close gaps to 50 kg that they hold from then on', (linkMass) => {
    for (const gap of [0.005, 0.012, 0.05, 0.3]) {
      for (const isMoved of [false, true]) {
        const [link, weight] = [linkMass, 50].map((mass) =>
          body(mass, [0.01 * mass, 0.01 * mass, 0.01 * mass]),
        );
        const simulation = createSimulation(
          [
            { figure: link, pose: [0, -0.1, 0, 0, 0, 0] },
            { figure: weight, pose: [0, -0.35 - (isMoved ? 0 : gap), 0, 0, 0, 0] },
          ],
          {
            connections: [
              { type: 'point', a: { bone: 'body', position: [0, 0.1, 0] }, b: {} },
              {
                type: 'point',
                a: { actor: 1, bone: 'body', position: [0, 0.15, 0] },
                b: { bone: 'body', position: [0, -0.1, 0] },
              },
            ],
            sleep: false,
          },
        );
        for (let k = 0; k < 150; k++) {
          if (isMoved && k === 10) simulation.actors[1].pose[1] -= gap;
          stepSimulation(simulation, 1 / 60);
        }
        for (const { positionError } of simulation.connections)
          expect(Math.hypot(...positionError)).toBeLessThan(1e-4);
      }
    }
  });

  it.each([1e-12, 1e-4, 9e-4])('close gaps of %s m without gravity, in few substeps', (gap) => {
    const figures = [0.1, 0.2, 0.5].map((mass) => body(mass, [1e-4 * mass, 1e-3 * mass, 1e-3 * mass]));
    const simulation = createSimulation(
      figures.map((figure, k) => ({ figure, pose: [(0.1 + gap) * k, 0, 0, 0, 0, 0] })),
      {
        gravity: [0, 0, 0],
        connections: [1, 2].map((actor) => ({
          type: 'point',
          a: { actor, bone: 'body', position: [-0.05, 0, 0] },
          b: { actor: actor - 1, bone: 'body', position: [0.05, 0, 0] },
        })),
      },
    );
    for (let k = 0; k < 60; k++) expect(stepSimulation(simulation, 1 / 60).substeps).toBeLessThan(3);
    for (const { positionError } of simulation.connections)
      expect(Math.hypot(...positionError)).toBeLessThan(1e-9 + 1e-3 * gap);
  });

  it.each([
    [-90, 0],
    [-85, 9e-4],
    [-60, 9e-4],
  ])('hang and swing at %s degrees where the caller leaves gaps of %s m: these close', (degrees, gap) => {
    for (const rate of [60, 120]) {
      const simulation = connected(6, 0, degrees * DEGREE);
      simulation.actors.forEach(({ pose }, k) => {
        pose[0] += (k + 1) * gap * Math.cos(degrees * DEGREE);
        pose[1] += (k + 1) * gap * Math.sin(degrees * DEGREE);
      });
      let least = 1;
      for (let k = 0; k < 4 * rate; k++) {
        stepSimulation(simulation, 1 / rate);
        least = Math.min(least, simulation.actors[5].pose[0]);
      }
      for (const { positionError } of simulation.connections)
        expect(Math.hypot(...positionError)).toBeLessThan(2e-4);
      if (degrees === -90) expect(simulation.report.kinetic).toBeLessThan(1e-9);
      else expect(least).toBeLessThan(-0.4 * Math.cos(degrees * DEGREE));
    }
  });

  it.each([
    [2, 25.971249204253397, 49.14435479324311, 60, 2],
    [2, 1.4253389131463332, 46.68474856764078, 120, 3],
    [6, 78.07002550731883, 68.42448799172416, 60, 4.5],
    [2, 100, 45, 60, 1.5],
    [3, 74.51, 59, 60, 1.5],
    [10, 100, 45, 60, 2.1],
    [2, 11.89, 59, 78, 5.2],
  ])(
    'whip where %s of them stop %s kg thrown from %s degrees at %s Hz, and these do not halt',
    (count, bob, degrees, rate, seconds) => {
      const simulation = connected(count, bob, degrees * DEGREE);
      let start = 0;
      for (const { work } of simulation.actors) start += work.energy.potential;
      for (let k = 0; k < seconds * rate; k++) {
        const { kinetic, potential, warnings } = stepSimulation(simulation, 1 / rate);
        expect(Math.abs(kinetic + potential - start)).toBeLessThan(0.01 * kinetic + 1e-6 * bob);
        for (const { positionError } of simulation.connections)
          expect(Math.hypot(...positionError)).toBeLessThan(2e-3);
        expect([...warnings]).toEqual([]);
      }
    },
  );

  it('stay joined to 5 mm and gain no energy at random lengths, masses, angles and steps', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.double({ min: 0.1, max: 100, noNaN: true }),
        fc.integer({ min: -80, max: 60 }),
        fc.integer({ min: 60, max: 240 }),
        (count, bob, degrees, rate) => {
          const { up, gap } = extremes(connected(count, bob, degrees * DEGREE), 1, rate);
          expect(gap).toBeLessThan(5e-3);
          expect(up).toBeLessThan(1e-6);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('give the same twice', () => {
    const [a, b] = [connected(5, 10), connected(5, 10)];
    for (let k = 0; k < 120; k++) for (const each of [a, b]) stepSimulation(each, 1 / 60);
    for (let k = 0; k < a.actors.length; k++) {
      expect(a.actors[k].pose).toEqual(b.actors[k].pose);
      expect(a.actors[k].velocity).toEqual(b.actors[k].velocity);
    }
  });
});
