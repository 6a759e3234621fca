import { describe, expect, it } from 'vitest';
import {
  applyImpulse,
  createSimulation,
  type Simulation,
  stepSimulation,
} from '../../../src/dynamics/simulate/index.js';
import { createPose, limitViolation } from '../../../src/figure/index.js';
import { createFigure } from '../../../src/figure/model/figure.js';
import { createHumanFigure } from '../../../src/humanoid/human.js';

const G = 9.81;

/** A free ball of 2 kg and 0.1 m. */
function ball(
  surface: { friction?: number; restitution?: number },
  pose: number[],
  velocity: number[] = [0, 0, 0, 0, 0, 0],
): Simulation {
  const figure = createFigure({
    bones: [{ name: 'ball', joint: { type: 'free' }, mass: 2, inertia: [0.008, 0.008, 0.008, 0, 0, 0] }],
  });
  const shapes = [{ bone: 'ball', type: 'sphere', radius: 0.1, ...surface }] as const;
  return createSimulation([{ figure, shapes, pose, velocity }], {
    world: [{ type: 'plane', ...surface }],
  });
}

describe('a free ball', () => {
  it('falls freely until it reaches the floor, and rests on it', () => {
    const simulation = ball({}, [0, 1.1, 0, 0, 0, 0]);
    const dt = 1 / 240;
    for (let n = 1; n * dt < 0.4; n++) {
      stepSimulation(simulation, dt);
      // Semi-implicit Euler from rest: y = y_0 - g h^2 n (n + 1) / 2.
      expect(simulation.actors[0].pose[1]).toBeCloseTo(1.1 - 0.5 * G * dt * dt * n * (n + 1), 12);
    }
    expect(simulation.report.touching).toBe(0);
    for (let n = 0; n < 120; n++) stepSimulation(simulation, dt);
    expect([simulation.actors[0].asleep, simulation.report.touching]).toEqual([false, 1]);
    for (let n = 0; n < 360; n++) stepSimulation(simulation, dt);
    expect(simulation.actors[0].pose[1]).toBeGreaterThan(0.1 - 1e-3);
    expect(simulation.actors[0].pose[1]).toBeLessThan(0.1 + 1e-9);
    expect(Math.abs(simulation.actors[0].velocity[1])).toBeLessThan(1e-9);
  });

  it('does not tunnel, however fast it comes', () => {
    for (const speed of [10, 100, 1000]) {
      const simulation = ball({}, [0, 3, 0, 0, 0, 0], [0, -speed, 0, 0, 0, 0]);
      for (let n = 0; n < 120; n++) stepSimulation(simulation, 1 / 60);
      expect(simulation.actors[0].pose[1]).toBeGreaterThan(0.1 - 1e-3);
      expect(simulation.actors[0].pose[1]).toBeLessThan(0.11);
    }
  });

  it('leaves at its coefficient of restitution times the speed at which it comes', () => {
    const simulation = ball({ restitution: 0.7 }, [0, 0.5, 0, 0, 0, 0], [0, -3, 0, 0, 0, 0]);
    const { pose, velocity } = simulation.actors[0];
    for (let n = 0; n < 240 && velocity[1] <= 0; n++) stepSimulation(simulation, 1 / 240);
    // By energy, from the lowest point of the ball: it came down 0.4 m.
    const before = 3 ** 2 / 2 + G * 0.4;
    const after = velocity[1] ** 2 / 2 + G * (pose[1] - 0.1);
    expect(Math.sqrt(after / before)).toBeCloseTo(0.7, 3);
  });

  it('slides, then rolls at 5/7 of its speed, as a ball does with Coulomb friction', () => {
    // v_roll = v_0 / (1 + I/(m r^2)), reached at t = v_0 / (mu g (1 + m r^2/I)); I = 2/5 m r^2.
    const simulation = ball({ friction: 0.3 }, [0, 0.1, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0]);
    const dt = 1 / 1000;
    const rolls = 2 / (0.3 * G * 3.5);
    let n = 0;
    for (; n * dt < 0.9 * rolls; n++) stepSimulation(simulation, dt);
    expect(simulation.actors[0].velocity[0]).toBeCloseTo(2 - 0.3 * G * n * dt, 3);
    for (; n * dt < 2 * rolls; n++) stepSimulation(simulation, dt);
    expect(simulation.actors[0].velocity[0]).toBeCloseTo((2 * 5) / 7, 3);
  });
});

describe('a block on a slope', () => {
  const slope = (angle: number, friction: number): Simulation => {
    const figure = createFigure({
      bones: [{ name: 'block', joint: { type: 'free' }, mass: 5, inertia: [0.1, 0.1, 0.1, 0, 0, 0] }],
    });
    const normal = [Math.sin(angle), Math.cos(angle), 0] as const;
    const shapes = [{ bone: 'block', type: 'box', halfSizes: [0.2, 0.1, 0.2], friction }] as const;
    const pose = [normal[0] * 0.1, normal[1] * 0.1, 0, 0, 0, -angle];
    return createSimulation([{ figure, shapes, pose }], { world: [{ type: 'plane', normal, friction }] });
  };

  it('stays where friction holds it', () => {
    const simulation = slope(0.4, 0.5);
    for (let n = 0; n < 240; n++) stepSimulation(simulation, 1 / 120);
    expect(Math.hypot(...simulation.actors[0].velocity)).toBeLessThan(1e-3);
    expect(Math.abs(simulation.actors[0].pose[0] - 0.1 * Math.sin(0.4))).toBeLessThan(2e-3);
  });

  it('slides at g (sin - mu cos) where it does not', () => {
    const simulation = slope(0.4, 0.2);
    for (let n = 0; n < 120; n++) stepSimulation(simulation, 1 / 240);
    const speed = Math.hypot(simulation.actors[0].velocity[0], simulation.actors[0].velocity[1]);
    const wanted = 0.5 * G * (Math.sin(0.4) - 0.2 * Math.cos(0.4));
    expect(speed / wanted).toBeGreaterThan(0.97);
    expect(speed / wanted).toBeLessThan(1.01);
  });
});

describe('limits', () => {
  it('stop a pendulum, a ball in its cone and a joint with swing and twist, and hold at every step', () => {
    for (const [joint, limit] of [
      [
        { type: 'hinge', axis: [0, 0, 1] },
        { type: 'interval', min: -0.3, max: 0.8 },
      ],
      [{ type: 'ball' }, { type: 'angle', max: 0.7 }],
      [
        { type: 'swing', axis: [1, 0, 0] },
        { type: 'ellipse', halfAngles: [0.4, 0.9] },
      ],
      [
        { type: 'ball-and-socket', axis: [1, 0, 0] },
        { type: 'swing-twist', swing: { type: 'cone', halfAngle: 0.6 }, twist: { min: -0.2, max: 0.2 } },
      ],
    ] as const) {
      const figure = createFigure({
        bones: [
          {
            name: 'arm',
            joint,
            limit,
            mass: 1,
            centerOfMass: [0.5, 0, 0.1],
            inertia: [0.01, 0.05, 0.05, 0, 0, 0],
          },
        ],
      });
      const simulation = createSimulation([{ figure, velocity: new Float64Array(figure.dof).fill(2) }]);
      const { energy } = simulation.actors[0].work;
      const start = energy.kinetic + energy.potential;
      for (let n = 0; n < 600; n++) {
        stepSimulation(simulation, 1 / 120);
        expect(limitViolation(figure, simulation.actors[0].pose)).toBeLessThan(1e-12);
        // A step may return what one before it has lost, where it turned round.
        const { kinetic, potential } = simulation.report;
        expect(kinetic + potential).toBeLessThan(start + 1e-9);
      }
    }
  });
});

describe('a human who falls', () => {
  const figure = createHumanFigure();
  const shapes = figure.bones.flatMap(({ name, index, tip }) => {
    const to = tip ?? figure.bones.find(({ parent }) => parent === index)?.rest.position;
    return to === undefined
      ? []
      : [{ bone: name, type: 'capsule' as const, from: [0, 0, 0] as const, to, radius: 0.05 }];
  });
  const fall = (): Simulation => {
    const pose = createPose(figure);
    pose[1] = 0.5;
    pose[3] = 0.6;
    return createSimulation([{ figure, shapes, pose, damping: 0.5 }], {
      world: [{ type: 'plane' }],
      contacts: 256,
      collide: { neighbours: 3 },
    });
  };

  it('comes to rest on the floor within the limits, and gains no energy on the way', () => {
    const simulation = fall();
    const { contacts, report, actors } = simulation;
    let energy = Number.POSITIVE_INFINITY;
    for (let n = 0; n < 600; n++) {
      stepSimulation(simulation, 1 / 120);
      expect(report.status).toBe('done');
      expect(limitViolation(figure, actors[0].pose)).toBeLessThan(1e-12);
      for (let c = 0; c < contacts.count; c++) {
        if (contacts.bodyB[c] < 0) expect(contacts.separation[c]).toBeGreaterThan(-0.01);
      }
      // Depths of some 0.1 mm are undone, which lifts 75 kg.
      expect(report.kinetic + report.potential).toBeLessThan(energy + 0.01);
      energy = report.kinetic + report.potential;
      if (n < 120) expect(actors[0].asleep).toBe(false);
    }
    expect(report.kinetic).toBe(0);
    expect(actors[0].asleep).toBe(true);
  });

  it('falls the same way to the bit', () => {
    const [a, b] = [fall(), fall()];
    for (let n = 0; n < 90; n++) for (const each of [a, b]) stepSimulation(each, 1 / 120);
    expect(a.actors[0].pose).toEqual(b.actors[0].pose);
    expect(a.actors[0].velocity).toEqual(b.actors[0].velocity);
  });
});

describe('invalid input', () => {
  it('is refused with its path, and the state is unchanged', () => {
    const simulation = ball({}, [0, 1, 0, 0, 0, 0]);
    const before = Float64Array.from(simulation.actors[0].pose);
    for (const dt of [0, -1, 60, Number.NaN]) {
      expect(() => stepSimulation(simulation, dt)).toThrow(/dt: is .* s\..*at most 0\.05 s/);
    }
    expect(() =>
      stepSimulation(simulation, 1 / 60, (_actor, { tau }) => {
        tau[0] = Number.POSITIVE_INFINITY;
      }),
    ).toThrow(/forces\(actors\[0\]\)\.tau\[0\]: is Infinity/);
    expect(simulation.actors[0].pose).toEqual(before);
    expect(simulation.time).toBe(0);
    expect(() => createSimulation([{ figure: createHumanFigure(), damping: -1 }])).toThrow(/damping: is -1/);
    expect(() => applyImpulse(simulation, 1, 'ball', [0, 0, 0])).toThrow(/actor: is 1/);
  });
});
