import { describe, expect, it } from 'vitest';
import {
  createDynamicsState,
  createIntegrator,
  sampleStep,
  stepIntegrator,
} from '../../../src/dynamics/index.js';
import { fittedOrder, flipping, orientationError, threeBalls } from './cases.js';

const dynamics = threeBalls.dynamics();
const start = () => createDynamicsState(dynamics.figure, { velocity: threeBalls.velocity });
const tolerance = (x: number) =>
  ({ method: 'dormand-prince', relativeTolerance: x, absoluteTolerance: x }) as const;

function run(x: number) {
  const state = start();
  return { state, report: { ...stepIntegrator(createIntegrator(dynamics, tolerance(x)), state, 1) } };
}

describe('dormand-prince', () => {
  const exact = run(1e-13).state.pose;

  it('has errors in proportion to the tolerance, and step lengths of its order', () => {
    const tolerances = [1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10];
    const runs = tolerances.map(run);
    runs.forEach(({ state, report }, k) => {
      expect(report.status).toBe('done');
      expect(report.error).toBeLessThanOrEqual(1);
      expect(orientationError(state.pose, exact)).toBeLessThan(50 * tolerances[k]);
    });
    // Error per step as h^5 at a tolerance: steps as tolerance^(-1/5).
    const growth = fittedOrder(
      tolerances,
      runs.map(({ report }) => report.steps),
    );
    expect(growth).toBeGreaterThan(-0.22);
    expect(growth).toBeLessThan(-0.17);
  });

  it('ends exactly at dt and respects the largest step', () => {
    const state = start();
    const integrator = createIntegrator(dynamics, { ...tolerance(1e-6), step: 0.004 });
    const times: number[] = [];
    stepIntegrator(integrator, state, 0.1, undefined, (time) => times.push(time));
    expect(state.time).toBe(0.1);
    expect(times.at(-1)).toBe(0.1);
    const lengths = times.map((time, k) => time - (times[k - 1] ?? 0));
    expect(Math.max(...lengths)).toBeLessThan(0.004 + 1e-15);
    expect(integrator.report.steps).toBe(times.length);
  });

  it('has dense output of order 4 that meets the ends of the step', () => {
    const inside = (h: number) => {
      const state = start();
      const integrator = createIntegrator(dynamics, { ...tolerance(1), step: h });
      stepIntegrator(integrator, state, h);
      expect(integrator.report.steps).toBe(1);
      const [pose, v] = [new Float64Array(9), new Float64Array(9)];
      sampleStep(integrator, h, pose, v);
      for (let i = 0; i < 9; i++) {
        expect(Math.abs(pose[i] - state.pose[i])).toBeLessThan(1e-15);
        expect(Math.abs(v[i] - state.velocity[i])).toBeLessThan(1e-14);
      }
      sampleStep(integrator, 0, pose, v);
      expect([...pose]).toEqual([...start().pose]);
      sampleStep(integrator, 0.4 * h, pose, v);
      const wanted = start();
      stepIntegrator(createIntegrator(dynamics, tolerance(1e-13)), wanted, 0.4 * h);
      return Math.max(...wanted.velocity.map((x, i) => Math.abs(x - v[i])));
    };
    const steps = [0.008, 0.004, 0.002, 0.001];
    // Local error of a fourth-order polynomial: h^5.
    expect(Math.abs(fittedOrder(steps, steps.map(inside)) - 5)).toBeLessThan(0.3);
  });

  it('passes changes of chart: rotation vectors stay within pi and the motion is the same', () => {
    const body = flipping.dynamics('ball');
    const state = createDynamicsState(body.figure, { velocity: [1, 20, 0.1] });
    const integrator = createIntegrator(body, tolerance(1e-10));
    let largest = 0;
    const report = stepIntegrator(integrator, state, 2, undefined, (_time, pose) => {
      largest = Math.max(largest, Math.hypot(...pose));
    });
    expect(report.chartChanges).toBeGreaterThan(5);
    expect(largest).toBeLessThanOrEqual(Math.PI);
    const wanted = createDynamicsState(body.figure, { velocity: [1, 20, 0.1] });
    stepIntegrator(createIntegrator(body, { method: 'rk4', step: 0.0002 }), wanted, 2);
    expect(orientationError(state.pose, wanted.pose)).toBeLessThan(1e-7);
  });

  it('reports too-many-steps and leaves the state unchanged', () => {
    const state = start();
    const integrator = createIntegrator(dynamics, { ...tolerance(1e-12), maxSteps: 50 });
    const report = stepIntegrator(integrator, state, 1);
    expect(report.status).toBe('too-many-steps');
    expect(state).toEqual(start());
  });

  it('samples only inside the last step, and only with dense output', () => {
    const integrator = createIntegrator(dynamics, tolerance(1e-6));
    const [pose, v] = [new Float64Array(9), new Float64Array(9)];
    expect(() => sampleStep(integrator, 0, pose, v)).toThrow(/before the first step/);
    stepIntegrator(integrator, start(), 0.1);
    expect(() => sampleStep(integrator, 0.2, pose, v)).toThrow(/last step/);
    expect(() => sampleStep(integrator, 0.1, new Float64Array(8), v)).toThrow(/8 numbers where 9/);
    expect(() => sampleStep(createIntegrator(dynamics, { method: 'rk4' }), 0, pose, v)).toThrow(
      /dense output/,
    );
  });
});
