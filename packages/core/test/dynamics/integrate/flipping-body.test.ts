import { describe, expect, it } from 'vitest';
import {
  computeMomentum,
  createDynamicsState,
  createIntegrator,
  type Dynamics,
  type DynamicsState,
  kineticEnergy,
  sampleStep,
  stepIntegrator,
} from '../../../src/dynamics/index.js';
import { flipping } from './cases.js';

/** Complete elliptic integral K(m) by the arithmetic-geometric mean. */
function ellipticK(m: number): number {
  let [a, b] = [1, Math.sqrt(1 - m)];
  for (let k = 0; k < 40; k++) [a, b] = [(a + b) / 2, Math.sqrt(a * b)];
  return Math.PI / (2 * a);
}

/** Half the period of w_y of the torque-free body, from Euler's equations in closed form (Landau, Lifshitz, Mechanics, section 37). */
function flipInterval(): number {
  const [i1, i2, i3] = [...flipping.inertia].sort((a, b) => a - b);
  // Axes sorted by moment: z, y, x.
  const [w1, w2, w3] = [flipping.spin[2], flipping.spin[1], flipping.spin[0]];
  const twice = i1 * w1 ** 2 + i2 * w2 ** 2 + i3 * w3 ** 2;
  const square = (i1 * w1) ** 2 + (i2 * w2) ** 2 + (i3 * w3) ** 2;
  const greater = square > twice * i2;
  const [p, r] = greater ? [i1, i3] : [i3, i1];
  const m = ((i2 - p) * (twice * r - square)) / ((r - i2) * (square - twice * p));
  const rate = Math.sqrt(((r - i2) * (square - twice * p)) / (i1 * i2 * i3));
  return (2 * ellipticK(Math.abs(m))) / Math.abs(rate);
}

interface Kept {
  readonly energy: number;
  readonly angular: readonly number[];
}

function keptBy(dynamics: Dynamics, { pose, velocity }: DynamicsState): Kept {
  return {
    energy: kineticEnergy(dynamics, pose, velocity),
    angular: [...computeMomentum(dynamics, pose, velocity).angular],
  };
}

/** Relative changes. */
function drift(now: Kept, then: Kept) {
  const change = Math.hypot(...now.angular.map((x, k) => x - then.angular[k]));
  return { energy: Math.abs(now.energy / then.energy - 1), angular: change / Math.hypot(...then.angular) };
}

describe('the torque-free body', () => {
  const spin = [...flipping.spin];

  it('flips at the times of the closed form, eight times in ten seconds', () => {
    expect(Math.abs(flipInterval() - flipping.interval)).toBeLessThan(1e-6);
    const dynamics = flipping.dynamics('ball');
    const tolerance = { relativeTolerance: 1e-12, absoluteTolerance: 1e-12 };
    const integrator = createIntegrator(dynamics, { method: 'dormand-prince', ...tolerance });
    const state = createDynamicsState(dynamics.figure, { velocity: spin });
    const flips: number[] = [];
    let [before, at] = [state.velocity[1], 0];
    const [pose, v] = [new Float64Array(3), new Float64Array(3)];
    stepIntegrator(integrator, state, 10, undefined, (time, _pose, velocity) => {
      if (velocity[1] * before < 0) {
        let [low, high] = [at, time];
        for (let k = 0; k < 60; k++) {
          const middle = (low + high) / 2;
          sampleStep(integrator, middle, pose, v);
          if (v[1] * before > 0) low = middle;
          else high = middle;
        }
        flips.push(low);
      }
      [before, at] = [velocity[1], time];
    });
    expect(flips.length).toBe(8);
    expect(Math.abs(flips[0] - flipInterval() / 2)).toBeLessThan(1e-8);
    for (let k = 1; k < flips.length; k++) {
      expect(Math.abs(flips[k] - flips[k - 1] - flipInterval())).toBeLessThan(1e-8);
    }
  });

  it.each(['ball', 'free'] as const)(
    'rk4 at 1 ms for 10 s drifts as little as a fourth-order method must (%s)',
    (type) => {
      const dynamics = flipping.dynamics(type);
      const v = type === 'ball' ? spin : [0, 0, 0, ...spin];
      const state = createDynamicsState(dynamics.figure, { velocity: v });
      const start = keptBy(dynamics, state);
      const worst = { energy: 0, angular: 0 };
      const integrator = createIntegrator(dynamics, { method: 'rk4' });
      stepIntegrator(integrator, state, 10, undefined, (_time, pose, velocity) => {
        const now = drift(keptBy(dynamics, { time: 0, pose, velocity }), start);
        worst.energy = Math.max(worst.energy, now.energy);
        worst.angular = Math.max(worst.angular, now.angular);
      });
      // MuJoCo's RK4: 5.7e-11 and 1.56e-5.
      expect(worst.energy).toBeLessThan(1.01 * 5.7e-11);
      expect(worst.angular).toBeLessThan(1e-8);
    },
  );

  /** A million steps are in `npm run bench -- integrators`; what is left here grows no faster than the number of steps. */
  it('the midpoint rule conserves energy and angular momentum to 2e-13 over 200,000 steps', () => {
    const dynamics = flipping.dynamics('ball');
    const state = createDynamicsState(dynamics.figure, { velocity: spin });
    const start = keptBy(dynamics, state);
    const integrator = createIntegrator(dynamics, { method: 'midpoint', maxSteps: 1e5 });
    for (let k = 0; k < 20; k++) {
      expect(stepIntegrator(integrator, state, 10).status).toBe('done');
      const now = drift(keptBy(dynamics, state), start);
      expect(now.energy).toBeLessThan(2e-13);
      expect(now.angular).toBeLessThan(2e-13);
    }
  });

  it('also in fourth order, on a free joint with an offset centre of mass, and with one step a call', () => {
    for (const [type, center, order, dt] of [
      ['ball', [0, 0, 0], 4, 1],
      ['free', [0, 0, 0], 2, 1],
      ['free', [0.01, 0.02, -0.01], 2, 1],
      ['ball', [0, 0, 0], 2, 0.001],
    ] as const) {
      const dynamics = flipping.dynamics(type, center);
      const v = type === 'ball' ? spin : [0, 0, 0, ...spin];
      const state = createDynamicsState(dynamics.figure, { velocity: v });
      const start = keptBy(dynamics, state);
      const integrator = createIntegrator(dynamics, { method: 'midpoint', order });
      for (let k = 0; k < Math.round(5 / dt); k++) stepIntegrator(integrator, state, dt);
      const now = drift(keptBy(dynamics, state), start);
      expect(now.energy).toBeLessThan(1e-13);
      expect(now.angular).toBeLessThan(type === 'ball' ? 1e-13 : 1e-12);
    }
  });
});
