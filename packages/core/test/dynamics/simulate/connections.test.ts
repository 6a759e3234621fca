import { describe, expect, test } from 'vitest';
import {
  type ActorForces,
  createSimulation,
  type Simulation,
  stepSimulation,
} from '../../../src/dynamics/simulate/index.js';
import { createFigure, createState, type Figure, forwardKinematics } from '../../../src/figure/index.js';
import { alone, ball, freeBody, G, run } from './support.js';

/** A chain of hinged bars of 1 m along x, each with a mass of 1 kg. */
function chain(count: number): Figure {
  const bones = Array.from({ length: count }, (_, k) => ({
    name: `bar${k}`,
    parent: k === 0 ? null : `bar${k - 1}`,
    rest: { position: [k === 0 ? 0 : 1, 0, 0] as const },
    joint: { type: 'hinge', axis: [0, 0, 1] } as const,
    mass: 1,
    centerOfMass: [0.5, 0, 0] as const,
    inertia: [0.01, 0.09, 0.09, 0, 0, 0] as const,
  }));
  return createFigure({ bones });
}

/** Position error of a connection, m. */
function apart({ actors, connections }: Simulation, k = 0): number {
  const { figure, pose } = actors[0];
  const state = createState(figure);
  forwardKinematics(state, pose);
  const { bodyA, bodyB, positionA, positionB } = connections[k];
  const place = (bone: number, p: Float64Array): number[] =>
    bone < 0
      ? Array.from(p)
      : [0, 1, 2].map((r) => {
          const e = 12 * bone;
          const m = state.worldFromBone;
          return m[e + 9 + r] + m[e + 3 * r] * p[0] + m[e + 3 * r + 1] * p[1] + m[e + 3 * r + 2] * p[2];
        });
  const [a, b] = [place(bodyA, positionA), place(bodyB, positionB)];
  return Math.hypot(...a.map((x, r) => x - b[r]));
}

test('a four-bar loop stays closed for 10 s within 0.1 mm', () => {
  // Up, across and down at 60 degrees from pins 2 m apart; the middle bar swings.
  const b = { position: [2, 0, 0] } as const;
  const simulation = alone(
    { figure: chain(3), pose: [Math.PI / 3, -Math.PI / 3, -Math.PI / 3] },
    { connections: [{ type: 'point', a: { bone: 'bar2', position: [1, 0, 0] }, b }] },
  );
  expect(apart(simulation)).toBeLessThan(1e-12);
  let worst = 0;
  let moved = 0;
  const sample = () => {
    worst = Math.max(worst, apart(simulation));
    moved = Math.max(moved, Math.abs(simulation.actors[0].pose[1] + Math.PI / 3));
  };
  // Out of its balance, then left alone.
  const push: ActorForces = (_, { tau }) => tau.fill(20, 0, 1);
  run(simulation, 0.2, 1 / 240, sample, push);
  run(simulation, 9.8, 1 / 240, sample);
  expect(moved).toBeGreaterThan(0.5);
  expect(worst).toBeLessThan(1e-4);
});

describe('a chain attached at its end', () => {
  test('hangs, and reports the connection force', () => {
    // Two bars of 1 kg between two pins, folded to a V that hangs: each pin carries half the weight.
    const simulation = alone(
      { figure: chain(2), pose: [-1, 2], damping: 2 },
      {
        connections: [
          { type: 'point', a: { bone: 'bar1', position: [1, 0, 0] }, b: { position: [1.2, 0, 0] } },
        ],
      },
    );
    run(simulation, 10, 1 / 120);
    expect(apart(simulation)).toBeLessThan(1e-4);
    expect(Math.abs(simulation.actors[0].velocity[0])).toBeLessThan(1e-4);
    const { force } = simulation.connections[0];
    expect(force[1]).toBeCloseTo(G, 2);
    // Moments about the middle joint: along x, G (0.6 - 0.3) / height.
    expect(force[0]).toBeCloseTo((0.5 * G * 0.6) / 0.8, 2);
  });

  test('falls when it is released', () => {
    const simulation = alone(
      { figure: chain(1) },
      {
        connections: [
          { type: 'point', a: { bone: 'bar0', position: [1, 0, 0] }, b: { position: [1, 0, 0] } },
        ],
      },
    );
    run(simulation, 1, 1 / 120);
    // But for what is left unsolved, less than a thousandth of all impulses.
    expect(simulation.connections[0].force[1] / (G / 2)).toBeCloseTo(1, 3);
    expect(Math.abs(simulation.actors[0].pose[0])).toBeLessThan(1e-4);
    simulation.connections[0].enabled = false;
    run(simulation, 0.2, 1 / 1200);
    expect(Math.hypot(...simulation.connections[0].force)).toBe(0);
    // Small angles: g l m / 2 I of 4.905 / 0.34.
    expect(simulation.actors[0].pose[0]).toBeCloseTo((-0.5 * 0.04 * 0.5 * G) / 0.34, 2);
  });
});

describe('two bodies', () => {
  test('welded move as one: a rod of two balls', () => {
    const simulation = createSimulation(
      [
        { ...ball(1, 0.1, [-0.5, 0, 0, 0, 0, 0]), velocity: [0, 1, 0, 0, 0, 2] },
        { ...ball(1, 0.1, [0.5, 0, 0, 0, 0, 0]), velocity: [0, 3, 0, 0, 0, 2] },
      ],
      {
        gravity: [0, 0, 0],
        connections: [
          {
            type: 'weld',
            a: { actor: 0, bone: 'body', position: [0.5, 0, 0] },
            b: { actor: 1, bone: 'body', position: [-0.5, 0, 0] },
          },
        ],
      },
    );
    run(simulation, 3, 1 / 240);
    const [a, b] = simulation.actors;
    // Rigid: 2 rad/s about a middle that rises by 2 m/s.
    expect(Math.hypot(...[0, 1, 2].map((k) => a.pose[k] - b.pose[k]))).toBeCloseTo(1, 3);
    expect(a.velocity[5]).toBeCloseTo(2, 2);
    expect(b.velocity[5]).toBeCloseTo(2, 2);
    expect((a.pose[1] + b.pose[1]) / 2).toBeCloseTo(6, 9);
    for (let k = 3; k < 6; k++) expect(Math.abs(a.velocity[k] - b.velocity[k])).toBeLessThan(1e-3);
  });

  test('with connected directions rotate alike, wherever they move', () => {
    const simulation = createSimulation(
      [
        { ...ball(1, 0.1, [-1, 0, 0, 0, 0, 0]), velocity: [0, 1, 0, 1, 2, 0] },
        { ...ball(3, 0.2, [1, 0, 0, 0, 0, 0]), velocity: [0, 0, 1, 0, 0, 1] },
      ],
      {
        gravity: [0, 0, 0],
        connections: [{ type: 'directions', a: { actor: 0, bone: 'body' }, b: { actor: 1, bone: 'body' } }],
      },
    );
    run(simulation, 1, 1 / 240);
    const [a, b] = simulation.actors;
    for (let k = 3; k < 6; k++) {
      expect(Math.abs(a.pose[k] - b.pose[k])).toBeLessThan(0.01);
      expect(Math.abs(a.velocity[k] - b.velocity[k])).toBeLessThan(0.01);
    }
    expect(Array.from(a.velocity.subarray(0, 3))).toEqual([0, 1, 0]);
  });
});

describe('a dragging connection', () => {
  test('never exceeds its force bound, and lifts a lighter body', () => {
    for (const [maxForce, lifts] of [
      [0.9 * 2 * G, false],
      [1.5 * 2 * G, true],
    ] as const) {
      const simulation = createSimulation(
        [{ figure: freeBody(2, [0.1, 0.1, 0.1]), pose: [0, 0, 0, 0, 0, 0] }],
        {
          connections: [{ type: 'point', a: { bone: 'body', position: [0.05, 0.1, 0] }, b: {}, maxForce }],
        },
      );
      const { force, positionB } = simulation.connections[0];
      let max = 0;
      run(simulation, 2, 1 / 120, (n) => {
        max = Math.max(max, Math.hypot(...force));
        positionB.set([0.3 * Math.sin(n / 20), 1, 0.5 * Math.cos(n / 15)]);
      });
      expect(max).toBeLessThanOrEqual(maxForce * (1 + 1e-12));
      expect(simulation.actors[0].pose[1] > 0).toBe(lifts);
    }
  });

  test('moves a hand to its target', () => {
    const simulation = alone(
      { figure: chain(3), damping: 0.5 },
      {
        connections: [
          {
            type: 'point',
            a: { bone: 'bar2', position: [1, 0, 0] },
            b: { position: [3, 0, 0] },
            maxForce: 500,
          },
        ],
      },
    );
    for (let n = 0; n < 240; n++) {
      simulation.connections[0].positionB.set([3 - n / 200, n / 200, 0]);
      stepSimulation(simulation, 1 / 120);
    }
    run(simulation, 1, 1 / 120);
    expect(apart(simulation)).toBeLessThan(1e-3);
  });
});
