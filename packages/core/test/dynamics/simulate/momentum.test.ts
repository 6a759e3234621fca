import { describe, expect, test } from 'vitest';
import { computeMomentum, createDynamics } from '../../../src/dynamics/index.js';
import { createSimulation, type Simulation } from '../../../src/dynamics/simulate/index.js';
import { createFigure, figureToData } from '../../../src/figure/index.js';
import { createHumanFigure } from '../../../src/humanoid/index.js';
import { createRandom, expectSameBits, within } from '../../figure/support.js';
import { alone, ball, run, vector } from './support.js';

const NO_GRAVITY = { gravity: [0, 0, 0] } as const;
const inertia = [0.02, 0.025, 0.015, 0.001, 0, 0.002] as const;

/** A free trunk with two arms of two bones each. */
const swimmer = createFigure({
  bones: [
    { name: 'trunk', joint: { type: 'free' }, mass: 3, centerOfMass: [0.05, 0, 0.02], inertia },
    ...['left', 'right'].flatMap((side, k) => [
      {
        name: `${side} upper`,
        parent: 'trunk',
        rest: { position: [0.3 * (1 - 2 * k), 0.1, 0] as const },
        joint: { type: 'ball' } as const,
        limit: { type: 'angle', max: 1 } as const,
        mass: 1,
        centerOfMass: [0.2 * (1 - 2 * k), 0, 0.01] as const,
        inertia,
      },
      {
        name: `${side} lower`,
        parent: `${side} upper`,
        rest: { position: [0.4 * (1 - 2 * k), 0, 0] as const },
        joint: { type: 'hinge', axis: [0.1, 1, 0.2] } as const,
        limit: { type: 'interval', min: -0.5, max: 0.9 } as const,
        mass: 0.7,
        centerOfMass: [0.2 * (1 - 2 * k), 0.02, 0] as const,
        inertia,
      },
    ]),
  ],
});

/** Momentum, and angular momentum about its centre of mass, of the first actor. */
function own({ actors }: Simulation): number[] {
  const { linear, angular } = computeMomentum(
    createDynamics(actors[0].figure),
    actors[0].pose,
    actors[0].velocity,
  );
  return [...linear, ...angular];
}

/** Momentum, and angular momentum about the world's origin, of all actors. */
function totals({ actors }: Simulation): number[] {
  const sum = [0, 0, 0, 0, 0, 0];
  for (const { figure, pose, velocity } of actors) {
    const { linear: p, angular, center: c } = computeMomentum(createDynamics(figure), pose, velocity);
    const orbit = [c[1] * p[2] - c[2] * p[1], c[2] * p[0] - c[0] * p[2], c[0] * p[1] - c[1] * p[0]];
    for (let k = 0; k < 3; k++) {
      sum[k] += p[k];
      sum[3 + k] += angular[k] + orbit[k];
    }
  }
  return sum;
}

function expectKept(before: number[], after: number[], tolerance: number): void {
  for (const fraction of [0, 3]) {
    const size = Math.hypot(...before.slice(fraction, fraction + 3));
    const off = Math.hypot(...[0, 1, 2].map((k) => after[fraction + k] - before[fraction + k]));
    expect(off).toBeLessThan(tolerance * Math.max(1, size));
  }
}

describe('a floating figure without gravity conserves momentum and angular momentum to rounding', () => {
  const random = createRandom(5);
  const velocity = Array.from({ length: swimmer.dof }, () => within(random, 3));

  test.each([
    ['by itself', {}],
    [
      'as joints are damped, sprung and rub',
      { damping: damped(0.3), stiffness: damped(2), friction: damped(0.2) },
    ],
    [
      'as motors pull at joints',
      { motor: { target: target(0.5), stiffness: damped(30), damping: damped(2), maxForce: 4 } },
    ],
  ])('%s, as it runs into limits', (_, options) => {
    const simulation = alone({ figure: swimmer, velocity, ...options }, NO_GRAVITY);
    const before = own(simulation);
    run(simulation, 2, 1 / 120);
    expectKept(before, own(simulation), 1e-11);
  });

  test('in contact with itself', () => {
    const shapes = ['left lower', 'right lower', 'trunk'].map(
      (bone) => ({ bone, type: 'sphere', radius: 0.35 }) as const,
    );
    const simulation = alone(
      { figure: swimmer, velocity, shapes },
      { ...NO_GRAVITY, collide: { neighbours: 0 } },
    );
    const before = own(simulation);
    let touched = 0;
    run(simulation, 2, 1 / 120, () => {
      touched += simulation.report.touching;
    });
    expect(touched).toBeGreaterThan(0);
    expectKept(before, own(simulation), 1e-10);
  });

  /** Nothing at the free root, so much at the joints. */
  function damped(size: number): Float64Array {
    return new Float64Array(swimmer.dof).fill(size, 6);
  }

  function target(size: number): Float64Array {
    return new Float64Array(swimmer.dof).fill(size, 6);
  }
});

test('fixed massless bones above and beside a free root, as files have them, change nothing', () => {
  const data = figureToData(swimmer);
  const under = createFigure({
    bones: [
      { name: 'scene' },
      { name: 'armature', parent: 'scene' },
      { name: 'camera', parent: 'scene' },
      ...data.bones.map((bone) => (bone.name === 'trunk' ? { ...bone, parent: 'armature' } : bone)),
    ],
  });
  const random = createRandom(9);
  const velocity = Array.from({ length: swimmer.dof }, () => within(random, 3));
  const [plain, hung] = [swimmer, under].map((figure) => {
    const simulation = alone({ figure, velocity });
    expect(simulation.actors[0].work.isFloating).toBe(true);
    run(simulation, 1, 1 / 120);
    return simulation.actors[0];
  });
  expectSameBits(hung.pose, plain.pose);
  expectSameBits(hung.velocity, plain.velocity);
  // A mass beside the root is not carried by the floating base.
  const heavy = createFigure({
    bones: [{ name: 'stand', mass: 1, inertia: [1, 1, 1, 0, 0, 0] }, ...data.bones],
  });
  expect(alone({ figure: heavy }).actors[0].work.isFloating).toBe(false);
});

test('a figure in free fall gains momentum m g t and no angular momentum', () => {
  const figure = createHumanFigure();
  const random = createRandom(7);
  const velocity = Array.from({ length: figure.dof }, () => within(random, 1));
  const simulation = alone({ figure, velocity });
  const before = computeMomentum(
    createDynamics(figure),
    simulation.actors[0].pose,
    simulation.actors[0].velocity,
  );
  run(simulation, 0.5, 1 / 120);
  const after = computeMomentum(
    createDynamics(figure),
    simulation.actors[0].pose,
    simulation.actors[0].velocity,
  );
  for (let k = 0; k < 3; k++) {
    const gained = k === 1 ? -9.81 * 0.5 * before.mass : 0;
    expect(Math.abs(after.linear[k] - before.linear[k] - gained)).toBeLessThan(1e-9 * before.mass);
    expect(Math.abs(after.angular[k] - before.angular[k])).toBeLessThan(1e-9 * before.mass);
  }
});

test('colliding figures conserve their total momentum', () => {
  const shapes = swimmer.bones.map(
    ({ name }) => ({ bone: name, type: 'sphere', radius: 0.15, friction: 0.5 }) as const,
  );
  const options = { damping: new Float64Array(swimmer.dof).fill(0.2, 6), figure: swimmer, shapes };
  const simulation = createSimulation(
    [
      { ...options, pose: vector(swimmer.dof, { 0: -0.9 }), velocity: vector(swimmer.dof, { 0: 2 }) },
      { ...options, pose: vector(swimmer.dof, { 0: 0.9 }), velocity: vector(swimmer.dof, { 0: -2, 5: 1 }) },
      ball(2, 0.1, [0, 0.5, 0, 0, 0, 0], { friction: 0.5, restitution: 0.5 }),
    ],
    { ...NO_GRAVITY, sleep: false },
  );
  const before = totals(simulation);
  let touched = 0;
  run(simulation, 2, 1 / 120, () => {
    touched += simulation.report.touching;
  });
  expect(touched).toBeGreaterThan(2);
  // The centres of mass move on by the step's first order.
  const after = totals(simulation);
  expectKept(before.slice(0, 3).concat(0, 0, 0), after.slice(0, 3).concat(0, 0, 0), 1e-10);
  expectKept([0, 0, 0, ...before.slice(3)], [0, 0, 0, ...after.slice(3)], 0.05);
});

test('a connection acts on both ends equally: the connected pair conserves its momentum', () => {
  for (const type of ['point', 'directions', 'weld'] as const) {
    const simulation = createSimulation(
      [
        { ...ball(2, 0.1, [0, 0, 0, 0, 0, 0]), velocity: [1, 0, 0, 0, 2, 0] },
        { ...ball(1, 0.1, [0.3, 0, 0, 0, 0, 0]), velocity: [0, 2, 0, 1, 0, 0] },
      ],
      {
        ...NO_GRAVITY,
        sleep: false,
        connections: [
          {
            type,
            a: { actor: 0, bone: 'body', position: [0.15, 0, 0] },
            b: { actor: 1, bone: 'body', position: [-0.15, 0, 0] },
          },
        ],
      },
    );
    const before = totals(simulation);
    run(simulation, 1, 1 / 240);
    const after = totals(simulation);
    expectKept(before.slice(0, 3).concat(0, 0, 0), after.slice(0, 3).concat(0, 0, 0), 1e-11);
    // Points a gap apart: their pull has a moment of it.
    expectKept(
      [0, 0, 0, ...before.slice(3)],
      [0, 0, 0, ...after.slice(3)],
      type === 'directions' ? 1e-11 : 0.01,
    );
  }
});
