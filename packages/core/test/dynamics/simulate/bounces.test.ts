/** Heights of bounces: e^2 of the height of the fall, whatever the length of the step and the moment of the impact within it. */
import { describe, expect, test } from 'vitest';
import { createSimulation, type Simulation, stepSimulation } from '../../../src/dynamics/simulate/index.js';
import { ball, box, G, onFloor } from './support.js';

const RADIUS = 0.1;
const HALF = [RADIUS, RADIUS, RADIUS] as const;

type Kind = 'ball' | 'box';

function fall(kind: Kind, height: number, restitution: number): Simulation {
  const pose = [0, RADIUS + height, 0, 0, 0, 0];
  const actor =
    kind === 'ball' ? ball(1, RADIUS, pose, { restitution }) : box(1, HALF, pose, { restitution });
  return createSimulation([actor], onFloor({}, { sleep: false }));
}

/** Heights of the first bounces, by the energy at the highest sample: samples miss the top by up to g h^2 / 8. */
function heights(simulation: Simulation, rate: number, count: number): number[] {
  const { pose, velocity } = simulation.actors[0];
  const out: number[] = [];
  let top = 0;
  for (let n = 0; n < 12 * rate && out.length < count; n++) {
    stepSimulation(simulation, 1 / rate);
    if (velocity[1] > 0) top = pose[1] - RADIUS + velocity[1] ** 2 / (2 * G);
    else if (top > 0) {
      out.push(top);
      top = 0;
    }
  }
  return out;
}

/** Of energies of some 500 J, J. */
const ROUNDING = 1e-9;
const HEIGHTS = Array.from({ length: 12 }, (_, k) => 0.3 + (4.7 * k) / 11);

describe('a body dropped from 0.3 to 5 m', () => {
  for (const kind of ['ball', 'box'] as const) {
    test.each([30, 60, 120, 240])(`a ${kind} at %i Hz bounces to e^2 of its height`, (rate) => {
      for (const e of [0.2, 0.3, 0.5, 0.8, 1]) {
        for (const height of HEIGHTS) {
          const [first] = heights(fall(kind, height, e), rate, 1);
          expect(first / (e * e * height)).toBeGreaterThan(rate < 60 && e < 0.3 ? 0.95 : 0.97);
          expect(first / (e * e * height)).toBeLessThan(1.005);
        }
      }
    });
  }

  test('at 60 Hz: several bounces, and a ball of restitution 1 keeps its height', () => {
    for (const height of HEIGHTS) {
      heights(fall('ball', height, 0.7), 60, 3).forEach((each, k) => {
        expect(Math.abs(each / (0.7 ** (2 * k + 2) * height) - 1)).toBeLessThan(0.03);
      });
      const elastic = heights(fall('ball', height, 1), 60, 4);
      expect(elastic.length).toBe(4);
      for (const each of elastic) {
        expect(each / height).toBeGreaterThan(0.97);
        expect(each / height).toBeLessThan(1 + 1e-9);
      }
    }
  });

  test('restitution of 0.1 at 60 Hz: no higher than it should, and then at rest', () => {
    for (const height of HEIGHTS) {
      const simulation = fall('ball', height, 0.1);
      const [first] = heights(simulation, 60, 1);
      expect(first / (0.01 * height)).toBeGreaterThan(0.9);
      expect(first / (0.01 * height)).toBeLessThan(1.005);
      for (let n = 0; n < 60; n++) stepSimulation(simulation, 1 / 60);
      expect(Math.abs(simulation.actors[0].velocity[1])).toBeLessThan(1e-3);
    }
  });
});

test('energy never rises while balls bounce down stairs, among each other', () => {
  const world = Array.from({ length: 5 }, (_, k) => ({
    type: 'box' as const,
    halfSizes: [1, 0.1 * (5 - k), 0.2] as const,
    restitution: 0.6,
    placement: { position: [0, 0.1 * (5 - k), 0.4 * k] as const },
  }));
  const balls = Array.from({ length: 6 }, (_, k) => ({
    ...ball(1 + k, RADIUS, [0.15 * (k % 3), 2 + 0.3 * k, 0.05 * k, 0, 0, 0], { restitution: 0.9 }),
    velocity: [0, 0, 1, 0, 0, 0],
  }));
  const simulation = createSimulation(balls, { world: [{ type: 'plane', restitution: 0.8 }, ...world] });
  const { report } = simulation;
  stepSimulation(simulation, 1 / 60);
  let last = report.kinetic + report.potential;
  for (let n = 0; n < 600; n++) {
    stepSimulation(simulation, 1 / 60);
    const energy = report.kinetic + report.potential;
    expect(energy).toBeLessThan(last + ROUNDING);
    last = energy;
  }
});
