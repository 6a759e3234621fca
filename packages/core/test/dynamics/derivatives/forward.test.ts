import { describe, expect, test } from 'vitest';
import {
  createAccelerationDerivatives,
  createDerivativeWorkspace,
  createDynamics,
  forwardDynamics,
  forwardDynamicsDerivatives,
  inverseDynamicsDerivatives,
} from '../../../src/dynamics/index.js';
import { DomainError } from '../../../src/errors.js';
import { createFigure } from '../../../src/figure/index.js';
import { createHumanFigure } from '../../../src/humanoid/index.js';
import type { Numbers } from '../../../src/math/linear/types.js';
import { createRandom, derivative, expectSameBits } from '../../figure/support.js';
import { randomTrial, stateOf } from '../support.js';
import { relativeGap } from '../support-mujoco.js';

function product(a: Numbers, b: Numbers, n: number): Float64Array {
  return Float64Array.from({ length: n * n }, (_, at) => {
    let sum = 0;
    for (let k = 0; k < n; k++) sum += a[Math.floor(at / n) * n + k] * b[k * n + (at % n)];
    return sum;
  });
}

describe('derivatives of forward dynamics', () => {
  test.each([false, true])(
    'times M they are those of inverse dynamics, joints that follow: %s',
    (coupled) => {
      for (let salt = 0, n = 0; n < 50; salt++) {
        const trial = randomTrial(2000 + salt, { coupled });
        const { figure, dynamics, pose, velocity, tau, external } = trial;
        if (figure.dof === 0) continue;
        n++;
        const workspace = createDerivativeWorkspace(dynamics);
        const found = forwardDynamicsDerivatives(workspace, pose, velocity, tau, undefined, external);
        const accelerations = forwardDynamics(dynamics, pose, velocity, tau, undefined, external);
        const inverse = inverseDynamicsDerivatives(
          workspace,
          pose,
          velocity,
          accelerations,
          undefined,
          external,
        );
        const m = inverse.byAcceleration;
        const minus = (x: Float64Array) => x.map((y) => -y);
        expect(relativeGap(product(m, found.byPose, figure.dof), minus(inverse.byPose))).toBeLessThan(1e-11);
        expect(relativeGap(product(m, found.byVelocity, figure.dof), minus(inverse.byVelocity))).toBeLessThan(
          1e-11,
        );
        const one = Float64Array.from(m, (_, at) => (at % (figure.dof + 1) === 0 ? 1 : 0));
        expect(relativeGap(product(m, found.byForce, figure.dof), one)).toBeLessThan(1e-11);
      }
    },
  );

  test('of the built-in human equal finite differences of its accelerations', () => {
    const figure = createHumanFigure({ height: 1.8 });
    const { dof } = figure;
    const random = createRandom(31);
    for (let n = 0; n < 3; n++) {
      const { dynamics, pose, velocity: v, tau } = stateOf(figure, random);
      const external = Float64Array.from({ length: 6 * figure.bones.length }, () => 20 * (random() - 0.5));
      const found = forwardDynamicsDerivatives(
        createDerivativeWorkspace(dynamics),
        pose,
        v,
        tau,
        undefined,
        external,
      );
      const given = [pose, v, tau];
      [found.byPose, found.byVelocity, found.byForce].forEach((ours, of) => {
        const expected = new Float64Array(dof * dof);
        for (let i = 0; i < dof; i++) {
          const column = derivative((h) => {
            const [q, v, t] = given.map((x) => x.slice());
            [q, v, t][of][i] += h;
            return forwardDynamics(dynamics, q, v, t, undefined, external);
          }, 2e-3);
          for (let r = 0; r < dof; r++) expected[r * dof + i] = column[r];
        }
        expect(relativeGap(ours, expected)).toBeLessThan(1e-9);
      });
    }
  });

  test('results are bit-identical with a used workspace and a given output', () => {
    const { figure, dynamics, pose, velocity, tau, external } = randomTrial(78);
    const workspace = createDerivativeWorkspace(dynamics);
    const first = forwardDynamicsDerivatives(workspace, pose, velocity, tau, undefined, external);
    forwardDynamicsDerivatives(workspace, velocity, tau, pose);
    const out = createAccelerationDerivatives(figure);
    expect(forwardDynamicsDerivatives(workspace, pose, velocity, tau, out, external)).toBe(out);
    for (const key of ['byPose', 'byVelocity', 'byForce'] as const) expectSameBits(out[key], first[key]);
  });

  test('a joint without inertia to move is named, and out is unchanged', () => {
    const figure = createFigure({
      bones: [
        { name: 'body', joint: { type: 'free' }, mass: 1, inertia: [1, 1, 1, 0, 0, 0] },
        { name: 'leaf', parent: 'body', joint: { type: 'hinge', axis: [0, 0, 1] } },
      ],
    });
    const workspace = createDerivativeWorkspace(createDynamics(figure));
    const out = createAccelerationDerivatives(figure);
    out.byForce.fill(7);
    const still = new Float64Array(7);
    let thrown: unknown;
    try {
      forwardDynamicsDerivatives(workspace, still, still, still, out);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(DomainError);
    expect(thrown).toMatchObject({ code: 'singular', path: 'bone leaf' });
    expect(new Set(out.byForce)).toEqual(new Set([7]));
  });
});
