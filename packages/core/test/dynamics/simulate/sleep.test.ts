import { describe, expect, test } from 'vitest';
import {
  applyImpulse,
  createSimulation,
  type Simulation,
  stepSimulation,
  wakeActor,
} from '../../../src/dynamics/simulate/index.js';
import { ball, box, onFloor, run } from './support.js';

const DT = 1 / 120;

/** A pile of two boxes, a box far away, and a ball that floats beside the pile by a connection to its upper box; all asleep. */
function sleepers(): Simulation {
  const half = [0.1, 0.1, 0.1] as const;
  const simulation = createSimulation(
    [
      box(1, half, [0, 0.1, 0, 0, 0, 0]),
      box(1, half, [0, 0.3, 0, 0, 0, 0]),
      box(1, half, [5, 0.1, 0, 0, 0, 0]),
      ball(0.1, 0.05, [5, 0.5, 3, 0, 0, 0]),
    ],
    onFloor(
      {},
      { connections: [{ type: 'point', a: { actor: 3, bone: 'body' }, b: { position: [5, 0.5, 3] } }] },
    ),
  );
  run(simulation, 3, DT);
  expect(awake(simulation)).toEqual([]);
  return simulation;
}

const awake = ({ actors }: Simulation): number[] =>
  actors.filter(({ asleep }) => !asleep).map(({ index }) => index);

describe('sleep', () => {
  test('begins after a second at the earliest, for all still actors, and zeroes their velocity', () => {
    const simulation = createSimulation([box(1, [0.1, 0.1, 0.1], [0, 0.1, 0, 0, 0, 0])], onFloor());
    let slept = 0;
    run(simulation, 2, DT, (n) => {
      if (slept === 0 && simulation.actors[0].asleep) slept = n * DT;
    });
    expect(slept).toBeGreaterThanOrEqual(1);
    expect(slept).toBeLessThan(1.2);
    expect(Math.hypot(...simulation.actors[0].velocity)).toBe(0);
    expect(simulation.report.asleep).toBe(1);
  });

  test('never begins with sleep: false, nor for an actor with motor gains', () => {
    const one = box(1, [0.1, 0.1, 0.1], [0, 0.1, 0, 0, 0, 0]);
    expect(run(createSimulation([one], onFloor({}, { sleep: false })), 3, DT).report.asleep).toBe(0);
    const pulled = { ...one, motor: { stiffness: 1e-3 } };
    expect(run(createSimulation([pulled], onFloor()), 3, DT).report.asleep).toBe(0);
  });

  test('does not change poses', () => {
    const simulation = sleepers();
    const before = simulation.actors.map(({ pose }) => Float64Array.from(pose));
    run(simulation, 1, DT);
    expect(simulation.actors.map(({ pose }) => Float64Array.from(pose))).toEqual(before);
  });
});

describe('sleeping actors wake', () => {
  test.each<[string, number[], (simulation: Simulation) => void]>([
    ['by an impulse, and who slept with them', [0, 1], (s) => applyImpulse(s, 1, 'body', [0, 0, 0.1])],
    ['by being put elsewhere, and those who lay on them', [0, 1], (s) => s.actors[0].pose.set([0, 0.1, 9])],
    ['by velocities', [2], (s) => s.actors[2].velocity.set([0, 0, 1])],
    ['by hand', [0, 1], (s) => wakeActor(s.actors[0])],
    ['as a connection is let go', [3], (s) => Object.assign(s.connections[0], { enabled: false })],
    ['as a connection is moved', [3], (s) => s.connections[0].positionB.set([5, 0.6, 3])],
    ['as a connection may pull less', [3], (s) => Object.assign(s.connections[0], { maxForce: 1 })],
  ])('%s', (_, who, stir) => {
    const simulation = sleepers();
    stir(simulation);
    stepSimulation(simulation, DT);
    expect(awake(simulation)).toEqual(who);
  });

  test('by a force', () => {
    const simulation = sleepers();
    stepSimulation(simulation, DT, ({ index }, { external }) => {
      if (index === 2) external[0] = 1;
    });
    expect(awake(simulation)).toEqual([2]);
  });

  test('as another comes within the margin, and not before', () => {
    const simulation = sleepers();
    simulation.actors[3].pose.set([4, 0.1, 0]);
    simulation.actors[3].velocity.set([3, 0, 0]);
    simulation.connections[0].enabled = false;
    stepSimulation(simulation, DT);
    expect(awake(simulation)).toEqual([3]);
    run(simulation, 0.5, DT);
    expect(simulation.actors[2].pose[0]).toBeGreaterThan(5.0001);
    expect(simulation.actors[0].asleep).toBe(true);
  });

  test('with what they are connected to, whichever of them is woken', () => {
    for (const woken of [0, 1]) {
      const simulation = createSimulation(
        [ball(1, 0.1, [0, 0.1, 0, 0, 0, 0]), ball(1, 0.1, [2, 0.1, 0, 0, 0, 0])],
        onFloor(
          {},
          {
            connections: [
              {
                type: 'point',
                a: { actor: 0, bone: 'body', position: [2, 0, 0] },
                b: { actor: 1, bone: 'body' },
              },
            ],
          },
        ),
      );
      run(simulation, 3, DT);
      expect(awake(simulation)).toEqual([]);
      stepSimulation(simulation, DT, ({ index }, { external }) => {
        if (index === woken) external[1] = 1000;
      });
      expect(awake(simulation)).toEqual([0, 1]);
      // Both are solved for in that very step: 8 m/s up if it had no companion.
      const rise = simulation.actors[woken].velocity[1];
      expect(rise).toBeGreaterThan(1);
      expect(rise).toBeLessThan(8.3);
      const { pointA, pointB } = run(simulation, 0.2, DT).connections[0];
      expect(Math.hypot(...pointA.map((x, k) => x - pointB[k]))).toBeLessThan(0.02);
    }
  });

  test('and a pile falls whose lowest box is removed', () => {
    const simulation = sleepers();
    simulation.actors[0].pose.set([-3, 0.1, 0]);
    run(simulation, 1, DT);
    expect(simulation.actors[1].pose[1]).toBeCloseTo(0.1, 3);
  });
});
