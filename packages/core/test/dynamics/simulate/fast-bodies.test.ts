import { expect, test } from 'vitest';
import { createSimulation, stepSimulation } from '../../../src/dynamics/simulate/index.js';
import type { Triple } from '../../../src/figure/data/types.js';
import { box } from './support.js';

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
