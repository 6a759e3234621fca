import { expect, test } from 'vitest';
import { createSimulation, stepSimulation } from '../../../src/dynamics/simulate/index.js';
import type { Triple } from '../../../src/figure/data/types.js';
import { box, freeBody } from './support.js';

const BRICK: Triple = [0.1, 0.2, 0.2];
const CUBE: Triple = [0.12, 0.12, 0.12];
/** Behind the bricks, 7.7 cm thick. */
const WALL = {
  type: 'box',
  halfSizes: [0.0386, 100, 100],
  placement: { position: [1.0386, 100, 0] },
} as const;

test('bricks that a missile of 243 m/s drives against a wall stay before it', () => {
  for (const turn of [0, 0.6]) {
    const bricks = [3.5, 1.1, 30, 39, 5.1, 1.1, 25, 7.4, 26].map((mass, k) => {
      const at = [0, 0.2 + 0.402 * Math.floor(k / 3), 0.42 * ((k % 3) - 1)];
      return box(mass, BRICK, [...at, 0, 0, 0]);
    });
    const missile = box(37.7, CUBE, [-2, 1.037, -0.1, turn, 0.2, 0.1]);
    const velocity = [243, -3.6, 0, 5, 10, -5];
    const simulation = createSimulation([{ ...missile, velocity }, ...bricks], {
      world: [{ type: 'plane' }, WALL],
    });
    for (let k = 0; k < 4; k++) stepSimulation(simulation, 1 / 60);
    expect(Math.max(...simulation.actors.map(({ pose }) => pose[0]))).toBeLessThan(1);
  }
});

test('a capsule that spins by turns in a step, among bodies that take few substeps, stays before a wall', () => {
  const figure = freeBody(1, [0.05, 0.13, 0.05]);
  const [from, to]: Triple[] = [
    [0, -0.08, 0],
    [0, 0.08, 0],
  ];
  const shapes = [{ bone: 'body', type: 'capsule', from, to, radius: 0.05 }] as const;
  const cubes = [-0.6, 0.6, 1.2].map((z) => box(1, CUBE, [0.5, 1, z, 0, 0, 0]));
  const passed: string[] = [];
  for (const speed of [60, 100, 200, 400]) {
    for (const spin of [300, 1000, 3000]) {
      for (const [x, y, z] of [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
        [0.6, 0, 0.8],
        [0, -0.6, 0.8],
      ]) {
        const velocity = [speed, 0, 0, spin * x, spin * y, spin * z];
        const capsule = { figure, shapes, pose: [0.2, 1, 0, 0.3, 0.2, 0.1], velocity };
        const simulation = createSimulation([capsule, ...cubes], { world: [WALL] });
        for (let k = 0; k < 6; k++) stepSimulation(simulation, 1 / 60);
        const [end] = simulation.actors[0].pose;
        if (!(end < 1)) passed.push(`${speed} m/s, ${spin} rad/s about ${[x, y, z]}: ${end.toFixed(2)} m`);
      }
    }
  }
  expect(passed).toEqual([]);
});
