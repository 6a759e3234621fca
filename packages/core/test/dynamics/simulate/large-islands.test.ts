/** Islands of more figures than are solved as a whole. */
import { expect, test } from 'vitest';
import { contactImpulse, createSimulation, type Simulation } from '../../../src/dynamics/simulate/index.js';
import { createFigure } from '../../../src/figure/index.js';
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

/** Depth at which the hand starts in the floor, and its radius, m; half sizes. */
const START = 0.02;
const HAND = 0.04;
const TRUNK = [0.2, 0.1, 0.15] as const;
const PLATE = [0.5, 0.03, 0.3] as const;
const CUBE = [0.04, 0.04, 0.04] as const;

/** A body of 60 kg whose hand of 0.8 kg lies in the floor, under a plate of 100 kg with thirty cubes of 4 kg; the plate's other end lies on a block. */
function loadedHand(): Simulation {
  const figure = createFigure({
    bones: [
      { name: 'trunk', joint: { type: 'free' }, mass: 60, inertia: [0.6, 1.2, 1, 0, 0, 0] },
      {
        name: 'upperArm',
        parent: 'trunk',
        rest: { position: [0.2, HAND - START - TRUNK[1], -0.3] },
        joint: { type: 'ball' },
        mass: 1,
        centerOfMass: [0, 0, 0.15],
        inertia: [8e-3, 8e-3, 1e-3, 0, 0, 0],
      },
      {
        name: 'hand',
        parent: 'upperArm',
        rest: { position: [0, 0, 0.3] },
        joint: { type: 'ball' },
        mass: 0.8,
        centerOfMass: [0.3, 0, 0],
        inertia: [1e-3, 2e-3, 2e-3, 0, 0, 0],
      },
    ],
  });
  const body = {
    figure,
    pose: [-0.5, TRUNK[1], 0, ...new Array<number>(9).fill(0)],
    shapes: [
      { type: 'box', bone: 'trunk', halfSizes: TRUNK },
      { type: 'sphere', bone: 'hand', center: [0.3, 0, 0], radius: HAND },
    ],
  } as const;
  const top = 2 * HAND - START;
  const plate = box(100, PLATE, [0.4, top + PLATE[1], 0, 0, 0, 0]);
  const cubes = Array.from({ length: 30 }, (_, k) =>
    box(4, CUBE, [
      0.4 + 0.1 * ((k % 6) - 2.5),
      top + 2 * PLATE[1] + CUBE[1],
      0.1 * (Math.floor(k / 6) - 2),
      0,
      0,
      0,
    ]),
  );
  const block = {
    type: 'box',
    halfSizes: [0.1, top / 2, 0.3],
    placement: { position: [0.8, top / 2, 0], rotation: [0, 0, 0, 1] },
  } as const;
  return createSimulation([body, plate, ...cubes], { world: [{ type: 'plane' }, block] });
}

test('a light hand that starts in the floor under a load comes out', () => {
  const simulation = loadedHand();
  run(simulation, 3, 1 / 60);
  expect(simulation.report.depth).toBeLessThan(3e-3);
  expect(simulation.report.asleep).toBe(32);
});
