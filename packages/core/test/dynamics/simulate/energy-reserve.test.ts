import { describe, expect, it } from 'vitest';
import {
  type ActorOptions,
  type ConnectionOptions,
  createSimulation,
  type Simulation,
  stepSimulation,
} from '../../../src/dynamics/simulate/index.js';
import { createFigure, type Figure } from '../../../src/figure/index.js';

function body(mass: number, [x, y, z]: readonly [number, number, number]): Figure {
  const inertia = [mass * x, mass * y, mass * z, 0, 0, 0] as const;
  return createFigure({ bones: [{ name: 'body', joint: { type: 'free' }, mass, inertia }] });
}
const LINK = body(0.1, [1e-4, 1e-3, 1e-3]);

/** Four links of 0.1 kg, level, joined from the world to a weight; and others beside. */
function chain(weight: number, others: readonly ActorOptions[] = []): Simulation {
  const count = 4;
  const actors: ActorOptions[] = Array.from({ length: count }, (_, k) => ({
    figure: LINK,
    pose: [0.05 + 0.1 * k, 0, 0, 0, 0, 0],
  }));
  const end = (actor: number, x: number) => ({ actor, bone: 'body', position: [x, 0, 0] as const });
  const connections: ConnectionOptions[] = [{ type: 'point', a: end(0, -0.05), b: {} }];
  for (let k = 1; k < count; k++) connections.push({ type: 'point', a: end(k, -0.05), b: end(k - 1, 0.05) });
  connections.push({ type: 'point', a: end(count, 0), b: end(count - 1, 0.05) });
  actors.push({ figure: body(weight, [4e-3, 4e-3, 4e-3]), pose: [0.1 * count, 0, 0, 0, 0, 0] }, ...others);
  others.forEach((_, k) => {
    connections.push({ type: 'point', a: end(count + 1 + k, 0), b: { position: [100, 0, 0] } });
  });
  return createSimulation(actors, { connections, sleep: false });
}

/** Steps to where the weight is stopped, and gives the island 1 J in reserve. */
function stepToReserve(simulation: Simulation): void {
  for (let k = 0; k < 20; k++) stepSimulation(simulation, 1 / 60);
  simulation.actors[0].work.account.reserve = 1;
}

describe('the energy in reserve of what connections join', () => {
  it('is not given to the links that are left when the weight is let go', () => {
    const simulation = chain(100);
    stepToReserve(simulation);
    const links = simulation.actors.slice(0, 4);
    simulation.connections[4].enabled = false;
    const energy = (): number =>
      links.reduce((sum, { work }) => sum + work.energy.kinetic + work.energy.potential, 0);
    const before = energy();
    for (let k = 0; k < 60; k++) {
      stepSimulation(simulation, 1 / 60);
      expect(energy()).toBeLessThan(before + 1e-6);
    }
  });

  it('is kept by a step that throws', () => {
    const [one, other] = [chain(100), chain(100)];
    for (const each of [one, other]) stepToReserve(each);
    expect(() =>
      stepSimulation(one, 1 / 60, () => {
        throw new Error('mine');
      }),
    ).toThrow('mine');
    for (let k = 0; k < 60; k++) for (const each of [one, other]) stepSimulation(each, 1 / 60);
    one.actors.forEach(({ pose }, k) => {
      expect(pose).toEqual(other.actors[k].pose);
    });
  });

  it('and its path do not depend on a body that hangs a hundred metres away', () => {
    const [alone, beside] = [
      chain(10),
      chain(10, [{ figure: body(1e6, [1, 1, 1]), pose: [100, 0, 0, 0, 0, 0] }]),
    ];
    for (let k = 0; k < 60; k++) for (const each of [alone, beside]) stepSimulation(each, 1 / 60);
    alone.actors.forEach(({ pose }, k) => {
      expect(pose).toEqual(beside.actors[k].pose);
    });
  });
});
