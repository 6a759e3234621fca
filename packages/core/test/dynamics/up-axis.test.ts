/** Gravity, grounds and ragdolls take up from the figure: nothing changes when the whole world is rotated. */
import { describe, expect, test } from 'vitest';
import {
  biasForces,
  createDynamics,
  createRagdoll,
  createSimulation,
  findFootPoints,
  type Simulation,
  standardGravity,
  stepSimulation,
  type WorldShape,
} from '../../src/dynamics/index.js';
import { createFigure, type Figure, type Quadruple } from '../../src/figure/index.js';
import { createHumanFigure, findHumanoid } from '../../src/humanoid/index.js';
import { createRandom, expectClose } from '../figure/support.js';
import { randomQuat } from '../support/random-figure.js';
import { inRotatedWorld, rotated, Z_UP_FROM_Y_UP } from '../support/rotated-world.js';
import { randomTrial } from './support.js';

/** From +Y to +Z, -Y, -X. */
const LEAST_TURNS: readonly Quadruple[] = [Z_UP_FROM_Y_UP, [1, 0, 0, 0], [0, 0, Math.SQRT1_2, Math.SQRT1_2]];
const TURNS: readonly Quadruple[] = [...LEAST_TURNS, randomQuat(createRandom(3))];

test('gravity is 9.81 against up, without a negative zero', () => {
  expect(standardGravity([0, 1, 0])).toEqual([0, -9.81, 0]);
  expect(standardGravity([0, 0, 1])).toEqual([0, 0, -9.81]);
  expect(standardGravity([0, 1, 0]).some((x) => Object.is(x, -0))).toBe(false);
});

test('of random figures the bias forces are the same in every rotated world', () => {
  for (let salt = 0; salt < 40; salt++) {
    const { figure, pose, velocity, random } = randomTrial(salt);
    const expected = biasForces(createDynamics(figure), pose, velocity);
    const inOther = inRotatedWorld(figure, randomQuat(random));
    const scale = Math.max(1, ...expected.map(Math.abs));
    expectClose(biasForces(createDynamics(inOther), pose, velocity), expected, 1e-12 * scale);
  }
});

test('an explicit gravity wins', () => {
  const figure = inRotatedWorld(createHumanFigure(), Z_UP_FROM_Y_UP);
  expect(Array.from(createDynamics(figure, { gravity: [1, 2, 3] }).gravity)).toEqual([1, 2, 3]);
  expect(Array.from(createSimulation([{ figure }], { gravity: [1, 2, 3] }).gravity)).toEqual([1, 2, 3]);
});

/** A drop of a third of a second onto the ground. */
function drop(figure: Figure, world: readonly WorldShape[]): Simulation {
  const { figure: ragdoll, shapes, exclude, damping } = createRagdoll(figure);
  const pose = new Float64Array(ragdoll.dof);
  pose.set([0.1, 0.15, 0], 0);
  const simulation = createSimulation([{ figure: ragdoll, shapes, exclude, damping, pose }], { world });
  for (let k = 0; k < 40; k++) stepSimulation(simulation, 1 / 120);
  return simulation;
}

const HILLS: WorldShape = {
  type: 'heightfield',
  columns: 8,
  rows: 8,
  spacing: [0.4, 0.4],
  heights: Array.from({ length: 64 }, (_, k) => 0.02 * Math.sin(k)),
};

describe.each(TURNS)('in a world rotated by %f %f %f %f', (...turn) => {
  const human = createHumanFigure();
  const rotatedHuman = inRotatedWorld(human, turn);

  test('a human is recognised, and faces as the world is rotated', () => {
    const [a, b] = [findHumanoid(human), findHumanoid(rotatedHuman)];
    expect(b?.bones).toEqual(a?.bones);
    for (const key of ['left', 'up', 'forward'] as const) {
      expectClose(b?.[key] ?? [], rotated(a?.[key] ?? [], turn), 1e-12, key);
    }
    const [ours, theirs] = [human, rotatedHuman].map((figure) => findFootPoints(figure, 'leftFoot').flat());
    expectClose(theirs, ours, 1e-12);
  });

  test('a ragdoll falls onto a plane without a normal as in the other', () => {
    const [ours, theirs] = [drop(human, [{ type: 'plane' }]), drop(rotatedHuman, [{ type: 'plane' }])];
    expect(ours.contacts.count).toBeGreaterThan(0);
    expectClose(theirs.actors[0].pose, ours.actors[0].pose, 1e-6);
  });
});

test.each(LEAST_TURNS)('hills are rotated by the least rotation: %f %f %f %f', (...turn) => {
  const human = createHumanFigure();
  const [ours, theirs] = [drop(human, [HILLS]), drop(inRotatedWorld(human, turn), [HILLS])];
  expect(ours.contacts.count).toBeGreaterThan(0);
  expectClose(theirs.actors[0].pose, ours.actors[0].pose, 1e-6);
});

describe('figures of different up', () => {
  const human = createHumanFigure();
  const robot = createFigure({
    name: 'arm',
    up: [0, 0, 1],
    bones: [{ name: 'base', joint: { type: 'free' }, mass: 1, inertia: [1, 1, 1, 0, 0, 0] }],
  });

  test('share no world, unless its up is given', () => {
    expect(() => createSimulation([{ figure: human }, { figure: robot }])).toThrow(
      expect.objectContaining({ code: 'unsupported', path: 'actors[1].figure.up' }),
    );
    const given = createSimulation([{ figure: human }, { figure: robot }], {
      up: [0, 0, 2],
      world: [{ type: 'plane' }],
    });
    expect(Array.from(given.gravity)).toEqual([0, 0, -9.81]);
  });

  test('with gravity but planes without a normal are refused too', () => {
    const actors = [{ figure: human }, { figure: robot }];
    expect(createSimulation(actors, { gravity: [0, 0, 0] }).actors).toHaveLength(2);
    expect(() => createSimulation(actors, { gravity: [0, 0, 0], world: [{ type: 'plane' }] })).toThrow(
      /up along/,
    );
    expect(() => createSimulation([{ figure: human }], { up: [0, 0, 0] })).toThrow(
      expect.objectContaining({ code: 'not-unit', path: 'options.up' }),
    );
  });
});
