import { describe, expect, test } from 'vitest';
import { createSimulation, type Simulation, stepSimulation } from '../../../src/dynamics/index.js';
import { createFigure } from '../../../src/figure/index.js';

/** A link along x with the inertia of a rod, or a bob. */
function link(mass: number, inertia: readonly [number, number, number]) {
  return createFigure({
    bones: [{ name: 'link', joint: { type: 'free' }, mass, inertia: [...inertia, 0, 0, 0] }],
  });
}

/** Three light links that begin along a direction, with a heavy bob at their end, held at the other; gravity is perpendicular to it. */
function chain(angle: number): Simulation {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const pose = (x: number): number[] => [x * c, x * s, 0, 0, 0, angle];
  const rod = [2e-5, 1e-4, 1e-4] as const;
  const actors = [0, 1, 2].map((k) => ({ figure: link(0.1, rod), pose: pose(0.05 + 0.1 * k) }));
  actors.push({ figure: link(10, [0.04, 0.04, 0.04]), pose: pose(0.3) });
  const at = (actor: number, x: number) => ({ actor, bone: 'link', position: [x, 0, 0] as const });
  return createSimulation(actors, {
    connections: [
      { type: 'point', a: at(0, -0.05), b: { position: [0, 0, 0] } },
      { type: 'point', a: at(1, -0.05), b: at(0, 0.05) },
      { type: 'point', a: at(2, -0.05), b: at(1, 0.05) },
      { type: 'point', a: at(3, 0), b: at(2, 0.05) },
    ],
    sleep: false,
    gravity: [9.81 * s, -9.81 * c, 0],
  });
}

describe('a scene rotated with its gravity', () => {
  test.each([0.3, Math.PI / 4, 1.2, Math.PI / 2])('by %d rad moves as it did, rotated', (angle) => {
    const [upright, rotated] = [chain(0), chain(angle)];
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    for (let step = 0; step < 40; step++) {
      stepSimulation(upright, 1 / 60);
      stepSimulation(rotated, 1 / 60);
    }
    upright.actors.forEach(({ pose: [x, y] }, k) => {
      const [u, v] = rotated.actors[k].pose;
      expect(Math.hypot(c * x - s * y - u, s * x + c * y - v), `body ${k}`).toBeLessThan(1e-9);
    });
  });
});
