import { describe, expect, it } from 'vitest';
import {
  createDynamicsState,
  createIntegrator,
  forwardDynamics,
  type IntegratorOptions,
  stepIntegrator,
} from '../../../src/dynamics/index.js';
import { fittedOrder, orientationError, quaternionAt, threeBalls } from './cases.js';

/** The chain after a second. */
function pose(options: IntegratorOptions): Float64Array {
  const dynamics = threeBalls.dynamics();
  const state = createDynamicsState(dynamics.figure, { velocity: threeBalls.velocity });
  const report = stepIntegrator(createIntegrator(dynamics, options), state, 1);
  expect(report.status).toBe('done');
  return state.pose;
}

const tight = pose({ method: 'dormand-prince', relativeTolerance: 1e-13, absoluteTolerance: 1e-13 });

function errors(options: IntegratorOptions, steps: readonly number[], reference: Float64Array): number[] {
  return steps.map((step) => orientationError(pose({ ...options, step }), reference));
}

describe('the three-ball chain over a second', () => {
  it('reaches the reference pose to its ten digits by two methods', () => {
    for (const found of [tight, pose({ method: 'rk4', step: 0.000125 })]) {
      for (let ball = 0; ball < 3; ball++) {
        const wanted = threeBalls.afterOneSecond[ball];
        const off = quaternionAt(found, 3 * ball).map((x, k) => Math.abs(x - wanted[k]));
        expect(Math.max(...off)).toBeLessThan(1e-10);
      }
    }
  });

  it('rk4 is of order 4 on rotation vectors and within 4e-9 at 1 ms', () => {
    const steps = [0.004, 0.002, 0.001, 0.0005, 0.00025];
    const found = errors({ method: 'rk4' }, steps, tight);
    expect(Math.abs(fittedOrder(steps, found) - 4)).toBeLessThan(0.1);
    expect(found[2]).toBeLessThan(4e-9);
  });

  it('dormand-prince agrees with rk4 where its steps are equal', () => {
    // Errors near rounding: the reference is another method's, at 1/8 ms.
    expect(orientationError(tight, pose({ method: 'rk4', step: 0.000125 }))).toBeLessThan(2e-12);
  });

  it('the midpoint rule is of order 2, its composition of order 4, semi-implicit Euler of order 1', () => {
    const steps = [0.002, 0.001, 0.0005, 0.00025];
    expect(Math.abs(fittedOrder(steps, errors({ method: 'midpoint' }, steps, tight)) - 2)).toBeLessThan(0.05);
    const coarse = [0.004, 0.002, 0.001, 0.0005];
    const fourth = errors({ method: 'midpoint', order: 4 }, coarse, tight);
    expect(Math.abs(fittedOrder(coarse, fourth) - 4)).toBeLessThan(0.1);
    const first = errors({ method: 'semi-implicit-euler' }, steps, tight);
    expect(Math.abs(fittedOrder(steps, first) - 1)).toBeLessThan(0.05);
  });
});

describe('order of rk4 with wrong rates of the rotation vector', () => {
  /** v' = w - 1/2 v x w s + D v x (v x w), with s = -1 the formula for body axes; D left out where `limit`. */
  function rate(v: number[], w: number[], sign: number, limit: boolean): number[] {
    if (limit) return w;
    const cross = (a: number[], b: number[]) =>
      [0, 1, 2].map((k) => a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);
    const angle = Math.hypot(...v);
    const d = angle < 1e-3 ? 1 / 12 + angle ** 2 / 720 : (1 - angle / 2 / Math.tan(angle / 2)) / angle ** 2;
    const once = cross(v, w);
    const twice = cross(v, once);
    return w.map((x, k) => x + 0.5 * sign * once[k] + d * twice[k]);
  }

  /** The chain after a second by rk4 written out here. */
  function after(step: number, sign: number, limit: boolean): number[] {
    const dynamics = threeBalls.dynamics();
    let q = new Array<number>(9).fill(0);
    let n = [...threeBalls.velocity];
    const slope = (pose: number[], v: number[]) => {
      const balls = [0, 3, 6].flatMap((i) => rate(pose.slice(i, i + 3), v.slice(i, i + 3), sign, limit));
      return [balls, [...forwardDynamics(dynamics, pose, v, new Float64Array(9))]];
    };
    const plus = (a: number[], h: number, b: number[]) => a.map((x, k) => x + h * b[k]);
    for (let k = 0; k < Math.round(1 / step); k++) {
      const a = slope(q, n);
      const b = slope(plus(q, step / 2, a[0]), plus(n, step / 2, a[1]));
      const c = slope(plus(q, step / 2, b[0]), plus(n, step / 2, b[1]));
      const d = slope(plus(q, step, c[0]), plus(n, step, c[1]));
      const mean = (j: number) => a[j].map((x, i) => (x + 2 * b[j][i] + 2 * c[j][i] + d[j][i]) / 6);
      [q, n] = [plus(q, step, mean(0)), plus(n, step, mean(1))];
    }
    return q;
  }

  it('with the corrected Appendix B it equals rk4 of the library', () => {
    expect(orientationError(after(0.002, 1, false), pose({ method: 'rk4', step: 0.002 }))).toBeLessThan(
      1e-12,
    );
  });

  it("with the printed sign for the other frame, or the printed limit v' = w, it diverges from it at any step length", () => {
    for (const step of [0.004, 0.002]) {
      expect(orientationError(after(step, -1, false), tight)).toBeGreaterThan(0.1);
      expect(orientationError(after(step, 1, true), tight)).toBeGreaterThan(0.1);
    }
  });
});
