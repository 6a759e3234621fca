import { readFileSync } from 'node:fs';
import { describeWithData } from '@poise/test-support/shared-data';
import { expect, it } from 'vitest';
import {
  createDynamics,
  createDynamicsState,
  createIntegrator,
  stepIntegrator,
} from '../../../src/dynamics/index.js';
import { createFigure } from '../../../src/figure/model/figure.js';
import { quaternionAt } from './cases.js';

interface Pendulum {
  readonly kind: string;
  readonly m1: number;
  readonly m2: number;
  readonly l1: number;
  readonly l2: number;
  readonly theta0: readonly [number, number];
  readonly omega0: readonly [number, number];
  readonly rows: readonly (readonly number[])[];
}

interface Body {
  readonly kind: string;
  readonly inertia: readonly [number, number, number];
  readonly omega0: readonly [number, number, number];
  readonly rows: readonly (readonly number[])[];
}

/** Largest difference of an entry. */
function farthest(a: ArrayLike<number>, b: readonly number[]): number {
  return Math.max(...b.map((x, k) => Math.abs(a[k] - x)));
}

const tight = { method: 'dormand-prince', relativeTolerance: 1e-13, absoluteTolerance: 1e-13 } as const;

// Trajectories by mpmath to 18 digits; see the file's own account.
describeWithData('reference trajectories', 'reference/dynamics/analytic_cases.json', (path) => {
  const cases = () => (JSON.parse(readFileSync(path, 'utf8')) as { cases: (Pendulum | Body)[] }).cases;

  it('double pendulums of point masses follow the reference', () => {
    const pendulums = cases().filter((each): each is Pendulum => 'theta0' in each);
    expect(pendulums.length).toBe(2);
    for (const { m1, m2, l1, l2, theta0, omega0, rows } of pendulums) {
      const hinge = { type: 'hinge', axis: [0, 0, 1] } as const;
      const figure = createFigure({
        bones: [
          { name: 'upper', joint: hinge, mass: m1, centerOfMass: [0, -l1, 0] },
          {
            name: 'lower',
            parent: 'upper',
            rest: { position: [0, -l1, 0] },
            joint: hinge,
            mass: m2,
            centerOfMass: [0, -l2, 0],
          },
        ],
      });
      const state = createDynamicsState(figure, {
        pose: [theta0[0], theta0[1] - theta0[0]],
        velocity: [omega0[0], omega0[1] - omega0[0]],
      });
      const integrator = createIntegrator(createDynamics(figure), tight);
      for (const [time, a, b, va, vb] of rows) {
        if (time > state.time) stepIntegrator(integrator, state, time - state.time);
        const { pose, velocity } = state;
        const found = [pose[0], pose[0] + pose[1], velocity[0], velocity[0] + velocity[1]];
        expect(farthest(found, [a, b, va, vb])).toBeLessThan(1e-9);
      }
    }
  });

  it('a torque-free body follows the reference, on a ball and on a free joint', () => {
    const bodies = cases().filter((each): each is Body => 'inertia' in each);
    expect(bodies.length).toBe(1);
    for (const { inertia, omega0, rows } of bodies) {
      for (const type of ['ball', 'free'] as const) {
        const bone = { name: 'body', joint: { type }, mass: 1, inertia: [...inertia, 0, 0, 0] as const };
        const figure = createFigure({ bones: [bone] });
        const o = type === 'ball' ? 0 : 3;
        const state = createDynamicsState(figure, { velocity: [...new Array<number>(o).fill(0), ...omega0] });
        const integrator = createIntegrator(createDynamics(figure, { gravity: [0, 0, 0] }), tight);
        for (const [time, x, y, z, w, ...omega] of rows) {
          if (time > state.time) stepIntegrator(integrator, state, time - state.time);
          const q = quaternionAt(state.pose, o);
          const side = q[0] * w + q[1] * x + q[2] * y + q[3] * z < 0 ? -1 : 1;
          expect(
            farthest(
              q,
              [w, x, y, z].map((each) => side * each),
            ),
          ).toBeLessThan(1e-9);
          expect(farthest(state.velocity.subarray(o), omega)).toBeLessThan(1e-9);
        }
      }
    }
  });
});
