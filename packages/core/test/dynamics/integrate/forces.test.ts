import { describe, expect, it } from 'vitest';
import {
  createDynamics,
  createDynamicsState,
  createIntegrator,
  type Forces,
  type IntegratorOptions,
  stepIntegrator,
} from '../../../src/dynamics/index.js';
import { createFigure } from '../../../src/figure/model/figure.js';
import { chain } from './cases.js';

const methods: readonly (readonly [string, IntegratorOptions, number])[] = [
  ['semi-implicit-euler', { method: 'semi-implicit-euler', step: 1e-5, maxSteps: 1e6 }, 1e-4],
  ['rk4', { method: 'rk4' }, 1e-11],
  ['dormand-prince', { method: 'dormand-prince', relativeTolerance: 1e-11, absoluteTolerance: 1e-11 }, 1e-9],
  ['midpoint', { method: 'midpoint' }, 2e-6],
  ['midpoint of order 4', { method: 'midpoint', order: 4 }, 1e-10],
];

describe.each(methods)('forces by %s', (_name, options, tolerance) => {
  const slider = createFigure({
    bones: [{ name: 'block', joint: { type: 'slider', axis: [1, 0, 0] }, mass: 2 }],
  });

  it('a driven damped oscillator follows its closed form', () => {
    // 2 x'' + 3 x' + 50 x = 4 cos 3 t: a cos 3 t + b sin 3 t and a decaying part.
    const [m, c, k, f, w] = [2, 3, 50, 4, 3];
    const dynamics = createDynamics(slider, { gravity: [0, 0, 0] });
    const state = createDynamicsState(slider, { pose: [0.4], velocity: [0] });
    const forces: Forces = (t, pose, v, { tau }) => {
      tau[0] = f * Math.cos(w * t) - c * v[0] - k * pose[0];
    };
    stepIntegrator(createIntegrator(dynamics, options), state, 1, forces);
    const over = (k - m * w * w) ** 2 + (c * w) ** 2;
    const [a, b] = [(f * (k - m * w * w)) / over, (f * c * w) / over];
    const decay = c / (2 * m);
    const own = Math.sqrt(k / m - decay ** 2);
    const [p, q] = [0.4 - a, (-b * w + decay * (0.4 - a)) / own];
    const wanted =
      a * Math.cos(w) + b * Math.sin(w) + Math.exp(-decay) * (p * Math.cos(own) + q * Math.sin(own));
    expect(Math.abs(state.pose[0] - wanted)).toBeLessThan(tolerance);
  });

  it('external weights on the bones equal gravity', () => {
    const figure = chain(2, 0.3);
    const v = [0.3, -1, 0.5, 0.2, 0.1, 0];
    const weightless = createDynamics(figure, { gravity: [0, 0, 0] });
    const { mass = 0, centerOfMass = [0, 0, 0] } = figure.bones[0];
    const hang: Forces = (_time, pose, _velocity, { external }) => {
      // Rotation matrices by Rodrigues' formula, written out here; the second bone turns after the first.
      const first = rotate(pose, 0, [...centerOfMass]);
      const second = rotate(pose, 0, rotate(pose, 3, [...centerOfMass]));
      [first, second].forEach((arm, b) => {
        external[6 * b + 1] = -9.81 * mass;
        // arm x (0, -m g, 0)
        external[6 * b + 3] = arm[2] * 9.81 * mass;
        external[6 * b + 5] = -arm[0] * 9.81 * mass;
      });
    };
    const differ = (how: IntegratorOptions): number => {
      const [inside, outside] = [
        createDynamicsState(figure, { velocity: v }),
        createDynamicsState(figure, { velocity: v }),
      ];
      stepIntegrator(createIntegrator(createDynamics(figure), how), inside, 0.2);
      stepIntegrator(createIntegrator(weightless, how), outside, 0.2, hang);
      const off = [...outside.pose, ...outside.velocity].map((x, i) =>
        Math.abs(x - [...inside.pose, ...inside.velocity][i]),
      );
      return Math.max(...off);
    };
    if (options.method === 'midpoint') {
      // It takes gravity by its potential, other forces by their work: the two differ by its error, of its order.
      const rate = differ({ ...options, step: 0.001 }) / differ({ ...options, step: 0.0005 });
      expect(Math.abs(Math.log2(rate) - (options.order ?? 2))).toBeLessThan(0.1);
    } else expect(differ(options)).toBeLessThan(1e-11);
    // No forces given: none left over from the call before.
    const integrator = createIntegrator(weightless, options);
    stepIntegrator(
      integrator,
      createDynamicsState(figure, { velocity: v }),
      0.1,
      (_t, _q, _n, { tau, external }) => {
        tau.fill(5);
        external.fill(3);
      },
    );
    const [a, b] = [
      createDynamicsState(figure, { velocity: v }),
      createDynamicsState(figure, { velocity: v }),
    ];
    stepIntegrator(integrator, a, 0.1);
    stepIntegrator(createIntegrator(weightless, options), b, 0.1);
    expect(a).toEqual(b);
  });
});

function rotate(pose: ArrayLike<number>, i: number, x: number[]): number[] {
  const v = [pose[i], pose[i + 1], pose[i + 2]];
  const angle = Math.hypot(...v);
  const cross = (a: number[], b: number[]) =>
    [0, 1, 2].map((k) => a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);
  if (angle === 0) return x;
  const once = cross(v, x);
  const twice = cross(v, once);
  const [s, c] = [Math.sin(angle) / angle, (1 - Math.cos(angle)) / angle ** 2];
  return x.map((each, k) => each + s * once[k] + c * twice[k]);
}
