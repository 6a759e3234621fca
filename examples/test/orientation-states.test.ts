import { quat } from 'poise/math';
import { describe, expect, it } from 'vitest';
import { quaternionMassEigenvalues } from '../orientation-states/autonormalized.js';
import { createHistory } from '../orientation-states/history.js';
import { orientationStates, rungeKutta } from '../orientation-states/states.js';
import { nothingSeen } from '../orientation-states/watch.js';

const INERTIA = [1.4471663e-5, 1.4044511e-5, 1.6958531e-6];
const SPIN = [3, 2, -1];

/** Attitude and angular velocity after 0.2 s, far from the lock. */
function after(n: number, h: number): Float64Array {
  const state = orientationStates(INERTIA)[n];
  const step = rungeKutta(state);
  const y = new Float64Array(state.size);
  state.start(quat.normalize([0.1, -0.2, 0.3, 0.9]), SPIN, y);
  for (let k = 0; k < Math.round(0.2 / h); k++) step(y, h);
  const out = new Float64Array(7);
  state.read(y, out);
  const length = Math.hypot(out[0], out[1], out[2], out[3]) * (out[3] < 0 ? -1 : 1);
  for (let k = 0; k < 4; k++) out[k] /= length;
  return out;
}

const gap = (a: Float64Array, b: Float64Array): number => Math.max(...a.map((x, k) => Math.abs(x - b[k])));

describe('orientation states', () => {
  const reference = after(1, 1e-3);

  it.each([0, 1, 2, 3])('state %i is moved by the same motion, with an error of fourth order', (n) => {
    expect(gap(after(n, 1e-3), reference)).toBeLessThan(1e-12);
    const [coarse, fine] = [gap(after(n, 0.04), reference), gap(after(n, 0.02), reference)];
    expect(Math.log2(coarse / fine)).toBeGreaterThan(3.5);
  });

  it('has a mass matrix of the autonormalized quaternion whose eigenvalues are zero and four times the inertia', () => {
    const [zero, ...rest] = quaternionMassEigenvalues(INERTIA, [2, -1, 0.5, 3]);
    // Rounding of the largest, a few times.
    expect(Math.abs(zero)).toBeLessThan(1e-15 * INERTIA[0]);
    for (const [k, moment] of [...INERTIA].sort((a, b) => a - b).entries()) {
      expect(rest[k] / (4 * moment)).toBeCloseTo(1, 12);
    }
  });

  it('gives no numbers where that is solved as it is, from the identity on', () => {
    const state = orientationStates(INERTIA, true)[2];
    const y = new Float64Array(state.size);
    state.start([0, 0, 0, 1], SPIN, y);
    rungeKutta(state)(y, 1e-3);
    expect(y.some(Number.isFinite)).toBe(false);
  });
});

describe('the history of what was seen', () => {
  it('keeps the worst of every interval while intervals grow, and a gap where a body stopped', () => {
    const history = createHistory(2);
    for (let k = 1; k <= 20_000; k++) {
      const peak = { ...nothingSeen(), energy: k === 777 ? 1 : 1e-9, reciprocalCondition: k === 778 ? 0 : 1 };
      history.add(k * 1e-3, [peak, k < 5000 ? peak : undefined]);
    }
    expect(history.times.length).toBeLessThanOrEqual(900);
    expect(history.times.at(-1)).toBeCloseTo(20, 9);
    expect(Math.max(...history.seen[0].map((each) => each?.energy ?? 0))).toBe(1);
    expect(Math.min(...history.seen[0].map((each) => each?.reciprocalCondition ?? 1))).toBe(0);
    expect(history.seen[1].at(-1)).toBeUndefined();
    expect(history.seen[1][0]?.energy).toBe(1e-9);
  });
});
