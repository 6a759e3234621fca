import { describe, expect, it } from 'vitest';
import {
  computeMomentum,
  createDynamics,
  createDynamicsState,
  createIntegrator,
  type Dynamics,
  type DynamicsState,
  kineticEnergy,
  potentialEnergy,
  stepIntegrator,
} from '../../../src/dynamics/index.js';
import { createFigure } from '../../../src/figure/model/figure.js';
import { chain, freeFigure, jointPairs } from './cases.js';

/** Energy, linear momentum, and angular momentum about the world's origin. */
function kept(dynamics: Dynamics, { pose, velocity }: DynamicsState) {
  const energy = kineticEnergy(dynamics, pose, velocity) + potentialEnergy(dynamics, pose);
  const { linear, angular, center } = computeMomentum(dynamics, pose, velocity);
  const about = [0, 1, 2].map((k) => {
    const [i, j] = [(k + 1) % 3, (k + 2) % 3];
    return angular[k] + center[i] * linear[j] - center[j] * linear[i];
  });
  return { energy, linear: [...linear], angular: about };
}

const spread = (count: number) => Array.from({ length: count }, (_, i) => 1.5 * Math.sin(3 * i + 1));

describe('the midpoint rule', () => {
  it.each(jointPairs)('keeps energy and momentum of a free figure with joints %o and %o', (first, second) => {
    const figure = freeFigure(first, second);
    for (const order of [2, 4] as const) {
      const dynamics = createDynamics(figure, { gravity: [0, 0, 0] });
      const state = createDynamicsState(figure, { velocity: spread(figure.dof) });
      const start = kept(dynamics, state);
      const report = stepIntegrator(createIntegrator(dynamics, { method: 'midpoint', order }), state, 1);
      expect(report.status).toBe('done');
      const now = kept(dynamics, state);
      expect(Math.abs(now.energy - start.energy)).toBeLessThan(1e-13 * start.energy);
      for (let k = 0; k < 3; k++) {
        expect(Math.abs(now.linear[k] - start.linear[k])).toBeLessThan(1e-13);
        expect(Math.abs(now.angular[k] - start.angular[k])).toBeLessThan(1e-12);
      }
    }
  });

  it('conserves the energy of a whipping chain, and its angular momentum about the vertical', () => {
    const dynamics = createDynamics(chain(5, 0.1));
    const { figure } = dynamics;
    const state = createDynamicsState(figure, {
      velocity: spread(15).map((x, i) => (i === 1 ? 2 : 0.1 * x)),
    });
    const start = kept(dynamics, state);
    const integrator = createIntegrator(dynamics, { method: 'midpoint' });
    let largest = 0;
    for (let k = 0; k < 20; k++) {
      expect(stepIntegrator(integrator, state, 0.1).status).toBe('done');
      largest = Math.max(largest, kineticEnergy(dynamics, state.pose, state.velocity));
      const now = kept(dynamics, state);
      expect(Math.abs(now.energy - start.energy)).toBeLessThan(1e-11);
      expect(Math.abs(now.angular[1] - start.angular[1])).toBeLessThan(1e-12);
    }
    expect(largest).toBeGreaterThan(2);
  });

  it('changes the energy by the work of the forces, step by step', () => {
    const figure = freeFigure(...jointPairs[0]);
    const dynamics = createDynamics(figure);
    const state = createDynamicsState(figure, { velocity: spread(figure.dof) });
    let before = kept(dynamics, state).energy;
    const integrator = createIntegrator(dynamics, { method: 'midpoint' });
    for (let k = 0; k < 500; k++) {
      stepIntegrator(integrator, state, 0.001, (_time, _pose, v, { tau }) => {
        for (let i = 6; i < v.length; i++) tau[i] = -0.3 * v[i];
      });
      const { energy } = kept(dynamics, state);
      expect(energy).toBeLessThan(before + 1e-12);
      before = energy;
    }
  });

  it('is time-reversible', () => {
    const figure = freeFigure(...jointPairs[2]);
    const dynamics = createDynamics(figure);
    const state = createDynamicsState(figure, { velocity: spread(figure.dof) });
    const start = createDynamicsState(figure, { velocity: spread(figure.dof) });
    const integrator = createIntegrator(dynamics, { method: 'midpoint', step: 0.002 });
    stepIntegrator(integrator, state, 0.4);
    state.velocity.forEach((x, i) => {
      state.velocity[i] = -x;
    });
    stepIntegrator(integrator, state, 0.4);
    for (let i = 0; i < figure.dof; i++) {
      expect(Math.abs(state.pose[i] - start.pose[i])).toBeLessThan(1e-10);
      expect(Math.abs(state.velocity[i] + start.velocity[i])).toBeLessThan(1e-9);
    }
  });

  it('supports mimic joints and rotors', () => {
    const hinge = { type: 'hinge', axis: [0, 0, 1] } as const;
    const body = { mass: 1, centerOfMass: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01, 0, 0, 0] } as const;
    const figure = createFigure({
      bones: [
        { name: 'a', joint: hinge, ...body },
        {
          name: 'b',
          parent: 'a',
          rest: { position: [0.2, 0, 0] },
          joint: hinge,
          mimic: { bone: 'a', polynomial: [0.1, 0.5, 0.3] },
          ...body,
        },
        { name: 'c', parent: 'b', rest: { position: [0.2, 0, 0] }, joint: { type: 'ball' }, ...body },
      ],
    });
    const dynamics = createDynamics(figure, { armature: [0.02, 0.01, 0, 0.005] });
    const state = createDynamicsState(figure, { velocity: [2, 1, -1, 3] });
    const wanted = createDynamicsState(figure, { velocity: [2, 1, -1, 3] });
    const start = kept(dynamics, state).energy;
    stepIntegrator(createIntegrator(dynamics, { method: 'midpoint', order: 4 }), state, 1);
    stepIntegrator(createIntegrator(dynamics, { method: 'rk4', step: 0.0002 }), wanted, 1);
    expect(Math.abs(kept(dynamics, state).energy - start)).toBeLessThan(1e-12);
    for (let i = 0; i < figure.dof; i++) expect(Math.abs(state.pose[i] - wanted.pose[i])).toBeLessThan(1e-7);
  });
});

it('all methods converge to the same motion of every joint type', () => {
  for (const pair of jointPairs) {
    const figure = freeFigure(...pair);
    const dynamics = createDynamics(figure);
    const after = (options: Parameters<typeof createIntegrator>[1]) => {
      const state = createDynamicsState(figure, { velocity: spread(figure.dof) });
      expect(stepIntegrator(createIntegrator(dynamics, options), state, 0.5).status).toBe('done');
      return [...state.pose, ...state.velocity];
    };
    const tight = { relativeTolerance: 1e-12, absoluteTolerance: 1e-12 };
    const exact = after({ method: 'dormand-prince', ...tight });
    for (const [options, within] of [
      [{ method: 'rk4' }, 1e-9],
      [{ method: 'midpoint', order: 4 }, 1e-7],
      [{ method: 'midpoint' }, 2e-4],
      [{ method: 'semi-implicit-euler', step: 1e-4 }, 1e-2],
    ] as const) {
      after(options).forEach((x, i) => {
        expect(Math.abs(x - exact[i])).toBeLessThan(within);
      });
    }
  }
});
