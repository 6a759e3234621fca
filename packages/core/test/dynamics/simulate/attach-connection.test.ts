import { describe, expect, it } from 'vitest';
import {
  attachConnection,
  contactImpulse,
  createSimulation,
  type Simulation,
  stepSimulation,
} from '../../../src/dynamics/simulate/index.js';
import { createFigure, type Figure } from '../../../src/figure/model/figure.js';

const G = 9.81;
const DT = 1 / 240;

/** Two free balls in contact, by name. */
function pair(a: string, b: string): Figure {
  const free = { joint: { type: 'free' }, mass: 2, inertia: [0.008, 0.008, 0.008, 0, 0, 0] } as const;
  return createFigure({
    bones: [
      { name: a, ...free },
      { name: b, parent: a, ...free },
    ],
  });
}

const shapes = (...names: string[]) => names.map((bone) => ({ bone, type: 'sphere', radius: 0.1 }) as const);

describe('excluded pairs', () => {
  it('are per figure, whatever the bone names of the others', () => {
    const apart = [0, 1, 0, 0, 0, 0, 0.15, 0, 0, 0, 0, 0];
    const simulation = createSimulation(
      [
        { figure: pair('a', 'b'), shapes: shapes('a', 'b'), exclude: [['a', 'b']], pose: apart },
        { figure: pair('c', 'd'), shapes: shapes('c', 'd'), pose: apart.map((x, i) => (i === 2 ? 5 : x)) },
      ],
      { gravity: [0, 0, 0], collide: { neighbours: 0 } },
    );
    stepSimulation(simulation, DT);
    const { contacts, figureOfBody } = simulation;
    expect(contacts.count).toBe(1);
    expect(figureOfBody[contacts.bodyA[0]]).toBe(1);
  });

  it('name the path of an unknown bone', () => {
    expect(() =>
      createSimulation([{ figure: pair('a', 'b'), shapes: shapes('a'), exclude: [['a', 'bb']] }]),
    ).toThrow(expect.objectContaining({ code: 'unknown-name', path: 'actors[0].exclude[0][1]' }));
  });
});

describe('attachConnection', () => {
  const hung = (): Simulation => {
    const figure = createFigure({
      bones: [{ name: 'ball', joint: { type: 'free' }, mass: 2, inertia: [0.008, 0.008, 0.008, 0, 0, 0] }],
    });
    return createSimulation(
      [
        { figure, pose: [0, 1, 0, 0, 0, 0] },
        { figure, pose: [1, 1, 0, 0, 0, 0] },
      ],
      { connections: [{ type: 'point', a: { bone: 'ball' }, b: { position: [0, 1, 0] } }] },
    );
  };

  it('attaches the new bone and releases the old one', () => {
    const simulation = hung();
    const [connection] = simulation.connections;
    for (let n = 0; n < 120; n++) stepSimulation(simulation, DT);
    const [first, second] = simulation.actors.map(({ pose }) => pose);
    expect(first[1]).toBeCloseTo(1, 6);
    const [low, lowest] = [first[1], second[1]];
    const left = simulation.actors[0].velocity[1];
    connection.positionB.set([1, lowest, 0]);
    attachConnection(simulation, connection, { actor: 1, bone: 'ball' });
    const speed = simulation.actors[1].velocity[1];
    expect(speed).toBeLessThan(-4);
    for (let n = 0; n < 120; n++) stepSimulation(simulation, DT);
    // Semi-implicit Euler.
    expect(first[1]).toBeCloseTo(low + left * 120 * DT - 0.5 * G * DT * DT * 120 * 121, 9);
    expect(Math.hypot(second[0] - 1, second[1] - lowest, second[2])).toBeLessThan(1e-3);
  });

  it('changes nothing for an unknown bone', () => {
    const simulation = hung();
    const [connection] = simulation.connections;
    const { bodyA } = connection;
    expect(() => attachConnection(simulation, connection, { actor: 2, bone: 'ball' })).toThrow(/actor/);
    expect(() => attachConnection(simulation, connection, { actor: 1, bone: 'bal' })).toThrow(/ball/);
    expect(() =>
      attachConnection(simulation, connection, { actor: 1, bone: 'ball', position: [0, Number.NaN, 0] }),
    ).toThrow(expect.objectContaining({ code: 'not-finite' }));
    expect(connection.bodyA).toBe(bodyA);
  });
});

describe('contactImpulse', () => {
  it('supports the weight of a resting body', () => {
    const figure = createFigure({
      bones: [{ name: 'ball', joint: { type: 'free' }, mass: 2, inertia: [0.008, 0.008, 0.008, 0, 0, 0] }],
    });
    const simulation = createSimulation([{ figure, shapes: shapes('ball'), pose: [0, 0.1, 0, 0, 0, 0] }], {
      world: [{ type: 'plane' }],
      sleep: false,
    });
    for (let n = 0; n < 60; n++) stepSimulation(simulation, DT);
    expect(simulation.contacts.count).toBe(1);
    // The solver stops at velocities that a thousandth of gravity makes within a step.
    expect(contactImpulse(simulation, 0) / (2 * G * DT)).toBeCloseTo(1, 3);
  });
});
