import { describe, expect, it } from 'vitest';
import {
  createDynamics,
  createDynamicsState,
  createIntegrator,
  type IntegratorMethod,
  type IntegratorOptions,
  stepIntegrator,
} from '../../../src/dynamics/index.js';
import { createFigure } from '../../../src/figure/model/figure.js';
import { chain, flipping, orientationError } from './cases.js';

const methods: readonly IntegratorMethod[] = ['semi-implicit-euler', 'rk4', 'dormand-prince', 'midpoint'];
const figure = chain(3, 0.3);
const dynamics = createDynamics(figure);
const v = [1, 0, 2, 0, 0.5, 0, 0, 0, 1];
const start = () => createDynamicsState(figure, { time: 2, velocity: v });

describe.each(methods)('%s', (method) => {
  const integrator = createIntegrator(dynamics, { method, maxSteps: 500 });

  it.each([0, -0.01, Number.NaN, Number.POSITIVE_INFINITY])(
    'refuses a step of %s s and leaves the state alone',
    (dt) => {
      const state = start();
      expect(() => stepIntegrator(integrator, state, dt)).toThrow(
        expect.objectContaining({ code: 'out-of-range', path: 'dt' }),
      );
      expect(state).toEqual(start());
    },
  );

  it('stops at maxSteps', () => {
    const state = start();
    if (method === 'dormand-prince') {
      expect(stepIntegrator(integrator, state, 60).status).toBe('too-many-steps');
    } else {
      expect(() => stepIntegrator(integrator, state, 60)).toThrow(/more than 500 steps of 0.001 s/);
    }
    expect(state).toEqual(start());
  });

  it('huge or NaN forces, and exceptions in forces, leave the state unchanged', () => {
    for (const force of [1e300, 1e120, Number.NaN, Number.NEGATIVE_INFINITY]) {
      for (const late of [false, true]) {
        const state = start();
        const report = stepIntegrator(integrator, state, 0.02, (time, _pose, _velocity, { tau }) => {
          if (!late || time > 2.01) tau[4] = force;
        });
        expect(['not-finite', 'not-converged', 'too-many-steps']).toContain(report.status);
        expect(state).toEqual(start());
      }
    }
    const state = start();
    let calls = 0;
    const step = () =>
      stepIntegrator(integrator, state, 0.02, () => {
        if (++calls > 10) throw new Error('from the caller');
      });
    expect(step).toThrow('from the caller');
    expect(state).toEqual(start());
    // And the integrator goes on as if nothing had been.
    stepIntegrator(integrator, state, 0.02);
    const wanted = start();
    stepIntegrator(createIntegrator(dynamics, { method, maxSteps: 500 }), wanted, 0.02);
    expect(state).toEqual(wanted);
  });

  it('large finite forces are integrated or refused as a whole', () => {
    for (const force of [1e3, 1e6, 1e9]) {
      const state = start();
      const { status } = stepIntegrator(integrator, state, 0.02, (_time, _pose, _velocity, { tau }) => {
        tau[4] = force;
      });
      if (status === 'done') expect([...state.pose, ...state.velocity].every(Number.isFinite)).toBe(true);
      else expect(state).toEqual(start());
    }
  });

  it('refuses a state that is not finite or of another size, with the path', () => {
    const bad = start();
    bad.pose[3] = Number.NaN;
    expect(() => stepIntegrator(integrator, bad, 0.01)).toThrow(
      expect.objectContaining({ code: 'not-finite', path: 'state.pose[3]' }),
    );
    const short = { time: 0, pose: new Float64Array(8), velocity: new Float64Array(9) };
    expect(() => stepIntegrator(integrator, short, 0.01)).toThrow(
      expect.objectContaining({ code: 'wrong-size', path: 'state.pose' }),
    );
    const never = { ...start(), time: Number.NaN };
    expect(() => stepIntegrator(integrator, never, 0.01)).toThrow(
      expect.objectContaining({ path: 'state.time' }),
    );
  });

  it('is bit-identical for the same state, independent of earlier calls', () => {
    const [a, b] = [start(), start()];
    stepIntegrator(createIntegrator(dynamics, { method }), a, 0.1);
    stepIntegrator(integrator, start(), 0.03, (_time, _pose, _velocity, { tau }) => tau.fill(0.2));
    stepIntegrator(integrator, b, 0.1);
    expect(b).toEqual(a);
  });

  it('is independent of the chart of a rotation vector, and leaves it within pi', () => {
    const body = flipping.dynamics('ball');
    const pose = [0.3, -2, 0.5];
    const far = 1 + (2 * Math.PI) / Math.hypot(...pose);
    const [near, other] = [pose, pose.map((x) => far * x)].map((q) =>
      createDynamicsState(body.figure, { pose: q, velocity: [3, 20, 0.1] }),
    );
    const one = createIntegrator(body, { method, relativeTolerance: 1e-12, absoluteTolerance: 1e-12 });
    for (const state of [near, other]) {
      stepIntegrator(one, state, 0.3);
      expect(Math.hypot(...state.pose)).toBeLessThanOrEqual(Math.PI);
    }
    // Stages of rk4 differ with the chart, by its own error.
    expect(orientationError(near.pose, other.pose)).toBeLessThan(1e-6);
  });
});

it.each([
  [{ method: 'leapfrog' }, 'method', 'unsupported'],
  [{ method: 'midpoint', order: 3 }, 'order', 'unsupported'],
  [{ method: 'rk4', step: 0 }, 'step', 'out-of-range'],
  [{ method: 'rk4', step: Number.POSITIVE_INFINITY }, 'step', 'out-of-range'],
  [{ method: 'dormand-prince', step: -1 }, 'step', 'out-of-range'],
  [{ method: 'dormand-prince', relativeTolerance: 0 }, 'relativeTolerance', 'out-of-range'],
  [{ method: 'dormand-prince', absoluteTolerance: Number.NaN }, 'absoluteTolerance', 'out-of-range'],
  [{ method: 'rk4', maxSteps: 0.5 }, 'maxSteps', 'out-of-range'],
])('refuses the options %o', (options, path, code) => {
  expect(() => createIntegrator(dynamics, options as IntegratorOptions)).toThrow(
    expect.objectContaining({ path: `options.${path}`, code }),
  );
});

it('createDynamicsState checks sizes and numbers, and copies', () => {
  const pose = new Float64Array(9).fill(0.1);
  const state = createDynamicsState(figure, { pose });
  pose[0] = 7;
  expect(state.pose[0]).toBe(0.1);
  expect(() => createDynamicsState(figure, { pose: [1] })).toThrow(expect.objectContaining({ path: 'pose' }));
  expect(() => createDynamicsState(figure, { velocity: [Number.NaN] })).toThrow(
    expect.objectContaining({ path: 'velocity' }),
  );
  expect(() => createDynamicsState(figure, { time: Number.NaN })).toThrow(/time/);
});

it.each(methods)('%s says that a pole of Euler angles is singular, and leaves the state alone', (method) => {
  const gimbal = createFigure({
    bones: [{ name: 'top', joint: { type: 'euler', order: 'XYZ' }, mass: 1, inertia: [1, 2, 2.5, 0, 0, 0] }],
  });
  const locked = () => createDynamicsState(gimbal, { pose: [0, Math.PI / 2, 0], velocity: [0.1, 0.2, 0.3] });
  const state = locked();
  const integrator = createIntegrator(createDynamics(gimbal), { method });
  let status = 'threw';
  try {
    status = stepIntegrator(integrator, state, 0.01).status;
  } catch (error) {
    expect(error).toMatchObject({ code: 'singular' });
  }
  expect(status).not.toBe('done');
  expect(state).toEqual(locked());
});
