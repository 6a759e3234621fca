/** Islands of more figures than are solved as a whole. */
import { expect, test } from 'vitest';
import { contactImpulse, createSimulation, type Simulation } from '../../../src/dynamics/simulate/index.js';
import { box, run } from './support.js';

const COUNT = 32;
const SIZE = 0.2;
/** Of each cube in the next and in the walls, m. */
const DEPTH = 4e-3;
const PITCH = SIZE - DEPTH;

/** A row of cubes between two walls that leave it too little room: no contact of the row can separate. */
function jammedRow(): Simulation {
  const half = [SIZE / 2, SIZE / 2, SIZE / 2] as const;
  const cubes = Array.from({ length: COUNT }, (_, k) => box(10, half, [PITCH * k, SIZE / 2, 0, 0, 0, 0]));
  const wall = (x: number) =>
    ({
      type: 'box',
      halfSizes: [0.5, 0.5, 0.5],
      placement: { position: [x, 0.5, 0], rotation: [0, 0, 0, 1] },
    }) as const;
  const walls = [wall(-PITCH + SIZE / 2 - 0.5), wall(PITCH * COUNT - SIZE / 2 + 0.5)];
  return createSimulation(cubes, { world: [{ type: 'plane' }, ...walls], sleep: false });
}

function largestImpulse(simulation: Simulation): number {
  let max = 0;
  for (let c = 0; c < simulation.contacts.count; c++) max = Math.max(max, contactImpulse(simulation, c));
  return max;
}

test('shapes pressed into each other from two sides stay where they are, under impulses that do not grow', () => {
  const simulation = jammedRow();
  run(simulation, 0.5, 1 / 60);
  const impulse = largestImpulse(simulation);
  expect(impulse).toBeGreaterThan(0);
  run(simulation, 0.5, 1 / 60);
  expect(simulation.report.kinetic).toBeLessThan(1e-3);
  expect(simulation.report.depth).toBeLessThan(1.5 * DEPTH);
  expect(largestImpulse(simulation)).toBeLessThan(1.05 * impulse);
});
