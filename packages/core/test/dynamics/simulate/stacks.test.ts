/** Tall stacks that are tapped: at rest within seconds, without energy from nowhere, at every length of step. */
import { describe, expect, test } from 'vitest';
import {
  applyImpulse,
  createSimulation,
  type Simulation,
  stepSimulation,
} from '../../../src/dynamics/simulate/index.js';
import { box, onFloor } from './support.js';

const MASS = 125;
const HALF = [0.25, 0.25, 0.25] as const;

/** Cubes with a millimetre between them. */
function stack(count: number, sleep = true): Simulation {
  const cubes = Array.from({ length: count }, (_, k) => box(MASS, HALF, [0, 0.25 + 0.501 * k, 0, 0, 0, 0]));
  return createSimulation(cubes, onFloor({}, { sleep }));
}

describe('a stack of cubes, tapped at the top', () => {
  const cases = [6, 10, 20].flatMap((count) =>
    [30, 60, 240].map((rate) => [count, rate, count === 10 ? 5 : 50] as const),
  );

  test.each(cases)('%i of them at %i Hz by %i N s: asleep two seconds later', (count, rate, impulse) => {
    const simulation = stack(count);
    for (let n = 0; n < 2 * rate; n++) stepSimulation(simulation, 1 / rate);
    expect(simulation.report.asleep).toBe(count);
    applyImpulse(simulation, count - 1, 'body', [impulse, 0, 0]);
    for (let n = 0; n < 2 * rate; n++) stepSimulation(simulation, 1 / rate);
    expect(simulation.report.asleep).toBe(count);
    simulation.actors.forEach(({ pose }, k) => {
      expect(Math.hypot(pose[0], pose[1] - 0.25 - 0.5 * k, pose[2])).toBeLessThan(0.02);
    });
  });

  test('at 60 Hz without sleep: still in the end', () => {
    const simulation = stack(10, false);
    for (let n = 0; n < 600; n++) {
      if (n === 60) applyImpulse(simulation, 9, 'body', [20, 0, 0]);
      stepSimulation(simulation, 1 / 60);
    }
    for (const { velocity } of simulation.actors) expect(Math.hypot(...velocity)).toBeLessThan(0.03);
  });
});
